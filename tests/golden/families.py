"""Writes families.json: tiny decoders with Hugging Face's keys, and their logits by plain PyTorch in float64.

Each function below follows the published definition of a family, and is written without a look at src/js/models. Weights
are not in the file: an element is a hash of its key and its index, so that Python and JavaScript share them to the bit.

    python3 tests/golden/families.py        (see golden.py)
"""
import json
import math
import pathlib

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
CASES = []
MASK_32 = 0xFFFFFFFF


# Weights --------------------------------------------------------------------------------------------------------------

def hash_of(key):
    """FNV-1a of the key's bytes."""
    h = 0x811C9DC5
    for byte in key.encode():
        h = (h ^ byte) * 0x01000193 & MASK_32
    return h


def sample(key, shape, shift):
    """Multiples of 2^-16 in [-0.5, 0.5), from MurmurHash3's finalizer; with a shift, half of that around it."""
    x = hash_of(key) + torch.arange(math.prod(shape), dtype=torch.int64) * 0x9E3779B9 & MASK_32
    for shift_by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ x >> shift_by) * factor & MASK_32
    values = ((x ^ x >> 16) >> 16).double() / 65536 - 0.5
    return (values if shift is None else values / 2 + shift).view(shape)


class Model:
    """The tensors of a checkpoint: created where a forward pass first needs them, and listed with their shapes."""

    def __init__(self):
        self.tensors, self.list = {}, []

    def get(self, key, *shape, shift=None):
        if key not in self.tensors:
            self.tensors[key] = sample(key, shape, shift)
            self.list.append([key, list(shape)] + ([] if shift is None else [shift]))
        return self.tensors[key]

    def linear(self, x, key, n_out, bias=False):
        y = x @ self.get(key + '.weight', n_out, x.shape[-1]).T
        return y + self.get(key + '.bias', n_out) if bias else y

    def layer_norm(self, x, key, eps, bias=True, affine=True):
        C = x.shape[-1]
        weight = self.get(key + '.weight', C, shift=1) if affine else None
        return F.layer_norm(x, (C,), weight, self.get(key + '.bias', C) if affine and bias else None, eps)

    def rms_norm(self, x, key, eps, offset=0):
        """Gemma's norms multiply by 1 + weight: offset 1, and weights around 0."""
        weight = self.get(key + '.weight', x.shape[-1], shift=1 - offset)
        return x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt() * (weight + offset)

    def head(self, x, c, table, tied, key='lm_head', bias=False):
        """The logits: by the table of embeddings where the configuration (or the family's default) says that both are tied."""
        if c.get('tie_word_embeddings', tied):
            return x @ table.T
        return self.linear(x, key, c['vocab_size'], bias)


ACTIVATIONS = {'silu': F.silu, 'gelu': F.gelu, 'relu': F.relu, 'gelu_new': lambda x: F.gelu(x, approximate='tanh'),
               'gelu_pytorch_tanh': lambda x: F.gelu(x, approximate='tanh'),
               'gelu_fast': lambda x: 0.5 * x * (1 + (0.7978845608 * x * (1 + 0.044715 * x * x)).tanh())}


# Attention and positions ----------------------------------------------------------------------------------------------

def split(x, heads):
    B, T, C = x.shape
    return x.view(B, T, heads, C // heads).transpose(1, 2)


def merge(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)


def attend(q, k, v, visible, scale, bias=0.0, cap=None):
    """q [B, H, T, D]; k, v [B, KV, T, D], each for H / KV neighbouring heads of q; visible [B or 1, 1, T, T]."""
    groups = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(groups, 1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if cap:
        scores = cap * (scores / cap).tanh()
    return merge((scores + bias).masked_fill(~visible, -1e30).softmax(-1) @ v)


class Inputs:
    """Ids [B, T], with a mask of padding or None. Positions count the tokens before, as generate() does."""

    def __init__(self, ids, mask):
        self.ids, self.mask = torch.tensor(ids), None if mask is None else torch.tensor(mask)
        B, T = self.ids.shape
        kept = torch.ones(B, T, dtype=torch.int64) if mask is None else self.mask
        self.positions = (kept.cumsum(-1) - 1).masked_fill(kept == 0, 0)
        self.length, self.kept = int(self.positions.max()) + 1, kept

    def visible(self, window=None):
        i = torch.arange(self.ids.shape[1])
        seen = i[None, :] <= i[:, None]
        if window:
            seen = seen & (i[None, :] > i[:, None] - window)
        return seen[None, None] & (self.kept[:, None, None, :] != 0)


def alibi_slopes(heads):
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 / whole * (i + 1)) for i in range(whole)]
    slopes += [2 ** (-4 / whole * (2 * i + 1)) for i in range(heads - whole)]
    return torch.tensor(slopes, dtype=torch.float64)


def alibi(inputs, heads, dtype=torch.float64):
    """[B, H, 1, T]: the slope of a head times the position of a key. Softmax ignores what a row has in common."""
    return (alibi_slopes(heads).to(dtype)[None, :, None, None] * inputs.positions[:, None, None, :]).double()


