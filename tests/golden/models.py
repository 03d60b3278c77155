"""Writes models.json: models with Hugging Face's keys and random weights, and their outputs in plain PyTorch.

The weights are not in the file: after torch.manual_seed(seed), every tensor in order is randn(shape) * scale + shift.

    python3 tests/golden/models.py        (see golden.py)
"""
import json
import math
import pathlib

import torch
import torch.nn.functional as F

CASES = []


class Weights(dict):
    """Samples tensors in order, and records what is needed to sample them again."""

    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.list = []

    def draw(self, key, *shape, scale=0.3, shift=0.0):
        self[key] = torch.randn(*shape) * scale + shift
        self.list.append([key, list(shape), scale, shift])

    def linear(self, key, n_out, n_in, bias=True, transposed=False):
        self.draw(key + '.weight', *((n_in, n_out) if transposed else (n_out, n_in)))
        if bias:
            self.draw(key + '.bias', n_out)

    def norm(self, key, n, bias=True):
        self.draw(key + '.weight', n, shift=1.0)
        if bias:
            self.draw(key + '.bias', n)


def plain(t):
    return {'shape': list(t.shape), 'data': [float(format(v, '.9g')) for v in t.reshape(-1).tolist()]}


def case(name, config, seed, weights, forward, inputs):
    def run(dtype):
        given = {k: v.to(dtype) for k, v in weights.items()}
        return {k: v for k, v in forward(given, dtype).items() if v is not None}
    out, exact = run(torch.float32), run(torch.float64)
    apart = max(float((out[k].double() - exact[k]).abs().max()) for k in out)
    CASES.append({'name': name, 'config': config, 'seed': seed, 'tensors': weights.list, 'inputs': inputs,
                  'out': {k: plain(v) for k, v in exact.items()}, 'tol': 16 * apart + 2e-7})


