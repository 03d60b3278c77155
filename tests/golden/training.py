"""Writes training.json: outputs and gradients of PyTorch 1.13.1's modules in training mode, with dropout.

    python3 tests/golden/training.py        (see golden.py)

A module is created after manual_seed(3) and run after manual_seed(4).
"""
import torch
from torch import nn

from golden import RTOL, Draws, save

draws = Draws(99)
x, memory, cot = draws.normal(2, 5, 8), draws.normal(2, 4, 8), draws.cot(2, 5, 8)
POST = {"dim_feedforward": 12, "dropout": 0.5, "activation": "relu", "norm_first": False, "batch_first": True}
PRE = {**POST, "activation": "gelu", "norm_first": True}
SHOWN = ("in_proj_bias", "out_proj.weight", "linear1.weight", "norm1.weight")


def attend(module, x, memory):
    y, weights = module(x, memory, memory, average_attn_weights=False)
    return {"y": y, "weights": weights}


def encode(module, x, memory):
    return {"y": module(x)}


def decode(module, x, memory):
    return {"y": module(x, memory)}


ROWS = [("MultiheadAttention", lambda: nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True), attend)]
for title, options in (("post", POST), ("pre", PRE)):
    ROWS += [(f"TransformerEncoderLayer.{title}", lambda options=options: nn.TransformerEncoderLayer(8, 2, **options), encode),
             (f"TransformerDecoderLayer.{title}", lambda options=options: nn.TransformerDecoderLayer(8, 2, **options), decode)]
ROWS += [("TransformerEncoder", lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, batch_first=True), 2), encode),
         ("Transformer", lambda: nn.Transformer(8, 2, 1, 1, 12, batch_first=True), lambda module, x, memory: {"y": module(memory, x)})]


def case(id, make, run):
    torch.manual_seed(3)
    module, leaves = make().train(), {"x": x.clone().requires_grad_(), "memory": memory.clone().requires_grad_()}
    torch.manual_seed(4)
    outputs = run(module, **leaves)
    next_rand = torch.rand(2)
    (outputs["y"] * cot).sum().backward()
    parameters = {name: p for name, p in module.named_parameters() if name.endswith(SHOWN)}
    grads = {name: t.grad for name, t in {**leaves, **parameters}.items() if t.grad is not None}
    return {"id": id, "outputs": outputs, "grads": grads, "next_rand": next_rand}


save("training", "modules in training mode, and gradients of sum(y * cot); made by training.py", rtol=RTOL,
     tol={"out": 1e-5, "grad": 4e-5}, shared={"x": x, "memory": memory, "cot": cot}, cases=[case(*row) for row in ROWS])