def frequencies(c, dims, length, base=None, scaling='config'):
    """The rotary frequencies [dims / 2] of a configuration, and the factor of cosines and sines (modeling_rope_utils)."""
    if scaling == 'config':
        scaling = c.get('rope_parameters') or c.get('rope_scaling')
    s = scaling or {}
    base = base or s.get('rope_theta') or c.get('rope_theta', 10000.0)
    kind, exponents = s.get('rope_type', s.get('type', 'default')), torch.arange(0, dims, 2, dtype=torch.float64) / dims
    plain, limit, factor = base ** -exponents, c.get('max_position_embeddings'), s.get('factor')
    if kind == 'default':
        return plain, 1.0
    if kind == 'linear':
        return plain / factor, 1.0
    if kind == 'dynamic':
        stretch = factor * max(length, limit) / limit - (factor - 1)
        return (base * stretch ** (dims / (dims - 2))) ** -exponents, 1.0
    if kind == 'llama3':
        original, low, high = s['original_max_position_embeddings'], s['low_freq_factor'], s['high_freq_factor']
        def scaled(f):
            turns = original * f / (2 * math.pi)       # of this pair in the original length
            if turns > high:
                return f
            if turns < low:
                return f / factor
            smooth = (turns - low) / (high - low)
            return (1 - smooth) * f / factor + smooth * f
        return torch.tensor([scaled(f) for f in plain.tolist()], dtype=torch.float64), 1.0
    if kind == 'yarn':
        original = s.get('original_max_position_embeddings') or limit
        factor = factor or limit / original
        def mscale(m):
            return 0.1 * m * math.log(factor) + 1 if factor > 1 else 1.0
        attention = s.get('attention_factor')
        if attention is None:
            m, all_dim = s.get('mscale'), s.get('mscale_all_dim')
            attention = mscale(m) / mscale(all_dim) if m and all_dim else mscale(1)
        def channel(turns):
            return dims * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
        low, high = channel(s.get('beta_fast') or 32), channel(s.get('beta_slow') or 1)
        if s.get('truncate', True):
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, dims - 1)
        ramp = ((torch.arange(dims // 2, dtype=torch.float64) - low) / ((high - low) or 0.001)).clamp(0, 1)
        return plain / factor * ramp + plain * (1 - ramp), attention
    if kind == 'longrope':
        original = c.get('original_max_position_embeddings') or s.get('original_max_position_embeddings') or limit
        if c.get('original_max_position_embeddings') or factor is None:
            factor = limit / original
        attention = s.get('attention_factor')
        if attention is None:
            attention = math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0
        ext = torch.tensor(s['long_factor' if length > original else 'short_factor'], dtype=torch.float64)
        return plain / ext, attention
    raise ValueError(kind)


def fraction(c, default, name='partial_rotary_factor'):
    """The fraction of a head's channels that are rotated; since version 5 it is in rope_parameters."""
    return (c.get('rope_parameters') or {}).get('partial_rotary_factor', c.get(name, default))


def rotate(x, inputs, rope, interleaved=False):
    """Rotates the first channels of x [B, H, T, D]: pairs are half of those apart, or neighbours."""
    freqs, factor = rope
    n = len(freqs)
    angles = inputs.positions[:, None, :, None] * freqs
    cos, sin = angles.cos() * factor, angles.sin() * factor
    first, rest = x[..., :2 * n], x[..., 2 * n:]
    a, b = (first[..., 0::2], first[..., 1::2]) if interleaved else (first[..., :n], first[..., n:])
    pair = (a * cos - b * sin, b * cos + a * sin)
    turned = torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)
    return torch.cat([turned, rest], -1)


# Llama and its relatives: q_proj, k_proj, v_proj, o_proj; gate_proj, up_proj, down_proj ------------------------------------

def sizes(c):
    C, H = c['hidden_size'], c['num_attention_heads']
    return C, H, c.get('num_key_value_heads') or H, c.get('head_dim') or C // H


def self_attention(m, x, key, c, inputs, rope, bias=False, out_bias=None, window=None, scale=None, cap=None,
                   per_head=None, full=None, clip=None, interleaved=False, out='o_proj'):
    """per_head(x, name) normalizes queries and keys [B, H, T, D], full(x, name) before heads are split."""
    C, H, KV, D = sizes(c)
    q, k, v = (m.linear(x, f'{key}.{name}_proj', n * D, bias) for name, n in (('q', H), ('k', KV), ('v', KV)))
    if full:
        q, k = full(q, key + '.q_norm'), full(k, key + '.k_norm')
    if clip:
        q, k, v = (t.clamp(-clip, clip) for t in (q, k, v))
    q, k, v = split(q, H), split(k, KV), split(v, KV)
    if per_head:
        q, k = per_head(q, key + '.q'), per_head(k, key + '.k')
    q, k = (rotate(t, inputs, rope, interleaved) for t in (q, k))
    o = attend(q, k, v, inputs.visible(window), D ** -0.5 if scale is None else scale, cap=cap)
    return m.linear(o, f'{key}.{out}', C, bias if out_bias is None else out_bias)


def gated(m, x, key, n, act, bias=False, names=('gate_proj', 'up_proj', 'down_proj')):
    gate, up, down = (f'{key}.{name}' for name in names)
    return m.linear(ACTIVATIONS[act](m.linear(x, gate, n, bias)) * m.linear(x, up, n, bias), down, x.shape[-1], bias)


def gate_up(m, x, key, n, act):
    gate, up = m.linear(x, key + '.gate_up_proj', 2 * n).chunk(2, -1)
    return m.linear(up * ACTIVATIONS[act](gate), key + '.down_proj', x.shape[-1])


def experts(m, x, key, count, top, expert, normalized):
    """The mean of the top experts' outputs, weighted by the router's probabilities."""
    chances = m.linear(x, key + '.gate', count).softmax(-1)
    best, chosen = chances.topk(top, -1)
    if normalized:
        best = best / best.sum(-1, keepdim=True)
    weights = torch.zeros_like(chances).scatter(-1, chosen, best)
    return sum(expert(x, f'{key}.experts.{e}') * weights[..., e:e + 1] for e in range(count))


def llama(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, rope = c.get('rms_norm_eps', 1e-6), frequencies(c, D, inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        x = x + self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                               bias=c.get('attention_bias', False))
        x = x + gated(m, m.rms_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp', c['intermediate_size'],
                      c.get('hidden_act', 'silu'), c.get('mlp_bias', False))
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False)


def mistral(m, c, inputs):
    C, _, _, D = sizes(c)
    mixture = c['model_type'] == 'mixtral'
    eps = c.get('rms_norm_eps', 1e-5 if mixture else 1e-6)
    rope = frequencies(c, D, inputs.length, c.get('rope_theta', 1e6 if mixture else 10000.0))
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        x = x + self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                               window=c.get('sliding_window', None if mixture else 4096))
        t = m.rms_norm(x, h + 'post_attention_layernorm', eps)
        if mixture:
            def expert(x, key):
                return gated(m, x, key, c['intermediate_size'], 'silu', names=('w1', 'w3', 'w2'))
            x = x + experts(m, t, h + 'block_sparse_moe', c['num_local_experts'], c['num_experts_per_tok'], expert, True)
        else:
            x = x + gated(m, t, h + 'mlp', c['intermediate_size'], 'silu')
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False)


def qwen(m, c, inputs):
    """Qwen2 has biases of queries, keys and values; Qwen3 norms of queries and keys, and experts."""
    C, _, _, D = sizes(c)
    eps, kind, rope = c.get('rms_norm_eps', 1e-6), c['model_type'], frequencies(c, D, inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    norms = {} if kind == 'qwen2' else {'per_head': lambda x, key: m.rms_norm(x, key + '_norm', eps)}
    bias = {'bias': True, 'out_bias': False} if kind == 'qwen2' else {'bias': c.get('attention_bias', False)}
    for n in range(c['num_hidden_layers']):
        h, window = f'model.layers.{n}.', None
        if c.get('use_sliding_window'):
            if c.get('layer_types'):
                slides = c['layer_types'][n] == 'sliding_attention'
            else:
                slides = kind == 'qwen3_moe' or n >= c.get('max_window_layers', 28)
            window = c.get('sliding_window', 4096) if slides else None
        x = x + self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                               window=window, **norms, **bias)
        t = m.rms_norm(x, h + 'post_attention_layernorm', eps)
        if kind == 'qwen3_moe' and n not in c.get('mlp_only_layers', []) and (n + 1) % c.get('decoder_sparse_step', 1) == 0:
            def expert(x, key):
                return gated(m, x, key, c['moe_intermediate_size'], 'silu')
            x = x + experts(m, t, h + 'mlp', c['num_experts'], c['num_experts_per_tok'], expert, c.get('norm_topk_prob', False))
        else:
            x = x + gated(m, t, h + 'mlp', c['intermediate_size'], 'silu')
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False)


