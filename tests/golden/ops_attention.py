"""The attention of ops.py: scaled dot products, and nn.MultiheadAttention with given weights. Run ops.py."""
import math

import torch
from torch import nn
from torch.nn.utils.stateless import functional_call

from golden import INF

WEIGHTS = ["in_proj_weight", "in_proj_bias", "out_proj_weight", "out_proj_bias"]
SEPARATE = ["q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias", "out_proj_weight", "out_proj_bias"]
KDIM, VDIM = 10, 8


def hidden(*shape, places):
    """A bool mask that is true at the listed indices."""
    mask = torch.zeros(*shape, dtype=torch.bool)
    for place in places:
        mask[place] = True
    return mask


def later(size, keys=None):
    """True where the key comes after the query."""
    return torch.ones(size, keys or size, dtype=torch.bool).triu(1)


def dot_products(t, causal=False):
    q, k, v = t["q"], t["k"], t["v"]
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(later(*scores.shape[-2:]), -INF)
    if "attn_mask" in t:
        scores = scores + t["attn_mask"]
    if "key_padding_mask" in t:
        padded = t["key_padding_mask"][:, None, None, :]
        scores = scores + torch.zeros(padded.shape, dtype=q.dtype).masked_fill(padded, -INF)
    # Newer versions of PyTorch give zeros to a query without visible keys, 1.13 gives NaN.
    unseeing = (scores == -INF).all(-1, keepdim=True)
    weights = scores.masked_fill(unseeing, 0.0).softmax(-1).masked_fill(unseeing, 0.0)
    return {"y": weights @ v, "weights": weights}


def heads(t, D, H):
    """nn.MultiheadAttention, which is time-first internally; query, key and value are separate tensors even if they are equal."""
    query, key, value = t["query"], t.get("key", t["query"]), t.get("value", t.get("key", t["query"]))
    sizes = {"kdim": KDIM, "vdim": VDIM} if "q_proj_weight" in t else {}
    module = nn.MultiheadAttention(D, H, bias="in_proj_bias" in t, **sizes)
    weights = {name.replace("out_proj_", "out_proj."): one for name, one in t.items() if "proj" in name}
    masks = {name: t[name] for name in ("attn_mask", "key_padding_mask") if name in t}
    y, seen = functional_call(module, weights, tuple(x.transpose(0, 1) for x in (query, key, value)),
                              {**masks, "average_attn_weights": False})
    return {"y": y.transpose(0, 1), "weights": seen}


def attention(draws, shared, case, B, T, S, D, H):
    cases = []
    products(draws, shared, case, B, T, S, D // H, H, cases)
    modules(draws, shared, case, B, T, S, D, H, cases)
    return cases


def products(draws, shared, case, B, T, S, size, H, cases):
    for name, time in (("q", T), ("k", S), ("v", S), ("ks", T), ("vs", T)):
        shared[f"sdpa_{name}"] = draws.normal(B, H, time, size)
    cot = draws.cot(B, H, T, size)
    cross, own = ({"q": "sdpa_q", "k": f"sdpa_k{end}", "v": f"sdpa_v{end}"} for end in ("", "s"))

    def dots(title, inputs, causal=False, **masks):
        case(f"sdpa{title}", "sdpa", lambda t: dot_products(t, causal), {**inputs, **masks},
             {"causal": True} if causal else None, cot, ["q", "k", "v"], into=cases)
    dots("", cross)
    dots(".causal", own, True)
    dots(".causal.rect", cross, True)
    dots(".key_padding", cross, key_padding_mask=hidden(B, S, places=[(0, slice(S - 2, S)), (B - 1, 1)]))
    added = draws.normal(T, S)
    added[0, 0] = added[2, 3] = added[T - 1, S - 1] = -INF
    dots(".additive", cross, attn_mask=added)
    dots(".all_padded", cross, key_padding_mask=hidden(B, S, places=[1]))
    # The first two queries of sequence 1 have no visible keys.
    dots(".causal.left_padded", own, attn_mask=torch.zeros(T, T).masked_fill(later(T), -INF),
         key_padding_mask=hidden(B, T, places=[(1, slice(0, 2))]))


def modules(draws, shared, case, B, T, S, D, H, cases):
    shared.update(mha_x=draws.normal(B, T, D), mha_mem=draws.normal(B, S, D), mha_k=draws.normal(B, S, KDIM),
                  mha_v=draws.normal(B, S, VDIM), in_proj_weight=draws.normal(3 * D, D, scale=0.35),
                  in_proj_bias=draws.normal(3 * D, scale=0.2), out_proj_weight=draws.normal(D, D, scale=0.35),
                  out_proj_bias=draws.normal(D, scale=0.2))
    for name, width in (("q", D), ("k", KDIM), ("v", VDIM)):
        shared[f"{name}_proj_weight"] = draws.normal(D, width, scale=0.35)
    cot = draws.cot(B, T, D)
    per_head = draws.normal(B * H, T, S)
    per_head[1, 0, 0] = per_head[B * H - 1, T - 1, S - 2] = -INF

    def module(title, inputs, weights=WEIGHTS, params=None, **masks):
        given = {**inputs, **masks, **{name: name for name in weights}}
        case(f"mha.{title}", "mha", lambda t: heads(t, D, H), given, {"num_heads": H, **(params or {})}, cot,
             [*inputs, *weights], into=cases)
    own, cross = {"query": "mha_x"}, {"query": "mha_x", "key": "mha_mem"}
    ends = hidden(B, T, places=[(B - 1, slice(T - 2, T))])
    module("self", own)
    module("self.causal", own, attn_mask=later(T))
    module("self.causal.padded", own, attn_mask=later(T), key_padding_mask=ends)
    module("cross", cross)
    module("cross.padded", cross, key_padding_mask=hidden(B, S, places=[(0, slice(S - 2, S)), (B - 1, 1)]))
    module("cross.per_head_mask", cross, attn_mask=per_head)
    module("cross.kdim_vdim", {"query": "mha_x", "key": "mha_k", "value": "mha_v"}, SEPARATE, {"kdim": KDIM, "vdim": VDIM})
    module("self.nobias", own, ["in_proj_weight", "out_proj_weight"])
