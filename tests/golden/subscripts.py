"""Writes subscripts.json: random subscripts of PyTorch, what they select, the gradient, and assignments through them."""
import json
import pathlib
import random
import torch

random.seed(11)
MISSING = object()

def some_range(side):
    start, end = (random.choice([None, random.randint(-side - 1, side + 1)]) for _ in range(2))
    step = random.choice([None, 1, 2, 3])
    text = f"{'' if start is None else start}:{'' if end is None else end}{'' if step is None else f':{step}'}"
    return slice(start, end, step), text

def subscripts(shape):
    """Pairs of PyTorch's subscript and how it is written here."""
    pairs, axis, dotted, common = [], 0, False, random.choice([[2], [3], [2, 3], [1], [2, 1]])
    while axis < len(shape):
        side, kind = shape[axis], random.random()
        if kind < 0.1 and not dotted:
            dotted = True
            pairs.append((..., "..."))
            skipped = random.randint(0, len(shape) - axis)
            axis += skipped
            continue
        if kind < 0.2:
            pairs.append((None, "newaxis"))
            continue
        if kind < 0.35:
            pairs.append((random.randint(-side, side - 1),) * 2)
        elif kind < 0.5:
            pairs.append((slice(None), random.choice([":", None])))
        elif kind < 0.65:
            pairs.append(some_range(side))
        elif kind < 0.75:
            mask = [random.random() < 0.6 for _ in range(side)]
            pairs.append((torch.tensor(mask), {"bool": mask}))
        elif kind < 0.8 and axis + 1 < len(shape):
            mask = [[random.random() < 0.5 for _ in range(shape[axis + 1])] for _ in range(side)]
            pairs.append((torch.tensor(mask), {"bool": mask}))
            axis += 1
        else:
            sides = random.choice([common, common[-1:], [1], []])
            list_ = torch.randint(-side, side, sides)
            pairs.append((list_, {"int32": list_.tolist()} if random.random() < 0.5 or not sides else list_.tolist()))
        axis += 1
        if random.random() < 0.15:
            break
    return pairs

cases, refused = [], 0
torch.manual_seed(5)
while len(cases) < 400:
    shape = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    x = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape).requires_grad_()
    pairs = subscripts(shape)
    if not pairs:
        continue
    theirs, here = tuple(pair[0] for pair in pairs), [pair[1] for pair in pairs]
    try:
        out = x[theirs]
    except (IndexError, ValueError):
        refused += 1
        cases.append({"shape": shape, "subscripts": here, "refused": True}) if refused < 60 else None
        continue
    cotangent = torch.arange(out.numel(), dtype=torch.float32).reshape(out.shape) - 2
    (out * cotangent).sum().backward()
    assigned = x.detach().clone()
    assigned[theirs] = -7
    added = x.detach().clone()
    if all(isinstance(one, torch.Tensor) for one in theirs):
        added.index_put_(theirs, torch.tensor(100.0), accumulate=True)
    else:
        added = None
    flat = lambda t: None if t is None else [int(v) for v in t.reshape(-1).tolist()]
    cases.append({"shape": shape, "subscripts": here, "out": list(out.shape), "data": flat(out.detach()), "grad": flat(x.grad),
                  "assigned": flat(assigned), "added": flat(added)})
path = pathlib.Path(__file__).with_name("subscripts.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), refused)
