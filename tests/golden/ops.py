"""Writes ops.json and, with ops_attention.py, ops_attention.json: forward and backward of operations, position tables,
two trajectories of optimizers, and gradient clipping of PyTorch 1.13.1.

    python3 tests/golden/ops.py        (see golden.py)

All inputs come from one random generator, so they depend on the order of the cases.
"""
import numpy as np
import torch
import torch.nn.functional as F

from golden import INF, RTOL, Draws, measured, save
from ops_attention import attention
from optimizers import trajectory
from tables import by_float32, by_loops, rates, sines_first

# Odd sizes, since kernels process four or eight numbers at a time.
B, T, S, D, H, V, O = 2, 7, 5, 12, 3, 11, 5
draws = Draws(20240501)
shared, cases = {}, []


def case(id, op, run, inputs, params=None, cot=None, grads=(), into=cases):
    """An input that is a string refers to `shared`; run(inputs) returns one output, or several by name."""
    tensors = {key: shared[one] if isinstance(one, str) else one for key, one in inputs.items()}
    cot = cot if isinstance(cot, dict) else {"y": cot}

    def calculate(leaves):
        out = run(leaves)
        return out if isinstance(out, dict) else {next(iter(cot)): out}
    found = measured(calculate, tensors, cot, grads)
    tol, exact = found.pop("tol"), found.pop("exact", None)
    into.append({"id": id, "op": op, **({"params": params} if params else {}),
                 "inputs": {key: {"ref": one} if isinstance(one, str) else one for key, one in inputs.items()},
                 "cot": cot, **found, "tol": tol, **({"exact": exact} if exact else {})})


# Tables of positions --------------------------------------------------------------------------------------------------

def picked(table, rows, columns):
    return table[rows][:, columns].contiguous()


def tables():
    small = [{"L": rows, "d": d, "n": base, "div_term32": rates(d, base), "loop64": by_loops(rows, d, base),
              "torch32": by_float32(rows, d, base), "concat64": sines_first(rows, d, base)}
             for rows, d, base in ((10, 4, 1000.0), (10, 4, 100.0), (10, 4, 1e4), (5, 6, 1e4), (5, 8, 1e4), (7, 12, 1e4))]
    odd = {"L": 7, "d": 5, "n": 1e4, "loop64": by_loops(7, 5, 1e4), "concat64": sines_first(7, 5, 1e4)}
    rows, columns = [0, 1, 2, 46, 255, 1000, 2500, 4998, 4999], [0, 1, 2, 3, 4, 5, 100, 101, 254, 255, 509, 510, 511]
    far = by_loops(5000, 512, 1e4)
    big = {"L": 5000, "d": 512, "n": 1e4, "rows": rows, "cols": columns,
           "torch32": picked(by_float32(5000, 512, 1e4), rows, columns), "loop64": picked(far, rows, columns),
           "loop64_sum": float(far.numpy().sum())}
    return {"pe_tables": small, "pe_odd": odd, "pe_big": big}


# Embeddings and positions ---------------------------------------------------------------------------------------------

def embeddings():
    idx = draws.below(V, B, T)
    idx[0, 0] = idx[0, 1] = idx[1, 0] = 1  # the same id three times: its gradients add up
    inputs, cot = {"idx": idx, "weight": draws.normal(V, O)}, draws.cot(B, T, O)
    case("embedding", "embedding", lambda t: F.embedding(t["idx"], t["weight"]), inputs, cot=cot, grads=["weight"])
    case("embedding.padding_idx", "embedding", lambda t: F.embedding(t["idx"], t["weight"], padding_idx=1), inputs,
         {"padding_idx": 1}, cot, ["weight"])
    x, cot = draws.normal(B, T, D), draws.cot(B, T, D)
    shared["pe"] = by_float32(max(B, T) + 3, D, 1e4)
    inputs = {"x": x, "pe": "pe"}
    case("pe.add", "pe_add", lambda t: t["x"] + t["pe"][:T], inputs, {"slice": "x.size(1)"}, cot, ["x"])
    # One lesson slices its table by the batch axis, so that all tokens of a sequence get the same row.
    case("pe.add.002", "pe_add", lambda t: t["x"] + t["pe"][:B].unsqueeze(1), inputs, {"slice": "x.size(0)"}, cot, ["x"])
    case("pe.learned", "pe_learned", lambda t: F.embedding(t["idx"], t["tok"]) + t["pos"][:T],
         {"idx": idx, "tok": draws.normal(V, D), "pos": draws.normal(T + 3, D)}, cot=cot, grads=["tok", "pos"])