def gemma(m, c, inputs):
    """The activation is hidden_activation; hidden_act of old files is ignored."""
    C, _, _, D = sizes(c)
    eps, act = c.get('rms_norm_eps', 1e-6), c.get('hidden_activation') or 'gelu_pytorch_tanh'
    kind, rope = c['model_type'], None
    if kind != 'gemma3_text':
        rope = frequencies(c, D, inputs.length)
    else:
        nested = c.get('rope_parameters') or {}
        if 'full_attention' in nested:      # since version 5, for each kind of layer
            rope = frequencies(c, D, inputs.length, None, nested['full_attention'])
            local = frequencies(c, D, inputs.length, None, nested['sliding_attention'])
        else:
            rope = frequencies(c, D, inputs.length, c.get('rope_theta', 1e6))
            local = frequencies(c, D, inputs.length, c.get('rope_local_base_freq', 10000.0), None)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids] * C ** 0.5
    norm = lambda x, key: m.rms_norm(x, key, eps, 1)
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        options = {'bias': c.get('attention_bias', False)}
        if kind != 'gemma':
            options.update(scale=c.get('query_pre_attn_scalar', 256) ** -0.5, cap=c.get('attn_logit_softcapping'))
            if c.get('layer_types'):
                slides = c['layer_types'][n] == 'sliding_attention'
            elif kind == 'gemma2':
                slides = n % 2 == 0
            else:
                slides = (n + 1) % c.get('sliding_window_pattern', 6) != 0
            options['window'] = c['sliding_window'] if slides else None
        if kind == 'gemma3_text':
            options['per_head'] = lambda x, key: norm(x, key + '_norm')
        here = local if kind == 'gemma3_text' and slides else rope
        a = self_attention(m, norm(x, h + 'input_layernorm'), h + 'self_attn', c, inputs, here, **options)
        if kind == 'gemma':
            x = x + a
            x = x + gated(m, norm(x, h + 'post_attention_layernorm'), h + 'mlp', c['intermediate_size'], act)
        else:
            x = x + norm(a, h + 'post_attention_layernorm')
            f = gated(m, norm(x, h + 'pre_feedforward_layernorm'), h + 'mlp', c['intermediate_size'], act)
            x = x + norm(f, h + 'post_feedforward_layernorm')
    logits, cap = m.head(norm(x, 'model.norm'), c, table, True), c.get('final_logit_softcapping')
    return cap * (logits / cap).tanh() if cap else logits


def olmo(m, c, inputs):
    """OLMo 2 has norms behind attention and feed-forward, OLMoE in front, and experts."""
    C, _, _, D = sizes(c)
    eps, kind, rope = c.get('rms_norm_eps', 1e-5), c['model_type'], frequencies(c, D, inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    norm = lambda x, key: m.rms_norm(x, key, eps)
    options = {'bias': c.get('attention_bias', False), 'full': norm, 'clip': c.get('clip_qkv')}
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        if kind == 'olmo2':
            x = x + norm(self_attention(m, x, h + 'self_attn', c, inputs, rope, **options), h + 'post_attention_layernorm')
            x = x + norm(gated(m, x, h + 'mlp', c['intermediate_size'], 'silu'), h + 'post_feedforward_layernorm')
        else:
            def expert(x, key):
                return gated(m, x, key, c['intermediate_size'], 'silu')
            x = x + self_attention(m, norm(x, h + 'input_layernorm'), h + 'self_attn', c, inputs, rope, **options)
            x = x + experts(m, norm(x, h + 'post_attention_layernorm'), h + 'mlp', c['num_experts'],
                            c['num_experts_per_tok'], expert, c.get('norm_topk_prob', False))
    return m.head(norm(x, 'model.norm'), c, table, False)


def granite(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, rope, factor = c.get('rms_norm_eps', 1e-6), frequencies(c, D, inputs.length), c.get('residual_multiplier', 1.0)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids] * c.get('embedding_multiplier', 1.0)
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        x = x + factor * self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                                        bias=c.get('attention_bias', False), scale=c.get('attention_multiplier', 1.0))
        x = x + factor * gated(m, m.rms_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp', c['intermediate_size'],
                               'silu', c.get('mlp_bias', False))
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False) / c.get('logits_scaling', 1.0)


