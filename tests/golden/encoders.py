"""Writes encoders.json: encoders, encoder-decoders and heads with Hugging Face's keys, computed in plain PyTorch.

The weights are not in the file: `Weights` makes each value from its key and index, as tests/models/hashed_weights.js does.
The functions follow the definitions in Hugging Face's modeling_*.py, without dropout; all are computed in float64.

    python3 tests/golden/encoders.py        (see golden.py)
"""
import json
import math
import pathlib
import re

import numpy as np
import torch
import torch.nn.functional as F

CASES = []
ACTIVATIONS = {'gelu': F.gelu, 'gelu_new': lambda x: F.gelu(x, approximate='tanh'), 'relu': F.relu, 'silu': F.silu,
               'tanh': torch.tanh}


class Weights:
    """Makes a tensor when its key is first used, and records its shape."""

    def __init__(self):
        self.tensors = {}

    def __call__(self, key, *shape):
        if key not in self.tensors:
            self.tensors[key] = hashed(key, shape)
        assert list(self.tensors[key].shape) == list(shape), key
        return self.tensors[key]

    def linear(self, key, x, n_out, bias=True):
        y = x @ self(key + '.weight', n_out, x.shape[-1]).T
        return y + self(key + '.bias', n_out) if bias else y

    def norm(self, key, x, eps, bias=True):
        C = x.shape[-1]
        return F.layer_norm(x, (C,), self(key + '.weight', C), self(key + '.bias', C) if bias else None, eps)

    def rms(self, key, x, eps):
        return x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt() * self(key + '.weight', x.shape[-1])


def hashed(key, shape):
    """Multiples of 2^-16 from -0.5 to 0.5; vectors of weights, which belong to norms, are 1 and half of that."""
    seed = 2166136261
    for byte in key.encode():
        seed = (seed ^ byte) * 16777619 & 0xffffffff
    h = (seed + np.arange(math.prod(shape), dtype=np.uint64) * 2654435761) & 0xffffffff
    h = (h ^ h >> 15) * 2246822507 & 0xffffffff
    h = (h ^ h >> 13) * 3266489909 & 0xffffffff
    values = torch.tensor(((h ^ h >> 16) >> 16).astype(np.float64) / 65536 - 0.5).reshape(shape)
    return 1 + values / 2 if len(shape) == 1 and key.endswith('weight') else values


def short_shapes(shapes):
    """Writes the equal keys layer.0.x to layer.1.x as layer.#2.x, so that the file stays small."""
    short = {}
    for key, shape in shapes.items():
        for number in re.findall(r'(?<=\.)\d+(?=\.)', key):
            left, right = re.split(rf'(?<=\.){number}(?=\.)', key, 1)
            count = next(n for n in range(99) if shapes.get(f'{left}{n}{right}') != shape)
            if count > int(number):
                key = f'{left}#{count}{right}'
                break
        short[key] = shape
    return short


def case(name, config, forward, inputs, decodes=False):
    """Computes `forward(weights, config, **inputs)`, a dict of outputs; numbers of padding are set to 0."""
    w, mask = Weights(), inputs.get('attention_mask')
    out = {key: value for key, value in forward(w, config, **inputs).items() if value is not None}
    if mask is not None and not decodes:
        for key, value in out.items():
            if value.dim() > 1 and tuple(value.shape[:2]) == tuple(mask.shape) and key != 'pooled':
                out[key] = value * mask.reshape(mask.shape + (1,) * (value.dim() - 2))
    names = {'ids': 'ids', 'attention_mask': 'attentionMask', 'token_type_ids': 'tokenTypeIds', 'decoder_ids': 'decoderIds'}
    CASES.append({'name': name, 'config': config, 'shapes': short_shapes({key: list(t.shape) for key, t in w.tensors.items()}),
                  'inputs': {names[key]: value.tolist() for key, value in inputs.items() if key in names},
                  'out': {key: {'shape': list(t.shape), 'data': [float(format(v, '.7g')) for v in t.reshape(-1).tolist()]}
                          for key, t in out.items()}})


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(q, k, v, heads, bias=0., scale=None, rotate=None):
    q, k, v = (split(t, heads) for t in (q, k, v))
    if rotate:
        q, k = rotate(q), rotate(k)
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def hide(mask):
    """[B, 1, 1, T] with a very low number where the mask is 0."""
    return (1. - mask.double())[:, None, None, :] * -1e300


def causal(T):
    return torch.full((T, T), -1e300, dtype=torch.float64).triu(1)


def rotary(theta):
    """Rotates [B, H, T, D]; the channels of a pair are half a head apart."""
    def rotate(x):
        D, T = x.shape[-1], x.shape[-2]
        angle = torch.arange(T)[:, None] * theta ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
        a, b = x[..., :D // 2], x[..., D // 2:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)
    return rotate


def positions_after_padding(ids, pad):
    """Tokens that are not padding are counted from pad + 1; padding has position pad (RoBERTa, M2M-100)."""
    counted = (ids != pad).long()
    return counted.cumsum(1) * counted + pad


# BERT's layers, in BERT, RoBERTa and ELECTRA --------------------------------------------------------------------------

def bert_layers(w, c, x, prefix, bias):
    eps, act = c['layer_norm_eps'], ACTIVATIONS[c.get('hidden_act', 'gelu')]
    C = x.shape[-1]
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}encoder.layer.{n}.'
        q, k, v = (w.linear(f'{h}attention.self.{part}', x, C) for part in ('query', 'key', 'value'))
        a = w.linear(h + 'attention.output.dense', attend(q, k, v, c['num_attention_heads'], bias), C)
        x = w.norm(h + 'attention.output.LayerNorm', x + a, eps)
        f = w.linear(h + 'output.dense', act(w.linear(h + 'intermediate.dense', x, c['intermediate_size'])), C)
        x = w.norm(h + 'output.LayerNorm', x + f, eps)
    return x


def bert_embeddings(w, c, prefix, ids, token_type_ids, positions):
    e, E = prefix + 'embeddings.', c.get('embedding_size', c['hidden_size'])
    types = torch.zeros_like(ids) if token_type_ids is None else token_type_ids
    x = (w(e + 'word_embeddings.weight', c['vocab_size'], E)[ids]
         + w(e + 'position_embeddings.weight', c['max_position_embeddings'], E)[positions]
         + w(e + 'token_type_embeddings.weight', c['type_vocab_size'], E)[types])
    return w.norm(e + 'LayerNorm', x, c['layer_norm_eps'])


def mask_of(ids, attention_mask):
    return hide(torch.ones_like(ids) if attention_mask is None else attention_mask)


def bert(w, c, ids, attention_mask=None, token_type_ids=None, prefix='bert.'):
    x = bert_embeddings(w, c, prefix, ids, token_type_ids, torch.arange(ids.shape[1]))
    return bert_layers(w, c, x, prefix, mask_of(ids, attention_mask))


def pooled(w, key, x):
    return w.linear(key, x[:, 0], x.shape[-1]).tanh()


def roberta(w, c, ids, attention_mask=None, token_type_ids=None, prefix='roberta.'):
    x = bert_embeddings(w, c, prefix, ids, token_type_ids, positions_after_padding(ids, c['pad_token_id']))
    return bert_layers(w, c, x, prefix, mask_of(ids, attention_mask))


