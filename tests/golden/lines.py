"""Writes lines.json beside it: one line of PyTorch 1.13.1 after another, with the line of this library that is the same.

    python3 tests/golden/lines.py        (see golden.py)

tests/ops/lines.test.js runs the lines of this library.
"""
import torch
import torch.nn.functional as F

from golden import INF, NAN, Draws, distance, once, save, tolerance

KINDS = {torch.float32: "float32", torch.int32: "int32", torch.int64: "int32", torch.bool: "bool"}
draws = Draws(46)
cases = []


def case(op, here, there, exact=False, **inputs):
    """exact: no rounding is allowed; gradients are those of all float inputs, weighted unevenly."""
    inputs = {key: torch.tensor(one) if isinstance(one, (list, float, int)) else one for key, one in inputs.items()}
    calculate = lambda leaves: {"y": there(**leaves)}
    out, _ = once(calculate, inputs, None, [], torch.float32)
    y = out["y"]
    wanted = [key for key, t in inputs.items() if t.is_floating_point()] if y.is_floating_point() else []
    cot = {"y": draws.cot(*y.shape) if y.shape else torch.tensor(0.75)} if wanted else {}
    single, double = (once(calculate, inputs, cot, wanted if there(**{
        key: t.clone().requires_grad_() if t.is_floating_point() else t for key, t in inputs.items()}).requires_grad else [],
        dtype) for dtype in (torch.float32, torch.float64))
    far = lambda n: max([distance(single[n][key], double[n][key]) for key in single[n] if single[n][key].is_floating_point()] + [0.0])
    cases.append({"id": f"{op} {sum(one['op'] == op for one in cases)}", "op": op, "here": here, "dtype": KINDS[y.dtype],
                  "inputs": inputs, **({"cot": cot, "grads": single[1]} if single[1] else {}), "outputs": single[0],
                  "tol": {"out": 0 if exact else tolerance(far(0)), "grad": tolerance(far(1))}})


# int32 and bool -------------------------------------------------------------------------------------------------------
INTS = [[3, -1, 2], [0, 7, -5]]
BOOLS = [[True, False, True], [False, False, True]]
FLOATS = [[0.5, -1.25, 2.0], [0.0, 3.5, -0.75]]
EMPTY = torch.zeros(0, 3, dtype=torch.int64)
BIG = [16777217, 16777216, 2147483647, 2147483646, -2147483648, -2147483647, 0, 16777217]

for values in (INTS, BOOLS, EMPTY, EMPTY.bool()):
    case("moved", "x.transpose(0, 1)", lambda x: x.transpose(0, 1), x=values)
    case("moved", "x.t()", lambda x: x.t(), x=values)
    case("moved", "x.T", lambda x: x.T, x=values)
    case("moved", "x.tril()", lambda x: x.tril(), x=values)
    case("moved", "x.triu(1)", lambda x: x.triu(1), x=values)
case("moved", "x.transpose(0, 2)", lambda x: x.transpose(0, 2), x=torch.arange(30).reshape(2, 5, 3))
case("moved", "x.transpose(-1, 1)", lambda x: x.transpose(-1, 1), x=torch.arange(66).reshape(2, 3, 11) % 3 == 1)
case("moved", "x.scatter(1, [[0], [2]], gf.tensor([[false], [false]]))",
     lambda x: x.scatter(1, torch.tensor([[0], [2]]), torch.tensor([[False], [False]])), x=BOOLS)
case("moved", "x.scatter(1, [[0], [2]], 9)", lambda x: x.scatter(1, torch.tensor([[0], [2]]), 9), x=INTS)
case("moved", "x.scatterAdd(1, [[0, 0], [2, 1]], y)", lambda x, y: x.scatter_add(1, torch.tensor([[0, 0], [2, 1]]), y), x=INTS,
     y=[[5, 6], [7, 8]])