def minicpm(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, rope = c.get('rms_norm_eps', 1e-6), frequencies(c, D, inputs.length)
    factor = c.get('scale_depth', 1) / math.sqrt(c['num_hidden_layers'])
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids] * c.get('scale_emb', 1)
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        x = x + factor * self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                                        bias=c.get('attention_bias', False))
        x = x + factor * gated(m, m.rms_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp', c['intermediate_size'], 'silu')
    return m.head(m.rms_norm(x, 'model.norm', eps) / (C / c.get('dim_model_base', 1)), c, table, True)


def starcoder2(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, bias, rope = c.get('norm_epsilon', 1e-5), c.get('use_bias', True), frequencies(c, D, inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        x = x + self_attention(m, m.layer_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope, bias=bias,
                               window=c.get('sliding_window'))
        t = m.linear(m.layer_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp.c_fc', c['intermediate_size'], bias)
        x = x + m.linear(ACTIVATIONS[c.get('hidden_act', 'gelu_pytorch_tanh')](t), h + 'mlp.c_proj', C, bias)
    return m.head(m.layer_norm(x, 'model.norm', eps), c, table, True)


def cohere(m, c, inputs):
    """Attention and feed-forward beside each other behind one norm, which has no bias; rotary pairs are neighbours."""
    C, _, _, D = sizes(c)
    eps, rope = c.get('layer_norm_eps', 1e-5), frequencies(c, D, inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    def per_head(x, key):
        weight = m.get(key + '_norm.weight', x.shape[1], x.shape[3], shift=1)
        return F.layer_norm(x, (x.shape[-1],), None, None, eps) * weight[None, :, None, :]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        t = m.layer_norm(x, h + 'input_layernorm', eps, bias=False)
        x = (x + self_attention(m, t, h + 'self_attn', c, inputs, rope, bias=c.get('attention_bias', False),
                                per_head=per_head if c.get('use_qk_norm') else None, interleaved=True)
             + gated(m, t, h + 'mlp', c['intermediate_size'], 'silu'))
    return m.head(m.layer_norm(x, 'model.norm', eps, bias=False), c, table, True) * c.get('logit_scale', 0.0625)


def glm4(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, rope = c.get('rms_norm_eps', 1.5625e-7), frequencies(c, int(D * fraction(c, 0.5)), inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        a = self_attention(m, m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn', c, inputs, rope,
                           bias=c.get('attention_bias', True), out_bias=False, interleaved=True)
        x = x + m.rms_norm(a, h + 'post_self_attn_layernorm', eps)
        f = gate_up(m, m.rms_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp', c['intermediate_size'], 'silu')
        x = x + m.rms_norm(f, h + 'post_mlp_layernorm', eps)
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False)


def phi(m, c, inputs):
    C, _, _, D = sizes(c)
    eps, rope = c.get('layer_norm_eps', 1e-5), frequencies(c, int(D * fraction(c, 0.5)), inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    per_head = (lambda x, key: m.layer_norm(x, key + '_layernorm', eps)) if c.get('qk_layernorm') else None
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        t = m.layer_norm(x, h + 'input_layernorm', eps)
        f = ACTIVATIONS[c.get('hidden_act', 'gelu_new')](m.linear(t, h + 'mlp.fc1', c['intermediate_size'], True))
        x = (x + self_attention(m, t, h + 'self_attn', c, inputs, rope, bias=True, per_head=per_head, out='dense')
             + m.linear(f, h + 'mlp.fc2', C, True))
    return m.head(m.layer_norm(x, 'model.final_layernorm', eps), c, table, False, bias=True)


def phi3(m, c, inputs):
    C, H, KV, D = sizes(c)
    given = c.get('rope_scaling') or {}
    if given.get('type') in ('su', 'yarn'):        # older names of LongRoPE in this family
        given = {**given, 'type': 'longrope'}
    config = {'original_max_position_embeddings': 4096, **c, **({'rope_scaling': given} if given else {})}
    eps, rope = c.get('rms_norm_eps', 1e-5), frequencies(config, int(D * fraction(c, 1.0)), inputs.length)
    table = m.get('model.embed_tokens.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        qkv = m.linear(m.rms_norm(x, h + 'input_layernorm', eps), h + 'self_attn.qkv_proj', (H + 2 * KV) * D)
        q, k, v = qkv.split([H * D, KV * D, KV * D], -1)
        q, k = rotate(split(q, H), inputs, rope), rotate(split(k, KV), inputs, rope)
        o = attend(q, k, split(v, KV), inputs.visible(c.get('sliding_window')), D ** -0.5)
        x = x + m.linear(o, h + 'self_attn.o_proj', C)
        x = x + gate_up(m, m.rms_norm(x, h + 'post_attention_layernorm', eps), h + 'mlp', c['intermediate_size'], 'silu')
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False)


def exaone(m, c, inputs):
    """As in vLLM's exaone.py: Llama with GPT-2's names."""
    C, H, KV, D = sizes(c)
    eps, rope = c.get('layer_norm_epsilon', 1e-5), frequencies(c, D, inputs.length)
    table = m.get('transformer.wte.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c.get('num_layers') or c['num_hidden_layers']):
        h = f'transformer.h.{n}.'
        x = x + self_attention(m, m.rms_norm(x, h + 'ln_1', eps), h + 'attn.attention', c, inputs, rope, out='out_proj')
        x = x + gated(m, m.rms_norm(x, h + 'ln_2', eps), h + 'mlp', c['intermediate_size'],
                      c.get('activation_function', 'silu'), names=('c_fc_0', 'c_fc_1', 'c_proj'))
    return m.head(m.rms_norm(x, 'transformer.ln_f', eps), c, table, False)


def internlm2(m, c, inputs):
    """wqkv holds, for every head of keys, the heads of queries that share it, then the key's and the value's."""
    C, H, KV, D = sizes(c)
    eps, bias, rope = c.get('rms_norm_eps', 1e-6), c.get('bias', True), frequencies(c, D, inputs.length)
    table = m.get('model.tok_embeddings.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'model.layers.{n}.'
        t = m.linear(m.rms_norm(x, h + 'attention_norm', eps), h + 'attention.wqkv', (H + 2 * KV) * D, bias)
        B, T, _ = t.shape
        t = t.view(B, T, KV, H // KV + 2, D)
        q = t[..., :-2, :].reshape(B, T, H, D).transpose(1, 2)
        k, v = t[..., -2, :].transpose(1, 2), t[..., -1, :].transpose(1, 2)
        o = attend(rotate(q, inputs, rope), rotate(k, inputs, rope), v, inputs.visible(), D ** -0.5)
        x = x + m.linear(o, h + 'attention.wo', C, bias)
        x = x + gated(m, m.rms_norm(x, h + 'ffn_norm', eps), h + 'feed_forward', c['intermediate_size'], 'silu',
                      names=('w1', 'w3', 'w2'))
    return m.head(m.rms_norm(x, 'model.norm', eps), c, table, False, 'output')


# GPT and its relatives ------------------------------------------------------------------------------------------------

def gpt_neox(m, c, inputs):
    C, H, _, D = sizes(c)
    eps, bias = c.get('layer_norm_eps', 1e-5), c.get('attention_bias', True)
    rope = frequencies(c, int(D * fraction(c, 0.25, 'rotary_pct')), inputs.length, c.get('rotary_emb_base'))
    table = m.get('gpt_neox.embed_in.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'gpt_neox.layers.{n}.'
        t = m.linear(m.layer_norm(x, h + 'input_layernorm', eps), h + 'attention.query_key_value', 3 * C, bias)
        q, k, v = split(t, H).chunk(3, -1)
        a = attend(rotate(q, inputs, rope), rotate(k, inputs, rope), v, inputs.visible(), D ** -0.5)
        a = m.linear(a, h + 'attention.dense', C, bias)
        t = m.layer_norm(x if c.get('use_parallel_residual', True) else x + a, h + 'post_attention_layernorm', eps)
        f = ACTIVATIONS[c.get('hidden_act', 'gelu')](m.linear(t, h + 'mlp.dense_h_to_4h', c['intermediate_size'], True))
        x = x + a + m.linear(f, h + 'mlp.dense_4h_to_h', C, True)
    return m.head(m.layer_norm(x, 'gpt_neox.final_layer_norm', eps), c, table, False, 'embed_out')


def gpt_neo(m, c, inputs):
    """Scores are not divided by the root of the head's size; local layers see a window."""
    C, H = c['hidden_size'], c['num_heads']
    eps, kinds = c.get('layer_norm_epsilon', 1e-5), [k for part, times in c['attention_types'] for k in part * times]
    table = m.get('transformer.wte.weight', c['vocab_size'], C)
    x = table[inputs.ids] + m.get('transformer.wpe.weight', c['max_position_embeddings'], C)[inputs.positions]
    for n in range(c['num_layers']):
        h = f'transformer.h.{n}.'
        t, a = m.layer_norm(x, h + 'ln_1', eps), h + 'attn.attention.'
        q, k, v = (split(m.linear(t, f'{a}{name}_proj', C), H) for name in 'qkv')
        o = attend(q, k, v, inputs.visible(c.get('window_size', 256) if kinds[n] == 'local' else None), 1.0)
        x = x + m.linear(o, a + 'out_proj', C, True)
        f = m.linear(m.layer_norm(x, h + 'ln_2', eps), h + 'mlp.c_fc', c.get('intermediate_size') or 4 * C, True)
        x = x + m.linear(ACTIVATIONS[c.get('activation_function', 'gelu_new')](f), h + 'mlp.c_proj', C, True)
    return m.head(m.layer_norm(x, 'transformer.ln_f', eps), c, table, True)


def gptj(m, c, inputs):
    C, H, eps = c['n_embd'], c['n_head'], c.get('layer_norm_epsilon', 1e-5)
    rope = frequencies(c, c['rotary_dim'], inputs.length)
    table = m.get('transformer.wte.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['n_layer']):
        h = f'transformer.h.{n}.'
        t = m.layer_norm(x, h + 'ln_1', eps)
        q, k, v = (split(m.linear(t, f'{h}attn.{name}_proj', C), H) for name in 'qkv')
        q, k = (rotate(s, inputs, rope, True) for s in (q, k))
        a = m.linear(attend(q, k, v, inputs.visible(), (C // H) ** -0.5), h + 'attn.out_proj', C)
        f = ACTIVATIONS[c.get('activation_function', 'gelu_new')](m.linear(t, h + 'mlp.fc_in', c.get('n_inner') or 4 * C, True))
        x = x + a + m.linear(f, h + 'mlp.fc_out', C, True)
    return m.head(m.layer_norm(x, 'transformer.ln_f', eps), c, table, False, bias=True)


def gpt_bigcode(m, c, inputs):
    """One head of keys and values for all (multi_query); otherwise c_attn has q, k and v of a head side by side."""
    C, H, eps = c['n_embd'], c['n_head'], c.get('layer_norm_epsilon', 1e-5)
    D, many = C // H, not c.get('multi_query', True)
    table = m.get('transformer.wte.weight', c['vocab_size'], C)
    x = table[inputs.ids] + m.get('transformer.wpe.weight', c['n_positions'], C)[inputs.positions]
    for n in range(c['n_layer']):
        h = f'transformer.h.{n}.'
        t = m.linear(m.layer_norm(x, h + 'ln_1', eps), h + 'attn.c_attn', 3 * C if many else C + 2 * D, True)
        if many:
            q, k, v = split(t, H).split(D, -1)
        else:
            q, k, v = t.split([C, D, D], -1)
            q, k, v = split(q, H), split(k, 1), split(v, 1)
        o = attend(q, k, v, inputs.visible(), D ** -0.5 if c.get('scale_attn_weights', True) else 1.0)
        x = x + m.linear(o, h + 'attn.c_proj', C, True)
        f = m.linear(m.layer_norm(x, h + 'ln_2', eps), h + 'mlp.c_fc', c.get('n_inner') or 4 * C, True)
        x = x + m.linear(ACTIVATIONS[c.get('activation_function', 'gelu_pytorch_tanh')](f), h + 'mlp.c_proj', C, True)
    return m.head(m.layer_norm(x, 'transformer.ln_f', eps), c, table, True)


def opt(m, c, inputs):
    C, H, W = c['hidden_size'], c['num_attention_heads'], c.get('word_embed_proj_dim') or c['hidden_size']
    before, bias, affine = c.get('do_layer_norm_before', True), c.get('enable_bias', True), c.get('layer_norm_elementwise_affine', True)
    d = 'model.decoder.'
    norm = lambda x, key: m.layer_norm(x, key, 1e-5, affine=affine)
    table = m.get(d + 'embed_tokens.weight', c['vocab_size'], W)
    x = table[inputs.ids]
    if W != C:
        x = m.linear(x, d + 'project_in', C)
    x = x + m.get(d + 'embed_positions.weight', c['max_position_embeddings'] + 2, C)[inputs.positions + 2]
    for n in range(c['num_hidden_layers']):
        h = f'{d}layers.{n}.'
        t = norm(x, h + 'self_attn_layer_norm') if before else x
        q, k, v = (split(m.linear(t, f'{h}self_attn.{name}_proj', C, bias), H) for name in 'qkv')
        x = x + m.linear(attend(q, k, v, inputs.visible(), (C // H) ** -0.5), h + 'self_attn.out_proj', C, bias)
        x = x if before else norm(x, h + 'self_attn_layer_norm')
        t = norm(x, h + 'final_layer_norm') if before else x
        f = ACTIVATIONS[c.get('activation_function', 'relu')](m.linear(t, h + 'fc1', c['ffn_dim'], bias))
        x = x + m.linear(f, h + 'fc2', C, bias)
        x = x if before else norm(x, h + 'final_layer_norm')
    if before and not c.get('_remove_final_layer_norm'):
        x = norm(x, d + 'final_layer_norm')
    if W != C:
        x = m.linear(x, d + 'project_out', W)
    return m.head(x, c, table, True)


def bloom(m, c, inputs):
    C, H, eps = c.get('hidden_size') or c['n_embed'], c['n_head'], c.get('layer_norm_epsilon', 1e-5)
    post = c.get('apply_residual_connection_post_layernorm', False)
    table = m.get('transformer.word_embeddings.weight', c['vocab_size'], C)
    x = m.layer_norm(table[inputs.ids], 'transformer.word_embeddings_layernorm', eps)
    for n in range(c['n_layer']):
        h = f'transformer.h.{n}.'
        t = m.layer_norm(x, h + 'input_layernorm', eps)
        q, k, v = split(m.linear(t, h + 'self_attention.query_key_value', 3 * C, True), H).chunk(3, -1)
        o = attend(q, k, v, inputs.visible(), (C // H) ** -0.5, alibi(inputs, H))
        x = (t if post else x) + m.linear(o, h + 'self_attention.dense', C, True)
        t = m.layer_norm(x, h + 'post_attention_layernorm', eps)
        f = m.linear(ACTIVATIONS['gelu_new'](m.linear(t, h + 'mlp.dense_h_to_4h', 4 * C, True)), h + 'mlp.dense_4h_to_h', C, True)
        x = (t if post else x) + f
    return m.head(m.layer_norm(x, 'transformer.ln_f', eps), c, table, True)


def falcon(m, c, inputs):
    """ALiBi is computed in bfloat16, and added before the division by the root of the head's size, unlike in BLOOM."""
    C, H, eps, bias = c['hidden_size'], c['num_attention_heads'], c.get('layer_norm_epsilon', 1e-5), c.get('bias', False)
    new, parallel, D = c.get('new_decoder_architecture', False), c.get('parallel_attn', True), C // H
    KV = (c.get('num_kv_heads') or H) if new else 1 if c.get('multi_query', True) else H
    two_norms = new and c.get('num_ln_in_parallel_attn') in (None, 2)
    rope, far = frequencies(c, D, inputs.length), c.get('alibi', False)
    table = m.get('transformer.word_embeddings.weight', c['vocab_size'], C)
    x = table[inputs.ids]
    for n in range(c['num_hidden_layers']):
        h = f'transformer.h.{n}.'
        t = m.layer_norm(x, h + ('ln_attn' if two_norms else 'input_layernorm'), eps)
        qkv = m.linear(t, h + 'self_attention.query_key_value', (H + 2 * KV) * D, bias)
        B, T, _ = qkv.shape
        qkv = qkv.view(B, T, KV, H // KV + 2, D)
        q = qkv[..., :-2, :].reshape(B, T, H, D).transpose(1, 2)
        k, v = qkv[..., -2, :].transpose(1, 2), qkv[..., -1, :].transpose(1, 2)
        if not far:
            q, k = rotate(q, inputs, rope), rotate(k, inputs, rope)
        a = attend(q, k, v, inputs.visible(), D ** -0.5, alibi(inputs, H, torch.bfloat16) * D ** -0.5 if far else 0.0)
        a = m.linear(a, h + 'self_attention.dense', C, bias)
        if two_norms:
            t = m.layer_norm(x, h + 'ln_mlp', eps)
        elif not parallel:
            t = m.layer_norm(x + a, h + 'post_attention_layernorm', eps)
        f = ACTIVATIONS[c.get('activation', 'gelu')](m.linear(t, h + 'mlp.dense_h_to_4h', c.get('ffn_hidden_size') or 4 * C, bias))
        x = x + a + m.linear(f, h + 'mlp.dense_4h_to_h', C, bias)
    return m.head(m.layer_norm(x, 'transformer.ln_f', eps), c, table, True)


# Cases ----------------------------------------------------------------------------------------------------------------

IDS = [[3, 1, 4, 1, 5, 9, 2, 6, 5]]
PADDED = [[0, 0, 3, 1, 4, 1, 5], [2, 7, 1, 8, 2, 8, 1]]
MASK = [[0, 0, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]]


def case(name, forward, config, ids=None, mask=None):
    m, inputs = Model(), Inputs(ids or IDS, mask)
    logits = forward(m, config, inputs)
    if mask is not None:
        logits = logits * inputs.mask[..., None]
    assert logits.isfinite().all(), name
    CASES.append({'name': name, 'config': config, 'ids': ids or IDS, **({} if mask is None else {'mask': mask}),
                  'tensors': m.list, 'shape': list(logits.shape),
                  'logits': [float(format(v, '.7g')) for v in logits.reshape(-1).tolist()]})


NULLS = ('sliding_window', 'attn_logit_softcapping', 'final_logit_softcapping', 'clip_qkv')


def variants(family, forward, base, **changes):
    """A change to None leaves a setting out, except where files have null."""
    for name, change in changes.items():
        change = dict(change)
        options = {key: change.pop(key) for key in ('ids', 'mask') if key in change}
        config = {key: value for key, value in {**base, **change}.items() if value is not None or key in NULLS}
        case(f'{family}: {name.replace("_", " ")}', forward, config, **options)


def main():
    padded = {'ids': PADDED, 'mask': MASK}
    base = {'vocab_size': 11, 'hidden_size': 12, 'num_hidden_layers': 2, 'num_attention_heads': 6, 'intermediate_size': 10,
            'max_position_embeddings': 32}
    grouped = {**base, 'num_key_value_heads': 2, 'head_dim': 4}
    wide = {'head_dim': 8, 'num_attention_heads': 2, 'num_key_value_heads': 1}
    sliding = ['sliding_attention', 'full_attention', 'sliding_attention']

    variants('llama', llama, {**grouped, 'model_type': 'llama', 'rms_norm_eps': 1e-5, 'hidden_act': 'silu'},
             biases={'attention_bias': True, 'mlp_bias': True, 'rope_theta': 500.0},
             tied={'tie_word_embeddings': True, 'hidden_act': 'gelu'},
             padded=padded,
             linear={**wide, 'rope_scaling': {'type': 'linear', 'factor': 2.5}},
             dynamic_beyond={**wide, 'max_position_embeddings': 5, 'rope_scaling': {'rope_type': 'dynamic', 'factor': 2.0}},
             dynamic_within={**wide, 'max_position_embeddings': 9, 'rope_scaling': {'rope_type': 'dynamic', 'factor': 2.0}},
             llama3={**wide, 'rope_scaling': {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0,
                                              'high_freq_factor': 4.0, 'original_max_position_embeddings': 100}},
             rope_parameters={**wide, 'rope_parameters': {'rope_type': 'llama3', 'rope_theta': 300.0, 'factor': 4.0,
                              'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 20}},
             yarn={**wide, 'max_position_embeddings': 256, 'rope_scaling': {
                 'rope_type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 64}},
             yarn_without_original={**wide, 'max_position_embeddings': 64, 'rope_theta': 100.0,
                                    'rope_scaling': {'type': 'yarn', 'factor': 4.0, 'beta_fast': 8.0, 'beta_slow': 2.0}},
             yarn_explicit_factor={**wide, 'max_position_embeddings': 64, 'rope_theta': 100.0, 'rope_scaling': {
                 'type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 64, 'attention_factor': 1.25}},
             yarn_mscale={**wide, 'max_position_embeddings': 256, 'rope_theta': 200.0, 'rope_scaling': {
                 'rope_type': 'yarn', 'factor': 8.0, 'original_max_position_embeddings': 32, 'mscale': 1.0,
                 'mscale_all_dim': 0.5, 'truncate': False}},
             longrope_factor={**wide, 'max_position_embeddings': 20, 'rope_scaling': {
                 'rope_type': 'longrope', 'factor': 4.0, 'short_factor': [1.0, 1.1, 1.3, 1.5],
                 'long_factor': [1.0, 2.0, 3.0, 5.0]}})
    variants('mistral', mistral, {**grouped, 'model_type': 'mistral', 'rms_norm_eps': 1e-5},
             window={'sliding_window': 3}, no_window={'sliding_window': None}, padded_window={'sliding_window': 3, **padded})
    variants('mixtral', mistral, {**grouped, 'model_type': 'mixtral', 'num_local_experts': 4,
                                  'num_experts_per_tok': 2},
             experts={'sliding_window': None}, window={'sliding_window': 4, 'num_experts_per_tok': 3})
    qwen2 = {**base, 'num_key_value_heads': 3, 'model_type': 'qwen2'}
    variants('qwen2', qwen, qwen2, biases={'use_sliding_window': False, 'sliding_window': 3},
             window={'num_hidden_layers': 3, 'use_sliding_window': True, 'sliding_window': 3, 'max_window_layers': 1},
             layer_types={'num_hidden_layers': 3, 'use_sliding_window': True, 'sliding_window': 4, 'layer_types': sliding,
                          'tie_word_embeddings': True})
    variants('qwen3', qwen, {**grouped, 'model_type': 'qwen3'}, norms={'attention_bias': True},
             window={'use_sliding_window': True, 'sliding_window': 3, 'max_window_layers': 1, 'tie_word_embeddings': True})
    variants('qwen3_moe', qwen, {**grouped, 'model_type': 'qwen3_moe', 'num_experts': 4, 'num_experts_per_tok': 2,
                                 'moe_intermediate_size': 6},
             normalized={'norm_topk_prob': True},
             window={'use_sliding_window': True, 'sliding_window': 3, 'max_window_layers': 1},
             every_second_layer={'norm_topk_prob': False, 'decoder_sparse_step': 2, 'num_hidden_layers': 4, 'mlp_only_layers': [3]})
    gemmas = {**grouped, 'num_attention_heads': 4}
    variants('gemma', gemma, {**gemmas, 'model_type': 'gemma'},
             hidden_act_is_ignored={'hidden_act': 'gelu'}, hidden_activation={'hidden_activation': 'gelu', 'hidden_act': 'silu'},
             biases={'attention_bias': True, 'tie_word_embeddings': False, 'rms_norm_eps': 1e-3})
    variants('gemma2', gemma, {**gemmas, 'model_type': 'gemma2', 'sliding_window': 3, 'query_pre_attn_scalar': 6,
                               'attn_logit_softcapping': 2.0, 'final_logit_softcapping': 3.0, 'num_hidden_layers': 3,
                               'hidden_activation': 'gelu_pytorch_tanh'},
             caps={}, no_caps={'attn_logit_softcapping': None, 'final_logit_softcapping': None, 'num_hidden_layers': 2},
             layer_types={'num_hidden_layers': 2, 'layer_types': sliding[1:]}, padded={'num_hidden_layers': 2, **padded})
    variants('gemma3', gemma, {**gemmas, 'model_type': 'gemma3_text', 'sliding_window': 3, 'query_pre_attn_scalar': 5,
                               'num_hidden_layers': 3},
             pattern={'sliding_window_pattern': 2, 'rope_theta': 1000.0, 'rope_local_base_freq': 50.0},
             layer_types={'layer_types': sliding, 'rope_scaling': {'rope_type': 'linear', 'factor': 8.0}, **wide},
             rope_parameters={'num_hidden_layers': 2, 'layer_types': sliding[:2], 'rope_parameters': {
                 'full_attention': {'rope_type': 'linear', 'factor': 4.0, 'rope_theta': 800.0},
                 'sliding_attention': {'rope_type': 'default', 'rope_theta': 60.0}}})
    neox = {**base, 'num_attention_heads': 2, 'hidden_size': 16}
    variants('phi', phi, {**neox, 'model_type': 'phi', 'partial_rotary_factor': 0.5},
             plain={}, rope_parameters={'partial_rotary_factor': 0.5, 'rope_parameters': {
                 'rope_type': 'default', 'rope_theta': 300.0, 'partial_rotary_factor': 0.75}},
             norms_and_groups={'qk_layernorm': True, 'num_attention_heads': 4, 'num_key_value_heads': 2,
                                         'hidden_size': 24, 'partial_rotary_factor': 0.4})
    longrope = {'type': 'longrope', 'short_factor': [1.0, 1.5], 'long_factor': [1.25, 4.0]}
    variants('phi3', phi3, {**base, 'num_attention_heads': 3, 'model_type': 'phi3', 'num_key_value_heads': 1,
                            'original_max_position_embeddings': 32},
             window={'sliding_window': 3},
             longrope_within={'original_max_position_embeddings': 9, 'max_position_embeddings': 36, 'rope_scaling': longrope},
             longrope_beyond={'original_max_position_embeddings': 4, 'max_position_embeddings': 16, 'rope_scaling': longrope},
             su={'original_max_position_embeddings': 4, 'max_position_embeddings': 16, 'rope_scaling': {**longrope, 'type': 'su'}},
             yarn={'max_position_embeddings': 131072, 'rope_scaling': {**longrope, 'type': 'yarn'}},
             partial={'hidden_size': 24, 'partial_rotary_factor': 0.75, 'tie_word_embeddings': True})
    variants('gpt_neox', gpt_neox, {**neox, 'model_type': 'gpt_neox', 'rotary_pct': 0.5, 'rotary_emb_base': 100},
             parallel={}, rope_parameters={'rotary_emb_base': None, 'hidden_act': 'gelu_fast', 'rope_parameters': {
                 'rope_type': 'default', 'rope_theta': 50.0, 'partial_rotary_factor': 0.75}},
             sequential={'use_parallel_residual': False, 'attention_bias': False}, padded=padded)
    variants('gpt_neo', gpt_neo, {'model_type': 'gpt_neo', 'vocab_size': 11, 'hidden_size': 12, 'num_layers': 3, 'num_heads': 3,
                                  'attention_types': [[['global', 'local'], 1], [['local'], 1]], 'window_size': 3,
                                  'max_position_embeddings': 16, 'activation_function': 'gelu_new'},
             local={}, sizes={'intermediate_size': 14, 'tie_word_embeddings': False}, padded=padded)
    gpt = {'vocab_size': 11, 'n_embd': 16, 'n_layer': 2, 'n_head': 2, 'n_positions': 16}
    variants('gptj', gptj, {**gpt, 'model_type': 'gptj', 'rotary_dim': 4}, plain={}, wide={'rotary_dim': 8, 'n_inner': 20},
             padded=padded)
    variants('gpt_bigcode', gpt_bigcode, {**gpt, 'n_embd': 12, 'n_head': 3, 'model_type': 'gpt_bigcode'},
             multi_query={'multi_query': True, 'activation_function': 'gelu_pytorch_tanh'},
             many_heads={'multi_query': False, 'n_inner': 14, 'activation_function': 'gelu'},
             no_scale={'scale_attn_weights': False, 'tie_word_embeddings': False}, padded=padded)
    variants('opt', opt, {'model_type': 'opt', 'vocab_size': 11, 'hidden_size': 12, 'num_hidden_layers': 2,
                          'num_attention_heads': 3, 'ffn_dim': 14, 'max_position_embeddings': 16, 'word_embed_proj_dim': 12},
             norms_before={'do_layer_norm_before': True},
             norms_behind={'do_layer_norm_before': False, 'word_embed_proj_dim': 8},
             no_biases={'enable_bias': False, 'activation_function': 'gelu', 'tie_word_embeddings': False},
             fixed_norms={'layer_norm_elementwise_affine': False},
             no_last_norm={'_remove_final_layer_norm': True}, padded=padded)
    variants('bloom', bloom, {'model_type': 'bloom', 'vocab_size': 11, 'hidden_size': 12, 'n_layer': 2, 'n_head': 3},
             heads_3={}, residual_behind_norm={'apply_residual_connection_post_layernorm': True, 'n_head': 4},
             padded={'n_head': 6, **padded})
    variants('falcon', falcon, {**base, 'num_attention_heads': 3, 'model_type': 'falcon'},
             multi_query={'multi_query': True}, biases={'bias': True, 'multi_query': False, 'ffn_hidden_size': 14},
             sequential={'parallel_attn': False},
             new={'new_decoder_architecture': True, 'num_attention_heads': 6, 'num_kv_heads': 2},
             new_with_one_norm={'new_decoder_architecture': True, 'num_attention_heads': 6, 'num_kv_heads': 3,
                                'num_ln_in_parallel_attn': 1},
             alibi={'alibi': True, 'multi_query': False, 'parallel_attn': False, 'bias': True, 'hidden_size': 24,
                    'num_attention_heads': 12},
             alibi_padded={'alibi': True, 'hidden_size': 24, 'num_attention_heads': 12, **padded},
             rope={'rope_scaling': {'type': 'linear', 'factor': 2.0}, 'hidden_size': 24})
    variants('olmo2', olmo, {**base, 'num_key_value_heads': 3, 'model_type': 'olmo2'},
             norms={}, biases={'attention_bias': True, 'tie_word_embeddings': True, 'rms_norm_eps': 1e-6})
    variants('olmoe', olmo, {**base, 'num_key_value_heads': 3, 'model_type': 'olmoe', 'num_experts': 5, 'num_experts_per_tok': 2,
                             'intermediate_size': 6},
             plain={'norm_topk_prob': False, 'clip_qkv': None},
             clipped={'norm_topk_prob': True, 'clip_qkv': 0.5, 'attention_bias': True})
    variants('granite', granite, {**base, 'num_key_value_heads': 2, 'model_type': 'granite', 'embedding_multiplier': 3.0,
                                  'attention_multiplier': 0.3, 'residual_multiplier': 0.4, 'logits_scaling': 2.5},
             multipliers={'tie_word_embeddings': True}, biases={'attention_bias': True, 'mlp_bias': True})
    variants('minicpm', minicpm, {**base, 'num_key_value_heads': 2, 'model_type': 'minicpm', 'scale_emb': 6, 'scale_depth': 1.4,
                                  'dim_model_base': 4, 'rms_norm_eps': 1e-5},
             tied={}, defaults={'scale_emb': None, 'scale_depth': None, 'dim_model_base': None},
             longrope={'tie_word_embeddings': False, 'num_attention_heads': 3, 'num_key_value_heads': 3,
                                'max_position_embeddings': 16, 'rope_scaling': {**longrope, 'rope_type': 'longrope',
                                                                                'original_max_position_embeddings': 5}})
    variants('starcoder2', starcoder2, {**base, 'num_key_value_heads': 2, 'model_type': 'starcoder2', 'norm_epsilon': 1e-5},
             window={'sliding_window': 3}, no_biases={'use_bias': False, 'tie_word_embeddings': False, 'hidden_act': 'gelu'})
    variants('cohere', cohere, {**base, 'num_attention_heads': 4, 'hidden_size': 16, 'num_key_value_heads': 2,
                                'model_type': 'cohere', 'rope_theta': 500.0},
             plain={'use_qk_norm': False}, norms={'use_qk_norm': True, 'logit_scale': 0.25, 'attention_bias': True},
             own_head={'tie_word_embeddings': False, 'layer_norm_eps': 1e-3})
    variants('glm4', glm4, {**base, 'head_dim': 8, 'num_attention_heads': 4, 'num_key_value_heads': 2, 'model_type': 'glm4',
                            'partial_rotary_factor': 0.5, 'rms_norm_eps': 1e-5},
             biases={}, tied={'attention_bias': False, 'tie_word_embeddings': True, 'partial_rotary_factor': 1.0})
    exaones = {**grouped, 'num_layers': 2, 'model_type': 'exaone', 'layer_norm_epsilon': 1e-5, 'activation_function': 'silu'}
    del exaones['num_hidden_layers']
    variants('exaone', exaone, exaones, plain={}, llama3={**wide, 'tie_word_embeddings': True, 'rope_scaling': {
        'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
        'original_max_position_embeddings': 100}})
    variants('internlm2', internlm2, {**base, 'num_key_value_heads': 2, 'model_type': 'internlm2', 'rms_norm_eps': 1e-5},
             biases={'bias': True}, dynamic={'bias': False, 'hidden_size': 24, 'max_position_embeddings': 6,
                                             'rope_scaling': {'type': 'dynamic', 'factor': 2.0}})
    text = json.dumps({'cases': CASES}, separators=(',', ':')).replace('},{"name"', '},\n{"name"')
    pathlib.Path(__file__).with_name('families.json').write_text(text + '\n')
    print(len(CASES), 'cases,', len(text), 'bytes')


main()
