// GGUF files: the kinds of blocks against an independent reading of their definition, models against their safetensors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGguf } from '../../src/js/files/gguf.js'
import { openSource, settle } from '../../src/js/files/source.js'
import { readTensor } from '../../src/js/files/values.js'
import { blockFormats, restoreBlocks } from '../../src/reference/blocks.js'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { CASES, filesOf, sample } from './family_cases.js'
import { floats, randomBlocks, writeGguf } from './gguf_file.js'

const open = bytes => settle((function* () { return yield* readGguf(yield* openSource('test', 'a.gguf', bytes)) })())

for (const [type, { values }] of Object.entries(blockFormats)) test(`${type}: a tensor has the values of its blocks`, () => {
  const stored = randomBlocks(type, [3, 3 * values]), { entries } = open(writeGguf({}, { x: stored }))
  const tensor = settle(readTensor(gf.engine, 'x', entries.get('x'))), expected = restoreBlocks(type, stored.bytes)
  const largest = expected.reduce((max, v) => Math.max(max, Math.abs(v)), 0)
  assertClose(tensor, { shape: [3, 3 * values], data: expected }, { tol: 2 ** -23 * largest, name: type })
  assert.ok(new Set(expected).size > 100, 'the values differ')
  tensor.dispose()
})

/* Models --------------------------------------------------------------------------------------------------------- */

/** Names of modules in GGUF by the end of Hugging Face's keys. @type {[RegExp, string][]} */
const NAMES = [
  [/(embed_tokens|embed_in|word_embeddings|tok_embeddings|wte)$/, 'token_embd'], [/wpe$/, 'position_embd'],
  [/word_embeddings_layernorm$/, 'token_embd_norm'], [/^(lm_head|embed_out|output)$/, 'output'],
  [/(^|\.)(norm|final_layer_?norm|ln_f)$/, 'output_norm'],
  [/(q_norm|q_layernorm)$/, 'attn_q_norm'], [/(k_norm|k_layernorm)$/, 'attn_k_norm'],
  [/(input_layernorm|ln_1|attention_norm|ln_mlp)$/, 'attn_norm'], [/ln_attn$/, 'attn_norm_2'],
  [/(query_key_value|qkv_proj|c_attn)$/, 'attn_qkv'], [/q_proj$/, 'attn_q'], [/k_proj$/, 'attn_k'], [/v_proj$/, 'attn_v'],
  [/(self_attn\.(o_proj|dense)|(self_)?attention\.(dense|out_proj|wo)|attn\.c_proj)$/, 'attn_output'],
  [/(mlp\.gate|block_sparse_moe\.gate)$/, 'ffn_gate_inp'], [/(gate_proj|feed_forward\.w1|c_fc_0)$/, 'ffn_gate'],
  [/(up_proj|feed_forward\.w3|c_fc_1|fc1|c_fc|dense_h_to_4h)$/, 'ffn_up'],
  [/(down_proj|feed_forward\.w2|fc2|mlp\.c_proj|dense_4h_to_h)$/, 'ffn_down'],
  [/(pre_feedforward_layernorm|ffn_norm|ln_2)$/, 'ffn_norm'], [/(post_feedforward_layernorm|post_mlp_layernorm)$/, 'post_ffw_norm'],
  [/post_self_attn_layernorm$/, 'post_attention_norm']
]

/** Rows of heads with pairs half a head apart, to adjacent pairs. */
function permute({ shape: [rows, cols = 1], values }, heads) {
  const D = rows / heads, out = new Float32Array(values.length)
  for (let h = 0; h < heads; h++) for (let i = 0; i < D; i++) {
    const to = h * D + (i % (D / 2)) * 2 + Math.floor(i / (D / 2))
    out.set(values.subarray((h * D + i) * cols, (h * D + i + 1) * cols), to * cols)
  }
  return { shape: cols === 1 ? [rows] : [rows, cols], values: out }
}