case("chosen", "gf.where(mask, x, 7)", lambda mask, x: torch.where(mask, x, 7), mask=BOOLS, x=INTS)
case("chosen", "gf.where(mask, -3, x)", lambda mask, x: torch.where(mask, -3, x), mask=BOOLS, x=INTS)
case("chosen", "gf.where(mask, x, 0.5)", lambda mask, x: torch.where(mask, x, 0.5), mask=BOOLS, x=INTS)
case("chosen", "gf.where(mask, x, y)", lambda mask, x, y: torch.where(mask, x, y), mask=[True, False, True], x=INTS, y=[[8], [9]])
case("chosen", "gf.where(mask, x, y)", lambda mask, x, y: torch.where(mask, x, y), mask=BOOLS, x=INTS, y=FLOATS)
case("chosen", "gf.where(mask, x, y)", lambda mask, x, y: torch.where(mask, x, y), mask=BOOLS, x=INTS, y=BOOLS)
case("chosen", "gf.where(mask, x, x.logicalNot())", lambda mask, x: torch.where(mask, x, ~x), mask=[True, False, True], x=BOOLS)
case("chosen", "gf.where(mask, x, 0)", lambda mask, x: torch.where(mask, x, 0), mask=[True, False, True], x=BOOLS)
case("chosen", "gf.where(mask, true, false)", lambda mask: torch.where(mask, True, False), mask=BOOLS)
case("chosen", "x.maskedFill(mask, -100)", lambda x, mask: x.masked_fill(mask, -100), x=INTS, mask=BOOLS)
case("chosen", "x.maskedFill(mask, false)", lambda x, mask: x.masked_fill(mask, False), x=BOOLS, mask=[True, True, False])
case("chosen", "x.maskedFill(mask, 1)", lambda x, mask: x.masked_fill(mask, 1), x=BOOLS, mask=[True, True, False])
case("chosen", "x.maskedFill(mask, 3)", lambda x, mask: x.masked_fill(mask, 3), x=EMPTY, mask=EMPTY.bool())

for here, there in {
        "x.neg()": lambda x: -x, "x.abs()": lambda x: x.abs(), "x.sign()": lambda x: x.sign(), "x.square()": lambda x: x.square(),
        "x.relu()": lambda x: x.relu(), "x.floor()": lambda x: x.floor(), "x.round()": lambda x: x.round(),
        "x.clamp({ min: 0 })": lambda x: x.clamp(min=0), "x.clamp({ min: -2, max: 2 })": lambda x: x.clamp(-2, 2),
        "x.clamp({ max: 1 })": lambda x: x.clamp(max=1), "x.clamp({ min: 0.5 })": lambda x: x.clamp(min=0.5),
        "x.argmax()": lambda x: x.argmax(), "x.argmin({ dim: 1 })": lambda x: x.argmin(1),
        "x.argmax({ dim: 0, keepdim: true })": lambda x: x.argmax(0, keepdim=True)}.items():
    case("computed", here, there, x=INTS)
for values in (INTS, BOOLS):
    for here, there in {
            "x.cumsum(1)": lambda x: x.cumsum(1), "x.cumsum(0)": lambda x: x.cumsum(0), "x.sum({ dim: 1 })": lambda x: x.sum(1),
            "x.sort().values": lambda x: x.sort(stable=True)[0], "x.sort().indices": lambda x: x.sort(stable=True)[1],
            "x.sort({ dim: 0, descending: true })[0]": lambda x: x.sort(stable=True, dim=0, descending=True)[0],
            "x.sort({ dim: 0, descending: true })[1]": lambda x: x.sort(stable=True, dim=0, descending=True)[1],
            "x.sign()": lambda x: x.sign(), "x.clamp({ min: 0, max: 1 })": lambda x: x.clamp(0, 1), "x.square()": lambda x: x.square(),
            "x.isinf()": lambda x: x.isinf(), "x.isfinite()": lambda x: x.isfinite(), "x.isnan()": lambda x: x.isnan()}.items():
        case("computed", here, there, x=values)
    for name in ("exp", "tanh", "sigmoid", "sin", "cos"):
        case("computed", f"x.{name}()", lambda x, name=name: getattr(x, name)(), x=values)
for name in ("sqrt", "rsqrt", "log", "reciprocal"):
    case("computed", f"x.{name}()", lambda x, name=name: getattr(x, name)(), x=[4, 0, -1, 9])
