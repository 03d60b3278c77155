import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, sampleTensors, filesOf } from './golden_models.js'

for (const item of cases('llama')) {
  test(`${item.name}: equals PyTorch's numbers`, async () => {
    const files = filesOf(item), { model } = await gf.models.load(files)
    assertOutputs(model, item, item.name)
    const { type, missing, unused, problems } = gf.models.inspect(files)
    assert.deepEqual({ type, missing, unused, problems }, { type: 'llama', missing: [], unused: [], problems: [] })
  })
}

const [item] = cases('llama'), { ids: [row] } = item.inputs

test('llama: padding on either side does not change the tokens', async () => {
  const { model } = await gf.models.load(filesOf(item)), T = 4, sentence = row.slice(0, T)
  const run = (ids, attentionMask) => gf.noGrad(() => model.forward([ids], { attentionMask })).logits.toArray()[0]
  const plain = run(sentence)
  assert.deepEqual(run([...sentence, 7, 7], [[1, 1, 1, 1, 0, 0]]).slice(0, T), plain)
  assert.deepEqual(run([7, 7, ...sentence], [[0, 0, 1, 1, 1, 1]]).slice(2), plain)
})

test('llama: no tokens have no logits, as in GPT-2', async () => {
  const { model } = await gf.models.load(filesOf(item)), { logits, hidden } = model.forward([[], []])
  assert.deepEqual([logits.shape[0], logits.shape[1], hidden.shape.slice(0, 2)], [2, 0, [2, 0]])
  assert.throws(() => model.forward([row], { totalLength: 0 }), { code: 'range', message: /totalLength must be an integer from 1/ })
  model.dispose()
})

test('llama: several passes with a cache give the same bits as one pass', async () => {
  const { model } = await gf.models.load(filesOf(item))
  gf.tidy(() => gf.noGrad(() => {
    const all = model.forward([row]).logits.toArray()[0], cache = new gf.decoding.Cache(8)
    const parts = [[0, 3], [3, 4], [4, 6]].map(
      ([from, to]) => model.forward([row.slice(from, to)], { cache }).logits.toArray()[0])
    assert.deepEqual(parts.flat(), all)
    cache.dispose()
  }))
})

test('llama: scaled rotary embeddings and other unsupported settings are refused', async () => {
  for (const [config, message] of [
    [{ rope_scaling: { rope_type: 'mrope', factor: 8 } }, /rope_scaling of type "mrope" is not supported/],
    [{ rope_scaling: { type: 'linear', factor: 0 } }, /factor of rope_scaling must be a number > 0, got 0/],
    [{ rope_parameters: { rope_type: 'llama3', factor: 8 } }, /original_max_position_embeddings of rope_parameters must be/],
    [{ partial_rotary_factor: 0.5 }, /partial_rotary_factor = 0.5/],
    [{ num_key_value_heads: 4 }, /num_attention_heads must be divisible by num_key_value_heads/],
    [{ sliding_window: 4096 }, /sliding_window = 4096/]
  ]) {
    const files = filesOf(item, { config })
    await assert.rejects(gf.models.load(files), { code: 'format', message })
    assert.match(gf.models.inspect(files).problems.join(), message)
  }
  await gf.models.load(filesOf(item, { config:
    { rope_scaling: null, rope_parameters: { rope_type: 'default', rope_theta: 10000 } } }))
})

