/** Where each operation is implemented: its kernel in src/c, its JavaScript in src/js, and PyTorch's equivalent. */

import { toSnakeCase } from '../../src/js/interface/letter_case.js'
import { BINARY } from '../../src/js/ops/binary.js'
import { UNARY } from '../../src/js/ops/unary.js'

/** @typedef {{ c: [string, string[]][], js: [string, string[]][], torch: string }} Source */

/** @type {[string, string[]]} */
const MATMUL = ['ops/matmul.c', ['multiply_many_rows', 'compute_tile', 'tile_step']]

/**
 * The operations of a table, each with one line in C's and in JavaScript's.
 * @param {'unary' | 'binary'} file @param {Record<string, { torch: string }>} table @returns {Record<string, Source>}
 */
const tableSources = (file, table) => Object.fromEntries(Object.entries(table).map(([name, { torch }]) => [
  toSnakeCase(name),
  { c: [[`ops/${file}.h`, [toSnakeCase(name)]], [`ops/${file}.c`, ['forward']]], js: [[`ops/${file}.js`, [name]]], torch }
]))

/** @type {[string, string[]]} */
const STRIDED = ['ops/strided.c', ['gf_strided_copy']]

/**
 * A reduction to one number per row.
 * @param {string} name @param {[string, string[]][]} parts what it calls @param {string[]} js
 * @returns {Source}
 */
const reduction = (name, parts, js) => ({
  c: [['ops/reduce.c', ['gf_reduce_forward']], ...parts],
  js: [['ops/reduce_operations.js', js], ['ops/reduce.js', ['reduce']]],
  torch: `torch.${name}(x, dim)`
})