case("computed", "x.topk(2)[0]", lambda x: x.topk(2)[0], x=INTS)
case("computed", "x.topk(2, { largest: false }).indices", lambda x: x.topk(2, largest=False)[1], x=INTS)
case("computed", "x.argsort()", lambda x: x.sort(stable=True)[1], x=BIG)
case("computed", "x.argsort({ descending: true })", lambda x: x.sort(stable=True, descending=True)[1], x=BIG)
case("computed", "x.topk(3).values", lambda x: x.topk(3)[0], x=BIG)
case("computed", "x.argmax()", lambda x: x.argmax(), x=BIG)
case("computed", "x.argmin()", lambda x: x.argmin(), x=BIG)
case("computed", "x.argsort({ dim: 1 })", lambda x: x.sort(stable=True, dim=1)[1], x=torch.randint(-5, 5, (2, 77, 3), generator=draws.stream))
case("computed", "x.argsort({ dim: 0 })", lambda x: x.sort(stable=True, dim=0)[1], x=EMPTY)
case("computed", "x.cumsum(1)", lambda x: x.cumsum(1), x=EMPTY)
case("computed", "x.cumsum(0)", lambda x: x.cumsum(0), x=7)
case("computed", "x.outer(y)", lambda x, y: torch.outer(x, y), x=[1, 2, 3], y=[4, -5])
case("computed", "x.outer(y)", lambda x, y: torch.outer(x, y), x=[True, False, True], y=[True, False])
case("computed", "x.outer(y)", lambda x, y: torch.outer(x, y), x=[1, 2, 3], y=[True, False])
case("computed", "x.outer(y)", lambda x, y: torch.outer(x, y), x=[1, 2, 3], y=[0.5, -0.25])
case("computed", "x.dot(y)", lambda x, y: x.dot(y), x=[1, 2, 3], y=[4, -5, 6])

for name, run in {"And": lambda x, y: x & y, "Or": lambda x, y: x | y, "Xor": lambda x, y: x ^ y}.items():
    case("bitwise", f"x.bitwise{name}(y)", run, x=BOOLS, y=[True, False, False])
    case("bitwise", f"x.bitwise{name}(y)", run, x=INTS, y=BOOLS)
    case("bitwise", f"x.bitwise{name}(y)", run, x=torch.tensor(BIG[:7]).int(), y=torch.tensor([-1, 255, 65280, -2, 3, -2147483648, 12345]).int())
    case("bitwise", f"x.bitwise{name}(6)", lambda x, run=run: run(x, 6), x=INTS)
    case("bitwise", f"x.bitwise{name}(true)", lambda x, run=run: run(x, True), x=BOOLS)
case("bitwise", "x.bitwiseNot()", lambda x: ~x, x=INTS)
case("bitwise", "x.bitwiseNot()", lambda x: ~x, x=BOOLS)

# What is composed of other operations ----------------------------------------------------------------------------------
SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 30.0, -30.0, 80.0, 1e-6, -1e-6, 0.25]
normal = draws.normal
for name in ("ceil", "trunc", "erf", "expm1"):
    for x in (normal(3, 5, scale=2.0), normal(17, scale=0.1), SPECIAL, torch.zeros(0, 3), torch.tensor(0.75)):
        case("elementwise", f"x.{name}()", lambda x, name=name: getattr(x, name)(), x=x)
for x in (normal(3, 5, scale=0.3), normal(17, scale=0.01), [NAN, INF, 0.0, -0.0, -1.0, -2.0, -INF, 1e-6, -1e-6, 1e30, 3.0]):
    case("elementwise", "x.log1p()", lambda x: x.log1p(), x=x)
for name in ("erf", "log1p", "expm1"):
    case("elementwise", f"x.{name}()", lambda x, name=name: getattr(x, name)(), x=INTS[1][:2])
for name in ("ceil", "trunc"):
    case("elementwise", f"x.{name}()", lambda x, name=name: getattr(x, name)(), x=INTS)
case("elementwise", "x.isfinite()", lambda x: x.isfinite(), x=SPECIAL)
for weight in (0, 0.25, 0.5, 1, -1.5, 3):
    case("elementwise", f"x.lerp(y, {weight})", lambda x, y: x.lerp(y, weight), x=normal(2, 3), y=normal(2, 3))
