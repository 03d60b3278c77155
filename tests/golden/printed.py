"""Writes printed.json: how PyTorch prints tensors and modules, and numbers in templates."""
import json
import pathlib
import torch

torch.manual_seed(3)
inf, nan = float("inf"), float("nan")
values = {
    "scalar": 0.3, "integer": 2.0, "negative": -1.5, "nan": nan, "inf": inf, "small": 1e-7, "large": 123456789.0,
    "vector": [1.0, 2.5, -3.25], "integers": [1.0, 20.0, -300.0], "integers wide": [1.0, 2000.0], "mixed": [1.0, nan, inf, -inf],
    "integers and nan": [3.0, nan, 4.0], "zeros": [0.0, 0.0], "negative zero": [-0.0, 1.5], "negative zero integer": [-0.0, 1.0],
    "ratio": [0.001, 1.5], "ratio over": [0.001, 1.5, 2.0], "tiny": [0.00005, 0.01], "huge": [1e9, 2e9], "ties": [0.03125, 0.09375, 0.15625, 0.21875],
    "negative ties": [-0.03125, -0.09375], "scientific ties": [100005000.0, 100015000.0, 1.0], "empty": [], "only nan": [nan, nan],
    "matrix": [[1.0, 2.5], [3.0, -4.0]], "wide": [[0.5 * i for i in range(30)]], "cube": [[[1.5, 2.0]], [[3.0, 4.0]]],
    "deep": [[[[1.0], [2.0]]], [[[3.0], [4.0]]]], "column": [[1.0], [100.5]], "denormal": [1e-42, 1e-40]
}
cases = []
def add(name, t):
    cases.append({"name": name, "shape": list(t.shape), "dtype": str(t.dtype)[6:], "requiresGrad": t.requires_grad,
                  "data": [format(v, ".9g") if t.is_floating_point() else str(v) for v in t.detach().reshape(-1).tolist()], "printed": repr(t), "template": f"{t}"})
for name, value in values.items():
    add(name, torch.tensor(value))
for name, value in {"ids": [1, 20, -3], "table": [[1, 2], [3, 400]], "one": 7, "none": [], "many": list(range(1001))}.items():
    add(f"int32 {name}", torch.tensor(value, dtype=torch.int32))
add("bool", torch.tensor([[True, False], [False, True]]))
add("bool scalar", torch.tensor(True))
add("bool empty", torch.zeros(0, dtype=torch.bool))
add("empty matrix", torch.zeros(0, 3))
add("int32 empty matrix", torch.zeros(2, 0, dtype=torch.int32))
for dtype in (torch.float64, torch.float16, torch.bfloat16):
    add(f"{dtype}", torch.tensor([0.125, 1.0, 2.5]).to(dtype))
for shape in ([1000], [1001], [40, 26], [6, 7, 30], [2, 3, 4], [1, 1, 1], [1001, 1], [20], [3, 20]):
    add(f"random {shape}", torch.randn(shape).mul(8).round() / 8)
add("leaf", torch.randn(3).requires_grad_())
add("long leaf", torch.randn(8).requires_grad_())
add("scalar leaf", torch.tensor(1.5, requires_grad=True))
for scale in (1e-6, 1e-3, 1e3, 1e7, 1e20):
    add(f"scaled {scale}", torch.randn(4, 5) * scale)
    add(f"rounded {scale}", (torch.randn(4, 5) * scale).round())