/** @type {Record<string, Source>} */
export const SOURCES = {
  ...tableSources('unary', UNARY), ...tableSources('binary', BINARY),
  sum: reduction('sum', [['ops/sum.c', ['gf_sum']]], ['sum']),
  mean: reduction('mean', [['ops/reduce.c', ['mean_of']], ['ops/sum.c', ['gf_sum']]], ['mean']),
  max: reduction('amax', [['ops/reduce.c', ['extreme_of', 'max_value', 'first_occurrence', 'row_max']]], ['extreme']),
  min: reduction('amin', [['ops/reduce.c', ['extreme_of', 'min_value', 'first_occurrence', 'row_min']]], ['extreme']),
  cat: { c: [STRIDED], js: [['ops/join.js', ['cat', 'copyPart']]], torch: 'torch.cat(tensors, dim)' },
  expand: { c: [STRIDED], js: [['ops/strided.js', ['expand', 'copyArranged']]], torch: 'x.expand(shape)' },
  slice: { c: [STRIDED], js: [['ops/strided.js', ['slice', 'copySlice', 'copyArranged']]], torch: 'x[start:end:step]' },
  gather: {
    c: [['ops/gather.c', ['gf_gather']]], js: [['ops/gather.js', ['gather', 'callGather']]], torch: 'torch.gather(x, dim, index)'
  },
  clone: { c: [], js: [['ops/copy.js', ['clone']]], torch: 'x.clone()' },
  matmul: { c: [MATMUL], js: [['ops/matmul.js', ['matmul']]], torch: 'a @ b' },
  linear: {
    c: [MATMUL], js: [['ops/linear.js', ['linear', 'linearRows']]],
    torch: 'torch.nn.functional.linear(x, weight, bias)'
  },
  index_select: {
    c: [['ops/gather.c', ['gf_gather']]], js: [['ops/gather.js', ['lookup']]],
    torch: 'torch.index_select(x, dim, index)'
  },
  embedding: {
    c: [['ops/embedding.c', ['gf_embedding_forward']]], js: [['ops/embedding.js', ['embedding']]],
    torch: 'torch.nn.functional.embedding(ids, weight)'
  },
  positional_encoding: {
    c: [['ops/positional_encoding.c', ['angle', 'gf_positional_encoding']]],
    js: [['ops/positional_encoding.js', ['positionalEncoding']]],
    torch: 'pe[:, 0::2], pe[:, 1::2] = torch.sin(k * freq), torch.cos(k * freq)'
  },
  dropout: {
    c: [['ops/dropout.c', ['gf_dropout_forward']], ['random.c', ['gf_dropout_mask']]],
    js: [['ops/dropout.js', ['dropout', 'dropoutMask']]],
    torch: 'torch.nn.functional.dropout(x, p, training)'
  },
  attention: {
    c: [['ops/attention.c', ['forward_block', 'compute_weights', 'apply_mask']], ['ops/softmax.h', ['gf_row_softmax']]],
    js: [['ops/attention.js', ['attend']], ['ops/mask.js', ['additiveMask']]],
    torch: `# torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask), step by step
scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
masked_scores = scores.masked_fill(~attn_mask, float('-inf'))
weights = torch.softmax(masked_scores, dim=-1)
out = weights @ v`
  },
  average_heads: {
    c: [['ops/attention.c', ['gf_attention_average']]], js: [['nn/multihead_attention.js', ['averageHeads']]],
    torch: 'weights.mean(dim=1)'
  },
  rotary: {
    c: [['ops/rotary.c', ['gf_rotary_frequencies', 'gf_rotary_table', 'gf_rotary_forward']]],
    js: [['ops/rotary.js', ['rotary']]], torch: 'torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)'
  },
  alibi: {
    c: [['ops/alibi.c', ['head_slope', 'gf_alibi']]], js: [['ops/position_bias.js', ['alibi']]],
    torch: '-slopes[:, None, None] * (i - j).abs()'
  },
  cache: {
    c: [['ops/attention_cache.c', ['cell_index', 'gf_cache_copy']]], js: [['ops/attention.js', ['multiheadAttention']]],
    torch: 'keys = torch.cat([keys, k], dim=1)'
  },
  softmax: {
    c: [['ops/softmax.c', ['gf_softmax_forward']], ['ops/softmax.h', ['gf_row_softmax', 'gf_row_exp']]],
    js: [['ops/softmax.js', ['softmax']]], torch: 'torch.nn.functional.softmax(x, dim)'
  },
  log_softmax: {
    c: [['ops/log_softmax.c', ['gf_log_softmax_forward']]], js: [['ops/log_softmax.js', ['logSoftmax']]],
    torch: 'torch.nn.functional.log_softmax(x, dim)'
  },
  layer_norm: {
    c: [['ops/layer_norm.c', ['gf_layer_norm_forward', 'row_moments', 'row_forward']]],
    js: [['ops/layer_norm.js', ['layerNorm']]],
    torch: 'torch.nn.functional.layer_norm(x, (C,), weight, bias, eps)'
  },
  rms_norm: {
    c: [['ops/rms_norm.c', ['gf_rms_norm_forward']]], js: [['ops/rms_norm.js', ['rmsNorm']]],
    torch: 'torch.nn.functional.rms_norm(x, (C,), weight, eps)'
  },
  gelu: {
    c: [['ops/gelu.c', ['gf_gelu_forward', 'gelu4']]], js: [['ops/gelu.js', ['gelu']]],
    torch: 'torch.nn.functional.gelu(x)'
  },
  cross_entropy: {
    c: [['ops/cross_entropy.c', ['gf_cross_entropy_forward']]], js: [['ops/cross_entropy.js', ['crossEntropy']]],
    torch: 'torch.nn.functional.cross_entropy(logits, target)'
  },
  transpose: {
    c: [['ops/transpose.c', ['gf_transpose_forward']]], js: [['ops/transpose.js', ['transpose']]],
    torch: 'x.transpose(first, second)'
  },
  reshape: { c: [], js: [['ops/reshape.js', ['reshape']]], torch: 'x.reshape(shape)' },
  narrow: { c: [], js: [['ops/narrow.js', ['narrow']]], torch: 'x[start:start + length]' }
}
