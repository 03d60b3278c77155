// The dtype of loading decides whether a model fits into 32-bit addresses. The test file has a header and no data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

/** A safetensors file of any size that throws if its values are read. */
function fileWithoutValues(shapes) {
  let end = 0
  const header = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => {
    const from = end
    end += 2 * shape.reduce((product, side) => product * side, 1)
    return [key, { dtype: 'BF16', shape, data_offsets: [from, end] }]
  }))
  const json = new TextEncoder().encode(JSON.stringify(header)), head = new Uint8Array(8 + json.length)
  new DataView(head.buffer).setBigUint64(0, BigInt(json.length), true)
  head.set(json, 8)
  const slice = (from, to) => ({ arrayBuffer: async () => {
    if (to > head.length) throw new Error('the values are read')
    return head.slice(from, to).buffer
  } })
  return { size: head.length + end, slice, arrayBuffer: () => { throw new Error('the whole file is read') } }
}

/** TinyLlama 1.1B. */
const config = {
  model_type: 'llama', hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32,
  num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, rms_norm_eps: 1e-5,
  tie_word_embeddings: false
}
const tinyLlama = () => {
  const { hidden_size: C, intermediate_size: I, vocab_size: V } = config, shapes = {
    'model.embed_tokens.weight': [V, C], 'model.norm.weight': [C], 'lm_head.weight': [V, C]
  }
  for (let n = 0; n < config.num_hidden_layers; n++) Object.assign(shapes, Object.fromEntries(Object.entries({
    'input_layernorm': [C], 'post_attention_layernorm': [C], 'self_attn.q_proj': [C, C], 'self_attn.k_proj': [256, C],
    'self_attn.v_proj': [256, C], 'self_attn.o_proj': [C, C], 'mlp.gate_proj': [I, C], 'mlp.up_proj': [I, C],
    'mlp.down_proj': [C, I]
  }).map(([name, shape]) => [`model.layers.${n}.${name}.weight`, shape])))
  return { 'config.json': JSON.stringify(config), 'model.safetensors': fileWithoutValues(shapes) }
}

test('TinyLlama 1.1B fits as int8, bfloat16 and float16, and not as float32', async () => {
  const files = tinyLlama(), known = { type: 'llama', parameters: 1100048384, dtype: 'bfloat16', missing: [], unused: [] }
  for (const [dtype, maxBytes] of [['float16', 2.21e9], ['bfloat16', 2.21e9], ['int8', 1.18e9]]) {
    const { bytes, problems, ...rest } = await gf.models.inspect(files, { dtype })
    assert.deepEqual({ problems, ...rest }, { problems: [], ...known }, dtype)
    assert.ok(bytes < maxBytes && bytes > known.parameters, `${dtype}: ${bytes}`)
    // load fails only when it reads the values, which the file does not have.
    await assert.rejects(gf.models.load(files, { dtype }), /the values are read/)
  }
  const { bytes, problems } = await gf.models.inspect(files)
  assert.equal(bytes, 4 * known.parameters)
  const message = /parameters take 4400193536 bytes, and at most 3758096384 are available; stored as float16.*dtype: 'float16'/
  assert.match(problems.join(), message)
  await assert.rejects(gf.models.load(files), { code: 'format', message })
  assert.throws(() => gf.models.inspect(files, { dtype: 'int4' }), { code: 'range', message: /models\.inspect: dtype/ })
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(`${type}: inspect counts the bytes that load allocates`, async () => {
  const files = filesOf(cases(type)[0])
  for (const dtype of ['float32', 'float16', 'bfloat16', 'int8']) {
    const { bytes } = gf.models.inspect(files, { dtype }), before = gf.memory().bytes
    const { model } = await gf.models.load(files, { dtype }), encoder = 'encoder' in model ? model.encoder : {}
    const sinusoids = 'sinusoids' in encoder ? encoder.sinusoids : undefined
    assert.equal(gf.memory().bytes - before - (sinusoids ? 2 * 4 * sinusoids.numel() : 0), bytes, dtype)
    model.dispose()
  }
})
