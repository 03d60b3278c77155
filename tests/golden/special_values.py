"""Writes special_values.json: results of PyTorch 1.13.1 for NaN and infinities, and for losses of zero rows.

    python3 tests/golden/special_values.py        (see golden.py)
"""
import torch
import torch.nn.functional as F

from golden import INF, NAN, RTOL, once, save

TOL = {"out": 2e-6, "grad": 2e-6}
cases = []


def case(id, run, inputs, params=None, cot=None, grads=None, output="y"):
    """Without `grads`, all float inputs get gradients; without `cot`, the cotangent is the same for every output element."""
    inputs = {key: torch.tensor(one) if isinstance(one, list) else one for key, one in inputs.items()}
    wanted = [key for key, t in inputs.items() if t.is_floating_point()] if grads is None else grads
    calculate = lambda leaves: {output: run(leaves)}
    out, _ = once(calculate, inputs, None, [], torch.float32)
    weights = {output: torch.ones_like(out[output]) if cot is None else cot} if wanted else {}
    out, found = once(calculate, inputs, weights, wanted, torch.float32)
    cases.append({"id": id, "op": id.split(".")[0], **({"params": params} if params else {}), "inputs": inputs,
                  **({"cot": weights} if wanted else {}), "tol": TOL, "outputs": out, **({"grads": found} if wanted else {})})


ROWS = [[1, NAN, 2, 3, 0.5], [1, INF, 2, 3, 0.5], [1, -INF, 2, 3, 0.5], [INF, -INF, 1, 2, 3], [-INF] * 5, [INF] * 5,
        [0.5, 1, 1.5, -1, 2], [NAN] * 5]
LARGE = [3e38, 3e38, 1, -3e38, 0]
VALUES = [NAN, INF, -INF, 0.0, -0.0, 1e-38, -1e-38, 100, -100, 6, -6, 1.5, -1.5, 0.25]


def uneven(rows):
    return torch.tensor([[1, -1, 0.5, 2, 0.25]]).repeat(len(rows), 1)


with_large = ROWS[:7] + [LARGE] + ROWS[7:]
case("softmax", lambda t: t["x"].softmax(-1), {"x": with_large}, cot=uneven(with_large))
case("log_softmax", lambda t: t["x"].log_softmax(-1), {"x": ROWS}, cot=uneven(ROWS))
case("layer_norm", lambda t: F.layer_norm(t["x"], [5], t["weight"], t["bias"], 1e-5),
     {"x": ROWS, "weight": [1.0, 2, 0, -1, 0.5], "bias": [0.0, 1, 0, 0.5, -1]}, {"eps": 1e-5}, uneven(ROWS), ["x"])
case("relu", lambda t: F.relu(t["x"]), {"x": VALUES})
case("gelu", lambda t: F.gelu(t["x"]), {"x": VALUES})
case("gelu_tanh", lambda t: F.gelu(t["x"], approximate="tanh"), {"x": VALUES})
# A product must not be skipped because one factor is 0: with NaN or infinity it is NaN.
case("linear", lambda t: F.linear(t["x"], t["weight"], t["bias"]),
     {"x": [[1, NAN, 0], [0, INF, 1], [INF, -INF, 0], [0.5, 1, 2]], "weight": [[1, 0, 2], [0.5, 1, 1]], "bias": [0.25, -INF]})
case("matmul", lambda t: t["a"] @ t["b"], {"a": [[0, 1, 2], [NAN, 0, 1], [1, 2, 3]], "b": [[INF, 1], [1, 2], [0, -INF]]})
case("add", lambda t: t["a"] + t["b"], {"a": [INF, INF, NAN, 1], "b": [-INF, 1, 1, INF]})
case("mul", lambda t: t["a"] * t["b"], {"a": [INF, INF, NAN, 0, -2], "b": [-INF, 0, 1, INF, INF]})
case("embedding", lambda t: F.embedding(t["idx"], t["weight"]), {"idx": [0, 1, 0], "weight": [[NAN, 1], [INF, -INF], [0, 0]]})

LOGITS = [[1, 2, NAN], [1, -INF, 2], [-INF, 1, 2], [1, INF, 2], [1, 2, 3]]


def loss(title, logits, target, **params):
    case(f"cross_entropy.{title}", lambda t: F.cross_entropy(t["logits"], t["target"], **params),
         {"logits": logits, "target": torch.tensor(target, dtype=torch.long)}, params,
         grads=["logits"] if len(target) else [], output="loss")


loss("none", LOGITS, [0, 0, 0, 0, 2], reduction="none")
loss("mean", LOGITS, [0, 0, 0, 0, 2], reduction="mean")
loss("smooth", LOGITS[1:3] + LOGITS[4:], [0, 0, 2], reduction="none", label_smoothing=0.1)
loss("empty.mean", torch.zeros(0, 5), [], reduction="mean")
loss("empty.sum", torch.zeros(0, 5), [], reduction="sum")
# Dropped values are multiplied by 0, which gives NaN for infinity and NaN.
case("dropout", lambda t: t["x"] * (t["keep"] * 2.0),
     {"x": [INF, NAN, 1, -INF, NAN, 2], "keep": [False, False, False, True, True, True]}, {"p": 0.5}, grads=[])

save("special_values", "NaN, infinities, and losses over nothing; gradients of sum(output * cot); made by special_values.py",
     rtol=RTOL, cases=cases)
print(len(cases), "cases")
