// models.load with a dtype in GGUF's blocks: the same bits as gf.quantize of the float32 model, in the bytes that
// inspect counted, without the model in float32.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { assertRejects, gf } from '../lib/engine.js'
import { SIZES, fileOf } from './gguf_file.js'
import { cases, filesOf as filesOfCase } from './golden_models.js'

const C = 256, F = 512, V = 37
const layersOf = (count, shapes) => Object.assign({}, ...Array.from({ length: count }, (_, n) =>
  Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key.replace('{n}', n), shape]))))

/** config.json and the shapes of families: GPT-2 has transposed matrices, BERT chunks of one, T5 rows of 8 values. */
const MODELS = {
  llama: {
    config: { hidden_size: C, intermediate_size: F, num_hidden_layers: 2, num_attention_heads: 4,
      num_key_value_heads: 2, vocab_size: V, max_position_embeddings: 32, rms_norm_eps: 1e-5,
      tie_word_embeddings: true },
    shapes: { 'model.embed_tokens.weight': [V, C], 'model.norm.weight': [C], ...layersOf(2, {
      'model.layers.{n}.input_layernorm.weight': [C], 'model.layers.{n}.post_attention_layernorm.weight': [C],
      'model.layers.{n}.self_attn.q_proj.weight': [C, C], 'model.layers.{n}.self_attn.k_proj.weight': [C / 2, C],
      'model.layers.{n}.self_attn.v_proj.weight': [C / 2, C], 'model.layers.{n}.self_attn.o_proj.weight': [C, C],
      'model.layers.{n}.mlp.gate_proj.weight': [F, C], 'model.layers.{n}.mlp.up_proj.weight': [F, C],
      'model.layers.{n}.mlp.down_proj.weight': [C, F] }) }
  },
  gpt2: {
    config: { n_embd: C, n_head: 4, n_layer: 2, n_positions: 16, vocab_size: V },
    shapes: { 'wte.weight': [V, C], 'wpe.weight': [16, C], 'ln_f.weight': [C], 'ln_f.bias': [C], ...layersOf(2, {
      'h.{n}.ln_1.weight': [C], 'h.{n}.ln_1.bias': [C], 'h.{n}.ln_2.weight': [C], 'h.{n}.ln_2.bias': [C],
      'h.{n}.attn.c_attn.weight': [C, 3 * C], 'h.{n}.attn.c_attn.bias': [3 * C], 'h.{n}.attn.c_proj.weight': [C, C],
      'h.{n}.attn.c_proj.bias': [C], 'h.{n}.mlp.c_fc.weight': [C, 4 * C], 'h.{n}.mlp.c_fc.bias': [4 * C],
      'h.{n}.mlp.c_proj.weight': [4 * C, C], 'h.{n}.mlp.c_proj.bias': [C] }) }
  },
  bert: {
    config: { hidden_size: C, num_hidden_layers: 1, num_attention_heads: 4, intermediate_size: 288, vocab_size: V,
      max_position_embeddings: 16, type_vocab_size: 2 },
    shapes: { 'embeddings.word_embeddings.weight': [V, C], 'embeddings.position_embeddings.weight': [16, C],
      'embeddings.token_type_embeddings.weight': [2, C], 'embeddings.LayerNorm.weight': [C], 'embeddings.LayerNorm.bias': [C],
      ...Object.assign({}, ...Object.entries({ 'attention.self.query': [C, C], 'attention.self.key': [C, C],
        'attention.self.value': [C, C], 'attention.output.dense': [C, C], 'attention.output.LayerNorm': [C],
        'intermediate.dense': [288, C], 'output.dense': [C, 288], 'output.LayerNorm': [C] }).map(([key, shape]) => (
        { [`encoder.layer.0.${key}.weight`]: shape, [`encoder.layer.0.${key}.bias`]: [shape[0]] }))) }
  },
  t5: {
    config: { d_model: C, d_kv: 16, d_ff: F, num_layers: 1, num_decoder_layers: 1, num_heads: 8, vocab_size: V,
      relative_attention_num_buckets: 4, relative_attention_max_distance: 8, pad_token_id: 0, decoder_start_token_id: 0,
      eos_token_id: 1, feed_forward_proj: 'relu' },
    shapes: { 'shared.weight': [V, C], ...Object.assign({}, ...['encoder', 'decoder'].map((side, i) => ({
      [`${side}.final_layer_norm.weight`]: [C], [`${side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`]: [4, 8],
      ...Object.assign({}, ...['SelfAttention', 'EncDecAttention'].slice(0, i + 1).map((name, j) => ({
        ...Object.fromEntries(['q', 'k', 'v'].map(key => [`${side}.block.0.layer.${j}.${name}.${key}.weight`, [128, C]])),
        [`${side}.block.0.layer.${j}.${name}.o.weight`]: [C, 128], [`${side}.block.0.layer.${j}.layer_norm.weight`]: [C] }))),
      [`${side}.block.0.layer.${i + 1}.DenseReluDense.wi.weight`]: [F, C],
      [`${side}.block.0.layer.${i + 1}.DenseReluDense.wo.weight`]: [C, F], [`${side}.block.0.layer.${i + 1}.layer_norm.weight`]: [C]
    }))) }
  }
}

