"""Writes schedules.json and init.json beside this file: learning rates step by step, and what torch.nn.init draws.

Run by hand: python3 tests/golden/make_training.py (PyTorch 1.13.1, one thread).
"""
import json
import os
import warnings

import torch
from torch import nn
from torch.optim import SGD, AdamW, lr_scheduler as lrs

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


def trajectory(optimizer, scheduler, steps):
    rows = []
    for step in range(steps):
        if step:
            optimizer.step()
            scheduler.step()
        rows.append([[g["lr"], g["betas"][0] if "betas" in g else g["momentum"]] for g in optimizer.param_groups])
    return rows


def two_groups(kind):
    a, b = (nn.Parameter(torch.zeros(1)) for _ in range(2))
    if kind == "adam":
        return AdamW([{"params": [a], "lr": 0.5}, {"params": [b]}], lr=0.02)
    return SGD([{"params": [a]}, {"params": [b], "lr": 1.0, "momentum": 0.5}], lr=0.1, momentum=0.9)


def schedule(name, kind, args, steps, make):
    optimizer = two_groups(kind)
    return {"name": name, "optimizer": kind, "args": args, "rates": trajectory(optimizer, make(optimizer), steps)}


schedules = [
    schedule("LambdaLR", "sgd", [], 8, lambda o: lrs.LambdaLR(o, lambda e: 0.9 ** e)),
    schedule("StepLR", "sgd", [3], 12, lambda o: lrs.StepLR(o, 3)),
    schedule("StepLR", "adam", [2, {"gamma": 0.5}], 8, lambda o: lrs.StepLR(o, 2, gamma=0.5)),
    schedule("CosineAnnealingLR", "sgd", [7], 30, lambda o: lrs.CosineAnnealingLR(o, 7)),
    schedule("CosineAnnealingLR", "adam", [10, {"etaMin": 0.001}], 25, lambda o: lrs.CosineAnnealingLR(o, 10, eta_min=0.001)),
    schedule("CosineAnnealingLR", "sgd", [1], 5, lambda o: lrs.CosineAnnealingLR(o, 1)),
    schedule("LinearLR", "sgd", [], 9, lambda o: lrs.LinearLR(o)),
    schedule("LinearLR", "adam", [{"startFactor": 1.0, "endFactor": 0.0, "totalIters": 6}], 9,
             lambda o: lrs.LinearLR(o, start_factor=1.0, end_factor=0.0, total_iters=6)),
    schedule("OneCycleLR", "sgd", [2.0, {"totalSteps": 20}], 20, lambda o: lrs.OneCycleLR(o, 2.0, total_steps=20)),
    schedule("OneCycleLR", "adam", [[0.1, 0.3], {"epochs": 3, "stepsPerEpoch": 5, "annealStrategy": "linear", "pctStart": 0.25}], 15,
             lambda o: lrs.OneCycleLR(o, [0.1, 0.3], epochs=3, steps_per_epoch=5, anneal_strategy="linear", pct_start=0.25)),
    schedule("OneCycleLR", "sgd", [1.0, {"totalSteps": 17, "threePhase": True, "divFactor": 10, "finalDivFactor": 100}], 17,
             lambda o: lrs.OneCycleLR(o, 1.0, total_steps=17, three_phase=True, div_factor=10, final_div_factor=100)),
    schedule("OneCycleLR", "adam", [1.0, {"totalSteps": 9, "cycleMomentum": False}], 9,
             lambda o: lrs.OneCycleLR(o, 1.0, total_steps=9, cycle_momentum=False)),
]

INITS = [
    ("xavierUniform_", [5, 3], None, lambda t: nn.init.xavier_uniform_(t)),
    ("xavierUniform_", [4, 3, 2], {"gain": 1.5}, lambda t: nn.init.xavier_uniform_(t, gain=1.5)),
    ("xavierNormal_", [5, 3], None, lambda t: nn.init.xavier_normal_(t)),
    ("xavierNormal_", [6, 7], {"gain": 0.5}, lambda t: nn.init.xavier_normal_(t, gain=0.5)),
    ("kaimingUniform_", [5, 3], None, lambda t: nn.init.kaiming_uniform_(t)),
    ("kaimingUniform_", [5, 3], {"a": 5 ** 0.5}, lambda t: nn.init.kaiming_uniform_(t, a=5 ** 0.5)),
    ("kaimingUniform_", [5, 3], {"mode": "fanOut", "nonlinearity": "relu"}, lambda t: nn.init.kaiming_uniform_(t, mode="fan_out", nonlinearity="relu")),
    ("kaimingNormal_", [5, 3], None, lambda t: nn.init.kaiming_normal_(t)),
    ("kaimingNormal_", [4, 4, 2], {"mode": "fanOut", "nonlinearity": "tanh"}, lambda t: nn.init.kaiming_normal_(t, mode="fan_out", nonlinearity="tanh")),
    ("normal_", [17], {"mean": 0.5, "std": 0.02}, lambda t: nn.init.normal_(t, 0.5, 0.02)),
    ("normal_", [3], None, lambda t: nn.init.normal_(t)),
    ("uniform_", [7], {"a": -0.1, "b": 0.3}, lambda t: nn.init.uniform_(t, -0.1, 0.3)),
    ("uniform_", [7], None, lambda t: nn.init.uniform_(t)),
    ("zeros_", [3], None, lambda t: nn.init.zeros_(t)),
    ("ones_", [3], None, lambda t: nn.init.ones_(t)),
    ("eye_", [3, 4], None, lambda t: nn.init.eye_(t)),
    ("truncNormal_", [40], None, lambda t: nn.init.trunc_normal_(t)),
    ("truncNormal_", [200], {"std": 0.02}, lambda t: nn.init.trunc_normal_(t, std=0.02)),
    ("truncNormal_", [40], {"mean": 1.0, "std": 2.0, "a": 0.5, "b": 7.0}, lambda t: nn.init.trunc_normal_(t, 1.0, 2.0, 0.5, 7.0)),
]


def drawn(name, shape, options, fill):
    torch.manual_seed(42)
    t = fill(torch.full(shape, 9.0))
    return {"name": name, "shape": shape, "options": options, "values": [float(str(v)) for v in t.flatten().numpy()],
            "next": float(torch.rand(1).item())}


def write(name, about, rows):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "w") as file:
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        file.write('{"about":%s,\n"cases":[\n%s\n]}\n' % (json.dumps(about), lines))


write("schedules.json", "rate and momentum of two groups at every step; see make_training.py", schedules)
write("init.json", "torch.nn.init after manual_seed(42), and the next draw; see make_training.py", [drawn(*row) for row in INITS])
