"""Writes arithmetic.json: elementwise operations, reductions, losses and random numbers of PyTorch 1.13.1.

    python3 tests/golden/arithmetic.py        (Debian 12: python3-torch, python3-numpy)

Each case is run in float32 and in float64; the difference determines its tolerance, see README.md.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

from golden import INF, NAN, Draws, distance, number, tolerance, written

stream = Draws(20261122)
drawn = stream.normal

cases = []


def case(op, title, run, inputs, params=None, grads=None):
    """run(inputs, params) returns one output, y."""
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
            "outputs": {"y": written(single["y"])}, "tol": {"out": tolerance(out)}}
    if single["cot"] is not None:
        item["cot"] = {"y": written(single["cot"])}
        item["grads"] = {k: written(t) for k, t in single["grads"].items()}
        item["tol"]["grad"] = tolerance(grad)
    cases.append(item)


# Elementwise operations -----------------------------------------------------------------------------------------------

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

COMPARISONS = {
    "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
    "logicalAnd": torch.logical_and, "logicalOr": torch.logical_or, "logicalXor": torch.logical_xor,
}
for name, run in COMPARISONS.items():
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
    """run(x, dim, keepdim) reduces along dim; None means all axes, which some of PyTorch's functions need as a list."""
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

# Losses, norms, products ---------------------------------------------------------------------------------------------

PROBABLE = lambda *shape: torch.sigmoid(drawn(*shape)).mul(1000).round().div(1000).clamp(0.001, 0.999)
for reduction in ("mean", "sum", "none"):
    options = {"reduction": reduction}
    for name, run in {"mseLoss": F.mse_loss, "l1Loss": F.l1_loss}.items():
        case("loss", f"{name}.{reduction}", lambda t, p, run=run: run(t["input"], t["target"], reduction=reduction),
             {"input": drawn(3, 5), "target": drawn(3, 5)}, {"op": name, **options})
    case("loss", f"binaryCrossEntropy.{reduction}",
         lambda t, p: F.binary_cross_entropy(t["input"], t["target"], reduction=reduction),
         {"input": PROBABLE(3, 5), "target": PROBABLE(3, 5)}, {"op": "binaryCrossEntropy", **options}, grads=["input"])
    case("loss", f"binaryCrossEntropyWithLogits.{reduction}",
         lambda t, p: F.binary_cross_entropy_with_logits(t["input"], t["target"], reduction=reduction),
         {"input": drawn(3, 5, scale=4.0), "target": PROBABLE(3, 5)}, {"op": "binaryCrossEntropyWithLogits", **options},
         grads=["input"])
    case("loss", f"klDiv.{reduction}", lambda t, p: F.kl_div(t["input"], t["target"], reduction=reduction),
         {"input": -drawn(3, 5).abs(), "target": PROBABLE(3, 5)}, {"op": "klDiv", **options}, grads=["input"])
    case("loss", f"klDiv.log.{reduction}",
         lambda t, p: F.kl_div(t["input"], t["target"], reduction=reduction, log_target=True),
         {"input": -drawn(3, 5).abs(), "target": -drawn(3, 5).abs()}, {"op": "klDiv", "logTarget": True, **options})
case("loss", "klDiv.batchmean", lambda t, p: F.kl_div(t["input"], t["target"], reduction="batchmean"),
     {"input": -drawn(3, 5).abs(), "target": PROBABLE(3, 5)}, {"op": "klDiv", "reduction": "batchmean"}, grads=["input"])
case("loss", "binaryCrossEntropy.edges", lambda t, p: F.binary_cross_entropy(t["input"], t["target"], reduction="none"),
     {"input": torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5]), "target": torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0])},
     {"op": "binaryCrossEntropy", "reduction": "none"}, grads=["input"])
