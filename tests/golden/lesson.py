"""The layers of lesson 004, for blocks.py and pipeline.py: functions of weights by the lesson's names.

They differ from a usual Transformer: three residual connections add to the normalized input instead of the input.
"""
import math

import torch
import torch.nn.functional as F


def linear(weights, name, x):
    return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def norm(weights, name, x):
    return F.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-5)


def below(weights, prefix):
    return {name[len(prefix):]: t for name, t in weights.items() if name.startswith(prefix)}


def attend(q, k, v, causal=False, seen=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    weights = scores.softmax(-1)
    if seen is not None:
        seen.update(scores=scores, weights=weights)
    return weights @ v


def multihead(weights, query, key, value, heads, causal=False, seen=None):
    """`seen` takes what lies between, by name: projections before they are cut into heads, scores after their scale."""
    seen = {} if seen is None else seen
    projected = [linear(weights, f"weight_{part}", x) for part, x in zip("qkv", (query, key, value))]
    seen.update(zip("qkv", projected))
    context = attend(*(x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in projected), causal, seen)
    seen["context"] = context.transpose(1, 2).flatten(-2)
    seen["attn_out"] = linear(weights, "concat_linear", seen["context"])
    return seen["attn_out"]


def feed_forward(weights, x, seen=None, dropout=lambda y: y):
    seen = {} if seen is None else seen
    seen["ff_norm"] = norm(weights, "norm", x)
    seen["ff_pre"] = linear(weights, "linear1", seen["ff_norm"])
    seen["ff_act"] = F.gelu(seen["ff_pre"])
    seen["ff_out"] = linear(weights, "linear2", dropout(seen["ff_act"]))
    return dropout(seen["ff_norm"] + seen["ff_out"])


def encoder_layer(weights, x, heads, seen=None, dropout=lambda y: y):
    seen = {} if seen is None else seen
    seen["norm1"] = norm(weights, "norm1", x)
    attended = multihead(below(weights, "attn."), *[seen["norm1"]] * 3, heads, seen=seen)
    seen["residual1"] = x + dropout(attended)
    return feed_forward(below(weights, "feed_forward."), seen["residual1"], seen, dropout)


def decoder_layer(weights, x, memory, heads, causal):
    own = norm(weights, "norm1", x)
    x = own + multihead(below(weights, "self_attn."), own, own, own, heads, causal)
    asked = norm(weights, "norm2", x)
    x = asked + multihead(below(weights, "multihead_attn."), asked, memory, memory, heads)
    return feed_forward(below(weights, "feed_forward."), x)
