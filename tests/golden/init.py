"""Writes init.json: values of torch.nn.init of PyTorch 1.13.1 after manual_seed(42), and the next random number.

    python3 tests/golden/init.py        (see golden.py)
"""
import torch
from torch.nn import init

from golden import save

INITS = [
    ("xavierUniform_", [5, 3], None, lambda t: init.xavier_uniform_(t)),
    ("xavierUniform_", [4, 3, 2], {"gain": 1.5}, lambda t: init.xavier_uniform_(t, gain=1.5)),
    ("xavierNormal_", [5, 3], None, lambda t: init.xavier_normal_(t)),
    ("xavierNormal_", [6, 7], {"gain": 0.5}, lambda t: init.xavier_normal_(t, gain=0.5)),
    ("kaimingUniform_", [5, 3], None, lambda t: init.kaiming_uniform_(t)),
    ("kaimingUniform_", [5, 3], {"a": 5 ** 0.5}, lambda t: init.kaiming_uniform_(t, a=5 ** 0.5)),
    ("kaimingUniform_", [5, 3], {"mode": "fanOut", "nonlinearity": "relu"}, lambda t: init.kaiming_uniform_(t, mode="fan_out", nonlinearity="relu")),
    ("kaimingNormal_", [5, 3], None, lambda t: init.kaiming_normal_(t)),
    ("kaimingNormal_", [4, 4, 2], {"mode": "fanOut", "nonlinearity": "tanh"}, lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="tanh")),
    ("normal_", [17], {"mean": 0.5, "std": 0.02}, lambda t: init.normal_(t, 0.5, 0.02)),
    ("normal_", [3], None, lambda t: init.normal_(t)),
    ("uniform_", [7], {"a": -0.1, "b": 0.3}, lambda t: init.uniform_(t, -0.1, 0.3)),
    ("uniform_", [7], None, lambda t: init.uniform_(t)),
    ("zeros_", [3], None, lambda t: init.zeros_(t)),
    ("ones_", [3], None, lambda t: init.ones_(t)),
    ("eye_", [3, 4], None, lambda t: init.eye_(t)),
    ("truncNormal_", [40], None, lambda t: init.trunc_normal_(t)),
    ("truncNormal_", [200], {"std": 0.02}, lambda t: init.trunc_normal_(t, std=0.02)),
    ("truncNormal_", [40], {"mean": 1.0, "std": 2.0, "a": 0.5, "b": 7.0}, lambda t: init.trunc_normal_(t, 1.0, 2.0, 0.5, 7.0)),
]


def drawn(name, shape, options, fill):
    torch.manual_seed(42)
    found = fill(torch.full(shape, 9.0))
    return {"name": name, "shape": shape, "options": options, "values": [float(str(v)) for v in found.flatten().numpy()],
            "next": float(torch.rand(1).item())}


save("init", "torch.nn.init after manual_seed(42), and the next draw; made by init.py", cases=[drawn(*row) for row in INITS])
