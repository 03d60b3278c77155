"""Writes arithmetic.json beside it: element by element, reductions, losses, random draws, as PyTorch 1.13.1 has them.

    python3 tests/golden/arithmetic.py        (Debian 12: python3-torch, python3-numpy)

A case is run in float32 and in float64; their distance gives its tolerance, as README.md says.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
generator = torch.Generator().manual_seed(20261122)
NAN, INF = math.nan, math.inf


def drawn(*shape, scale=1.0, shift=0.0):
    """Numbers of three decimals."""
    values = torch.randn(*shape, generator=generator, dtype=torch.float64) * scale + shift
    return torch.tensor(np.round(values.numpy(), 3), dtype=torch.float32)


def number(value):
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 2**53 and math.copysign(1, value) > 0 else value


def written(t):
    t = t.detach()
    kinds = {torch.bool: "bool", torch.int64: "i64", torch.int32: "i64"}
    if t.dtype == torch.float32:
        data = [number(np.format_float_positional(v, unique=True)) if np.isfinite(v) else number(v)
                for v in t.numpy().reshape(-1)]
        return {"shape": list(t.shape), "data": data}
    return {"shape": list(t.shape), "data": [int(v) for v in t.reshape(-1)], "dtype": kinds[t.dtype]}


def distance(a, b):
    a, b = a.detach().double(), b.detach().double()
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, torch.zeros_like(a), (a - b).abs())
    return float(apart.max()) if apart.numel() else 0.0


def upward(x):
    """To one digit."""
    if not math.isfinite(x):
        return 1e-6
    power = math.floor(math.log10(x))
    return float("%de%d" % (math.ceil(x / 10**power - 1e-9), power))


cases = []


def case(op, title, run, inputs, params=None, grads=None):
    """run(inputs, params) gives one output, y."""
    wanted = [k for k, t in inputs.items() if t.is_floating_point()] if grads is None else grads
    params = params or {}
    results = []
    for dtype in (torch.float32, torch.float64):
        leaves = {k: t.detach().to(dtype, copy=True).requires_grad_(k in wanted) if t.is_floating_point() else t
                  for k, t in inputs.items()}
        y = run(leaves, params)
        cot = None
        if wanted and y.is_floating_point():
            cot = results[0]["cot"] if results else drawn(*y.shape) if y.dim() else torch.tensor(1.5)
            (y * cot.to(dtype)).sum().backward()
        gradient = {k: leaves[k].grad if leaves[k].grad is not None else torch.zeros_like(leaves[k]) for k in wanted}
        results.append({"y": y, "cot": cot, "grads": gradient if cot is not None else {}})
    single, double = results
    out = distance(single["y"], double["y"]) if single["y"].is_floating_point() else 0.0
    grad = max([distance(single["grads"][k], double["grads"][k]) for k in single["grads"]] + [0.0])
    item = {"id": f"{op}.{title}", "op": op, "params": params, "inputs": {k: written(t) for k, t in inputs.items()},
            "outputs": {"y": written(single["y"])}, "tol": {"out": upward(16 * out + 2e-7)}}
    if single["cot"] is not None:
        item["cot"] = {"y": written(single["cot"])}
        item["grads"] = {k: written(t) for k, t in single["grads"].items()}
        item["tol"]["grad"] = upward(16 * grad + 2e-7)
    cases.append(item)


# Element by element ---------------------------------------------------------------------------------------------------

UNARY = {
    "neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "floor": torch.floor, "round": torch.round,
    "square": torch.square, "exp": torch.exp, "sin": torch.sin, "cos": torch.cos, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "silu": F.silu, "softplus": F.softplus, "relu": F.relu, "leakyRelu": F.leaky_relu,
}
POSITIVE = {"sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "log": torch.log}
SPECIAL = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 30.0, -30.0, 80.0, -80.0])

for name, run in {**UNARY, **POSITIVE}.items():
    x = drawn(3, 5, scale=2.0)
    if name in POSITIVE:
        x = x.abs() + 0.05
    case("unary", name, lambda t, p, run=run: run(t["x"]), {"x": x}, {"op": name})
    case("unary", f"{name}.special", lambda t, p, run=run: run(t["x"]), {"x": SPECIAL}, {"op": name})
case("unary", "leakyRelu.slope", lambda t, p: F.leaky_relu(t["x"], 0.2), {"x": drawn(7)},
     {"op": "leakyRelu", "negativeSlope": 0.2})
case("unary", "softplus.beta", lambda t, p: F.softplus(t["x"], 2.5, 4.0), {"x": drawn(9, scale=3.0)},
     {"op": "softplus", "beta": 2.5, "threshold": 4})
for low, high in ((-0.5, 0.75), (None, 0.25), (0.0, None), (1.0, -1.0)):
    given = {k: v for k, v in (("min", low), ("max", high)) if v is not None}
    for title, x in (("", drawn(11)), (".special", SPECIAL)):
        case("unary", f"clamp.{low}.{high}{title}", lambda t, p: torch.clamp(t["x"], low, high), {"x": x},
             {"op": "clamp", **given})

BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum,
    "minimum": torch.minimum,
}
LEFT = torch.tensor([NAN, 1.0, INF, -INF, 0.0, -0.0, 2.0, -2.0, INF, 0.0, 3.0])
RIGHT = torch.tensor([1.0, NAN, INF, 2.0, 0.0, 1.0, 0.0, 0.5, -INF, INF, 3.0])
for name, run in BINARY.items():
    pair = lambda t, p, run=run: run(t["a"], t["b"])
    case("binary", name, pair, {"a": drawn(3, 5), "b": drawn(3, 5)}, {"op": name})
    case("binary", f"{name}.broadcast", pair, {"a": drawn(2, 1, 5), "b": drawn(3, 1)}, {"op": name})
    case("binary", f"{name}.special", pair, {"a": LEFT, "b": RIGHT}, {"op": name})
    for scalar in (2.5, -3.0):
        case("binary", f"{name}.with.{scalar}", lambda t, p, run=run: run(t["a"], torch.tensor(scalar)), {"a": drawn(7)},
             {"op": name, "b": scalar})
power = lambda t, p: torch.pow(t["a"], t["b"])
case("binary", "pow", power, {"a": drawn(3, 5).abs() + 0.1, "b": drawn(3, 5)}, {"op": "pow"})
case("binary", "pow.broadcast", power, {"a": drawn(4, 1).abs() + 0.1, "b": drawn(3)}, {"op": "pow"})
case("binary", "pow.negative", power, {"a": -drawn(9).abs() - 0.1, "b": torch.tensor([0, 1, 2, 3, -1, -2, 4, 5, 0.5])},
     {"op": "pow"}, grads=["a"])
edge = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, INF, -INF, NAN])
grid = torch.meshgrid(edge, torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5, INF, -INF, NAN]), indexing="ij")
case("binary", "pow.special", power, {"a": grid[0].reshape(-1), "b": grid[1].reshape(-1)}, {"op": "pow"}, grads=[])
for exponent in (0, 1, 2, 3, -1, 0.5, 2.5):
    case("binary", f"pow.{exponent}", lambda t, p: torch.pow(t["a"], exponent), {"a": drawn(9).abs() + 0.1},
         {"op": "pow", "b": exponent})
case("binary", "pow.base", lambda t, p: torch.pow(2.5, t["b"]), {"b": drawn(7)}, {"op": "pow", "a": 2.5})

QUESTIONS = {
    "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
    "logicalAnd": torch.logical_and, "logicalOr": torch.logical_or, "logicalXor": torch.logical_xor,
}
for name, run in QUESTIONS.items():
    case("question", name, lambda t, p, run=run: run(t["a"], t["b"]),
         {"a": torch.tensor([1.0, 2.0, 3.0, 0.0, NAN, INF, -INF, 0.0, NAN]),
          "b": torch.tensor([1.0, 3.0, 2.0, -0.0, NAN, INF, INF, NAN, 0.0])}, {"op": name}, grads=[])
for name, run in {"isnan": torch.isnan, "isinf": torch.isinf, "logicalNot": torch.logical_not}.items():
    case("question", name, lambda t, p, run=run: run(t["a"]), {"a": SPECIAL}, {"op": name}, grads=[])

HALVES = torch.tensor([0.0, -0.0, 1.0, 1 / 3, 65504.0, 65519.0, 65520.0, -1e6, 6.1e-5, 6e-8, 2.9e-8, 3e-8, 1e-9, 2049.0,
                       2051.0, 1.0009766, 3.4e38, NAN, INF, -INF])
for name, kind in {"float16": torch.float16, "bfloat16": torch.bfloat16}.items():
    case("to", name, lambda t, p, kind=kind: t["x"].float().to(kind).float(), {"x": HALVES}, {"dtype": name}, grads=[])
case("to", "int32", lambda t, p: t["x"].to(torch.int32), {"x": torch.tensor([1.9, -1.9, 0.4, -0.6, 1e9])},
     {"dtype": "int32"}, grads=[])
case("to", "bool", lambda t, p: t["x"].to(torch.bool), {"x": SPECIAL}, {"dtype": "bool"}, grads=[])

# Reductions -----------------------------------------------------------------------------------------------------------


def along(run):
    """run(x, dim, keepdim) with the case's dim; None means all axes, which some of PyTorch's functions spell out."""
    return lambda t, p: run(t["x"], p.get("dim", list(range(t["x"].dim()))), p.get("keepdim", False))


REDUCTIONS = {
    "sum": lambda x, d, k: x.sum(d, k), "mean": lambda x, d, k: x.mean(d, k), "amax": lambda x, d, k: x.amax(d, k),
    "amin": lambda x, d, k: x.amin(d, k), "logsumexp": lambda x, d, k: torch.logsumexp(x, d, k),
    "var": lambda x, d, k: torch.var(x, d, correction=1, keepdim=k),
    "std": lambda x, d, k: torch.std(x, d, correction=1, keepdim=k),
    "norm": lambda x, d, k: torch.linalg.vector_norm(x, 2, d, k),
}
DIMS = [{}, {"dim": 0}, {"dim": -1, "keepdim": True}, {"dim": [0, 2]}, {"dim": [1, 2], "keepdim": True}]
ROWS = torch.tensor([[1.0, NAN, 2.0], [INF, 1.0, 2.0], [-INF, 1.0, 2.0], [INF, -INF, 0.0], [INF, INF, 1.0],
                     [-INF, -INF, -INF], [0.0, 0.0, 0.0], [2.0, 2.0, 1.0], [NAN, INF, -INF], [3.0, 0.0, -3.0]])
for name, run in REDUCTIONS.items():
    for params in DIMS:
        case("reduce", f"{name}.{params}", along(run), {"x": drawn(2, 3, 5)}, {"op": name, **params})
    case("reduce", f"{name}.special", along(run), {"x": ROWS}, {"op": name, "dim": 1})
for correction in (0, 2, 5):
    for name, run in (("var", torch.var), ("std", torch.std)):
        case("reduce", f"{name}.correction.{correction}", lambda t, p: run(t["x"], 1, correction=correction),
             {"x": drawn(3, 5)}, {"op": name, "dim": 1, "correction": correction})
for p in (0, 0.5, 1, 3, INF):
    for title, x in (("", drawn(3, 5)), (".special", ROWS))[: 1 if p == 0.5 else 2]:
        case("reduce", f"norm.{p}{title}", lambda t, q: torch.linalg.vector_norm(t["x"], p, 1), {"x": x},
             {"op": "norm", "dim": 1, "p": number(p)})
for name, run in {"max": torch.max, "min": torch.min}.items():
    case("reduce", f"{name}", lambda t, p, run=run: run(t["x"]), {"x": drawn(2, 3, 5)}, {"op": name})
    case("reduce", f"{name}.ties", lambda t, p, run=run: run(t["x"]), {"x": torch.tensor([1.0, 3.0, 3.0, 1.0, 2.0])},
         {"op": name})
    for dim in (0, 1, 2):
        case("reduce", f"{name}.{dim}", lambda t, p, run=run: run(t["x"], dim).values, {"x": drawn(2, 3, 5)},
             {"op": name, "dim": dim})
    case("reduce", f"{name}.special", lambda t, p, run=run: run(t["x"], 1).values, {"x": ROWS}, {"op": name, "dim": 1})
for title, x in (("", drawn(2, 3, 5)), (".zero", torch.tensor([[1.0, 0.0, 3.0], [0.0, 0.0, 2.0], [2.0, -1.5, 3.0]]))):
    case("reduce", f"prod.all{title}", lambda t, p: t["x"].prod(), {"x": x}, {"op": "prod"})
    case("reduce", f"prod.1{title}", lambda t, p: t["x"].prod(1), {"x": x}, {"op": "prod", "dim": 1})
for name, run in {"argmax": torch.argmax, "argmin": torch.argmin}.items():
    case("place", name, lambda t, p, run=run: run(t["x"]), {"x": drawn(2, 3, 5)}, {"op": name}, grads=[])
    for title, x in (("", drawn(3, 4)), (".special", ROWS)):
        case("place", f"{name}.1{title}", lambda t, p, run=run: run(t["x"], 1, True), {"x": x},
             {"op": name, "dim": 1, "keepdim": True}, grads=[])
for name, run in {"softmax": F.softmax, "logSoftmax": F.log_softmax}.items():
    for dim in (0, 1, -2):
        case("rowwise", f"{name}.{dim}", lambda t, p, run=run: run(t["x"], dim), {"x": drawn(2, 3, 5)},
             {"op": name, "dim": dim})

# ----------------------------------------------------------------------------------------------------------------------

about = "element by element, reductions, losses: forward, and gradients of sum(output * cot); made by arithmetic.py"
lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in cases)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arithmetic.json"), "w") as file:
    file.write('{"about":%s,\n"versions":{"torch":"1.13.1","numpy":"%s"},\n"rtol":2e-06,\n"shared":{},\n"cases":[\n%s\n]}\n'
               % (json.dumps(about), np.__version__, lines))
print(len(cases), "cases")
