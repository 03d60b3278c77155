"""Writes int_arithmetic.json: arithmetic of int32 and bool tensors, and their type promotion with float32, by PyTorch 1.13.1.

    python3 tests/golden/int_arithmetic.py        (Debian 12: python3-torch)
"""
import json
import os

import torch

generator = torch.Generator().manual_seed(20261123)
BIG = [2**31 - 1, -2**31, 65536, -65537, 46341, 1, 0, -1, 123456789]


def drawn(*shape, low=-9, high=10):
    return torch.randint(low, high, shape, generator=generator, dtype=torch.int32)


def coins(*shape):
    return torch.randint(0, 2, shape, generator=generator).bool()


KINDS = {torch.int32: "i64", torch.int64: "i64", torch.bool: "bool", torch.float32: "f32"}


def written(value):
    if not isinstance(value, torch.Tensor):
        return value
    flat = value.reshape(-1)
    data = [float(v) if value.is_floating_point() else int(v) for v in flat]
    return {"shape": list(value.shape), "data": data, "dtype": KINDS[value.dtype]}


OPERATIONS = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "pow": torch.pow, "maximum": torch.maximum,
              "minimum": torch.minimum, "div": torch.div}
cases = []


def case(op, name, a, b):
    out = OPERATIONS[op](a, b)
    assert not out.isinf().any() or op == "div"
    inputs = {key: written(value) for key, value in {"a": a, "b": b}.items()}
    cases.append({"op": "int_arithmetic", "id": "int_arithmetic.%s.%s" % (op, name), "params": {"op": op}, "inputs": inputs,
                  "outputs": {"y": written(out)}})


big = torch.tensor(BIG, dtype=torch.int32)
for op in ("add", "sub", "mul", "maximum", "minimum"):
    case(op, "around", big, big.flip(0))
    case(op, "broadcast", drawn(3, 1, 5), drawn(17, 1))
    case(op, "empty", drawn(0, 3), drawn(3))
    case(op, "float", drawn(5), torch.randn(3, 5, generator=generator))
    if op in ("add", "sub", "mul"):
        case(op, "number", drawn(5), 3)
        case(op, "fraction", drawn(5), 0.5)
    if op == "sub":
        continue
    case(op, "bool and float", coins(7), torch.randn(7, generator=generator))
    case(op, "bool and int", coins(5), drawn(5))
    case(op, "bools", coins(17), coins(17))
for op in ("add", "mul"):
    case(op, "bool and number", coins(5), -1)
    case(op, "bool and fraction", coins(5), 2.5)
case("pow", "around", big, torch.tensor([2, 3, 1, 0, 5, 31, 0, 7, 4], dtype=torch.int32))
case("pow", "negative", torch.tensor([1, -1, -1, 2, 7], dtype=torch.int32),
     torch.tensor([-3, -3, -2, -1, -5], dtype=torch.int32))
case("pow", "number", drawn(5), 3)
case("div", "ints", drawn(5), drawn(5, low=1))
case("div", "number", drawn(3, 5), 4)
case("div", "bool and float", coins(5), torch.rand(5, generator=generator) + 0.5)

about = "int32, bool and float32 together, by PyTorch's promotion; made by int_arithmetic.py"
lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in cases)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "int_arithmetic.json"), "w") as file:
    file.write('{"about":%s,\n"versions":{"torch":"%s"},\n"rtol":0,\n"shared":{},\n"cases":[\n%s\n]}\n'
               % (json.dumps(about), torch.__version__, lines))
print(len(cases), "cases")
