"""Writes shapes.json: outputs and gradients of PyTorch 1.13.1's operations on shapes and indices.

    python3 tests/golden/shapes.py        (see golden.py)

tests/ops/shapes.test.js has the same calls under the same names.
"""
import torch

from golden import save

torch.manual_seed(5)

CASES = {
    "permute": [((2, 3, 4), lambda x: x.permute(2, 0, 1)), ((5,), lambda x: x.permute(0)), ((2, 0, 3), lambda x: x.permute(2, 1, 0)),
                ((2, 3, 1, 5, 2), lambda x: x.permute(4, 2, 0, -2, 1))],
    "expand": [((3, 1, 2), lambda x: x.expand(3, 4, 2)), ((3,), lambda x: x.expand(2, 2, 3)), ((1, 5), lambda x: x.expand(-1, -1)),
               ((2, 1, 1), lambda x: x.expand(2, 0, 3)), ((), lambda x: x.expand(2, 3))],
    "slice": [((5, 4), lambda x: x[1:4]), ((5, 4), lambda x: x[:, ::3]), ((17,), lambda x: x[-5:-1]), ((3, 2), lambda x: x[:, 5:9]),
              ((2, 7, 3), lambda x: x[:, 1:6:2])],
    "narrow": [((5, 4), lambda x: x.narrow(0, 1, 3)), ((5, 4), lambda x: x.narrow(1, 2, 2)), ((1, 5, 2), lambda x: x.narrow(1, -2, 2)),
               ((3, 2), lambda x: x.narrow(-1, 0, 0))],
    "flip": [((3, 4), lambda x: x.flip(0)), ((2, 3, 4), lambda x: x.flip(0, 2)), ((0, 3), lambda x: x.flip(1))],
    "repeat": [((2, 3), lambda x: x.repeat(2, 3)), ((3,), lambda x: x.repeat(2, 1, 2))],
    "repeatInterleave": [((2, 3), lambda x: x.repeat_interleave(2, dim=1)), ((2, 3), lambda x: x.repeat_interleave(3))],
    "roll": [((2, 5), lambda x: x.roll(2, 1)), ((2, 5), lambda x: x.roll(-3)), ((3, 4), lambda x: x.roll((1, -1), (0, 1))),
             ((3, 4), lambda x: x.roll(4, 1))],
    "unsqueeze": [((2, 3), lambda x: x.unsqueeze(1)), ((2, 3), lambda x: x.unsqueeze(-1)), ((), lambda x: x.unsqueeze(0))],
    "squeeze": [((1, 3, 1), lambda x: x.squeeze()), ((1, 3, 1), lambda x: x.squeeze(-1)), ((1, 3, 1), lambda x: x.squeeze(1))],
    "flatten": [((2, 3, 4), lambda x: x.flatten()), ((2, 3, 4), lambda x: x.flatten(1)), ((2, 3, 4, 2), lambda x: x.flatten(1, -2))],
    "unflatten": [((2, 12), lambda x: x.unflatten(1, (3, 4))), ((12, 2), lambda x: x.unflatten(0, (2, -1, 3)))],
    "split": [((5, 2), lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.split(2))])),
              ((2, 6), lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.split([1, 2, 3], dim=1))], dim=1))],
    "chunk": [((7, 2), lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.chunk(3))])),
              ((2, 4), lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.chunk(4, dim=1))], dim=1))],
    "cat": [((2, 3), lambda x: torch.cat([x, x * 2, x[:1]])), ((2, 3), lambda x: torch.cat([x, x * 2], dim=-1))],
    "stack": [((2, 3), lambda x: torch.stack([x, x * 2])), ((2, 3), lambda x: torch.stack([x, x * 2], dim=-1))],
    "indexSelect": [((4, 3), lambda x: x.index_select(0, torch.tensor([2, 2, 0]))), ((2, 4, 3), lambda x: x.index_select(-2, torch.tensor([3, 1])))],
    "gather": [((3, 4), lambda x: x.gather(1, torch.tensor([[0, 3], [1, 1], [2, 0]]))),
               ((3, 4), lambda x: x.gather(0, torch.tensor([[0, 2], [1, 1]]))),
               ((2, 3, 2), lambda x: x.gather(1, torch.tensor([[[0, 2], [1, 1]], [[2, 2], [2, 0]]])))],
    "scatter": [((3, 4), lambda x: x.scatter(1, torch.tensor([[0, 3], [1, 2], [2, 0]]), (x * 3)[:, :2])),
                ((3, 4), lambda x: x.scatter(0, torch.tensor([[2, 1, 0, 1]]), 7.0))],
    "scatterAdd": [((3, 4), lambda x: x.scatter_add(1, torch.tensor([[0, 0], [1, 1], [2, 0]]), (x * 3)[:, :2]))],
    "maskedFill": [((3, 4), lambda x: x.masked_fill(x > 0.3, -2.0)), ((2, 3, 4), lambda x: x.masked_fill(x[0, :, :1] > 0, float("-inf")))],
    "maskedSelect": [((3, 4), lambda x: x.masked_select(x > 0)), ((3, 4), lambda x: x.masked_select(x[0] > 0))],
    "where": [((3, 4), lambda x: torch.where(x > 0, x, x * 3)), ((3, 4), lambda x: torch.where(x[:, :1] > 0, x[0], x * 3))],
    "tril": [((4, 3), lambda x: x.tril()), ((2, 3, 5), lambda x: x.tril(1)), ((3, 3), lambda x: x.tril(-1))],
    "triu": [((4, 3), lambda x: x.triu()), ((2, 3, 5), lambda x: x.triu(2)), ((3, 3), lambda x: x.triu(-1))],
    "cumsum": [((17,), lambda x: x.cumsum(0)), ((2, 5, 3), lambda x: x.cumsum(1)), ((0, 3), lambda x: x.cumsum(0))],
    "sort": [((3, 5), lambda x: x.sort()[0]), ((5, 3), lambda x: x.sort(0, descending=True)[0])],
    "topk": [((3, 5), lambda x: x.topk(2)[0]), ((70, 2), lambda x: x.topk(66, dim=0)[0]), ((3, 5), lambda x: x.topk(2, largest=False)[0])],
    "einsum": [((3, 4), lambda x: torch.einsum("ij->ji", x)), ((3, 4), lambda x: torch.einsum("ij->j", x)), ((3, 4), lambda x: torch.einsum("ij,ij->", x, x)),
               ((3, 4), lambda x: torch.einsum("ij,kj->ik", x, x)), ((2, 3, 4, 2), lambda x: torch.einsum("bhid,bhjd->bhij", x, x * 2)),
               ((2, 3, 4), lambda x: torch.einsum("bij,j,bkj->kib", x, x[0, 0], x)), ((3, 3), lambda x: torch.einsum("ii->i", x)),
               ((3, 3), lambda x: torch.einsum("ii", x)), ((2, 3), lambda x: torch.einsum("ij,kl->ijkl", x, x)),
               ((2, 3), lambda x: torch.einsum("ij,kl->jk", x, x)), ((2, 3), lambda x: torch.einsum("ba,ca", x, x))],
}


def drawn(shape):
    return torch.randn(shape).mul(10000).round().div(10000)


cases = []
for op, list_of in CASES.items():
    for n, (shape, run) in enumerate(list_of):
        x = drawn(shape).requires_grad_()
        y = run(x)
        cot = drawn(y.shape)
        torch.autograd.backward(y, cot)
        sums = op in ("cumsum", "einsum")
        cases.append({"id": f"{op} {n}", "op": op, "call": n, "inputs": {"x": x}, "cot": {"y": cot},
                      "outputs": {"y": y}, "grads": {"x": x.grad},
                      "tol": {"out": 4e-6 if sums else 0, "grad": 4e-6}})

save("shapes", "values moved about; made by shapes.py", rtol=0, cases=cases)