/** Groups of [q rows, k rows, v rows] to all q, all k, all v. */
function regroup({ shape, values }, groups, sizes) {
  const [rows, ...rest] = shape, cols = rest[0] ?? 1, total = sizes.reduce((a, b) => a + b), order = []
  sizes.forEach((size, n) => {
    const from = sizes.slice(0, n).reduce((a, b) => a + b, 0)
    for (let g = 0; g < groups; g++) for (let i = 0; i < size; i++) order.push(g * total + from + i)
  })
  assert.equal(order.length, rows)
  const out = new Float32Array(values.length)
  order.forEach((row, i) => out.set(values.subarray(row * cols, (row + 1) * cols), i * cols))
  return { shape, values: out }
}

const PERMUTED = ['llama', 'mixtral', 'granite', 'minicpm', 'internlm2']
const ARCHITECTURES = {
  mixtral: 'llama', qwen3_moe: 'qwen3moe', gemma3_text: 'gemma3', phi: 'phi2', gpt_neox: 'gptneox', gpt_bigcode: 'starcoder',
  cohere: 'command-r'
}
/** Setting and default of the part of a head that is rotated. */
const FRACTIONS = { phi: ['partial_rotary_factor', 0.5], glm4: ['partial_rotary_factor', 0.5], gpt_neox: ['rotary_pct', 0.25] }
/** What config.json means when it has no epsilon: the RMS norms' by type, those of layer norms 1e-5. */
const RMS_EPSILONS = {
  mixtral: 1e-5, qwen2: 1e-6, qwen3: 1e-6, qwen3_moe: 1e-6, gemma: 1e-6, gemma2: 1e-6, gemma3_text: 1e-6, phi3: 1e-5,
  olmo2: 1e-5, olmoe: 1e-5, granite: 1e-6
}

