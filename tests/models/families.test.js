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
    ['qwen3_moe: normalized', { mlp_only_layers: 1 }, /mlp_only_layers must be a list of layers/]
  ]) {
    const files = filesOf(caseOf(name), config)
    await assert.rejects(gf.models.load(files), { code: 'format', message }, name)
    assert.match(gf.models.inspect(files).problems.join(), message)
  }
})