# Products, rowwise and elementwise operations -------------------------------------------------------------------------

def products():
    x = draws.normal(B, T, D)
    inputs = {"x": x, "weight": draws.normal(O, D, scale=0.4), "bias": draws.normal(O)}
    cot = draws.cot(B, T, O)
    case("linear", "linear", lambda t: F.linear(t["x"], t["weight"], t["bias"]), inputs, cot=cot,
         grads=["x", "weight", "bias"])
    case("linear.nobias", "linear", lambda t: F.linear(t["x"], t["weight"]), {"x": x, "weight": inputs["weight"]}, cot=cot,
         grads=["x", "weight"])
    case("matmul", "matmul", lambda t: t["a"] @ t["b"],
         {"a": draws.normal(B, H, T, D // H), "b": draws.normal(B, H, D // H, S)}, cot=draws.cot(B, H, T, S), grads=["a", "b"])


def softmaxes():
    def softmax(title, x):
        case(f"softmax{title}", "softmax", lambda t: t["x"].softmax(-1), {"x": x}, cot=draws.cot(*x.shape), grads=["x"])
    plain = draws.normal(4, T, scale=2.0)
    softmax("", plain)
    masked = draws.normal(4, T, scale=2.0)
    masked[0, 1:] = masked[1, 2] = masked[2, :T - 1] = -INF
    softmax(".masked", masked)
    hidden = draws.normal(3, T)
    hidden[1] = -INF
    softmax(".fully_masked", hidden)
    # Overflows unless the maximum is subtracted first.
    softmax(".extreme", torch.tensor([[1e4, 9999.0, -1e4] + [0.0] * (T - 3), [-1e30] * T, [88.8, 88.7] + [-104.0] * (T - 2)]))
    case("log_softmax", "log_softmax", lambda t: t["x"].log_softmax(-1), {"x": plain}, cot=draws.cot(4, T), grads=["x"])


def norms():
    weight, bias = draws.normal(D, scale=0.2, shift=1.0), draws.normal(D, scale=0.2)
    cot = draws.cot(B, T, D)

    def norm(title, x, cot):
        case(f"layer_norm{title}", "layer_norm", lambda t: F.layer_norm(t["x"], [D], t["weight"], t["bias"], 1e-5),
             {"x": x, "weight": weight, "bias": bias}, {"eps": 1e-5}, cot, ["x", "weight", "bias"])
    norm("", draws.normal(B, T, D), cot)
    # A variance computed as the difference of two large numbers would lose most digits here.
    norm(".offset", draws.normal(B, T, D, shift=100.0), cot)
    x = draws.normal(3, D)
    x[1], x[2] = 0.5, x[2] * 1e-3  # a variance of 0, and one near eps
    norm(".flat_row", x, draws.cot(3, D))
    case("layer_norm.noaffine", "layer_norm", lambda t: F.layer_norm(t["x"], [O]), {"x": draws.normal(3, O)}, {"eps": 1e-5},
         draws.cot(3, O), ["x"])


def activations():
    some = torch.tensor([sign * v for v in (0.0, 1.0, 0.5, 3.0, 6.0, 10.0, 0.001, 40.0) for sign in (1, -1)])
    x, cot = torch.cat([some, draws.normal(15, scale=2.0)]), draws.cot(31)
    case("gelu", "gelu", lambda t: F.gelu(t["x"]), {"x": x}, cot=cot, grads=["x"])
    case("gelu_tanh", "gelu_tanh", lambda t: F.gelu(t["x"], approximate="tanh"), {"x": x}, cot=cot, grads=["x"])
    case("relu", "relu", lambda t: F.relu(t["x"]), {"x": x}, cot=cot, grads=["x"])
    x, keep = draws.normal(3, 6, 4), draws.below(10, 3, 6, 4) >= 1
    scale = float(np.float32(1) / np.float32(0.9))
    case("dropout.mask", "dropout", lambda t: t["x"] * (t["keep"] * t["x"].new_tensor(scale)), {"x": x, "keep": keep},
         {"p": 0.1, "scale": scale}, draws.cot(3, 6, 4), ["x"])


# Losses, steps, clipping ----------------------------------------------------------------------------------------------

def losses():
    def loss(title, cot=torch.tensor(1.0), logits="logits", target="target", **options):
        params = {"ignore_index": -100, "label_smoothing": 0.0, "reduction": "mean", **options}
        case(f"cross_entropy{title}", "cross_entropy", lambda t: F.cross_entropy(t["logits"], t["target"], **options),
             {"logits": logits, "target": target}, params, {"loss": cot}, ["logits"])
    logits, target = draws.normal(B * T, V, scale=2.0), draws.below(V, B * T)
    target[1] = target[-1] = 0
    shared.update(logits=logits, target=target)
    loss("")
    loss(".ignore", ignore_index=0)
    loss(".smooth", label_smoothing=0.1)
    loss(".ignore.smooth", ignore_index=0, label_smoothing=0.1)
    loss(".sum", reduction="sum", ignore_index=0)
    loss(".none", draws.cot(B * T), reduction="none", ignore_index=0, label_smoothing=0.1)
    loss(".all_ignored", logits=logits[:3], target=torch.zeros(3, dtype=torch.long), ignore_index=0)


def optimizers():
    decay = {"lr": 0.01, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.1}
    noam = {"d_model": D, "warmup": 4, "factor": 1.0, "steps": 10}
    adam = {"betas": [0.9, 0.98], "eps": 1e-9}
    lr = [D**-0.5 * min(step**-0.5, step * 4**-1.5) for step in range(1, 11)]
    return [trajectory("adamw", draws, torch.optim.AdamW, decay, 5, full=True),
            trajectory("adam.noam", draws, torch.optim.Adam, {**noam, **adam}, 10, {"lr": 1.0, **adam}, lr, full=True)]


def clipping():
    found = []
    for title, most, kind in (("l2", 1.0, 2.0), ("l2.not_needed", 100.0, 2.0), ("inf", 0.25, INF), ("l1", 2.0, 1.0)):
        grads = [draws.normal(3, 5), draws.normal(7)]
        clipped = with_gradients(grads)
        total = torch.nn.utils.clip_grad_norm_(clipped, most, kind)
        found.append({"id": f"clip_norm.{title}", "max_norm": most, "norm_type": kind, "grads": grads, "total_norm": total,
                      "clipped": [p.grad for p in clipped], "tol": 1e-6})
    grads = [draws.normal(7)]
    clipped = with_gradients(grads)
    torch.nn.utils.clip_grad_value_(clipped, 0.5)
    return found + [{"id": "clip_value", "clip_value": 0.5, "grads": grads, "clipped": [p.grad for p in clipped], "tol": 0.0}]


def with_gradients(grads):
    parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in grads]
    for p, g in zip(parameters, grads):
        p.grad = g.clone()
    return parameters


embeddings()
products()
softmaxes()
norms()
activations()
attended = attention(draws, shared, case, B, T, S, D, H)
losses()
about = "forward, and gradients of sum(output * cot)"
own = {key: t for key, t in shared.items() if key in ("pe", "logits", "target")}
steps = optimizers()
save("ops", f"{about}; made by ops.py", rtol=RTOL, shared=own, cases=cases, **tables(), optimizers=steps, clipping=clipping())
save("ops_attention", f"{about}; made by ops.py and ops_attention.py", rtol=RTOL,
     shared={key: t for key, t in shared.items() if key not in own}, cases=attended)
print(len(cases), "cases,", len(attended), "of attention")
