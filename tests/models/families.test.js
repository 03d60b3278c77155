// Tiny decoders of every family against plain PyTorch: golden/families.py follows the published definitions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { CASES, bytesOf, filesOf, sample } from './family_cases.js'

/** Logits of ids in parts, with a cache. */
function inParts(model, ids, mask, lengths) {
  const cache = new gf.decoding.Cache(ids[0].length)
  const totalLength = ids[0].length
  let from = 0
  const parts = lengths.map(length => {
    const attentionMask = mask?.map(row => row.slice(0, from + length))
    const part = ids.map(row => row.slice(from, from + length))
    const { logits } = model.forward(part, { cache, attentionMask, totalLength })
    from += length
    return logits.toArray()
  })
  cache.dispose()
  return ids.map((_, b) => parts.flatMap(part => part[b])).flat(2)
}

for (const item of CASES) test(`${item.name}: equals the definition, also with a cache, and is saved as it was`, async () => {
  const { name, ids, mask, shape, logits: expected } = item, files = filesOf(item), before = gf.memory().tensors
  const { problems, missing, unused } = gf.models.inspect(files)
  assert.deepEqual({ problems, missing, unused }, { problems: [], missing: [], unused: [] })
  const { model } = await gf.models.load(files)
  gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward(ids, { attentionMask: mask }), V = shape.at(-1)
    const withoutPadding = values => Array.from(values, (v, i) => (mask && !mask.flat()[Math.floor(i / V)] ? 0 : v))
    const data = withoutPadding(logits.data), largest = Math.max(...expected.map(Math.abs))
    assertClose({ shape: [...logits.shape], data }, { shape, data: expected }, { tol: 2e-5 * largest, name })
    const T = ids[0].length, parts = withoutPadding(inParts(model, ids, mask, [T - 3, 3]))
    assertClose({ shape, data: parts }, { shape, data }, { tol: 1e-6 * largest, name: `${name}: cache` })
  }))
  const saved = gf.models.save(model), tensors = gf.loadSafetensors(saved['model.safetensors']).tensors
  assert.deepEqual(Object.keys(tensors).sort(), item.tensors.map(([key]) => key).sort())
  for (const [key, size, shift] of item.tensors) {
    assert.deepEqual([...tensors[key].shape], size, key)
    assert.deepEqual(Buffer.from(tensors[key].bytes), Buffer.from(bytesOf(sample(key, size, shift))), key)
  }
  Object.values(tensors).forEach(tensor => tensor.dispose())
  const config = JSON.parse(saved['config.json'])
  assert.ok(config.architectures[0].startsWith(model.constructor.name), `${model.constructor.name} is the class that is named`)
  for (const [key, value] of Object.entries(item.config)) assert.deepEqual(config[key], value, key)
  model.dispose()
  assert.ok(gf.memory().tensors <= before + 2, 'no tensor leaks but the latest cosines and sines')
})

const caseOf = name => CASES.find(item => item.name === name)

test('a prompt in chunks has the frequencies of its whole length', async () => {
  const item = caseOf('llama: dynamic beyond'), { model } = await gf.models.load(filesOf(item)), V = item.config.vocab_size
  const ids = Array.from({ length: 40 }, (_, i) => (i * i + 3 * i) % V), found = []
  const onToken = (_, { candidates: { ids, probabilities } }) => ids.forEach((id, i) => {
    found[id] = probabilities[i]
  })
  model.generate(ids, { maxNewTokens: 1, temperature: 1, seed: 1, onToken })
  const expected = gf.tidy(() => gf.noGrad(() =>
    model.forward([ids], { logitsToKeep: 1 }).logits.softmax(-1).toArray()[0][0]))
  assertClose(found, expected, { tol: 1e-6 })
  model.dispose()
})

test('sequences may be as long as a scaling reaches', async () => {
  const base = { max_position_embeddings: 4 }
  for (const [name, config, limit] of [
    ['llama: linear', { rope_scaling: { type: 'linear', factor: 2 } }, 8],
    ['llama: yarn', { rope_scaling: { type: 'yarn', factor: 2, original_max_position_embeddings: 4 } }, 8],
    ['llama: llama3', {}, 4]
  ]) {
    const { model } = await gf.models.load(filesOf(caseOf(name), { ...base, ...config }))
    gf.tidy(() => gf.noGrad(() => model.forward([Array(limit).fill(1)])))
    assert.throws(() => model.forward([Array(limit + 1).fill(1)]), { code: 'range' }, name)
    model.dispose()
  }
})