function filesOf(type, code = 'F32') {
  const { config, shapes } = MODELS[type]
  gf.manualSeed(7)
  return gf.tidy(() => {
    const tensors = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, gf.randn(shape).mul(0.1)]))
    const dtypes = Object.fromEntries(Object.keys(shapes).map(key => [key, code]))
    return { 'config.json': JSON.stringify({ model_type: type, ...config }),
      'model.safetensors': gf.saveSafetensors(tensors, undefined, { dtypes }) }
  })
}

/** The dtypes and digests of all parameters: of their bytes, but of int8's values, since its padding is arbitrary. */
const contentsOf = model => Object.fromEntries(Object.entries(model.stateDict()).map(([key, tensor]) => {
  const bytes = tensor.dtype === 'int8' ? new Uint8Array(Float32Array.from(tensor.toArray().flat()).buffer) : tensor.bytes
  return [key, `${tensor.dtype} ${createHash('sha256').update(bytes).digest('hex')}`]
}))
const matrixTypes = model => new Set(model.parameters().filter(each => each.isMatrix).map(each => each.dtype))

for (const type of Object.keys(MODELS)) test(`${type}: the weights are those of gf.quantize, in the counted bytes`, async () => {
  for (const [code, dtype] of [['F32', 'int8'], ['F32', 'q8_0'], ['F32', 'q4_0'], ['F32', 'q4_k'], ['BF16', 'q4_k']]) {
    const files = filesOf(type, code), fresh = await load()
    const { bytes, problems } = await fresh.models.inspect(files, { dtype })
    assert.deepEqual(problems, [])
    const { model } = await fresh.models.load(files, { dtype })
    assert.equal(fresh.memory().bytes, bytes, `${dtype} from ${code}`)
    const { model: wide } = await fresh.models.load(files, { dtype: 'float32' })
    fresh.quantize(wide, { dtype })
    assert.ok(matrixTypes(model).has(dtype))
    assert.ok(model.parameters().every(({ requiresGrad }) => !requiresGrad))
    assert.deepEqual(contentsOf(model), contentsOf(wide), `${dtype} from ${code}`)
  }
})

test('rows that are not whole blocks are stored in q8_0, or else as bfloat16', async () => {
  const { model } = await gf.models.load(filesOf('t5'), { dtype: 'q4_k' }), state = model.stateDict()
  assert.deepEqual(matrixTypes(model), new Set(['q4_k', 'q8_0', 'bfloat16']))
  const types = Object.fromEntries(Object.entries(state).map(([key, { dtype, shape }]) => [`${shape}`, [dtype, key][0]]))
  assert.deepEqual([types['128,256'], types['256,128'], types['4,8'], types['256']], ['q4_k', 'q8_0', 'bfloat16', 'float32'])
  model.dispose()
})

test('a model is never in memory as float32 while it is read', async () => {
  const fresh = await load(), files = filesOf('llama'), { bytes } = await fresh.models.inspect(files, { dtype: 'q4_k' })
  await fresh.models.load(files, { dtype: 'q4_k' })
  const matrix = 4 * C * F
  assert.ok(fresh.memory().peak <= bytes + matrix, `${fresh.memory().peak} of ${bytes}`)
})

test('matrices of a GGUF file get the dtype, and those that have it are taken as they are', async () => {
  const file = fileOf(name => (name === 'token_embd' ? 'Q6_K' : 'Q4_K')), files = { 'model.gguf': file }
  const { model } = await gf.models.load(files, { dtype: 'q4_k' }), { model: own } = await gf.models.load(files)
  const state = contentsOf(model), kept = contentsOf(own)
  assert.deepEqual(matrixTypes(model), new Set(['q4_k']))
  assert.deepEqual(matrixTypes(own), new Set(['q4_k', 'q6_k']))
  const { 'embed_tokens.weight': embedding, ...rest } = state, { 'embed_tokens.weight': ownEmbedding, ...ownRest } = kept
  assert.deepEqual(rest, ownRest)
  assert.notDeepEqual(embedding, ownEmbedding)
  assert.equal((await gf.models.inspect(files, { dtype: 'q4_k' })).parameters, model.parameters().reduce((sum, each) => sum + each.numel(), 0))
  assert.equal(SIZES.C % 256, 0)
  for (const each of [model, own]) each.dispose()
})

test('what cannot be loaded so is refused', async () => {
  const files = filesOf('llama')
  await assert.rejects(gf.models.load(files, { dtype: 'q4_1' }), { code: 'range', message: /models\.load: dtype must be one of 'float32'.*'q8_0', 'q4_0', 'q4_k', got "q4_1"/ })
  const narrow = filesOfCase(cases('llama')[0])
  const message = /embed_tokens\.weight: q8_0: the rows of a matrix must be whole blocks of 32 values, got the shape \[11, 12\], and no other matrix has such rows/
  assert.match((await gf.models.inspect(narrow, { dtype: 'q8_0' })).problems.join(), message)
  await assert.rejects(gf.models.load(narrow, { dtype: 'q8_0' }), { message })
  const other = await load({ blocks: new URL('file:///nowhere/glassformer.blocks.wasm') })
  await assert.rejects(other.models.load(files, { dtype: 'q4_0' }), { code: 'format', message: /give load\({ blocks }\)/ })
  const damaged = { ...files, 'model.safetensors': files['model.safetensors'].slice() }
  damaged['model.safetensors'].fill(255, -8)
  await assert.rejects(gf.models.load(damaged, { dtype: 'q8_0' }), { code: 'range', message: /finite numbers/ })
  assertRejects(() => gf.models.inspect(files, { dtype: 'int4' }), 'range', 'models.inspect', 'dtype', 'q4_k')
})