case("loss", "binaryCrossEntropyWithLogits.special",
     lambda t, p: F.binary_cross_entropy_with_logits(t["input"], t["target"], reduction="none"),
     {"input": torch.tensor([NAN, 80.0, -80.0, 0.0, -0.0]), "target": torch.tensor([0.0, 0.0, 1.0, 1.0, 0.0])},
     {"op": "binaryCrossEntropyWithLogits", "reduction": "none"}, grads=["input"])
case("loss", "binaryCrossEntropyWithLogits.weighed",
     lambda t, p: F.binary_cross_entropy_with_logits(t["input"], t["target"], weight=t["weight"], pos_weight=t["posWeight"]),
     {"input": drawn(3, 5), "target": PROBABLE(3, 5), "weight": drawn(5).abs(), "posWeight": drawn(5).abs()},
     {"op": "binaryCrossEntropyWithLogits"}, grads=["input"])
case("loss", "binaryCrossEntropy.weighed",
     lambda t, p: F.binary_cross_entropy(t["input"], t["target"], weight=t["weight"]),
     {"input": PROBABLE(3, 5), "target": PROBABLE(3, 5), "weight": drawn(3, 5).abs()}, {"op": "binaryCrossEntropy"},
     grads=["input"])

IDS = stream.below
for reduction in ("mean", "sum", "none"):
    for title, shape, ids in (("rows", (6, 5), (6,)), ("sequence", (2, 5, 3), (2, 3)), ("image", (2, 4, 3, 2), (2, 3, 2)),
                              ("one", (5,), ())):
        V = shape[0] if len(shape) == 1 else shape[1]
        for weight in (None, drawn(V).abs() + 0.1):
            extra = {} if weight is None else {"weight": weight}
            target = IDS(V, *ids)
            if ids:
                target.reshape(-1)[1] = -100
            name = f"{title}.{reduction}{'.weight' if extra else ''}"
            case("loss", f"nllLoss.{name}",
                 lambda t, p: F.nll_loss(t["input"], t["target"], weight=t.get("weight"), reduction=reduction),
                 {"input": -drawn(*shape).abs(), "target": target, **extra}, {"op": "nllLoss", "reduction": reduction},
                 grads=["input"])
            smoothing = 0.2 if title == "image" else 0.0
            case("loss", f"crossEntropy.{name}",
                 lambda t, p: F.cross_entropy(t["input"], t["target"], weight=t.get("weight"), reduction=reduction,
                                              label_smoothing=smoothing),
                 {"input": drawn(*shape, scale=2.0), "target": target, **extra},
                 {"op": "crossEntropy", "reduction": reduction, "labelSmoothing": smoothing}, grads=["input"])
        for smoothing, weight in ((0.0, None), (0.3, drawn(V).abs())):
            extra = {} if weight is None else {"weight": weight}
            case("loss", f"crossEntropy.shares.{title}.{reduction}.{smoothing}",
                 lambda t, p: F.cross_entropy(t["input"], t["target"], weight=t.get("weight"), reduction=reduction,
                                              label_smoothing=smoothing),
                 {"input": drawn(*shape, scale=2.0), "target": torch.softmax(drawn(*shape), 0 if len(shape) == 1 else 1), **extra},
                 {"op": "crossEntropy", "reduction": reduction, "labelSmoothing": smoothing}, grads=["input"])


def rms_norm(x, weight, eps):
    """As in torch 2.4, since torch 1.13 has no RMS norm."""
    out = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return out if weight is None else out * weight


for eps in (1e-5, 0.1):
    case("norm", f"rmsNorm.{eps}", lambda t, p: rms_norm(t["x"], t["weight"], eps),
         {"x": drawn(2, 3, 7), "weight": drawn(7, shift=1.0)}, {"op": "rmsNorm", "eps": eps})
    case("norm", f"rmsNorm.bare.{eps}", lambda t, p: rms_norm(t["x"], None, eps), {"x": drawn(4, 5)},
         {"op": "rmsNorm", "eps": eps})
