"""Shared by the generators of golden files: inputs, tolerances and the format of numbers.

PyTorch 1.13.1, NumPy 1.24.2 and NLTK 3.8 are those of Debian 12: apt-get install python3-torch python3-nltk
"""
import json
import math
import pathlib

import numpy as np
import torch

torch.set_num_threads(1)
NAN, INF = math.nan, math.inf
RTOL = 2e-6
KINDS = {torch.bool: "bool", torch.int32: "i64", torch.int64: "i64", torch.float64: "f64"}


class Draws:
    """A generator of random inputs with few decimals, which keeps the files short."""

    def __init__(self, seed):
        self.stream = torch.Generator().manual_seed(seed)

    def normal(self, *shape, scale=1.0, shift=0.0, decimals=3):
        values = torch.randn(*shape, generator=self.stream, dtype=torch.float64) * scale + shift
        return torch.tensor(np.round(values.numpy(), decimals), dtype=torch.float32)

    def cot(self, *shape):
        return self.normal(*shape, decimals=2)

    def below(self, high, *shape):
        return torch.randint(0, high, shape, generator=self.stream)


def number(value):
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 2**53 and math.copysign(1, value) > 0 else value


def written(value):
    """Converts tensors, and containers of tensors, for JSON; numbers have the shortest decimals that identify them."""
    if isinstance(value, dict):
        return {key: written(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [written(one) for one in value]
    if isinstance(value, float):
        return number(value)
    if not isinstance(value, torch.Tensor):
        return value
    flat, kind = value.detach().numpy().reshape(-1), KINDS.get(value.dtype)
    whole = kind in ("bool", "i64")
    data = [int(v) if whole else number(v if kind == "f64" else str(v)) for v in flat]
    return {"shape": list(value.shape), "data": data, **({"dtype": kind} if kind else {})}


def distance(a, b):
    a, b = a.detach().double(), b.detach().double()
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, torch.zeros_like(a), (a - b).abs())
    return float(apart.max()) if apart.numel() else 0.0


def farthest(a, b):
    """The distance of two dicts of tensors; integers are ignored."""
    return max([distance(a[key], b[key]) for key in a if a[key].is_floating_point()] + [0.0])


def upward(x):
    """Rounds up to one digit."""
    if not math.isfinite(x):
        return 1e-6
    power = math.floor(math.log10(x))
    return float("%de%d" % (math.ceil(x / 10**power - 1e-9), power))


def tolerance(error):
    """The tolerance, see README.md; `error` is the difference between PyTorch's float32 and float64 results."""
    return upward(16 * error + 2e-7)


def once(calculate, inputs, cot, grads, dtype):
    leaves = {key: t.detach().to(dtype, copy=True).requires_grad_() if t.is_floating_point() else t
              for key, t in inputs.items()}
    outputs = calculate(leaves)
    if grads:
        sum((outputs[key] * one.to(dtype)).sum() for key, one in cot.items()).backward()
    found = {key: leaves[key].grad if leaves[key].grad is not None else torch.zeros_like(leaves[key]) for key in grads}
    return {key: t.detach() for key, t in outputs.items()}, found


def measured(calculate, inputs, cot=None, grads=()):
    """Outputs and gradients of float32 with their tolerances; of float64 as well where float32 is a poor judge.

    calculate(inputs) gives its outputs by name.
    """
    single, double = (once(calculate, inputs, cot, grads, dtype) for dtype in (torch.float32, torch.float64))
    out, grad = (farthest(a, b) for a, b in zip(single, double))
    case = {"outputs": single[0], **({"grads": single[1]} if grads else {}),
            "tol": {"out": tolerance(out), **({"grad": tolerance(grad)} if grads else {})}}
    if out > 5e-6 or grad > 1e-5:
        case["exact"] = {"outputs": {key: t.float() for key, t in double[0].items()},
                         "grads": {key: t.float() for key, t in double[1].items()}}
    return case


def line(value):
    return json.dumps(written(value), separators=(",", ":"), ensure_ascii=False)


def save(stem, about, **parts):
    """Writes <stem>.json beside this file: a line for each item of a list, and for each name of a dict."""
    def part(value):
        if isinstance(value, list) and value:
            return "[\n%s\n]" % ",\n".join(map(line, value))
        if isinstance(value, dict) and value:
            return "{\n%s\n}" % ",\n".join(f"{line(str(key))}:{line(one)}" for key, one in value.items())
        return line(value)
    head = {"about": about, "versions": {"torch": "1.13.1", "numpy": np.__version__}}
    rows = [f"{line(key)}:{line(value)}" for key, value in head.items()]
    rows += [f"{line(key)}:{part(value)}" for key, value in parts.items()]
    pathlib.Path(__file__).with_name(f"{stem}.json").write_text("{%s}\n" % ",\n".join(rows), encoding="utf-8")