def heads_of(x, heads):
    B, T, C = x.shape
    return x.view(B, T, heads, C // heads).transpose(1, 2)


def attend(q, k, v, scale, bias):
    scores = q @ k.transpose(-1, -2) * scale + bias
    out = scores.softmax(-1) @ v
    B, H, T, D = out.shape
    return out.transpose(1, 2).reshape(B, T, H * D)


def causal(T, dtype):
    return torch.full((T, T), -math.inf, dtype=dtype).triu(1)


def hide(mask, dtype):
    """[B, 1, 1, T] with -inf where the mask is 0."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask == 0, -math.inf)[:, None, None, :]


# GPT-2 ----------------------------------------------------------------------------------------------------------------

def gpt2_weights(seed, c, transposed, prefix=''):
    w, C, I = Weights(seed), c['n_embd'], c.get('n_inner') or 4 * c['n_embd']
    w.draw(prefix + 'wte.weight', c['vocab_size'], C)
    w.draw(prefix + 'wpe.weight', c['n_positions'], C)
    for n in range(c['n_layer']):
        h = f'{prefix}h.{n}.'
        w.norm(h + 'ln_1', C)
        w.linear(h + 'attn.c_attn', 3 * C, C, transposed=transposed)
        w.linear(h + 'attn.c_proj', C, C, transposed=transposed)
        w.norm(h + 'ln_2', C)
        w.linear(h + 'mlp.c_fc', I, C, transposed=transposed)
        w.linear(h + 'mlp.c_proj', C, I, transposed=transposed)
    w.norm(prefix + 'ln_f', C)
    if not c.get('tie_word_embeddings', True):
        w.draw('lm_head.weight', c['vocab_size'], C)
    return w


def gpt2_forward(c, ids, transposed, prefix=''):
    def forward(w, dtype):
        get = lambda key: w[prefix + key]
        def layer(x, key):
            weight = get(key + '.weight')
            return x @ (weight if transposed else weight.T) + get(key + '.bias')
        eps, C, H = c.get('layer_norm_epsilon', 1e-5), c['n_embd'], c['n_head']
        norm = lambda x, key: F.layer_norm(x, (C,), get(key + '.weight'), get(key + '.bias'), eps)
        act = {'gelu_new': lambda x: F.gelu(x, approximate='tanh'), 'gelu': F.gelu, 'relu': F.relu}[
            c.get('activation_function', 'gelu_new')]
        T = ids.shape[1]
        x = get('wte.weight')[ids] + get('wpe.weight')[:T]
        for n in range(c['n_layer']):
            h = f'h.{n}.'
            q, k, v = (heads_of(t, H) for t in layer(norm(x, h + 'ln_1'), h + 'attn.c_attn').split(C, -1))
            scale = (C // H) ** -0.5 if c.get('scale_attn_weights', True) else 1.0
            if c.get('scale_attn_by_inverse_layer_idx'):
                scale /= n + 1
            x = x + layer(attend(q, k, v, scale, causal(T, dtype)), h + 'attn.c_proj')
            x = x + layer(act(layer(norm(x, h + 'ln_2'), h + 'mlp.c_fc')), h + 'mlp.c_proj')
        hidden = norm(x, 'ln_f')
        head = w['lm_head.weight'] if 'lm_head.weight' in w else get('wte.weight')
        return {'hidden': hidden, 'logits': hidden @ head.T}
    return forward


IDS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 0, 10]])
BASE = {'model_type': 'gpt2', 'n_embd': 12, 'n_head': 3, 'n_layer': 2, 'n_positions': 8, 'vocab_size': 11}
for name, config, transposed, prefix in [
    ('conv1d, no prefix', {**BASE, 'activation_function': 'gelu_new', 'n_inner': None}, True, ''),
    ('linear, prefix', {**BASE, 'activation_function': 'gelu', 'n_inner': 20, 'layer_norm_epsilon': 1e-3}, False, 'transformer.'),
    ('scales, own head', {**BASE, 'activation_function': 'relu', 'scale_attn_by_inverse_layer_idx': True,
                          'tie_word_embeddings': False}, True, 'transformer.'),
    ('no scale', {**BASE, 'scale_attn_weights': False}, True, '_orig_mod.transformer.'),
]:
    seed = 100 + len(CASES)
    case('gpt2: ' + name, config, seed, gpt2_weights(seed, config, transposed, prefix),
         gpt2_forward(config, IDS, transposed, prefix), {'ids': IDS.tolist()})


# BERT -----------------------------------------------------------------------------------------------------------------

def bert_weights(seed, c, prefix='', pooler=True, mlm=False, tf=False):
    w, C, I = Weights(seed), c['hidden_size'], c['intermediate_size']
    def norm(key):
        w.draw(key + ('.gamma' if tf else '.weight'), C, shift=1.0)
        w.draw(key + ('.beta' if tf else '.bias'), C)
    e = prefix + 'embeddings.'
    w.draw(e + 'word_embeddings.weight', c['vocab_size'], C)
    w.draw(e + 'position_embeddings.weight', c['max_position_embeddings'], C)
    w.draw(e + 'token_type_embeddings.weight', c['type_vocab_size'], C)
    norm(e + 'LayerNorm')
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}encoder.layer.{n}.'
        for part in ('query', 'key', 'value'):
            w.linear(h + 'attention.self.' + part, C, C)
        w.linear(h + 'attention.output.dense', C, C)
        norm(h + 'attention.output.LayerNorm')
        w.linear(h + 'intermediate.dense', I, C)
        w.linear(h + 'output.dense', C, I)
        norm(h + 'output.LayerNorm')
    if pooler:
        w.linear(prefix + 'pooler.dense', C, C)
    if mlm:
        w.linear('cls.predictions.transform.dense', C, C)
        norm('cls.predictions.transform.LayerNorm')
        w.draw('cls.predictions.bias', c['vocab_size'])
    return w


def bert_forward(c, ids, types, mask, prefix='', pooler=True, mlm=False, tf=False):
    def forward(w, dtype):
        C, H, eps = c['hidden_size'], c['num_attention_heads'], c.get('layer_norm_eps', 1e-12)
        def norm(x, key):
            return F.layer_norm(x, (C,), w[key + ('.gamma' if tf else '.weight')], w[key + ('.beta' if tf else '.bias')], eps)
        linear = lambda x, key: x @ w[key + '.weight'].T + w[key + '.bias']
        act = {'gelu': F.gelu, 'relu': F.relu}[c.get('hidden_act', 'gelu')]
        e = prefix + 'embeddings.'
        x = (w[e + 'word_embeddings.weight'][ids] + w[e + 'position_embeddings.weight'][:ids.shape[1]]
             + w[e + 'token_type_embeddings.weight'][types])
        x = norm(x, e + 'LayerNorm')
        for n in range(c['num_hidden_layers']):
            h = f'{prefix}encoder.layer.{n}.'
            q, k, v = (heads_of(linear(x, h + 'attention.self.' + p), H) for p in ('query', 'key', 'value'))
            a = linear(attend(q, k, v, (C // H) ** -0.5, hide(mask, dtype)), h + 'attention.output.dense')
            x = norm(x + a, h + 'attention.output.LayerNorm')
            x = norm(x + linear(act(linear(x, h + 'intermediate.dense')), h + 'output.dense'), h + 'output.LayerNorm')
        logits = None
        if mlm:
            t = norm(act(linear(x, 'cls.predictions.transform.dense')), 'cls.predictions.transform.LayerNorm')
            logits = t @ w[e + 'word_embeddings.weight'].T + w['cls.predictions.bias']
        kept = mask[:, :, None].to(dtype)
        return {'hidden': x * kept, 'pooled': linear(x[:, 0], prefix + 'pooler.dense').tanh() if pooler else None,
                'logits': logits * kept if mlm else None}
    return forward


BERT = {'model_type': 'bert', 'hidden_size': 12, 'num_hidden_layers': 2, 'num_attention_heads': 3, 'intermediate_size': 20,
        'vocab_size': 11, 'max_position_embeddings': 8, 'type_vocab_size': 2, 'hidden_act': 'gelu', 'pad_token_id': 0}
TYPES = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])
for name, config, options in [
    ('with pooler', {**BERT, 'layer_norm_eps': 1e-12}, {}),
    ('masked words, prefix, gamma and beta', {**BERT, 'layer_norm_eps': 1e-5},
     {'prefix': 'bert.', 'pooler': False, 'mlm': True, 'tf': True}),
]:
    seed = 100 + len(CASES)
    case('bert: ' + name, config, seed, bert_weights(seed, config, **options),
         bert_forward(config, IDS, TYPES, MASK, **options),
         {'ids': IDS.tolist(), 'tokenTypeIds': TYPES.tolist(), 'attentionMask': MASK.tolist()})


# Marian ---------------------------------------------------------------------------------------------------------------

def marian_weights(seed, c):
    w, C = Weights(seed), c['d_model']
    shared = c.get('share_encoder_decoder_embeddings', True)
    if shared:
        w.draw('model.shared.weight', c['vocab_size'], C)
    for side in ('encoder', 'decoder'):
        if not shared:
            w.draw(f'model.{side}.embed_tokens.weight', c['decoder_vocab_size' if side == 'decoder' else 'vocab_size'], C)
        for n in range(c[side + '_layers']):
            h = f'model.{side}.layers.{n}.'
            for attn in ['self_attn'] + (['encoder_attn'] if side == 'decoder' else []):
                for p in ('k', 'v', 'q', 'out'):
                    w.linear(f'{h}{attn}.{p}_proj', C, C)
                w.norm(f'{h}{attn}_layer_norm', C)
            w.linear(h + 'fc1', c[side + '_ffn_dim'], C)
            w.linear(h + 'fc2', C, c[side + '_ffn_dim'])
            w.norm(h + 'final_layer_norm', C)
    w.draw('final_logits_bias', 1, c.get('decoder_vocab_size') or c['vocab_size'])
    return w


def sinusoids(T, C, dtype):
    angle = torch.arange(T, dtype=torch.float64)[:, None] / 10000 ** (2 * torch.arange(C // 2, dtype=torch.float64) / C)
    return torch.cat([angle.sin(), angle.cos()], -1).to(dtype)


def marian_forward(c, ids, mask, decoder_ids):
    def forward(w, dtype):
        C = c['d_model']
        linear = lambda x, key: x @ w[key + '.weight'].T + w[key + '.bias']
        norm = lambda x, key: F.layer_norm(x, (C,), w[key + '.weight'], w[key + '.bias'])
        act = {'swish': F.silu, 'relu': F.relu, 'gelu': F.gelu}[c['activation_function']]
        table = lambda side: w['model.shared.weight'] if 'model.shared.weight' in w else w[f'model.{side}.embed_tokens.weight']
        scale = C ** 0.5 if c['scale_embedding'] else 1.0
        def attention(x, memory, key, bias, H):
            q, k, v = (heads_of(linear(t, f'{key}.{p}_proj'), H) for t, p in ((x, 'q'), (memory, 'k'), (memory, 'v')))
            return linear(attend(q, k, v, (C // H) ** -0.5, bias), key + '.out_proj')
        def side(name, ids, own_bias, memory=None, memory_bias=None):
            H = c[name + '_attention_heads']
            x = table(name)[ids] * scale + sinusoids(ids.shape[1], C, dtype)
            for n in range(c[name + '_layers']):
                h = f'model.{name}.layers.{n}.'
                x = norm(x + attention(x, x, h + 'self_attn', own_bias, H), h + 'self_attn_layer_norm')
                if memory is not None:
                    x = norm(x + attention(x, memory, h + 'encoder_attn', memory_bias, H), h + 'encoder_attn_layer_norm')
                x = norm(x + linear(act(linear(x, h + 'fc1')), h + 'fc2'), h + 'final_layer_norm')
            return x
        hidden = side('decoder', decoder_ids, causal(decoder_ids.shape[1], dtype),
                      side('encoder', ids, hide(mask, dtype)), hide(mask, dtype))
        return {'hidden': hidden, 'logits': hidden @ table('decoder').T + w['final_logits_bias']}
    return forward


MARIAN = {'model_type': 'marian', 'd_model': 12, 'encoder_layers': 2, 'decoder_layers': 1, 'encoder_attention_heads': 3,
          'decoder_attention_heads': 2, 'encoder_ffn_dim': 20, 'decoder_ffn_dim': 16, 'vocab_size': 11, 'pad_token_id': 10,
          'decoder_start_token_id': 10, 'eos_token_id': 0, 'max_position_embeddings': 8, 'static_position_embeddings': True}
DECODER_IDS = torch.tensor([[10, 4, 2], [10, 7, 7]])
for name, config in [
    ('shared, swish', {**MARIAN, 'activation_function': 'swish', 'scale_embedding': True}),
    ('apart, relu', {**MARIAN, 'activation_function': 'relu', 'scale_embedding': False,
                     'share_encoder_decoder_embeddings': False, 'decoder_vocab_size': 13}),
]:
    seed = 100 + len(CASES)
    case('marian: ' + name, config, seed, marian_weights(seed, config), marian_forward(config, IDS, MASK, DECODER_IDS),
         {'ids': IDS.tolist(), 'attentionMask': MASK.tolist(), 'decoderIds': DECODER_IDS.tolist()})


# T5 -------------------------------------------------------------------------------------------------------------------

def t5_weights(seed, c, gated):
    w, C, I = Weights(seed), c['d_model'], c['num_heads'] * c['d_kv']
    w.draw('shared.weight', c['vocab_size'], C, scale=1.0)
    for side in ('encoder', 'decoder'):
        for n in range(c['num_decoder_layers'] if side == 'decoder' else c['num_layers']):
            h = f'{side}.block.{n}.layer.'
            for i, attn in enumerate(['SelfAttention'] + (['EncDecAttention'] if side == 'decoder' else [])):
                for p in 'qkv':
                    w.linear(f'{h}{i}.{attn}.{p}', I, C, bias=False)
                w.linear(f'{h}{i}.{attn}.o', C, I, bias=False)
                if n == 0 and i == 0:
                    w.draw(f'{h}0.SelfAttention.relative_attention_bias.weight', c['relative_attention_num_buckets'],
                           c['num_heads'])
                w.norm(f'{h}{i}.layer_norm', C, bias=False)
            f = f'{h}{2 if side == "decoder" else 1}.'
            for wi in ('wi_0', 'wi_1') if gated else ('wi',):
                w.linear(f'{f}DenseReluDense.{wi}', c['d_ff'], C, bias=False)
            w.linear(f'{f}DenseReluDense.wo', C, c['d_ff'], bias=False)
            w.norm(f'{f}layer_norm', C, bias=False)
        w.norm(f'{side}.final_layer_norm', C, bias=False)
    if not c.get('tie_word_embeddings', True):
        w.draw('lm_head.weight', c['vocab_size'], C)
    return w


def bucket(rel, bidirectional, buckets, most):
    """The bucket of rel = key - query."""
    found = 0
    if bidirectional:
        buckets //= 2
        found += buckets if rel > 0 else 0
        rel = abs(rel)
    else:
        rel = max(-rel, 0)
    exact = buckets // 2
    if rel < exact:
        return found + rel
    ratio = torch.log(torch.tensor(float(rel)) / exact) / math.log(most / exact) * (buckets - exact)
    return found + min(exact + int(ratio.to(torch.long)), buckets - 1)


def t5_forward(c, ids, mask, decoder_ids, gated):
    def forward(w, dtype):
        C, H, eps = c['d_model'], c['num_heads'], c.get('layer_norm_epsilon', 1e-6)
        norm = lambda x, key: x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt() * w[key + '.weight']
        linear = lambda x, key: x @ w[key + '.weight'].T
        act = (lambda x: F.gelu(x, approximate='tanh')) if gated else F.relu
        def attention(x, memory, key, bias):
            q, k, v = (heads_of(linear(t, f'{key}.{p}'), H) for t, p in ((x, 'q'), (memory, 'k'), (memory, 'v')))
            return linear(attend(q, k, v, 1.0, bias), key + '.o')
        def relative(side, T):
            table = w[f'{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight']
            where = torch.tensor([[bucket(j - i, side == 'encoder', c['relative_attention_num_buckets'],
                                          c['relative_attention_max_distance']) for j in range(T)] for i in range(T)])
            return table[where].permute(2, 0, 1)[None]
        def stack(side, ids, bias, memory=None, memory_bias=None):
            x = w['shared.weight'][ids]
            bias = bias + relative(side, ids.shape[1])
            for n in range(c['num_decoder_layers'] if side == 'decoder' else c['num_layers']):
                h = f'{side}.block.{n}.layer.'
                t = norm(x, h + '0.layer_norm')
                x, last = x + attention(t, t, h + '0.SelfAttention', bias), 1
                if memory is not None:
                    x = x + attention(norm(x, h + '1.layer_norm'), memory, h + '1.EncDecAttention', memory_bias)
                    last = 2
                t, f = norm(x, f'{h}{last}.layer_norm'), f'{h}{last}.DenseReluDense.'
                inner = act(linear(t, f + 'wi_0')) * linear(t, f + 'wi_1') if gated else act(linear(t, f + 'wi'))
                x = x + linear(inner, f + 'wo')
            return norm(x, side + '.final_layer_norm')
        hidden = stack('decoder', decoder_ids, causal(decoder_ids.shape[1], dtype),
                       stack('encoder', ids, hide(mask, dtype)), hide(mask, dtype))
        if 'lm_head.weight' in w:
            return {'hidden': hidden, 'logits': hidden @ w['lm_head.weight'].T}
        return {'hidden': hidden, 'logits': hidden * C ** -0.5 @ w['shared.weight'].T}
    return forward


T5 = {'model_type': 't5', 'd_model': 12, 'd_kv': 5, 'd_ff': 20, 'num_layers': 2, 'num_decoder_layers': 2, 'num_heads': 3,
      'relative_attention_num_buckets': 8, 'relative_attention_max_distance': 20, 'vocab_size': 11, 'pad_token_id': 0,
      'decoder_start_token_id': 0, 'eos_token_id': 1}
LONG = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4],
                     [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3, 6, 0, 2, 8]])
LONG_MASK = torch.ones_like(LONG)
LONG_MASK[1, 20:] = 0
DECODER_LONG = torch.tensor([[0, 4, 2, 7, 7, 1, 3, 9, 9, 5, 2, 1, 6], [0, 8, 3, 3, 1, 10, 4, 2, 2, 7, 5, 9, 1]])
for name, config, gated in [
    ('relu, tied', {**T5, 'feed_forward_proj': 'relu'}, False),
    ('gated, own head', {**T5, 'feed_forward_proj': 'gated-gelu', 'tie_word_embeddings': False,
                         'relative_attention_num_buckets': 32, 'relative_attention_max_distance': 128}, True),
]:
    seed = 100 + len(CASES)
    case('t5: ' + name, config, seed, t5_weights(seed, config, gated), t5_forward(config, LONG, LONG_MASK, DECODER_LONG, gated),
         {'ids': LONG.tolist(), 'attentionMask': LONG_MASK.tolist(), 'decoderIds': DECODER_LONG.tolist()})


# Llama ----------------------------------------------------------------------------------------------------------------

def llama_weights(seed, c, prefix='model.'):
    w, C = Weights(seed), c['hidden_size']
    D = c.get('head_dim') or C // c['num_attention_heads']
    H, KV, bias = c['num_attention_heads'], c.get('num_key_value_heads') or c['num_attention_heads'], c.get('attention_bias', False)
    w.draw(prefix + 'embed_tokens.weight', c['vocab_size'], C)
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}layers.{n}.'
        w.norm(h + 'input_layernorm', C, bias=False)
        w.linear(h + 'self_attn.q_proj', H * D, C, bias=bias)
        w.linear(h + 'self_attn.k_proj', KV * D, C, bias=bias)
        w.linear(h + 'self_attn.v_proj', KV * D, C, bias=bias)
        w.linear(h + 'self_attn.o_proj', C, H * D, bias=bias)
        w.norm(h + 'post_attention_layernorm', C, bias=False)
        w.linear(h + 'mlp.gate_proj', c['intermediate_size'], C, bias=False)
        w.linear(h + 'mlp.up_proj', c['intermediate_size'], C, bias=False)
        w.linear(h + 'mlp.down_proj', C, c['intermediate_size'], bias=False)
    w.norm(prefix + 'norm', C, bias=False)
    if not c.get('tie_word_embeddings', False):
        w.draw('lm_head.weight', c['vocab_size'], C)
    return w


def rotate(x, base):
    """Rotates x [B, H, T, D]; the channels of a pair are half a head apart."""
    D, T = x.shape[-1], x.shape[-2]
    angle = torch.arange(T, dtype=torch.float64)[:, None] * base ** (-2 * torch.arange(D // 2, dtype=torch.float64) / D)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :D // 2], x[..., D // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def llama_forward(c, ids, prefix='model.'):
    def forward(w, dtype):
        C, H, eps = c['hidden_size'], c['num_attention_heads'], c.get('rms_norm_eps', 1e-6)
        KV, base = c.get('num_key_value_heads') or H, c.get('rope_theta', 10000.0)
        norm = lambda x, key: x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt() * w[key + '.weight']
        def linear(x, key):
            return x @ w[key + '.weight'].T + (w[key + '.bias'] if key + '.bias' in w else 0)
        x = w[prefix + 'embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'{prefix}layers.{n}.'
            t = norm(x, h + 'input_layernorm')
            q = rotate(heads_of(linear(t, h + 'self_attn.q_proj'), H), base)
            k = rotate(heads_of(linear(t, h + 'self_attn.k_proj'), KV), base).repeat_interleave(H // KV, 1)
            v = heads_of(linear(t, h + 'self_attn.v_proj'), KV).repeat_interleave(H // KV, 1)
            out = attend(q, k, v, q.shape[-1] ** -0.5, causal(ids.shape[1], dtype))
            x = x + linear(out, h + 'self_attn.o_proj')
            t = norm(x, h + 'post_attention_layernorm')
            x = x + linear(F.silu(linear(t, h + 'mlp.gate_proj')) * linear(t, h + 'mlp.up_proj'), h + 'mlp.down_proj')
        hidden = norm(x, prefix + 'norm')
        return {'hidden': hidden, 'logits': hidden @ w.get('lm_head.weight', w[prefix + 'embed_tokens.weight']).T}
    return forward


LLAMA = {'model_type': 'llama', 'hidden_size': 12, 'intermediate_size': 20, 'num_hidden_layers': 2, 'num_attention_heads': 6,
         'num_key_value_heads': 2, 'rms_norm_eps': 1e-5, 'vocab_size': 11, 'max_position_embeddings': 32, 'hidden_act': 'silu'}
for name, config, prefix in [
    ('grouped heads, own head', {**LLAMA, 'rope_theta': 10000.0}, 'model.'),
    ('tied, wide heads, biases', {**LLAMA, 'num_attention_heads': 3, 'num_key_value_heads': 3, 'head_dim': 6,
                                  'attention_bias': True, 'rope_theta': 500.0, 'tie_word_embeddings': True}, ''),
]:
    seed = 100 + len(CASES)
    case('llama: ' + name, config, seed, llama_weights(seed, config, prefix), llama_forward(config, IDS, prefix),
         {'ids': IDS.tolist()})

pathlib.Path(__file__).with_name('models.json').write_text(json.dumps({'cases': CASES}, separators=(',', ':')) + '\n')