for params in ({}, {"dim": 0}, {"p": 1, "dim": -1}, {"dim": 1, "eps": 2.0}):
    case("norm", f"normalize.{params}", lambda t, p: F.normalize(t["x"], **params), {"x": drawn(3, 5)},
         {"op": "normalize", **params})
case("norm", "normalize.zero", lambda t, p: F.normalize(t["x"]), {"x": torch.tensor([[0.0, 0.0], [3.0, 4.0]])},
     {"op": "normalize"}, grads=[])
for params in ({}, {"dim": 0}, {"dim": -1, "eps": 3.0}):
    # If eps replaces a norm, torch's gradient is that of the norm; ours is that of a constant.
    case("pair", f"cosineSimilarity.{params}", lambda t, p: F.cosine_similarity(t["a"], t["b"], **params),
         {"a": drawn(3, 5), "b": drawn(3, 5)}, {"op": "cosineSimilarity", **params}, grads=[] if "eps" in params else None)
case("pair", "cosineSimilarity.broadcast", lambda t, p: F.cosine_similarity(t["a"], t["b"]),
     {"a": drawn(3, 5), "b": drawn(1, 5)}, {"op": "cosineSimilarity"})
for a, b in (((5,), (5,)), ((5,), (5, 3)), ((4, 5), (5,)), ((2, 4, 5), (5,)), ((5,), (2, 5, 3)), ((2, 1, 3, 5), (4, 5, 2))):
    case("pair", f"matmul.{a}.{b}", lambda t, p: torch.matmul(t["a"], t["b"]), {"a": drawn(*a), "b": drawn(*b)},
         {"op": "matmul"})
case("pair", "dot", lambda t, p: torch.dot(t["a"], t["b"]), {"a": drawn(7), "b": drawn(7)}, {"op": "dot"})
case("pair", "outer", lambda t, p: torch.outer(t["a"], t["b"]), {"a": drawn(4), "b": drawn(3)}, {"op": "outer"})

# Creation and random numbers ------------------------------------------------------------------------------------------

made = {}
for arguments in ((0.0, 1.0, 7), (-3.0, 2.5, 12), (1.0, 10.0, 1), (0.0, 1.0, 100), (5.0, -5.0, 33), (0.0, 0.3, 2)):
    made[f"linspace {arguments}"] = written(torch.linspace(*arguments))
for arguments in ((5,), (2, 9), (10, 0, -3), (0.0, 1.0, 0.1), (1.5, 4.0), (0.0, 2.0, 0.3)):
    made[f"arange {arguments}"] = written(torch.arange(*arguments))
draws = []
for seed in (0, 42, 123456789):
    for n in (3, 40):
        torch.manual_seed(seed)
        p = torch.tensor([round(((i * 7) % 11) / 11, 3) for i in range(n)])
        twice = p.repeat(2, 1) + torch.tensor([[0.0], [0.5]])
        draws.append({"seed": seed, "p": written(p), "rows": written(twice), "bernoulli": written(torch.bernoulli(p)),
                      "normal": written(torch.normal(2.0, 0.5, (n,))), "once": written(torch.multinomial(p, 2)),
                      "one": written(torch.multinomial(twice, 1)),
                      "again": written(torch.multinomial(p, 9, replacement=True)),
                      "both": written(torch.multinomial(twice, 5, replacement=True)),
                      "after": written(torch.rand(2))})

# ----------------------------------------------------------------------------------------------------------------------

about = "element by element, reductions, losses: forward, and gradients of sum(output * cot); made by arithmetic.py"
lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in cases)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arithmetic.json"), "w") as file:
    file.write('{"about":%s,\n"versions":{"torch":"1.13.1","numpy":"%s"},\n"rtol":2e-06,\n"shared":{},\n"made":%s,\n"draws":%s,\n"cases":[\n%s\n]}\n'
               % (json.dumps(about), np.__version__, json.dumps(made), json.dumps(draws), lines))
print(len(cases), "cases")