case("elementwise", "gf.lerp(x, y, w)", lambda x, y, w: torch.lerp(x, y, w), x=normal(2, 5), y=normal(2, 5), w=normal(2, 5))
case("elementwise", "gf.lerp(x, y, w)", lambda x, y, w: torch.lerp(x, y, w), x=normal(2, 5), y=normal(5), w=normal(2, 1))
case("elementwise", "x.lerp(y, 0.25)", lambda x, y: x.lerp(y, 0.25), x=[1.0, INF, NAN], y=[INF, 1.0, 2.0])
for options, keywords in (("", {}), (", { alpha: 0.5 }", {"alpha": 0.5})):
    for x in (normal(3, 5, scale=2.0), SPECIAL, torch.zeros(0)):
        case("elementwise", f"F.elu(x{options})", lambda x: F.elu(x, **keywords), x=x)
case("elementwise", "F.glu(x)", lambda x: F.glu(x), x=normal(3, 6))
case("elementwise", "F.glu(x, { dim: 1 })", lambda x: F.glu(x, 1), x=normal(2, 4, 3))
case("elementwise", "F.glu(x)", lambda x: F.glu(x), x=[INF, 1.0, NAN, 0.0, -INF, 2.0])
FAR = [0.0, 1.0, -3.0, 0.5, INF, NAN, 2.0]
for reduction in ("mean", "sum", "none"):
    for here, there in (("smoothL1Loss", F.smooth_l1_loss), ("huberLoss", F.huber_loss)):
        for option in ({}, {"beta" if there is F.smooth_l1_loss else "delta": 0.5}, {"beta" if there is F.smooth_l1_loss else "delta": 2.0}):
            written = ", ".join(f"{key}: {value}" for key, value in {"reduction": f"'{reduction}'", **option}.items())
            case("loss", f"F.{here}(x, y, {{ {written} }})", lambda x, y: there(x, y, reduction=reduction, **option),
                 x=normal(3, 5, scale=2.0), y=normal(3, 5))
case("loss", "F.smoothL1Loss(x, y, { beta: 0 })", lambda x, y: F.smooth_l1_loss(x, y, beta=0.0), x=normal(7), y=normal(7))
case("loss", "F.smoothL1Loss(x, y, { reduction: 'none' })", lambda x, y: F.smooth_l1_loss(x, y, reduction="none"), x=FAR, y=torch.zeros(7))
case("loss", "F.huberLoss(x, y, { reduction: 'none' })", lambda x, y: F.huber_loss(x, y, reduction="none"), x=FAR, y=torch.zeros(7))

for x in (normal(3, 5), INTS, BOOLS, normal(4, 3), normal(1, 7)):
    for offset in (0, 1, -2, 9):
        case("arranged", f"x.diagonal({offset})", lambda x: x.diagonal(offset), x=x)
    case("arranged", "gf.diag(x, 1)", lambda x: torch.diag(x, 1), x=x)
for x in (normal(3), [1, 2, 3], [True, False], torch.zeros(0)):
    for offset in (0, 2, -1):
        case("arranged", f"gf.diag(x, {offset})", lambda x: torch.diag(x, offset), x=x)
case("arranged", "x.diagonal(1, -1, 0)", lambda x: x.diagonal(1, -1, 0), x=normal(3, 2, 5))
case("arranged", "x.diagonal(0, 1, 2)", lambda x: x.diagonal(0, 1, 2), x=normal(2, 3, 4))
for x in (normal(2, 3, 4), torch.arange(24).reshape(2, 3, 4)):
    case("arranged", "x.unbind()[1]", lambda x: x.unbind()[1], x=x)
    case("arranged", "gf.stack(x.unbind(-1))", lambda x: torch.stack(x.unbind(-1)), x=x)
    case("arranged", "x.tile(2)", lambda x: x.tile(2), x=x)
    case("arranged", "x.tile([2, 1, 1, 3])", lambda x: x.tile(2, 1, 1, 3), x=x)
    case("arranged", "x.swapaxes(0, -1)", lambda x: x.swapaxes(0, -1), x=x)
    case("arranged", "x.movedim(0, 2)", lambda x: x.movedim(0, 2), x=x)
    case("arranged", "x.movedim([0, 2], [1, 0])", lambda x: x.movedim((0, 2), (1, 0)), x=x)
    case("arranged", "x.select(1, 0).unsqueeze(1).expandAs(x)", lambda x: x[:, :1].expand_as(x), x=x)
    case("arranged", "x.viewAs(gf.zeros([4, 6]))", lambda x: x.view_as(torch.zeros(4, 6)), x=x)
    case("arranged", "x.reshapeAs(gf.zeros([6, 4]))", lambda x: x.reshape_as(torch.zeros(6, 4)), x=x)
    case("arranged", "x.unfold(2, 2, 1)", lambda x: x.unfold(2, 2, 1), x=x)
    case("arranged", "x.unfold(0, 1, 3)", lambda x: x.unfold(0, 1, 3), x=x)
    case("arranged", "F.pad(x, [1, 2])", lambda x: F.pad(x, (1, 2)), x=x)
    case("arranged", "F.pad(x, [0, 1, 2, 0, -1, 1], { value: 7 })", lambda x: F.pad(x, (0, 1, 2, 0, -1, 1), value=7), x=x)
    case("arranged", "F.pad(x, [-1, -2])", lambda x: F.pad(x, (-1, -2)), x=x)