/** A llama2.c file of a case's tensors. Rows of queries and keys are reordered so that rotary pairs are adjacent. */
function llama2c({ config: c, ...rest }, version, tied) {
  const tensors = sampleTensors({ config: c, ...rest }),
    { hidden_size: C, num_attention_heads: H, num_key_value_heads: KV } = c
  const D = C / H, all = (name, isInterleaved) => Array.from({ length: c.num_hidden_layers }, (_, n) => {
    const { data, shape: [O] } = tensors[`model.layers.${n}.${name}.weight`]
    if (!isInterleaved) return [...data]
    return Array.from({ length: O }, (_, o) => {
      const d = o % D, from = o - d + (d % 2) * (D / 2) + (d >> 1)
      return [...data.subarray(from * C, (from + 1) * C)]
    }).flat()
  }).flat()
  const [embedding, head, norm] = ['model.embed_tokens', 'lm_head',
    'model.norm'].map(name => [...tensors[`${name}.weight`].data])
  const attention = [all('self_attn.q_proj', true), all('self_attn.k_proj', true), all('self_attn.v_proj'),
    all('self_attn.o_proj')]
  const feedForward = [all('mlp.gate_proj'), all('mlp.down_proj'), all('mlp.up_proj')]
  const norms = [all('input_layernorm'), all('post_attention_layernorm')], T = 16, end = tied ? [] : head
  const floats = version === 0
    ? [embedding, norms[0], ...attention, norms[1], ...feedForward, norm, new Array(T * D).fill(0.5), end]
    : [...norms, norm, embedding, ...attention, ...feedForward, end]
  const sizes = Int32Array.of(C, c.intermediate_size, c.num_hidden_layers, H, KV, version === 0 && !tied ? -11 : 11, T)
  const header = version === 0 ? new Uint8Array(sizes.buffer) : new Uint8Array(256)
  if (version === 1) {
    header.set(new Uint8Array(Int32Array.of(0x616b3432, 1, ...sizes).buffer))
    header[36] = tied ? 1 : 0
  }
  return Buffer.concat([header, new Uint8Array(Float32Array.from(floats.flat()).buffer)])
}

test('llama: a llama2.c .bin may have a single token; invalid sizes are refused', async () => {
  // The sizes: dim 2, hidden 3, one layer, one head, one key-value head, one token, one position. The floats follow.
  const fileOf = (sizes, floats = 2 + 2 + 16 + 2 + 18 + 2 + 2) => Buffer.concat([Int32Array.from(sizes),
    new Float32Array(floats)].map(list => new Uint8Array(list.buffer)))
  const { config } = await gf.models.load({ 'a.bin': fileOf([2, 3, 1, 1, 1, 1, 1]) })
  assert.deepEqual([config.vocab_size, config.tie_word_embeddings], [1, true])
  for (const at of [0, 1, 2, 3, 4, 5, 6]) for (const wrong of at === 5 ? [0] : [0, -1, 2 ** 24]) {
    const sizes = [2, 3, 1, 1, 1, 1, 1].with(at, wrong)
    await assert.rejects(gf.models.load({ 'a.bin': fileOf(sizes) }),
      { code: 'format', message: /a\.bin must begin with the seven sizes/ }, String(sizes))
  }
})

test('llama: a llama2.c .bin that claims a million layers is refused before they are created', async () => {
  const file = new Uint8Array(4096), message = 'a.bin must have 181760147740 bytes for its sizes, got 4096'
  new Int32Array(file.buffer).set([64, 172, 1_000_000, 8, 4, 512, 512])
  const start = process.cpuUsage()
  assert.deepEqual(gf.models.inspect({ 'a.bin': file }).problems, [message])
  await assert.rejects(gf.models.load({ 'a.bin': file }), { code: 'format', message })
  assert.ok(process.cpuUsage(start).user < 2e6)
})

for (const version of [0, 1]) test(`llama: loads llama2.c's .bin, version ${version}`, async () => {
  const bytes = llama2c(item, version, false), files = { 'any.bin': bytes }
  assert.deepEqual(gf.models.inspect(files).problems, [])
  const { model, config } = await gf.models.load(files)
  assertOutputs(model, item, 'llama2.c')
  const expected = (await gf.models.load(filesOf(item))).model.stateDict()
  for (const [key, tensor] of Object.entries(model.stateDict())) {
    assert.deepEqual(tensor.toArray(), expected[key].toArray(), key)
  }
  assert.equal(config.num_key_value_heads, 2)
  const { model: tied } = await gf.models.load({ 'any.bin': new Blob([llama2c(item, version, true)]) })
  assert.equal(tied.lm_head, null)
  const hidden = gf.noGrad(() => tied.forward([row])).hidden
  assertClose(hidden, gf.noGrad(() => model.forward([row])).hidden, { tol: 0 })
  for (const wrong of [bytes.subarray(0, 20), bytes.subarray(0, bytes.length - 4), new Uint8Array(100)]) {
    await assert.rejects(gf.models.load({ 'any.bin': wrong }), { code: 'format', message: /any\.bin/ })
  }
})