def electra(w, c, ids, attention_mask=None, token_type_ids=None, prefix='electra.'):
    x = bert_embeddings(w, c, prefix, ids, token_type_ids, torch.arange(ids.shape[1]))
    if c['embedding_size'] != c['hidden_size']:
        x = w.linear(prefix + 'embeddings_project', x, c['hidden_size'])
    return bert_layers(w, c, x, prefix, mask_of(ids, attention_mask))


def answers(w, key, x):
    start, end = w.linear(key, x, 2).unbind(-1)
    return {'startLogits': start, 'endLogits': end}


def labels_of(c):
    return len(c.get('id2label', [0, 1]))


IDS = torch.tensor([[3, 7, 4, 9, 5, 2], [6, 2, 8, 0, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
TYPES = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 0, 0]])
BATCH = {'ids': IDS, 'attention_mask': MASK, 'token_type_ids': TYPES}
LABELS = {'id2label': {'0': 'negative', '1': 'neutral', '2': 'positive'},
          'label2id': {'negative': 0, 'neutral': 1, 'positive': 2}}
SIZES = {'hidden_size': 12, 'num_hidden_layers': 2, 'num_attention_heads': 3, 'intermediate_size': 20, 'vocab_size': 11,
         'max_position_embeddings': 9, 'type_vocab_size': 2, 'pad_token_id': 0, 'layer_norm_eps': 1e-5}

