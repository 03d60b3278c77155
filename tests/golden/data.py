"""Writes data.json: orders, batches and random states of torch.utils.data and torch.Generator in PyTorch 1.13.1.

    python3 tests/golden/data.py        (see golden.py)

The loaders and samplers of later versions sample the same numbers.
"""
import base64

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, TensorDataset, random_split

from golden import save


class Numbers(torch.utils.data.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


def epochs(n, count, max_batches=None, generator=False, **options):
    """The batches of some epochs after torch.manual_seed(5), at most max_batches of each, and the next random numbers."""
    torch.manual_seed(5)
    own = torch.Generator().manual_seed(9) if generator else None
    loader = DataLoader(Numbers(n), generator=own, **options)
    batches = []
    for _ in range(count):
        rows = []
        for batch in loader:
            rows.append(batch.tolist())
            if len(rows) == max_batches:
                break
        batches.append(rows)
    return {"n": n, "epochs": count, "maxBatches": max_batches, "generator": generator,
            "options": {"batchSize": options["batch_size"], "shuffle": options.get("shuffle", False), "dropLast": options.get("drop_last", False)},
            "length": len(loader), "batches": batches, "then": torch.rand(2),
            **({"then_own": torch.rand(2, generator=own)} if own else {})}


def split(n, lengths):
    torch.manual_seed(7)
    parts = random_split(Numbers(n), lengths)
    own = random_split(Numbers(n), lengths, generator=torch.Generator().manual_seed(3))
    return {"n": n, "lengths": lengths, "parts": [list(p.indices) for p in parts], "own": [list(p.indices) for p in own],
            "then": torch.rand(2)}


def state(seed, sample):
    """The bytes of a state after some samples, and the next random numbers."""
    torch.manual_seed(seed)
    sample()
    state_bytes = torch.get_rng_state()
    return {"seed": seed, "bytes": base64.b64encode(bytes(state_bytes.tolist())).decode(),
            "rand": torch.rand(3), "randn": torch.randn(3), "randperm": torch.randperm(5)}


def generators():
    g = torch.Generator()
    first = torch.rand(3, generator=g)
    g.manual_seed(2**40 + 3)
    p = torch.tensor([0.1, 0.2, 0.3, 0.4])
    return {"default_rand": first, "rand": torch.rand(3, generator=g), "rand_f64": torch.rand(2, dtype=torch.float64, generator=g),
            "randn": torch.randn(5, generator=g), "randint": torch.randint(-3, 9, (4,), generator=g),
            "randperm": torch.randperm(6, generator=g), "normal": torch.normal(1.5, 0.5, (20,), generator=g),
            "bernoulli": torch.bernoulli(p, generator=g), "multinomial": torch.multinomial(p, 6, replacement=True, generator=g)}


def padded():
    rows = [torch.arange(n * 2, dtype=torch.float32).reshape(n, 2) + 1 for n in (3, 1, 2)]
    ids = [torch.arange(n) + 1 for n in (2, 4, 0)]
    return {"rows": pad_sequence(rows), "rows_first": pad_sequence(rows, batch_first=True, padding_value=-1.5),
            "ids": pad_sequence(ids, batch_first=True, padding_value=-100), "ids_time": pad_sequence(ids)}


def tensors():
    torch.manual_seed(11)
    x, y = torch.arange(14).reshape(7, 2).float(), torch.arange(7)
    return [[a, b] for a, b in DataLoader(TensorDataset(x, y), batch_size=3, shuffle=True)]


if __name__ == "__main__":
    save("data", "after the seeds that are named in data.py, which made this", loaders=[
        epochs(10, 2, batch_size=3), epochs(10, 3, batch_size=3, shuffle=True), epochs(9, 2, batch_size=3, shuffle=True),
        epochs(10, 2, batch_size=4, shuffle=True, drop_last=True), epochs(10, 3, batch_size=3, shuffle=True, generator=True),
        epochs(9, 3, batch_size=3, shuffle=True, generator=True), epochs(10, 2, batch_size=4, shuffle=True, drop_last=True, generator=True),
        epochs(10, 3, max_batches=2, batch_size=3, shuffle=True, generator=True), epochs(9, 3, max_batches=3, batch_size=3, shuffle=True, generator=True),
        epochs(10, 2, batch_size=3, generator=True), epochs(10, 2, max_batches=1, batch_size=3, shuffle=True), epochs(4, 1, batch_size=9, shuffle=True)
    ], splits=[split(10, [7, 3]), split(10, [0.8, 0.2]), split(11, [0.5, 0.3, 0.2]), split(5, [0, 5])],
        states=[state(0, lambda: None), state(42, lambda: torch.randn(5)), state(7, lambda: torch.rand(624)),
                state(123, lambda: torch.rand(1000))],
        generators=generators(), padded=padded(), tensors=tensors())
