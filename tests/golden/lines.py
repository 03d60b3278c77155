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
    cot = {"y": draws.cot(*y.shape)} if wanted else {}
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

save("lines", "lines of PyTorch and of this library; gradients of sum(output * cot); made by lines.py", rtol=2e-6, cases=cases)
print(len(cases), "cases")