case("arranged", "x.typeAs(gf.tensor(Uint8Array.of(1)))", lambda x: x.type_as(torch.tensor([1])), x=[1.5, -2.5])
case("arranged", "F.pad(x, [1, 1], { value: true })", lambda x: F.pad(x, (1, 1), value=True), x=BOOLS)
case("arranged", "F.pad(x, [1, 1], { value: -Infinity })", lambda x: F.pad(x, (1, 1), value=-INF), x=torch.zeros(2, 0))
for mode in ("reflect", "replicate", "circular"):
    case("arranged", f"F.pad(x, [2, 1], {{ mode: '{mode}' }})", lambda x: F.pad(x, (2, 1), mode=mode), x=normal(1, 2, 4))
    case("arranged", f"F.pad(x, [1, 2, 1, 0], {{ mode: '{mode}' }})", lambda x: F.pad(x, (1, 2, 1, 0), mode=mode), x=normal(1, 2, 3, 4))
case("arranged", "gf.meshgrid([x, y])[0]", lambda x, y: torch.meshgrid(x, y, indexing="ij")[0], x=normal(3), y=normal(2))
case("arranged", "gf.meshgrid([x, y])[1]", lambda x, y: torch.meshgrid(x, y, indexing="ij")[1], x=[1, 2], y=[3, 4, 5])
for i in (0, 1, 2):
    case("arranged", f"gf.meshgrid([x, y, z], {{ indexing: 'xy' }})[{i}]", lambda x, y, z: torch.meshgrid(x, y, z, indexing="xy")[i],
         x=normal(3), y=normal(2), z=normal(4))
for here, there in (("trilIndices", torch.tril_indices), ("triuIndices", torch.triu_indices)):
    for rows, columns, offset in ((3, 4, 0), (4, 2, -1), (2, 5, 2), (0, 3, 0), (3, 3, -7)):
        case("arranged", f"gf.{here}({rows}, {columns}, {offset})", lambda: there(rows, columns, offset))

for x in (normal(4, 3), torch.arange(12).reshape(4, 3)):
    case("indexed", "x.indexFill(0, [1, 3], -1)", lambda x: x.index_fill(0, torch.tensor([1, 3]), -1), x=x)
    case("indexed", "x.indexFill(-1, [], -1)", lambda x: x.index_fill(-1, torch.tensor([], dtype=torch.long), -1), x=x)
    case("indexed", "x.indexCopy(0, [2, 0], x.narrow(0, 0, 2))", lambda x: x.index_copy(0, torch.tensor([2, 0]), x[:2]), x=x)
    case("indexed", "x.indexAdd(1, [2, 2, 0], x)", lambda x: x.index_add(1, torch.tensor([2, 2, 0]), x), x=x)
    case("indexed", "x.indexAdd(0, [1], x.narrow(0, 0, 1), { alpha: 3 })", lambda x: x.index_add(0, torch.tensor([1]), x[:1], alpha=3), x=x)
case("indexed", "x.indexFill(0, [1], true)", lambda x: x.index_fill(0, torch.tensor([1]), True), x=BOOLS)
case("indexed", "x.indexAdd(0, [1, 0], y)", lambda x, y: x.index_add(0, torch.tensor([1, 0]), y), x=normal(3, 2), y=normal(2, 2))

for x in (normal(2, 7, 3), [[2.0, 0.0, -1.5, 3.0, 0.0, 2.0, 1.0]], INTS, BOOLS, torch.zeros(0, 3)):
    case("scanned", "x.cumprod(1)", lambda x: x.cumprod(1), x=x)
