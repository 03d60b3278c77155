"""Writes positions.json: rotary embeddings, T5's buckets and ALiBi, computed by PyTorch 1.13.1.

    python3 tests/golden/positions.py        (see golden.py)
"""
import math

import torch

from golden import RTOL, save

torch.manual_seed(11)


def rotate(x, positions, base, layout):
    """The layouts of Hugging Face's Llama (half) and of the paper (interleaved)."""
    size = x.shape[-1]
    inverse = 1.0 / (base ** (torch.arange(0, size, 2).float() / size))
    angles = positions.float()[:, None] * inverse[None, :]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if layout == "half":
        a, b = x[..., : size // 2], x[..., size // 2 :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)


def rotary(positions, base, layout):
    x = torch.randn(2, 2, len(positions), 8, requires_grad=True)
    cot = torch.randn(2, 2, len(positions), 8)
    y = rotate(x, torch.tensor(positions), base, layout)
    (y * cot).sum().backward()
    # The rounding of two products near 3 and of their sum; sines of float32 angles are within one unit in the last place.
    return {"id": f"rotary {layout} {base} from {positions[0]}", "op": "rotary", "inputs": {"x": x},
            "params": {"positions": positions, "base": base, "layout": layout}, "cot": {"y": cot},
            "outputs": {"y": y}, "grads": {"x": x.grad}, "tol": {"out": 6e-7, "grad": 6e-7}}


def buckets(bidirectional, count, most, places):
    """As in transformers' T5, in float32."""
    n, base, number = places, 0, count
    if bidirectional:
        number //= 2
        base = (places > 0).long() * number
        n = places.abs()
    else:
        n = -torch.min(places, torch.zeros_like(places))
    exact = number // 2
    far = exact + (torch.log(n.float() / exact) / math.log(most / exact) * (number - exact)).long()
    return base + torch.where(n < exact, n, torch.min(far, torch.full_like(far, number - 1)))


def slopes(heads):
    """As in the code of the ALiBi paper."""
    def of_power(n):
        first = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [first * first ** i for i in range(n)]
    if math.log2(heads).is_integer():
        return of_power(heads)
    below = 2 ** math.floor(math.log2(heads))
    return of_power(below) + slopes(2 * below)[0::2][: heads - below]


places = torch.arange(-300, 301)
cases = [rotary(list(range(5)), 10000.0, "half"), rotary(list(range(5)), 10000.0, "interleaved"),
         rotary([997, 998, 4096], 500000.0, "half"), rotary([7, 3, 30], 100.0, "interleaved")]
save("positions", "positions inside attention; made by positions.py", rtol=RTOL, cases=cases,
     buckets=[{"bidirectional": b, "numBuckets": n, "maxDistance": m, "first": -300, "buckets": buckets(b, n, m, places).tolist()}
              for b, n, m in [(True, 32, 128), (False, 32, 128), (True, 64, 256), (False, 8, 20), (True, 320, 800)]],
     slopes={heads: slopes(heads) for heads in [1, 2, 3, 6, 8, 12, 16]})
