"""Writes optimizers.json: parameters after each step of PyTorch 1.13.1's optimizers with fixed gradients.

    python3 tests/golden/optimizers.py        (see golden.py)
"""
import torch
from torch.optim import SGD, Adam, AdamW

from golden import RTOL, Draws, distance, save, tolerance


def walk(parameters, grads, dtype, optimizer, options, lr):
    own = [p.to(dtype).clone().requires_grad_() for p in parameters]
    steps, method = [], optimizer(own, **options)
    for at, row in enumerate(grads):
        if lr:
            method.param_groups[0]["lr"] = lr[at]
        for p, g in zip(own, row):
            p.grad = g.to(dtype).clone()
        method.step()
        steps.append([p.detach().clone() for p in own])
    return steps, [method.state[p] for p in own]


def trajectory(id, draws, optimizer, params, steps, options=None, lr=None, full=False):
    """Of two parameters with drawn gradients; `options` where they are not the params that are written. A full one has
    a few gradients of 0, and Adam's means after the last step."""
    parameters = [draws.normal(3, 5), draws.normal(7)]
    grads = [[draws.normal(3, 5, scale=0.5), draws.normal(7, scale=0.5)] for _ in range(steps)]
    if full:
        grads[1][0][0, 0] = grads[1][1][2] = 0.0
    (single, state), (double, _) = (walk(parameters, grads, dtype, optimizer, options or params, lr)
                                    for dtype in (torch.float32, torch.float64))
    error = max(distance(a, b) for rows in zip(single, double) for a, b in zip(*rows))
    means = {key: [one[key] for one in state] for key in ("exp_avg", "exp_avg_sq")} if full else {}
    return {"id": id, "params": params, "p0": parameters, "grads": grads, "after_each_step": single, **means,
            "tol": tolerance(error), **({"lr": lr} if lr else {})}


ROWS = [
    ("sgd", SGD, {"lr": 0.1}),
    ("sgd.momentum", SGD, {"lr": 0.05, "momentum": 0.9}),
    ("sgd.dampening", SGD, {"lr": 0.05, "momentum": 0.8, "dampening": 0.3}),
    ("sgd.nesterov", SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("sgd.weight_decay", SGD, {"lr": 0.1, "weight_decay": 0.2}),
    ("adam", Adam, {"lr": 0.01}),
    ("adam.weight_decay", Adam, {"lr": 0.02, "betas": [0.8, 0.95], "eps": 1e-6, "weight_decay": 0.3}),
    ("adam.large_eps", Adam, {"lr": 0.05, "eps": 0.1}),
    ("adamw.large_eps", AdamW, {"lr": 0.05, "eps": 0.1, "weight_decay": 0.5}),
    ("adamw.defaults", AdamW, {}),
    ("sgd.maximize", SGD, {"lr": 0.1, "maximize": True}),
    ("sgd.maximize_all", SGD, {"lr": 0.05, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1, "maximize": True}),
    ("adam.amsgrad", Adam, {"lr": 0.05, "amsgrad": True, "betas": [0.7, 0.6]}),
    ("adam.amsgrad_maximize", Adam, {"lr": 0.05, "amsgrad": True, "maximize": True, "weight_decay": 0.3, "betas": [0.8, 0.7]}),
    ("adam.maximize", Adam, {"lr": 0.05, "maximize": True}),
    ("adamw.amsgrad", AdamW, {"lr": 0.05, "amsgrad": True, "weight_decay": 0.2, "betas": [0.9, 0.6]}),
    ("adamw.maximize", AdamW, {"lr": 0.05, "maximize": True, "weight_decay": 0.2}),
]

if __name__ == "__main__":
    draws = Draws(77)
    save("optimizers", "parameters after each step from given gradients; made by optimizers.py", rtol=RTOL,
         cases=[trajectory(id, draws, optimizer, params, 4) for id, optimizer, params in ROWS])
    print(len(ROWS), "cases")