# PyTorch divides in the backward pass, which has other infinities.
case("scanned", "x.detach().cumprod(1)", lambda x: x.detach().cumprod(1), x=[[1.0, INF, -2.0], [NAN, 0.0, 1.0]])
case("scanned", "x.cumprod(0)", lambda x: x.cumprod(0), x=0.5)
for x in (normal(3, 5), normal(3, 6), INTS, [[1.0, NAN, 2.0], [INF, -INF, 0.0]]):
    case("scanned", "x.median()", lambda x: x.median(), x=x)
    case("scanned", "x.median({ dim: 1 }).values", lambda x: x.median(1)[0], x=x)
    case("scanned", "x.median({ dim: 0, keepdim: true }).values", lambda x: x.median(0, keepdim=True)[0], x=x)
case("scanned", "x.median({ dim: -1 })[1]", lambda x: x.median(-1)[1], x=normal(4, 5))
case("scanned", "x.median()", lambda x: x.median(), x=[2.0, 1.0, 2.0, 2.0, 5.0])
case("scanned", "x.median()", lambda x: x.median(), x=[NAN, 1.0, NAN])
case("scanned", "x.detach().median()", lambda x: x.detach().median(), x=[])
for here, there in (("x.bincount()", lambda x: x.bincount()), ("x.bincount({ minlength: 9 })", lambda x: x.bincount(minlength=9))):
    case("scanned", here, there, x=[0, 3, 3, 1])
    case("scanned", here, there, x=torch.zeros(0, dtype=torch.long))
case("scanned", "x.bincount({ weights: w.detach() })", lambda x, w: x.bincount(w.detach()), x=[0, 3, 3, 1], w=[0.5, 1.0, 2.0, -1.0])
for x in ([[3.0, 1.0, 3.0], [1.0, -2.0, 7.0]], INTS, [[3, 3, 3]], BOOLS, [], [INF, -INF, INF]):
    case("scanned", "x.detach().unique()", lambda x: x.detach().unique(), x=x)
    if x and x[-1] == x[-1]:
        case("scanned", "x.unique({ returnInverse: true })[1]", lambda x: x.unique(return_inverse=True)[1], x=x)
    case("scanned", "x.unique({ returnCounts: true })[1]", lambda x: x.unique(return_counts=True)[1], x=x)
    case("scanned", "x.unique({ returnInverse: true, returnCounts: true })[2]", lambda x: x.unique(return_inverse=True, return_counts=True)[2], x=x)

for name, kernel, written, keywords in (
        ("", (2, 3), "[2, 3]", {}), ("stride", 2, "2", {"stride": 2}), ("all", (3, 2), "[3, 2]", {"dilation": (1, 2), "padding": (2, 1), "stride": (2, 1)})):
    options = f", {{ {', '.join(f'{key}: {list(one) if isinstance(one, tuple) else one}' for key, one in keywords.items())} }}" if keywords else ""
    case("windows", f"F.unfold(x, {written}{options})", lambda x: F.unfold(x, kernel, **keywords), x=normal(2, 3, 5, 6))
    L = F.unfold(torch.zeros(1, 2, 5, 6), kernel, **keywords).shape
    case("windows", f"F.fold(x, [5, 6], {written}{options})", lambda x: F.fold(x, (5, 6), kernel, **keywords), x=normal(2, L[1], L[2]))
case("windows", "F.unfold(x, 2)", lambda x: F.unfold(x, 2), x=normal(2, 3, 3))
case("windows", "F.fold(x, [3, 3], 2)", lambda x: F.fold(x, (3, 3), 2), x=normal(8, 4))
case("windows", "F.unfold(x, 1)", lambda x: F.unfold(x, 1), x=[[[[INF, NAN], [-INF, 0.0]]]])
for options, keywords in (("", {}), (", { stride: 2, padding: 1 }", {"stride": 2, "padding": 1}), (", { dilation: 2, padding: 'same' }", {"dilation": 2, "padding": "same"}),
                          (", { padding: 'valid' }", {"padding": "valid"})):
    case("windows", f"F.conv1d(x, w, b{options})", lambda x, w, b: F.conv1d(x, w, b, **keywords), x=normal(2, 3, 9), w=normal(4, 3, 3), b=normal(4))
    case("windows", f"F.conv2d(x, w, b{options})", lambda x, w, b: F.conv2d(x, w, b, **keywords), x=normal(2, 3, 7, 6), w=normal(5, 3, 3, 2), b=normal(5))