nn = torch.nn
modules = {
    "new nn.Linear(3, 4)": nn.Linear(3, 4), "new nn.Linear(3, 4, false)": nn.Linear(3, 4, False), "new nn.Embedding(10, 3)": nn.Embedding(10, 3),
    "new nn.Embedding(10, 3, 1)": nn.Embedding(10, 3, 1), "new nn.LayerNorm(4)": nn.LayerNorm(4),
    "new nn.LayerNorm([4], 1e-6, false)": nn.LayerNorm([4], 1e-6, False), "new nn.Dropout(0.1)": nn.Dropout(0.1), "new nn.ReLU()": nn.ReLU(),
    "new nn.GELU('tanh')": nn.GELU("tanh"), "new nn.GELU()": nn.GELU(), "new nn.Tanh()": nn.Tanh(), "new nn.Sigmoid()": nn.Sigmoid(),
    "new nn.SiLU()": nn.SiLU(), "new nn.Softmax(-1)": nn.Softmax(-1), "new nn.LogSoftmax(1)": nn.LogSoftmax(1), "new nn.LeakyReLU(0.2)": nn.LeakyReLU(0.2),
    "new nn.Flatten()": nn.Flatten(), "new nn.Identity()": nn.Identity(), "new nn.CrossEntropyLoss()": nn.CrossEntropyLoss(), "new nn.MSELoss()": nn.MSELoss(),
    "new nn.CosineSimilarity(1)": nn.CosineSimilarity(1), "new nn.ModuleList()": nn.ModuleList(), "new nn.Sequential()": nn.Sequential(),
    "new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU(), new nn.Linear(3, 1))": nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)),
    "new nn.ModuleDict({ a: new nn.Linear(1, 2), b: new nn.Sequential(new nn.Tanh()) })": nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.Sequential(nn.Tanh())}),
    "new nn.ModuleList([new nn.Linear(1, 2), new nn.Linear(1, 3)])": nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 3)]),
    "new nn.MultiheadAttention(8, 2)": nn.MultiheadAttention(8, 2), "new nn.TransformerEncoderLayer(8, 2, 16, 0.1)": nn.TransformerEncoderLayer(8, 2, 16, 0.1),
    "new nn.TransformerDecoderLayer(8, 2, 16, 0.25)": nn.TransformerDecoderLayer(8, 2, 16, 0.25),
    "new nn.Transformer(8, 2, 1, 1, 16, 0.1)": nn.Transformer(8, 2, 1, 1, 16, 0.1),
    "new nn.Conv1d(2, 4, 3)": nn.Conv1d(2, 4, 3), "new nn.Conv1d(2, 4, 3, 2, 1, { bias: false })": nn.Conv1d(2, 4, 3, 2, 1, bias=False),
    "new nn.Conv2d(2, 4, 3, { padding: 'same' })": nn.Conv2d(2, 4, 3, padding="same"),
    "new nn.Conv2d(2, 4, [3, 5], { stride: [1, 2], dilation: 2, groups: 2 })": nn.Conv2d(2, 4, (3, 5), stride=(1, 2), dilation=2, groups=2),
    "new nn.Conv2d(2, 4, 3, 1, 1, { paddingMode: 'reflect' })": nn.Conv2d(2, 4, 3, 1, 1, padding_mode="reflect"),
    "new nn.Unfold(3)": nn.Unfold(3), "new nn.Unfold([2, 3], { padding: 1, stride: [1, 2] })": nn.Unfold((2, 3), padding=1, stride=(1, 2)),
    "new nn.Fold([4, 5], 2)": nn.Fold((4, 5), 2), "new nn.Unflatten(1, [2, 3])": nn.Unflatten(1, (2, 3)), "new nn.GLU()": nn.GLU(),
    "new nn.ELU(0.5)": nn.ELU(0.5), "new nn.SmoothL1Loss()": nn.SmoothL1Loss(), "new nn.HuberLoss()": nn.HuberLoss(),
    "new nn.ParameterList([new nn.Parameter(gf.ones([2, 3])), new nn.Parameter(gf.ones([1]))])":
        nn.ParameterList([nn.Parameter(torch.ones(2, 3)), nn.Parameter(torch.ones(1))]),
    "new nn.ParameterList()": nn.ParameterList(), "new nn.ParameterDict({ a: new nn.Parameter(gf.ones([2])) })": nn.ParameterDict({"a": nn.Parameter(torch.ones(2))}),
    "new nn.LayerNorm([2, 3])": nn.LayerNorm([2, 3])
}
path = pathlib.Path(__file__).with_name("printed.json")
lines = ",\n".join(json.dumps(case) for case in cases)
path.write_text(f'{{"tensors": [\n{lines}\n],\n"modules": {json.dumps({key: repr(m) for key, m in modules.items()}, indent=0)}}}\n')
print(len(cases))