test('without a kind of scaling, frequencies are those of the base', async () => {
  for (const config of [{ rope_scaling: null }, { rope_scaling: { rope_type: 'default' } }, { rope_parameters: { rope_theta: 1e4 } }]) {
    assert.deepEqual(gf.models.inspect(filesOf(caseOf('llama: tied'), config)).problems, [], JSON.stringify(config))
  }
})

test('settings that are not supported are refused by name', async () => {
  const scaling = { rope_type: 'mrope', mrope_section: [1] }
  for (const [name, config, message] of [
    ...['mistral: window', 'qwen2: biases', 'phi: plain', 'falcon: multi query', 'exaone: plain', 'internlm2: biases',
      'gpt_neox: parallel', 'gemma3: pattern', 'cohere: plain', 'olmoe: plain'].map(name =>
      [name, { rope_scaling: scaling }, /rope_scaling of type "mrope" is not supported; expected none or one of default/]),
    ['granite: multipliers', { rope_parameters: scaling }, /rope_parameters of type "mrope" is not supported/],
    ['phi3: window', { rope_scaling: { type: 'longrope', short_factor: [1], long_factor: [1] } },
      /short_factor of rope_scaling must be 2 numbers/],
    ['gemma2: caps', { use_bidirectional_attention: true }, /use_bidirectional_attention = true is not supported/],
    ['gemma3: pattern', { use_bidirectional_attention: true }, /use_bidirectional_attention = true is not supported/],
    ['gemma3: pattern', { layer_types: ['chunked_attention'] }, /layer_types must be 3 times full_attention or sliding_attention/],
    ['olmo2: norms', { rope_parameters: { rope_type: 'default', partial_rotary_factor: 0.5 } },
      /partial_rotary_factor of rope_parameters = 0\.5 is not supported/],
    ['llama: tied', { pretraining_tp: 2 }, /pretraining_tp = 2 is not supported/],
    ['gpt_bigcode: padded', { add_cross_attention: true }, /add_cross_attention = true is not supported/],
    ['gpt_neo: local', { attention_types: [[['global', 'axial'], 2]] }, /attention_types must give global or local/],
    ['opt: norms before', { activation_function: 'quick_gelu' }, /activation_function must be one of gelu, .* got "quick_gelu"/],
    ['qwen3_moe: normalized', { mlp_only_layers: 1 }, /mlp_only_layers must be a list of layers/],
    ...[['mixtral: experts', 'num_local_experts'], ['qwen3_moe: normalized', 'num_experts'], ['olmoe: plain', 'num_experts']].map(([name, key]) =>
      [name, { num_experts_per_tok: 100 }, new RegExp(`num_experts_per_tok must be at most ${key}, which is \\d+, got 100`)]),
    ...['gemma2: caps', 'gemma3: pattern'].map(name =>
      [name, { query_pre_attn_scalar: 0 }, /query_pre_attn_scalar must be more than 0, got 0/]),
    ['granite: multipliers', { logits_scaling: 0 }, /logits_scaling must be more than 0, got 0/],
    ['gpt_neox: parallel', { rotary_pct: 1.5 }, /rotary_pct must be at most 1, got 1\.5/],
    ['phi: plain', { partial_rotary_factor: 2 }, /partial_rotary_factor must be at most 1, got 2/],
    ...[64, 3].map(dims => ['gptj: plain', { rotary_dim: dims }, new RegExp(`rotary_dim must be an even number of the \\d+ channels of a head, got ${dims}`)]),
    ...[{ factor: 8 }, {}, { type: null, factor: 4 }].map(scaling =>
      ['llama: tied', { rope_scaling: scaling }, /rope_scaling must have a rope_type, got an object with/]),
    ['llama: tied', { rope_scaling: [] }, /rope_scaling must be an object or null, got an array of 0/],
    ['llama: tied', { rope_parameters: { factor: 8, rope_theta: 1e4 } }, /rope_parameters must have a rope_type, got an object with factor, rope_theta/]
  ]) {
    const files = filesOf(caseOf(name), config)
    await assert.rejects(gf.models.load(files), { code: 'format', message }, name)
    assert.match(gf.models.inspect(files).problems.join(), message)
  }
})