BERT = {'model_type': 'bert', **SIZES, 'layer_norm_eps': 1e-12}
for name, more, head in [
    ('SequenceClassification', LABELS,
     lambda w, c, x: {'logits': w.linear('classifier', pooled(w, 'bert.pooler.dense', x), labels_of(c))}),
    ('TokenClassification', LABELS, lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('QuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    case('bert: ' + name, {**BERT, 'architectures': ['BertFor' + name], **more},
         lambda w, c, head=head, **inputs: head(w, c, bert(w, c, **inputs)), BATCH)


def roberta_lm(w, c, x):
    x = F.gelu(w.linear('lm_head.dense', x, c['hidden_size']))
    x = w.norm('lm_head.layer_norm', x, c['layer_norm_eps'])
    table = w('roberta.embeddings.word_embeddings.weight', c['vocab_size'], c['hidden_size'])
    return {'logits': x @ table.T + w('lm_head.bias', c['vocab_size'])}


def roberta_classifier(w, c, x):
    x = w.linear('classifier.dense', x[:, 0], c['hidden_size']).tanh()
    return {'logits': w.linear('classifier.out_proj', x, labels_of(c))}


PADDED = torch.tensor([[3, 1, 4, 9, 5, 2], [6, 2, 8, 1, 1, 1]])   # padding is 1, and stands in the middle of the first row
ROBERTA = {'model_type': 'roberta', **SIZES, 'type_vocab_size': 1, 'pad_token_id': 1, 'hidden_act': 'gelu'}
ROBERTA_BATCH = {'ids': PADDED, 'attention_mask': MASK}


def roberta_body(w, c, **inputs):
    x = roberta(w, c, prefix='', **inputs)
    return {'hidden': x, 'pooled': pooled(w, 'pooler.dense', x)}


case('roberta: body', {**ROBERTA, 'architectures': ['RobertaModel']}, roberta_body, ROBERTA_BATCH)
case('roberta: padding without a mask', {**ROBERTA, 'architectures': ['RobertaModel'], 'hidden_act': 'gelu_new'},
     lambda w, c, **inputs: {'hidden': roberta(w, c, prefix='', **inputs)}, {'ids': PADDED})
case('roberta: token types', {**ROBERTA, 'type_vocab_size': 2, 'architectures': ['RobertaModel'], 'hidden_act': 'relu'},
     lambda w, c, **inputs: {'hidden': roberta(w, c, prefix='', **inputs)}, {**ROBERTA_BATCH, 'token_type_ids': TYPES})
for type, architecture, more, head in [
    ('roberta', 'RobertaForMaskedLM', {}, roberta_lm),
    ('xlm-roberta', 'XLMRobertaForMaskedLM', {}, roberta_lm),
    ('camembert', 'CamembertForMaskedLM', {}, roberta_lm),
    ('roberta', 'RobertaForSequenceClassification', LABELS, roberta_classifier),
    ('xlm-roberta', 'XLMRobertaForSequenceClassification', {}, roberta_classifier),
    ('camembert', 'CamembertForTokenClassification', LABELS,
     lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('roberta', 'RobertaForQuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    case(f'{type}: {architecture}', {**ROBERTA, 'model_type': type, 'architectures': [architecture], **more},
         lambda w, c, head=head, **inputs: head(w, c, roberta(w, c, **inputs)), ROBERTA_BATCH)


# ELECTRA --------------------------------------------------------------------------------------------------------------

def electra_generator(w, c, x):
    x = F.gelu(w.linear('generator_predictions.dense', x, c['embedding_size']))
    x = w.norm('generator_predictions.LayerNorm', x, c['layer_norm_eps'])
    table = w('electra.embeddings.word_embeddings.weight', c['vocab_size'], c['embedding_size'])
    return {'logits': x @ table.T + w('generator_lm_head.bias', c['vocab_size'])}


def electra_discriminator(w, c, x):
    x = ACTIVATIONS[c['hidden_act']](w.linear('discriminator_predictions.dense', x, c['hidden_size']))
    return {'logits': w.linear('discriminator_predictions.dense_prediction', x, 1).squeeze(-1)}


def electra_classifier(w, c, x):
    x = F.gelu(w.linear('classifier.dense', x[:, 0], c['hidden_size']))
    return {'logits': w.linear('classifier.out_proj', x, labels_of(c))}


ELECTRA = {'model_type': 'electra', **SIZES, 'embedding_size': 8, 'hidden_act': 'gelu', 'layer_norm_eps': 1e-12}
for name, more, head in [
    ('Model', {}, lambda w, c, x: {'hidden': x}),
    ('Model', {'embedding_size': 12}, lambda w, c, x: {'hidden': x}),
    ('ForMaskedLM', {}, electra_generator),
    ('ForPreTraining', {'hidden_act': 'relu'}, electra_discriminator),
    ('ForSequenceClassification', {**LABELS, 'hidden_act': 'relu'}, electra_classifier),
    ('ForTokenClassification', {**LABELS, 'embedding_size': 12},
     lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('ForQuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    config = {**ELECTRA, 'architectures': ['Electra' + name], **more}
    case(f'electra: {name}, embeddings of {config["embedding_size"]}', config,
         lambda w, c, head=head, prefix='' if name == 'Model' else 'electra.', **inputs:
             head(w, c, electra(w, c, prefix=prefix, **inputs)), BATCH)


# DistilBERT -----------------------------------------------------------------------------------------------------------

def distilbert(w, c, ids, attention_mask=None, prefix='distilbert.'):
    C, act = c['dim'], ACTIVATIONS[c['activation']]
    e = prefix + 'embeddings.'
    x = (w(e + 'word_embeddings.weight', c['vocab_size'], C)[ids]
         + w(e + 'position_embeddings.weight', c['max_position_embeddings'], C)[:ids.shape[1]])
    x = w.norm(e + 'LayerNorm', x, 1e-12)
    for n in range(c['n_layers']):
        h = f'{prefix}transformer.layer.{n}.'
        q, k, v = (w.linear(f'{h}attention.{part}_lin', x, C) for part in 'qkv')
        a = attend(q, k, v, c['n_heads'], mask_of(ids, attention_mask))
        x = w.norm(h + 'sa_layer_norm', x + w.linear(h + 'attention.out_lin', a, C), 1e-12)
        f = w.linear(h + 'ffn.lin2', act(w.linear(h + 'ffn.lin1', x, c['hidden_dim'])), C)
        x = w.norm(h + 'output_layer_norm', x + f, 1e-12)
    return x


def distilbert_lm(w, c, x):
    x = w.norm('vocab_layer_norm', ACTIVATIONS[c['activation']](w.linear('vocab_transform', x, c['dim'])), 1e-12)
    table = w('distilbert.embeddings.word_embeddings.weight', c['vocab_size'], c['dim'])
    return {'logits': x @ table.T + w('vocab_projector.bias', c['vocab_size'])}


def distilbert_classifier(w, c, x):
    return {'logits': w.linear('classifier', w.linear('pre_classifier', x[:, 0], c['dim']).relu(), labels_of(c))}


DISTILBERT = {'model_type': 'distilbert', 'dim': 12, 'n_layers': 2, 'n_heads': 3, 'hidden_dim': 20, 'vocab_size': 11,
              'max_position_embeddings': 9, 'pad_token_id': 0, 'activation': 'gelu', 'sinusoidal_pos_embds': False}
for name, more, head in [
    ('Model', {'activation': 'relu'}, lambda w, c, x: {'hidden': x}),
    ('ForMaskedLM', {'activation': 'relu'}, distilbert_lm),
    ('ForSequenceClassification', LABELS, distilbert_classifier),
    ('ForTokenClassification', LABELS, lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('ForQuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    case('distilbert: ' + name, {**DISTILBERT, 'architectures': ['DistilBert' + name], **more},
         lambda w, c, head=head, prefix='' if name == 'Model' else 'distilbert.', **inputs:
             head(w, c, distilbert(w, c, prefix=prefix, **inputs)), {'ids': IDS, 'attention_mask': MASK})


# ALBERT ---------------------------------------------------------------------------------------------------------------

def albert(w, c, ids, attention_mask=None, token_type_ids=None, prefix='albert.'):
    eps, act, C = c['layer_norm_eps'], ACTIVATIONS[c['hidden_act']], c['hidden_size']
    x = bert_embeddings(w, c, prefix, ids, token_type_ids, torch.arange(ids.shape[1]))
    x = w.linear(prefix + 'encoder.embedding_hidden_mapping_in', x, C)
    for n in range(c['num_hidden_layers']):
        group = int(n / (c['num_hidden_layers'] / c['num_hidden_groups']))
        for inner in range(c.get('inner_group_num', 1)):
            h = f'{prefix}encoder.albert_layer_groups.{group}.albert_layers.{inner}.'
            q, k, v = (w.linear(f'{h}attention.{part}', x, C) for part in ('query', 'key', 'value'))
            a = attend(q, k, v, c['num_attention_heads'], mask_of(ids, attention_mask))
            x = w.norm(h + 'attention.LayerNorm', x + w.linear(h + 'attention.dense', a, C), eps)
            f = w.linear(h + 'ffn_output', act(w.linear(h + 'ffn', x, c['intermediate_size'])), C)
            x = w.norm(h + 'full_layer_layer_norm', x + f, eps)
    return x


def albert_lm(w, c, x):
    x = ACTIVATIONS[c['hidden_act']](w.linear('predictions.dense', x, c['embedding_size']))
    x = w.norm('predictions.LayerNorm', x, c['layer_norm_eps'])
    table = w('albert.embeddings.word_embeddings.weight', c['vocab_size'], c['embedding_size'])
    return {'logits': x @ table.T + w('predictions.bias', c['vocab_size'])}


def albert_body(w, c, **inputs):
    x = albert(w, c, prefix='', **inputs)
    return {'hidden': x, 'pooled': pooled(w, 'pooler', x)}


ALBERT = {'model_type': 'albert', **SIZES, 'num_hidden_layers': 3, 'embedding_size': 8, 'num_hidden_groups': 1,
          'inner_group_num': 1, 'hidden_act': 'gelu_new', 'layer_norm_eps': 1e-12}
case('albert: one group', {**ALBERT, 'architectures': ['AlbertModel']}, albert_body, BATCH)
case('albert: two groups', {**ALBERT, 'num_hidden_layers': 4, 'num_hidden_groups': 2, 'hidden_act': 'gelu',
                            'architectures': ['AlbertModel']}, albert_body, BATCH)
case('albert: two groups of three layers', {**ALBERT, 'num_hidden_groups': 2, 'architectures': ['AlbertModel']},
     albert_body, BATCH)
case('albert: two layers in a group', {**ALBERT, 'num_hidden_layers': 2, 'num_hidden_groups': 2, 'inner_group_num': 2,
                                       'architectures': ['AlbertModel']}, albert_body, BATCH)
for name, more, head in [
    ('MaskedLM', {}, albert_lm),
    ('SequenceClassification', LABELS,
     lambda w, c, x: {'logits': w.linear('classifier', pooled(w, 'albert.pooler', x), labels_of(c))}),
    ('TokenClassification', LABELS, lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('QuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    case('albert: ' + name, {**ALBERT, 'architectures': ['AlbertFor' + name], **more},
         lambda w, c, head=head, **inputs: head(w, c, albert(w, c, **inputs)), BATCH)


# DeBERTa-v2 and v3 ----------------------------------------------------------------------------------------------------

def log_buckets(distance, buckets, longest):
    """Distances up to half of the buckets are exact; farther ones share buckets that grow by a constant factor."""
    middle = buckets // 2
    size = distance.abs().clamp(min=1).float()
    far = torch.ceil(torch.log(size / middle) / math.log((longest - 1) / middle) * (middle - 1)).long() + middle
    return torch.where(distance.abs() <= middle, distance, far * distance.sign())


def deberta(w, c, ids, attention_mask=None, token_type_ids=None, prefix='deberta.'):
    eps, act, C, H = c.get('layer_norm_eps', 1e-7), ACTIVATIONS[c.get('hidden_act', 'gelu')], c['hidden_size'], c['num_attention_heads']
    T = ids.shape[1]
    mask = torch.ones_like(ids) if attention_mask is None else attention_mask
    e = prefix + 'embeddings.'
    x = w(e + 'word_embeddings.weight', c['vocab_size'], C)[ids]
    if c.get('position_biased_input', True):
        x = x + w(e + 'position_embeddings.weight', c['max_position_embeddings'], C)[:T]
    if c.get('type_vocab_size', 0) > 0:
        types = torch.zeros_like(ids) if token_type_ids is None else token_type_ids
        x = x + w(e + 'token_type_embeddings.weight', c['type_vocab_size'], C)[types]
    x = w.norm(e + 'LayerNorm', x, eps) * mask[:, :, None]

    kinds = c.get('pos_att_type') or []
    kinds = kinds.split('|') if isinstance(kinds, str) else kinds
    relative = c.get('relative_attention', False)
    if relative:
        longest = c.get('max_relative_positions', -1)
        longest = c['max_position_embeddings'] if longest < 1 else longest
        buckets = c.get('position_buckets', -1)
        span = buckets if buckets > 0 else longest
        table = w(prefix + 'encoder.rel_embeddings.weight', 2 * span, C)
        if 'layer_norm' in c.get('norm_rel_ebd', 'none'):
            table = w.norm(prefix + 'encoder.LayerNorm', table, eps)
        distance = torch.arange(T)[:, None] - torch.arange(T)[None, :]
        if buckets > 0:
            distance = log_buckets(distance, buckets, longest)

    embedded = x
    pairs = (mask[:, None, :, None] * mask[:, None, None, :]).bool()
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}encoder.layer.{n}.'
        a = h + 'attention.self.'
        q, k, v = (split(w.linear(f'{a}{part}_proj', x, C), H) for part in ('query', 'key', 'value'))
        scores = q @ k.transpose(-1, -2)
        if relative:
            shared = c.get('share_att_key', False)
            project = lambda part: split(w.linear(a + (part if shared else 'pos_' + part) + '_proj', table[None], C), H)
            if 'c2p' in kinds:
                index = (distance + span).clamp(0, 2 * span - 1)
                scores = scores + (q @ project('key').transpose(-1, -2)).gather(-1, index.expand(scores.shape))
            if 'p2c' in kinds:
                index = (span - distance).clamp(0, 2 * span - 1)
                scores = scores + (k @ project('query').transpose(-1, -2)).gather(
                    -1, index.expand(scores.shape)).transpose(-1, -2)
        scale = (C // H * (1 + ('c2p' in kinds) + ('p2c' in kinds))) ** -0.5
        weights = (scores * scale).masked_fill(~pairs, -1e300).softmax(-1).masked_fill(~pairs, 0)
        out = w.linear(h + 'attention.output.dense', (weights @ v).transpose(1, 2).flatten(2), C)
        y = w.norm(h + 'attention.output.LayerNorm', x + out, eps)
        f = w.linear(h + 'output.dense', act(w.linear(h + 'intermediate.dense', y, c['intermediate_size'])), C)
        x = w.norm(h + 'output.LayerNorm', y + f, eps)
        size = c.get('conv_kernel_size', 0)
        if n == 0 and size > 0:   # over the embeddings, added to what the first layer gives
            key, groups = prefix + 'encoder.conv.', c.get('conv_groups', 1)
            out = F.conv1d(embedded.transpose(1, 2), w(key + 'conv.weight', C, C // groups, size), w(key + 'conv.bias', C),
                           padding=(size - 1) // 2, groups=groups).transpose(1, 2)
            out = ACTIVATIONS[c.get('conv_act', 'tanh')](out.masked_fill(mask[:, :, None] == 0, 0))
            x = w.norm(key + 'LayerNorm', x + out, eps) * mask[:, :, None]
    return x


def deberta_lm(w, c, x):
    t = 'cls.predictions.'
    x = ACTIVATIONS[c['hidden_act']](w.linear(t + 'transform.dense', x, c['hidden_size']))
    x = w.norm(t + 'transform.LayerNorm', x, c['layer_norm_eps'])
    table = w('deberta.embeddings.word_embeddings.weight', c['vocab_size'], c['hidden_size'])
    return {'logits': x @ table.T + w(t + 'bias', c['vocab_size'])}


def deberta_classifier(w, c, x):
    x = ACTIVATIONS[c.get('pooler_hidden_act', 'gelu')](w.linear('pooler.dense', x[:, 0], c['hidden_size']))
    return {'logits': w.linear('classifier', x, labels_of(c))}


LONG_IDS = torch.tensor([[3, 7, 4, 9, 5, 2, 8, 6, 10, 7, 3, 1], [6, 2, 8, 5, 9, 4, 10, 2, 0, 0, 0, 0]])
LONG_MASK = (LONG_IDS != 0).long()
LONG_BATCH = {'ids': LONG_IDS, 'attention_mask': LONG_MASK}
DEBERTA = {'model_type': 'deberta-v2', **SIZES, 'type_vocab_size': 0, 'max_position_embeddings': 16, 'hidden_act': 'gelu',
           'layer_norm_eps': 1e-7, 'relative_attention': True, 'max_relative_positions': -1, 'position_buckets': 8,
           'norm_rel_ebd': 'layer_norm', 'share_att_key': True, 'pos_att_type': 'p2c|c2p', 'position_biased_input': False}
DEFAULTS = {key: DEBERTA[key] for key in DEBERTA if key not in (
    'max_relative_positions', 'position_buckets', 'norm_rel_ebd', 'share_att_key', 'pos_att_type', 'position_biased_input',
    'type_vocab_size', 'hidden_act', 'layer_norm_eps')}
for name, config in [
    ('as version 3', DEBERTA),
    ('four buckets', {**DEBERTA, 'position_buckets': 4, 'pos_att_type': ['c2p', 'p2c']}),
    ('own projections', {**DEBERTA, 'share_att_key': False, 'norm_rel_ebd': 'none'}),
    ('only c2p', {**DEBERTA, 'pos_att_type': ['c2p'], 'share_att_key': False, 'hidden_act': 'relu'}),
    ('only p2c', {**DEBERTA, 'pos_att_type': 'p2c'}),
    ('no buckets', {**DEBERTA, 'position_buckets': 0, 'max_relative_positions': 5, 'share_att_key': False}),
    ('buckets not given', {**{k: v for k, v in DEBERTA.items() if k not in ('position_buckets', 'norm_rel_ebd')},
                           'max_relative_positions': 16}),
    ('positions and types', {**DEBERTA, 'position_biased_input': True, 'type_vocab_size': 2}),
    ('defaults', DEFAULTS),
    ('convolution', {**DEBERTA, 'conv_kernel_size': 3, 'conv_act': 'gelu', 'pos_att_type': ['p2c', 'c2p']}),
    ('convolution in groups', {**DEBERTA, 'conv_kernel_size': 5, 'conv_groups': 3}),
    ('convolution of one token', {**DEBERTA, 'conv_kernel_size': 1, 'num_hidden_layers': 1}),
]:
    inputs = {**LONG_BATCH, 'token_type_ids': torch.tensor([[0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0]] * 2)} \
        if config.get('type_vocab_size') else LONG_BATCH
    case('deberta-v2: ' + name, {**config, 'architectures': ['DebertaV2Model']},
         lambda w, c, **inputs: {'hidden': deberta(w, c, prefix='', **inputs)}, inputs)
for name, more, head in [
    ('MaskedLM', {}, deberta_lm),
    ('MaskedLM', {'conv_kernel_size': 3}, deberta_lm),
    ('SequenceClassification', {**LABELS, 'pooler_hidden_act': 'tanh'}, deberta_classifier),
    ('SequenceClassification', {}, deberta_classifier),
    ('TokenClassification', LABELS, lambda w, c, x: {'logits': w.linear('classifier', x, labels_of(c))}),
    ('QuestionAnswering', {}, lambda w, c, x: answers(w, 'qa_outputs', x)),
]:
    case(', '.join([f'deberta-v2: {name}', *more]), {**DEBERTA, 'architectures': ['DebertaV2For' + name], **more},
         lambda w, c, head=head, **inputs: head(w, c, deberta(w, c, **inputs)), LONG_BATCH)


# ModernBERT -----------------------------------------------------------------------------------------------------------

def modernbert(w, c, ids, attention_mask=None, prefix='model.'):
    C, H, eps, bias = c['hidden_size'], c['num_attention_heads'], c['norm_eps'], c.get('norm_bias', False)
    T, every = ids.shape[1], c.get('global_attn_every_n_layers', 3)
    rope = c.get('rope_parameters', {})
    theta = lambda kind, key: rope.get(kind, {}).get('rope_theta', c.get(key))
    visible = mask_of(ids, attention_mask)
    far = (torch.arange(T)[:, None] - torch.arange(T)).abs() > c['local_attention'] // 2
    window = torch.where(far, torch.tensor(-1e300, dtype=torch.float64), visible)
    x = w.norm(prefix + 'embeddings.norm', w(prefix + 'embeddings.tok_embeddings.weight', c['vocab_size'], C)[ids], eps, bias)
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}layers.{n}.'
        kinds = c.get('layer_types')
        is_local = kinds[n] == 'sliding_attention' if kinds else n % every != 0
        t = w.norm(h + 'attn_norm', x, eps, bias) if n > 0 else x
        q, k, v = w.linear(h + 'attn.Wqkv', t, 3 * C, c.get('attention_bias', False)).chunk(3, -1)
        rotate = rotary(theta('sliding_attention', 'local_rope_theta') if is_local
                        else theta('full_attention', 'global_rope_theta'))
        a = attend(q, k, v, H, window if is_local else visible, rotate=rotate)
        x = x + w.linear(h + 'attn.Wo', a, C, c.get('attention_bias', False))
        t = w.norm(h + 'mlp_norm', x, eps, bias)
        inner, gate = w.linear(h + 'mlp.Wi', t, 2 * c['intermediate_size'], c.get('mlp_bias', False)).chunk(2, -1)
        x = x + w.linear(h + 'mlp.Wo', ACTIVATIONS[c['hidden_activation']](inner) * gate, C, c.get('mlp_bias', False))
    return w.norm(prefix + 'final_norm', x, eps, bias)


def modernbert_head(w, c, x):
    x = w.linear('head.dense', x, c['hidden_size'], c.get('classifier_bias', False))
    x = ACTIVATIONS[c.get('classifier_activation', 'gelu')](x)
    return w.norm('head.norm', x, c['norm_eps'], c.get('norm_bias', False))


def modernbert_lm(w, c, x, mask):
    table = w('model.embeddings.tok_embeddings.weight', c['vocab_size'], c['hidden_size'])
    return {'logits': modernbert_head(w, c, x) @ table.T + w('decoder.bias', c['vocab_size'])}


def modernbert_classifier(w, c, x, mask):
    mean = c.get('classifier_pooling', 'cls') == 'mean'
    x = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True) if mean else x[:, 0]
    return {'logits': w.linear('classifier', modernbert_head(w, c, x), labels_of(c))}


MODERNBERT = {'model_type': 'modernbert', 'hidden_size': 12, 'num_hidden_layers': 4, 'num_attention_heads': 3,
              'intermediate_size': 10, 'vocab_size': 11, 'max_position_embeddings': 32, 'local_attention': 5, 'norm_eps': 1e-5,
              'global_attn_every_n_layers': 3, 'global_rope_theta': 160000.0, 'local_rope_theta': 10000.0, 'pad_token_id': 0,
              'hidden_activation': 'gelu'}
BIASES = {key: True for key in ('norm_bias', 'attention_bias', 'mlp_bias', 'classifier_bias')}
NEWER = {key: value for key, value in MODERNBERT.items() if 'theta' not in key and key != 'global_attn_every_n_layers'}
for name, config in [
    ('body', MODERNBERT),
    ('biases', {**MODERNBERT, **BIASES, 'global_attn_every_n_layers': 2, 'local_attention': 4, 'num_hidden_layers': 3,
                'hidden_activation': 'silu'}),
    ('layer types', {**NEWER, 'layer_types': ['sliding_attention', 'full_attention', 'sliding_attention'],
                     'num_hidden_layers': 3,
                     'rope_parameters': {'full_attention': {'rope_type': 'default', 'rope_theta': 80000.0},
                                         'sliding_attention': {'rope_type': 'default', 'rope_theta': 500.0}}}),
]:
    case('modernbert: ' + name, {**config, 'architectures': ['ModernBertModel']},
         lambda w, c, **inputs: {'hidden': modernbert(w, c, prefix='', **inputs)}, LONG_BATCH)
SHALLOW = {**MODERNBERT, 'num_hidden_layers': 2}
for name, more, head in [
    ('MaskedLM', {}, modernbert_lm),
    ('MaskedLM', {**BIASES, 'classifier_activation': 'silu'}, modernbert_lm),
    ('SequenceClassification', {**LABELS, 'classifier_pooling': 'cls'}, modernbert_classifier),
    ('SequenceClassification', {**LABELS, **BIASES, 'classifier_pooling': 'mean'}, modernbert_classifier),
    ('TokenClassification', LABELS,
     lambda w, c, x, mask: {'logits': w.linear('classifier', modernbert_head(w, c, x), labels_of(c))}),
    ('QuestionAnswering', {}, lambda w, c, x, mask: answers(w, 'classifier', modernbert_head(w, c, x))),
]:
    case(', '.join([f'modernbert: {name}', *more]), {**SHALLOW, 'architectures': ['ModernBertFor' + name], **more},
         lambda w, c, head=head, **inputs: head(w, c, modernbert(w, c, **inputs), inputs['attention_mask']), LONG_BATCH)


# BART, mBART, M2M-100, Pegasus and Marian -------------------------------------------------------------------------------------

def shift_right(ids, start):
    return torch.cat([torch.full_like(ids[:, :1], start), ids[:, :-1]], 1)


def sinusoids(positions, C, pad, kind):
    """Sines, then cosines. M2M-100 divides by C / 2 - 1, and its row of padding is 0; others divide by C / 2."""
    half = torch.arange(C // 2, dtype=torch.float64)
    rate = 10000 ** (-half / (C // 2 - 1)) if kind == 'm2m_100' else 10000 ** (-half / (C // 2))
    angle = positions[..., None] * rate
    table = torch.cat([angle.sin(), angle.cos()], -1)
    return table * (positions != pad)[..., None] if kind == 'm2m_100' else table


def bart_table(w, c, prefix, side):
    """The token embeddings of the encoder or the decoder."""
    if c.get('share_encoder_decoder_embeddings', True):
        return w(prefix + 'shared.weight', c['vocab_size'], c['d_model'])
    return w(f'{prefix}{side}.embed_tokens.weight', bart_size(c) if side == 'decoder' else c['vocab_size'], c['d_model'])


def bart_size(c):
    """The number of tokens that the decoder knows."""
    return c['vocab_size'] if c.get('share_encoder_decoder_embeddings', True) else c['decoder_vocab_size']


def bart(w, c, ids, attention_mask=None, decoder_ids=None, prefix='model.'):
    kind, C, eps = c['model_type'], c['d_model'], 1e-5
    if decoder_ids is None:
        decoder_ids = shift_right(ids, c['decoder_start_token_id'])
    is_pre_norm = kind not in ('bart', 'marian')
    learned = kind in ('bart', 'mbart')
    act = ACTIVATIONS[c['activation_function']]
    scale = C ** 0.5 if c.get('scale_embedding', False) else 1.0
    padding = mask_of(ids, attention_mask)

    def attention(key, x, memory, heads, bias):
        q, k, v = (w.linear(f'{key}.{part}_proj', t, C) for part, t in (('q', x), ('k', memory), ('v', memory)))
        return w.linear(key + '.out_proj', attend(q, k, v, heads, bias), C)

    def side(name, ids, bias, memory=None):
        s, heads = f'{prefix}{name}.', c[name + '_attention_heads']
        x = bart_table(w, c, prefix, name)[ids] * scale
        if learned:
            x = x + w(s + 'embed_positions.weight', c['max_position_embeddings'] + 2, C)[2:ids.shape[1] + 2]
            x = w.norm(s + 'layernorm_embedding', x, eps)
        elif kind == 'm2m_100':
            x = x + sinusoids(positions_after_padding(ids, c['pad_token_id']), C, c['pad_token_id'], kind)
        else:
            x = x + sinusoids(torch.arange(ids.shape[1]), C, None, kind)

        def residual(x, norm, part):
            return x + part(w.norm(norm, x, eps)) if is_pre_norm else w.norm(norm, x + part(x), eps)

        for n in range(c[name + '_layers']):
            h = f'{s}layers.{n}.'
            x = residual(x, h + 'self_attn_layer_norm', lambda t: attention(h + 'self_attn', t, t, heads, bias))
            if memory is not None:
                x = residual(x, h + 'encoder_attn_layer_norm',
                             lambda t: attention(h + 'encoder_attn', t, memory, heads, padding))
            x = residual(x, h + 'final_layer_norm', lambda t: w.linear(
                h + 'fc2', act(w.linear(h + 'fc1', t, c[name + '_ffn_dim'])), C))
        return w.norm(s + 'layer_norm', x, eps) if is_pre_norm else x

    memory = side('encoder', ids, padding)
    return side('decoder', decoder_ids, causal(decoder_ids.shape[1]), memory)


def bart_lm(w, c, x):
    is_tied, V = c.get('tie_word_embeddings', True), bart_size(c)
    table = bart_table(w, c, 'model.', 'decoder') if is_tied else w('lm_head.weight', V, c['d_model'])
    logits = x @ table.T
    return {'logits': logits if c['model_type'] == 'm2m_100' else logits + w('final_logits_bias', 1, V)}


def last_end(c, x, ids):
    """The decoder's states where the source has its last end of text."""
    is_end = ids == c['eos_token_id']
    assert len(is_end.sum(1).unique()) == 1
    return x[is_end].view(len(x), -1, x.shape[-1])[:, -1]


def end_classifier(w, c, x, ids):
    x = w.linear('classification_head.dense', last_end(c, x, ids), c['d_model']).tanh()
    return {'logits': w.linear('classification_head.out_proj', x, labels_of(c))}


SOURCE = torch.tensor([[0, 7, 4, 9, 5, 2], [0, 6, 8, 2, 1, 1]])
SOURCE_BATCH = {'ids': SOURCE, 'attention_mask': (SOURCE != 1).long()}
TARGET_BATCH = {**SOURCE_BATCH, 'decoder_ids': torch.tensor([[2, 0, 4, 9], [2, 0, 6, 3]])}
BART = {'model_type': 'bart', 'd_model': 12, 'encoder_layers': 2, 'decoder_layers': 1, 'encoder_attention_heads': 3,
        'decoder_attention_heads': 2, 'encoder_ffn_dim': 20, 'decoder_ffn_dim': 16, 'vocab_size': 11, 'pad_token_id': 1,
        'bos_token_id': 0, 'eos_token_id': 2, 'decoder_start_token_id': 2, 'max_position_embeddings': 8,
        'activation_function': 'gelu', 'scale_embedding': False, 'is_encoder_decoder': True}
for type, name, more in [
    ('bart', 'BartForConditionalGeneration', {}),
    ('bart', 'BartForConditionalGeneration', {'scale_embedding': True, 'activation_function': 'relu'}),
    ('mbart', 'MBartForConditionalGeneration', {'scale_embedding': True}),
    ('mbart', 'MBartForConditionalGeneration', {'tie_word_embeddings': False}),
    ('m2m_100', 'M2M100ForConditionalGeneration', {'scale_embedding': True, 'activation_function': 'relu'}),
    ('pegasus', 'PegasusForConditionalGeneration', {'scale_embedding': True, 'activation_function': 'relu', 'pad_token_id': 0,
                                                    'eos_token_id': 1, 'decoder_start_token_id': 0}),
    ('marian', 'MarianMTModel', {'share_encoder_decoder_embeddings': False, 'decoder_vocab_size': 13}),
    ('marian', 'MarianMTModel', {'share_encoder_decoder_embeddings': False, 'decoder_vocab_size': 13, 'tie_word_embeddings': False}),
    ('marian', 'MarianMTModel', {'tie_word_embeddings': False, 'scale_embedding': True}),
]:
    inputs = TARGET_BATCH
    if type == 'm2m_100':   # padding in the middle as well: positions skip it
        ids = torch.tensor([[0, 7, 1, 9, 5, 2], [0, 6, 8, 2, 1, 1]])
        inputs = {**TARGET_BATCH, 'ids': ids, 'attention_mask': (ids != 1).long()}
    if type == 'pegasus':
        ids = torch.tensor([[8, 7, 4, 9, 5, 1], [3, 6, 8, 1, 0, 0]])
        inputs = {'ids': ids, 'attention_mask': (ids != 0).long(), 'decoder_ids': torch.tensor([[0, 3, 4, 9], [0, 5, 6, 3]])}
    case(', '.join([f'{type}: generation', *more]), {**BART, 'model_type': type, 'architectures': [name], **more},
         lambda w, c, **inputs: bart_lm(w, c, bart(w, c, **inputs)), inputs, decodes=True)
for type, architecture in [('bart', 'Bart'), ('mbart', 'MBart')]:
    for name, more, head in [('SequenceClassification', LABELS, end_classifier),
                             ('QuestionAnswering', {}, lambda w, c, x, ids: answers(w, 'qa_outputs', x))]:
        config = {**BART, 'model_type': type, 'architectures': [f'{architecture}For{name}'], **more}
        case(f'{type}: {name}', config, lambda w, c, head=head, **inputs: head(w, c, bart(w, c, **inputs), inputs['ids']),
             SOURCE_BATCH, decodes=True)


# T5, mT5 and UMT5 -----------------------------------------------------------------------------------------------------

def t5_buckets(T, S, count, longest, is_causal):
    distance = torch.arange(S)[None, :] - torch.arange(T)[:, None]   # key - query
    first = torch.zeros_like(distance)
    if is_causal:
        size = (-distance).clamp(min=0)
    else:
        count //= 2
        first, size = (distance > 0).long() * count, distance.abs()
    exact = count // 2
    far = exact + (torch.log(size.clamp(min=1).float() / exact) / math.log(longest / exact) * (count - exact)).long()
    return first + torch.where(size < exact, size, far.clamp(max=count - 1))


def t5(w, c, ids, attention_mask=None, decoder_ids=None, prefix='', encodes=False):
    """The decoder's hidden states, or the encoder's."""
    C, H, inner, eps = c['d_model'], c['num_heads'], c['num_heads'] * c['d_kv'], c['layer_norm_epsilon']
    is_gated = c['feed_forward_proj'].startswith('gated-')
    name = c['feed_forward_proj'].split('-')[-1]
    act = ACTIVATIONS['gelu_new' if c['feed_forward_proj'] == 'gated-gelu' else name]
    if decoder_ids is None and not encodes:
        decoder_ids = shift_right(ids, c['decoder_start_token_id'])
    padding = mask_of(ids, attention_mask)

    def attention(key, x, memory, bias):
        q, k, v = (w.linear(f'{key}.{part}', t, inner, False) for part, t in (('q', x), ('k', memory), ('v', memory)))
        return w.linear(key + '.o', attend(q, k, v, H, bias, scale=1.0), C, False)

    def position_bias(key, T, is_causal):
        table = w(key + '.relative_attention_bias.weight', c['relative_attention_num_buckets'], H)
        buckets = t5_buckets(T, T, c['relative_attention_num_buckets'], c['relative_attention_max_distance'], is_causal)
        return table[buckets].permute(2, 0, 1)[None]

    def stack(side, ids, layers, bias, memory=None):
        x, T = w(prefix + 'shared.weight', c['vocab_size'], C)[ids], ids.shape[1]
        own = None
        for n in range(layers):
            h = f'{prefix}{side}.block.{n}.layer.'
            if own is None or c['model_type'] == 'umt5':   # T5 shares the first layer's bias, UMT5 has one for each
                own = position_bias(h + '0.SelfAttention', T, side == 'decoder')
            t = w.rms(h + '0.layer_norm', x, eps)
            x = x + attention(h + '0.SelfAttention', t, t, own + bias)
            if memory is not None:
                x = x + attention(h + '1.EncDecAttention', w.rms(h + '1.layer_norm', x, eps), memory, padding)
            f = h + ('1.' if memory is None else '2.')
            t, d = w.rms(f + 'layer_norm', x, eps), f + 'DenseReluDense.'
            y = (act(w.linear(d + 'wi_0', t, c['d_ff'], False)) * w.linear(d + 'wi_1', t, c['d_ff'], False) if is_gated
                 else act(w.linear(d + 'wi', t, c['d_ff'], False)))
            x = x + w.linear(d + 'wo', y, C, False)
        return w.rms(f'{prefix}{side}.final_layer_norm', x, eps)

    memory = stack('encoder', ids, c['num_layers'], padding)
    if encodes:
        return memory
    return stack('decoder', decoder_ids, c.get('num_decoder_layers', c['num_layers']), causal(decoder_ids.shape[1]), memory)


def t5_lm(w, c, x):
    if c.get('tie_word_embeddings', True):
        return {'logits': x * c['d_model'] ** -0.5 @ w('shared.weight', c['vocab_size'], c['d_model']).T}
    return {'logits': x @ w('lm_head.weight', c['vocab_size'], c['d_model']).T}


T5 = {'model_type': 't5', 'd_model': 12, 'd_kv': 5, 'd_ff': 20, 'num_layers': 2, 'num_decoder_layers': 1, 'num_heads': 3,
      'relative_attention_num_buckets': 8, 'relative_attention_max_distance': 10, 'vocab_size': 11, 'pad_token_id': 0,
      'decoder_start_token_id': 0, 'eos_token_id': 1, 'layer_norm_epsilon': 1e-6, 'feed_forward_proj': 'relu',
      'is_encoder_decoder': True}
MT5 = {**T5, 'model_type': 'mt5', 'feed_forward_proj': 'gated-gelu', 'tie_word_embeddings': False}
UMT5 = {**MT5, 'model_type': 'umt5', 'num_decoder_layers': 2}
T5_IDS = torch.tensor([[3, 7, 4, 9, 5, 2, 8, 6, 10, 7, 3, 1], [6, 2, 8, 5, 9, 4, 10, 1, 0, 0, 0, 0]])
T5_BATCH = {'ids': T5_IDS, 'attention_mask': (T5_IDS != 0).long()}
T5_TARGET = {**T5_BATCH, 'decoder_ids': torch.tensor([[0, 4, 2, 7, 7, 8, 3], [0, 8, 3, 3, 9, 10, 4]])}
for name, config in [
    ('mt5: gated, own head', {**MT5, 'architectures': ['MT5ForConditionalGeneration']}),
    ('mt5: gated, tied', {**MT5, 'architectures': ['MT5ForConditionalGeneration'], 'tie_word_embeddings': True,
                          'feed_forward_proj': 'gated-silu'}),
    ('umt5: gated, own head', {**UMT5, 'architectures': ['UMT5ForConditionalGeneration']}),
    ('umt5: tied', {**UMT5, 'architectures': ['UMT5ForConditionalGeneration'], 'tie_word_embeddings': True,
                    'feed_forward_proj': 'relu'}),
]:
    case(name, config, lambda w, c, **inputs: t5_lm(w, c, t5(w, c, **inputs)), T5_TARGET, decodes=True)
for config in [T5, MT5]:
    name = config['model_type'].upper()
    case(f'{config["model_type"]}: SequenceClassification',
         {**config, 'architectures': [name + 'ForSequenceClassification'], **LABELS},
         lambda w, c, **inputs: end_classifier(w, c, t5(w, c, prefix='transformer.', **inputs), inputs['ids']),
         T5_BATCH, decodes=True)
for config in [T5, UMT5]:
    case(f'{config["model_type"]}: QuestionAnswering',
         {**config, 'architectures': [config['model_type'].upper() + 'ForQuestionAnswering']},
         lambda w, c, **inputs: answers(w, 'qa_outputs', t5(w, c, **inputs)), T5_BATCH, decodes=True)
for config in [T5, MT5, UMT5]:
    alone = {key: value for key, value in config.items() if key not in ('num_decoder_layers', 'decoder_start_token_id')}
    case(f'{config["model_type"]}: EncoderModel',
         {**alone, 'architectures': [config['model_type'].upper() + 'EncoderModel'], 'is_encoder_decoder': False},
         lambda w, c, **inputs: {'hidden': t5(w, c, encodes=True, **inputs)}, T5_BATCH)


# Heads of decoders: GPT-2 and Llama -----------------------------------------------------------------------------------

def gpt2(w, c, ids, attention_mask=None, prefix='transformer.'):
    C, eps = c['n_embd'], c['layer_norm_epsilon']
    def conv1d(key, x, n_out):
        return x @ w(key + '.weight', x.shape[-1], n_out) + w(key + '.bias', n_out)
    bias = mask_of(ids, attention_mask) + causal(ids.shape[1])
    x = w(prefix + 'wte.weight', c['vocab_size'], C)[ids] + w(prefix + 'wpe.weight', c['n_positions'], C)[:ids.shape[1]]
    for n in range(c['n_layer']):
        h = f'{prefix}h.{n}.'
        q, k, v = conv1d(h + 'attn.c_attn', w.norm(h + 'ln_1', x, eps), 3 * C).chunk(3, -1)
        x = x + conv1d(h + 'attn.c_proj', attend(q, k, v, c['n_head'], bias), C)
        inner = ACTIVATIONS['gelu_new'](conv1d(h + 'mlp.c_fc', w.norm(h + 'ln_2', x, eps), 4 * C))
        x = x + conv1d(h + 'mlp.c_proj', inner, C)
    return w.norm(prefix + 'ln_f', x, eps)


def llama(w, c, ids, attention_mask=None, prefix='model.'):
    C, eps, H, KV = c['hidden_size'], c['rms_norm_eps'], c['num_attention_heads'], c['num_key_value_heads']
    bias = mask_of(ids, attention_mask) + causal(ids.shape[1])
    x = w(prefix + 'embed_tokens.weight', c['vocab_size'], C)[ids]
    for n in range(c['num_hidden_layers']):
        h = f'{prefix}layers.{n}.'
        t = w.rms(h + 'input_layernorm', x, eps)
        q = w.linear(h + 'self_attn.q_proj', t, C, False)
        k, v = (w.linear(f'{h}self_attn.{part}_proj', t, C * KV // H, False) for part in 'kv')
        k, v = (t.unflatten(-1, (KV, -1)).repeat_interleave(H // KV, 2).flatten(2) for t in (k, v))
        x = x + w.linear(h + 'self_attn.o_proj', attend(q, k, v, H, bias, rotate=rotary(c['rope_theta'])), C, False)
        t = w.rms(h + 'post_attention_layernorm', x, eps)
        inner = F.silu(w.linear(h + 'mlp.gate_proj', t, c['intermediate_size'], False)) * w.linear(
            h + 'mlp.up_proj', t, c['intermediate_size'], False)
        x = x + w.linear(h + 'mlp.down_proj', inner, C, False)
    return w.rms(prefix + 'norm', x, eps)


def last_token(w, c, x, ids):
    """Scores of the last token of a row that is not padding."""
    last = (torch.arange(ids.shape[1]) * (ids != c['pad_token_id'])).argmax(-1)
    return {'logits': w.linear('score', x, labels_of(c), bias=False)[torch.arange(len(ids)), last]}


GPT2 = {'model_type': 'gpt2', 'n_embd': 12, 'n_head': 3, 'n_layer': 1, 'n_positions': 8, 'vocab_size': 11,
        'layer_norm_epsilon': 1e-5, 'pad_token_id': 0}
LLAMA = {'model_type': 'llama', 'hidden_size': 12, 'intermediate_size': 20, 'num_hidden_layers': 1, 'num_attention_heads': 2,
         'num_key_value_heads': 1, 'rms_norm_eps': 1e-5, 'rope_theta': 10000.0, 'vocab_size': 11, 'pad_token_id': 0,
         'max_position_embeddings': 16}
DECODER_BATCH = {'ids': torch.tensor([[3, 7, 0, 9, 5, 2], [6, 2, 8, 0, 0, 0]]), 'attention_mask': MASK}
for body, config, name, token_key, answer_prefix in [
    (gpt2, GPT2, 'GPT2', 'classifier', 'transformer.'), (llama, LLAMA, 'Llama', 'score', 'transformer.')]:
    type = config['model_type']
    case(f'{type}: SequenceClassification', {**config, 'architectures': [name + 'ForSequenceClassification'], **LABELS},
         lambda w, c, body=body, **inputs: last_token(w, c, body(w, c, **inputs), inputs['ids']), DECODER_BATCH)
    case(f'{type}: SequenceClassification without attention mask',
         {**config, 'architectures': [name + 'ForSequenceClassification']},
         lambda w, c, body=body, **inputs: last_token(w, c, body(w, c, **inputs), inputs['ids']),
         {'ids': DECODER_BATCH['ids']})
    case(f'{type}: TokenClassification', {**config, 'architectures': [name + 'ForTokenClassification'], **LABELS},
         lambda w, c, body=body, key=token_key, **inputs: {'logits': w.linear(key, body(w, c, **inputs), labels_of(c))},
         DECODER_BATCH)
    case(f'{type}: QuestionAnswering', {**config, 'architectures': [name + 'ForQuestionAnswering']},
         lambda w, c, body=body, prefix=answer_prefix, **inputs: answers(w, 'qa_outputs', body(w, c, prefix=prefix, **inputs)),
         DECODER_BATCH)


# Sentence embeddings: a model, a pooling and perhaps a normalization -----------------------------------------------------

def pool(x, mask, modes):
    column = mask[:, :, None].double()
    total, count = (x * column).sum(1), column.sum(1)
    last = (torch.arange(mask.shape[1]) * mask).argmax(-1)
    parts = {'cls_token': x[:, 0], 'max_tokens': x.masked_fill(column == 0, -1e9).amax(1), 'mean_tokens': total / count,
             'mean_sqrt_len_tokens': total / count.sqrt(), 'lasttoken': x[torch.arange(len(x)), last]}
    return torch.cat([parts[mode] for mode in parts if mode in modes], 1)


ALL_MODES = ['cls_token', 'mean_tokens', 'max_tokens', 'mean_sqrt_len_tokens', 'lasttoken']
MODULES = 'sentence_transformers.models.'
SENTENCE_BERT = {**BERT, 'num_hidden_layers': 1, 'architectures': ['BertModel']}
SENTENCE_LLAMA = {**LLAMA, 'architectures': ['LlamaForCausalLM'], 'tie_word_embeddings': True}
for type, config, body, modes, is_normalized in [
    ('bert', SENTENCE_BERT, bert, ['mean_tokens'], True), ('bert', SENTENCE_BERT, bert, ['cls_token'], True),
    ('bert', SENTENCE_BERT, bert, ['max_tokens'], False), ('bert', SENTENCE_BERT, bert, ALL_MODES, False),
    ('llama', SENTENCE_LLAMA, llama, ['lasttoken'], True), ('llama', SENTENCE_LLAMA, llama, ['mean_tokens'], False),
]:
    folders = [('', 'Transformer'), ('1_Pooling', 'Pooling'), ('2_Normalize', 'Normalize')][:3 if is_normalized else 2]
    def forward(w, c, body=body, modes=modes, is_normalized=is_normalized, type=type, **inputs):
        x = pool(body(w, c, prefix='' if type == 'bert' else 'model.', **inputs), inputs['attention_mask'], modes)
        return {'embedding': x / x.norm(dim=1, keepdim=True).clamp(min=1e-12) if is_normalized else x}
    case(f'sentence: {type}, {"+".join(modes)}', config, forward,
         BATCH if type == 'bert' else {'ids': DECODER_BATCH['ids'], 'attention_mask': MASK})
    CASES[-1]['modules'] = {
        'modules.json': json.dumps([{'idx': i, 'name': str(i), 'path': path, 'type': MODULES + name}
                                    for i, (path, name) in enumerate(folders)]),
        '1_Pooling/config.json': json.dumps({'word_embedding_dimension': 12, **{
            'pooling_mode_' + mode: mode in modes for mode in ALL_MODES}, 'include_prompt': True})}

lines = ',\n'.join(json.dumps(one, separators=(',', ':')) for one in CASES)
pathlib.Path(__file__).with_name('encoders.json').write_text('{"cases":[\n' + lines + '\n]}\n')