case("windows", "F.conv1d(x, w, null, { groups: 2 })", lambda x, w: F.conv1d(x, w, groups=2), x=normal(2, 4, 5), w=normal(6, 2, 3))
case("windows", "F.conv2d(x, w, null, { groups: 3, stride: [1, 2] })", lambda x, w: F.conv2d(x, w, groups=3, stride=(1, 2)), x=normal(2, 3, 5, 5), w=normal(6, 1, 2, 2))
case("windows", "F.conv1d(x, w)", lambda x, w: F.conv1d(x, w), x=normal(3, 5), w=normal(2, 3, 5))
case("windows", "F.conv2d(x, w)", lambda x, w: F.conv2d(x, w), x=normal(1, 4, 4), w=normal(2, 1, 4, 4))
case("windows", "F.conv2d(x, w, b, { stride: 4 })", lambda x, w, b: F.conv2d(x, w, b, stride=4), x=normal(1, 3, 8, 8, scale=0.5), w=normal(6, 3, 4, 4, scale=0.3), b=normal(6))
case("windows", "F.conv1d(x, w)", lambda x, w: F.conv1d(x, w), x=normal(0, 3, 5), w=normal(2, 3, 2))

for here, there, shapes in (("'...ij,...jk->...ik'", "...ij,...jk->...ik", ((2, 3, 4), (4, 5))), ("'...i,...i'", "...i,...i", ((2, 3), (2, 3))),
                            ("'b...c,cd->b...d'", "b...c,cd->b...d", ((2, 3, 4), (4, 5))), ("'...hd,...hd->h...'", "...hd,...hd->h...", ((2, 1, 3, 4), (5, 3, 4))),
                            ("'...->...'", "...->...", ((2, 3),)), ("'i...->...'", "i...->...", ((2, 3),)), ("'...ii->...i'", "...ii->...i", ((2, 3, 3),)),
                            ("'ij...,jk->ik...'", "ij...,jk->ik...", ((2, 3), (3, 4)))):
    names = ["x", "y"][:len(shapes)]
    case("einsum", f"gf.einsum({here}, {', '.join(names)})", lambda **t: torch.einsum(there, *t.values()), **{name: normal(*shape) for name, shape in zip(names, shapes)})
for shape, last in (((2, 3, 4), [3, 4]), ((2, 5), [2, 5]), ((3, 2, 2, 2), [2, 2, 2])):
    case("layerNorm", "F.layerNorm(x, w, b)", lambda x, w, b: F.layer_norm(x, last, w, b), x=normal(*shape), w=normal(*last), b=normal(*last))
    case("layerNorm", f"F.layerNorm(x, null, null, {{ normalizedShape: {last} }})", lambda x: F.layer_norm(x, last), x=normal(*shape))

def integers(*shape, scale=5):
    return (normal(*shape) * scale).round().to(torch.int32)


for left, right in (((2, 3), (3, 4)), ((4, 2, 3), (3, 2)), ((1, 2, 3), (5, 3, 1)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2))):
    case("integer products", "x.matmul(y)", lambda x, y: x.matmul(y), x=integers(*left), y=integers(*right))
case("integer products", "x.matmul(y)", lambda x, y: x.matmul(y), x=integers(3, 4, scale=1e9), y=integers(4, 2, scale=1e9))
for line, run in (("x.prod()", lambda x: x.prod()), ("x.prod(1)", lambda x: x.prod(1)), ("x.prod(0, true)", lambda x: x.prod(0, True))):
    case("integer products", line, run, x=integers(3, 4, scale=3))
    case("integer products", line, run, x=integers(2, 3) > 0)
case("integer products", "x.prod(1)", lambda x: x.prod(1), x=torch.tensor([[65536, 65536, 65536, 0], [-2147483648, 1, 1, 1], [46340, 46340, 1, -1]], dtype=torch.int32))
case("integer products", "x.prod(0)", lambda x: x.prod(0), x=torch.zeros(0, 2, dtype=torch.int32))

save("lines", "lines of PyTorch and of this library; gradients of sum(output * cot); made by lines.py", rtol=2e-6, cases=cases)
print(len(cases), "cases")