/** The file of a case of golden/families.json, as llama.cpp's converter writes it. */
function convert({ config: c, tensors }) {
  const { model_type: type } = c, arch = ARCHITECTURES[type] ?? type, channels = c.hidden_size ?? c.n_embd ?? c.n_embed
  const heads = c.num_attention_heads ?? c.n_head, isShared = type === 'gpt_bigcode' ? c.multi_query ?? true : type === 'falcon' && !c.new_decoder_architecture && (c.multi_query ?? true)
  const kvHeads = isShared ? 1 : c.num_kv_heads ?? c.num_key_value_heads ?? heads, D = c.head_dim ?? channels / heads
  /** @type {Record<string, any>} */ const out = {}
  const experts = {}
  const isAfter = ['gemma2', 'gemma3_text', 'olmo2'].includes(type)
  for (const [key, shape, shift] of tensors) {
    const suffix = key.slice(key.lastIndexOf('.') + 1), path = key.slice(0, key.lastIndexOf('.')), [, n] = /\.(\d+)\./.exec(key) ?? []
    let tensor = { shape, values: sample(key, shape, shift) }
    const expert = /experts\.(\d+)\.(\w+)$/.exec(path)
    if (/post_attention_layernorm$/.test(path)) {
      const name = type === 'glm4' ? 'ffn_norm' : isAfter ? 'post_attention_norm' : 'ffn_norm'
      out[`blk.${n}.${name}.${suffix}`] = tensor
    } else if (expert) {
      const part = { w1: 'gate', w2: 'down', w3: 'up', gate_proj: 'gate', down_proj: 'down', up_proj: 'up' }[expert[2]]
      ;(experts[`blk.${n}.ffn_${part}_exps.weight`] ??= [])[Number(expert[1])] = tensor
      continue
    } else if (/wqkv$/.test(path)) {
      const all = regroup(tensor, kvHeads, [heads / kvHeads * D, D, D]), cols = shape[1] ?? 1
      const rows = (from, count) => (
        { shape: shape[1] ? [count, cols] : [count], values: all.values.slice(from * cols, (from + count) * cols) })
      out[`blk.${n}.attn_q.${suffix}`] = permute(rows(0, heads * D), heads)
      out[`blk.${n}.attn_k.${suffix}`] = permute(rows(heads * D, kvHeads * D), kvHeads)
      out[`blk.${n}.attn_v.${suffix}`] = rows((heads + kvHeads) * D, kvHeads * D)
    } else {
      const [, name] = NAMES.find(([pattern]) => pattern.test(path)) ?? assert.fail(`no name for ${key}`)
      if (/query_key_value$/.test(path)) {
        tensor = type === 'falcon' ? regroup(tensor, kvHeads, [heads / kvHeads * D, D, D]) : regroup(tensor, heads, [D, D, D])
      }
      if (/c_attn$/.test(path) && !isShared) tensor = regroup(tensor, heads, [D, D, D])
      if (PERMUTED.includes(type) && /attn_[qk]$/.test(name)) tensor = permute(tensor, name === 'attn_q' ? heads : kvHeads)
      out[n === undefined || /^(output|token_embd|output_norm|position_embd|token_embd_norm)$/.test(name) ? `${name}.${suffix}` : `blk.${n}.${name}.${suffix}`] = tensor
    }
    if (type.startsWith('gemma') && /norm$/.test(path)) for (const [i, v] of tensor.values.entries()) tensor.values[i] = v + 1
  }
  for (const [name, list] of Object.entries(experts)) {
    const values = Float32Array.from(list.flatMap(expert => Array.from(expert.values)))
    out[name] = { shape: [list.length, ...list[0].shape], values }
  }
  const [fraction, usual] = FRACTIONS[type] ?? ['partial_rotary_factor', 1], rotaryDims = Math.floor(D * (c[fraction] ?? usual))
  const optional = name => c[name] ?? undefined
  const settings = {
    'embedding_length': channels, 'block_count': c.num_hidden_layers ?? c.n_layer ?? c.num_layers,
    'feed_forward_length': type === 'falcon' ? c.ffn_hidden_size ?? 4 * channels : c.intermediate_size ?? c.n_inner ?? 4 * channels,
    'context_length': c.max_position_embeddings ?? c.n_positions ?? 2048, 'attention.head_count': heads,
    'attention.head_count_kv': kvHeads, 'attention.key_length': c.head_dim,
    'attention.layer_norm_rms_epsilon': c.rms_norm_eps ?? (type === 'exaone' ? c.layer_norm_epsilon : RMS_EPSILONS[type]),
    'attention.layer_norm_epsilon': c.layer_norm_eps ?? c.layer_norm_epsilon ?? c.norm_epsilon ?? 1e-5,
    'attention.sliding_window': optional('sliding_window'), 'rope.freq_base': c.rope_theta ?? c.rotary_emb_base,
    'rope.dimension_count': rotaryDims, 'use_parallel_residual': c.use_parallel_residual,
    'expert_count': c.num_local_experts ?? c.num_experts, 'expert_used_count': c.num_experts_per_tok,
    'expert_feed_forward_length': c.moe_intermediate_size, 'attn_logit_softcapping': optional('attn_logit_softcapping'),
    'final_logit_softcapping': optional('final_logit_softcapping'), 'embedding_scale': c.embedding_multiplier ?? c.scale_emb,
    'residual_scale': c.residual_multiplier ?? (c.scale_depth && c.scale_depth / Math.sqrt(c.num_hidden_layers)),
    'logit_scale': c.logits_scaling ?? c.logit_scale ?? (c.dim_model_base && c.dim_model_base / channels),
    'attention.scale': c.attention_multiplier
  }
  const named = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${arch}.${key}`, value]))
  const list = Object.entries(out).map(([name, { shape, values }]) => [name, floats(shape, values)])
  return writeGguf({ 'general.architecture': arch, ...named }, Object.fromEntries(list))
}

/** Cases, and settings that GGUF files do not have, with the only value that llama.cpp knows. */
const MODELS = {
  'llama: tied': { hidden_act: 'silu' }, 'mixtral: experts': { rope_theta: 1e6 }, 'qwen2: biases': {}, 'qwen3: window': { use_sliding_window: false },
  'qwen3_moe: normalized': {}, 'gemma: hidden act is ignored': {}, 'gemma2: caps': { query_pre_attn_scalar: 4 },
  'gemma3: pattern': { sliding_window_pattern: 6, query_pre_attn_scalar: 4, rope_local_base_freq: 10000 }, 'phi: plain': {},
  'phi3: window': {}, 'gpt_neox: parallel': {}, 'gpt_bigcode: multi query': {}, 'bloom: heads 3': {}, 'falcon: multi query': {},
  'falcon: new': {}, 'starcoder2: window': {}, 'olmo2: norms': {}, 'olmoe: plain': {}, 'granite: multipliers': {}, 'minicpm: tied': {},
  'cohere: plain': {}, 'glm4: tied': {}, 'exaone: plain': {}, 'internlm2: biases': {}
}
for (const [name, changes] of Object.entries(MODELS)) test(`${name}: its GGUF file gives the weights and logits of its safetensors`, async () => {
  const found = CASES.find(item => item.name === name), item = { ...found, config: { ...found.config, ...changes } }
  const { model } = await gf.models.load({ 'model.gguf': convert(item) }), { model: other } = await gf.models.load(filesOf(item))
  gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward(item.ids), expected = other.forward(item.ids).logits
    const largest = expected.abs().amax().item()
    assertClose(logits, { shape: expected.shape, data: expected.data }, { tol: 1e-6 * largest, name })
  }))
  const expected = other.stateDict()
  for (const [key, tensor] of Object.entries(model.stateDict())) {
    // Gemma's norms have 1 more in GGUF.
    if (name.startsWith('gemma') && /norm/.test(key)) continue
    assert.deepEqual(tensor.toArray(), expected[key].toArray(), key)
  }
  const saved = gf.models.save(model)
  assert.equal(JSON.parse(saved['config.json']).model_type, item.config.model_type)
  const { model: again } = await gf.models.load(saved)
  gf.tidy(() => gf.noGrad(() => {
    const sum = logits => logits.abs().sum().item(), expected = sum(model.forward(item.ids).logits)
    assert.ok(Math.abs(sum(again.forward(item.ids).logits) - expected) < 1e-5 * expected, 'saved in Hugging Face\'s form')
  }))
  for (const each of [model, other, again]) each.dispose()
})

test('damaged and unknown files are refused by name', async () => {
  const good = convert(CASES.find(({ name }) => name === 'llama: tied'))
  const refuses = (bytes, message) => assert.rejects(gf.models.load({ 'a.gguf': bytes }), { name: 'GlassformerError', code: 'format', message })
  for (const length of [0, 3, 20, 200, good.length - 200]) await refuses(good.slice(0, length), /a\.gguf/)
  await refuses(good.slice(0, good.length - 1), /must end at byte \d+, and the file has \d+; is the download incomplete/)
  await refuses(new TextEncoder().encode('<!doctype html><html></html>'), /a\.gguf.*web page/i)
  await refuses(writeGguf({}, {}, { version: 1 }), /version 1 of GGUF is not supported/)
  await refuses(writeGguf({ 'general.architecture': 'mamba' }, {}), /architecture "mamba" is not supported; supported are llama/)
  await refuses(writeGguf({ 'general.architecture': 'llama' }, {}), /has no token_embd\.weight/)
  await refuses(writeGguf({}, { x: { shape: [32], type: 19, bytes: new Uint8Array(32) } }), /x has values of type 19, which is not supported/)
  await refuses(writeGguf({}, { x: { shape: [40], type: 'Q8_0', bytes: new Uint8Array(68) } }), /rows of x must be whole blocks of 32 values, got 40/)
  await assert.rejects(gf.models.load({ 'a.gguf': good, 'b.gguf': good }), { code: 'format', message: /one \.gguf file is expected/ })
})

test('a file is read in pieces, in every dtype', async () => {
  const item = CASES.find(({ name }) => name === 'qwen2: biases'), blob = new Blob([convert(item)])
  for (const dtype of ['float32', 'bfloat16', 'int8']) {
    const { model } = await gf.models.load({ 'model.gguf': blob }, { dtype })
    assert.ok(gf.tidy(() => gf.noGrad(() => model.forward(item.ids).logits.isfinite().all().item())))
    model.dispose()
  }
})
