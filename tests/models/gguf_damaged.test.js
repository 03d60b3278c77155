// Damaged GGUF files, and settings that do not belong together, are refused by name: none of them loads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { randomBytes, writeGguf } from './gguf_file.js'

const C = 16, V = 8, HEADS = 2, PREFIX = 'tokenizer.ggml.'
const TOKENS = ['<unk>', '<s>', '</s>', '▁', 'a', 'b', '▁a', 'ab']
const METADATA = {
  'general.architecture': 'llama', 'llama.embedding_length': C, 'llama.block_count': 1, 'llama.feed_forward_length': C,
  'llama.context_length': 32, 'llama.attention.head_count': HEADS, 'llama.attention.layer_norm_rms_epsilon': 1e-5,
  [`${PREFIX}model`]: 'llama', [`${PREFIX}tokens`]: TOKENS, [`${PREFIX}scores`]: TOKENS.map((_, i) => -i - 0.5),
  [`${PREFIX}token_type`]: [2, 3, 3, 1, 1, 1, 1, 1], [`${PREFIX}bos_token_id`]: 1, [`${PREFIX}eos_token_id`]: 2
}
/** A tensor of small floats. */
const small = (...shape) => {
  const bytes = randomBytes(shape.reduce((a, b) => a * b), 5)
  const values = Float32Array.from(bytes, byte => (byte - 128) / 512)
  return { shape, type: 'F32', bytes: new Uint8Array(values.buffer) }
}
const layer = n => ({
  [`blk.${n}.attn_norm.weight`]: small(C), [`blk.${n}.attn_q.weight`]: small(C, C), [`blk.${n}.attn_k.weight`]: small(C, C),
  [`blk.${n}.attn_v.weight`]: small(C, C), [`blk.${n}.attn_output.weight`]: small(C, C), [`blk.${n}.ffn_norm.weight`]: small(C),
  [`blk.${n}.ffn_gate.weight`]: small(C, C), [`blk.${n}.ffn_up.weight`]: small(C, C), [`blk.${n}.ffn_down.weight`]: small(C, C)
})
const TENSORS = { 'token_embd.weight': small(V, C), ...layer(0), 'output_norm.weight': small(C) }
/** The file of a good model with changes, or of lists of entries. */
const fileOf = (metadata = {}, tensors = {}) => writeGguf(
  Array.isArray(metadata) ? metadata : { ...METADATA, ...metadata },
  Array.isArray(tensors) ? tensors : { ...TENSORS, ...tensors })
const accepts = async (bytes, file = 'm.gguf') => (await gf.models.load({ [file]: bytes })).model.dispose()
/** The settings under the name of another architecture, and more. */
const named = (architecture, more = {}) => ({
  ...Object.fromEntries(Object.entries(METADATA).map(([key, value]) => [key.replace('llama.', `${architecture}.`), value])),
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`${architecture}.${key}`, value])),
  'general.architecture': architecture
})
/** Asserts that load and inspect refuse a file. */
const refuses = async (bytes, message) => {
  await assert.rejects(gf.models.load({ 'm.gguf': bytes }), { name: 'GlassformerError', code: 'format', message })
  assert.match(gf.models.inspect({ 'm.gguf': bytes }).problems.join('\n'), message)
}
/** Values of types that the settings of `writeGguf` do not have. */
const int32 = value => writer => { writer.u32(5); writer.number(4, 'setInt32', value) }
const float32 = value => writer => { writer.u32(6); writer.number(4, 'setFloat32', value) }
const rowsOf = values => ({ shape: [values.length], type: 'F32', bytes: new Uint8Array(Float32Array.from(values).buffer) })

test('the end of the name may be in capitals', async () => {
  for (const name of ['m.GGUF', 'm.Gguf']) await accepts(fileOf(), name)
  await assert.rejects(gf.models.load({ 'a.GGUF': fileOf(), 'b.gguf': fileOf() }), { code: 'format', message: /one \.gguf file is expected/ })
})

test('types of tensors that are not read are refused by their names', async () => {
  await accepts(fileOf())
  for (const [name, type, bytes] of [['Q2_K', 10, 84], ['Q3_K', 11, 110]]) {
    const blocks = { shape: [256], type, bytes: new Uint8Array(bytes) }
    await refuses(fileOf({}, { 'blk.0.attn_q.weight': blocks }),
      new RegExp(`m\\.gguf: blk\\.0\\.attn_q\\.weight has values of type ${name}, which is not supported; supported are ((?!Q[23]_K).)*$`))
  }
})

test('offsets, names and the alignment of tensors', async () => {
  const list = Object.entries(TENSORS)
  const at = offset => list.map(([name, tensor], i) => [name, i === 2 ? { ...tensor, offset } : tensor])
  for (const offset of [1, 4]) await refuses(fileOf({}, at(offset)), new RegExp(`blk\\.0\\.attn_q\\.weight must start at a multiple of 32 bytes.*got ${offset}`))
  await refuses(fileOf({}, at(0)), /blk\.0\.attn_q\.weight must start at or after byte \d+, where token_embd\.weight ends, got \d+/)
  await refuses(fileOf({}, [...list, ['blk.0.attn_q.weight', small(C, C)]]), /blk\.0\.attn_q\.weight is in the file twice/)
  await refuses(fileOf([...Object.entries(METADATA), ['llama.block_count', 1]]), /llama\.block_count is in the file twice/)
  for (const [value, text] of [[0, '0'], [7, '7'], [48, '48'], ['32', '"32"'], [float32(32.5), '32\\.5'], [int32(-32), '-32']]) {
    await refuses(fileOf({ 'general.alignment': value }), new RegExp(`general\\.alignment must be a power of two, got ${text}`))
  }
  for (const alignment of [8, 64]) await accepts(writeGguf({ ...METADATA, 'general.alignment': alignment }, TENSORS, { alignment }))
})

test('arrays of arrays are read, and too deep ones are refused', async () => {
  const nested = depth => writer => {
    for (let i = 0; i < depth; i++) writer.u32(9), i && writer.u64(1)
    writer.u32(0)
    writer.u64(1)
    writer.push(1)
  }
  await accepts(fileOf({ x: nested(3) }))
  for (const depth of [9, 20_000]) await refuses(fileOf({ x: nested(depth) }), /m\.gguf: arrays must be nested at most 8 deep/)
})

test('factors of rotary frequencies are as many as the rotated pairs, finite and more than 0', async () => {
  const pairs = C / HEADS / 2, freqs = values => fileOf({}, { 'rope_freqs.weight': rowsOf(values) })
  await accepts(freqs([1, 2, 1, 4]))
  for (const count of [1, 2, 100]) await refuses(freqs(Array(count).fill(1)), new RegExp(`rope_freqs\\.weight.* must be ${pairs} numbers > 0.*got an array of ${count}`))
  for (const value of [0, -1, NaN, Infinity]) await refuses(freqs([1, value, 1, 1]), new RegExp(`rope_freqs\\.weight.* must be ${pairs} numbers > 0.*got ${value}`))
  const halves = { shape: [pairs], type: 'F16', bytes: new Uint8Array(2 * pairs).fill(60) }
  await refuses(fileOf({}, { 'rope_freqs.weight': halves }), /rope_freqs\.weight must have values of type F32, got F16/)
  const long = { 'rope_factors_long.weight': rowsOf([1, 2, 3, 4]) }, short = { 'rope_factors_short.weight': rowsOf([1, 1, 1, 1]) }
  await accepts(fileOf({}, { ...long, ...short }))
  await refuses(fileOf({}, long), /rope_factors_short\.weight must be 4 numbers > 0.*got undefined/)
  await refuses(fileOf({}, short), /rope_factors_long\.weight must be 4 numbers > 0.*got undefined/)
})

test('the rotated part of a head is that of the model', async () => {
  await accepts(fileOf({ 'llama.rope.dimension_count': C / HEADS }))
  for (const value of [0, 4, '8']) {
    await refuses(fileOf({ 'llama.rope.dimension_count': value }), /m\.gguf: llama\.rope\.dimension_count must be 8, .* got/)
  }
  const tooMany = { 'rope.dimension_count': 999, 'attention.layer_norm_epsilon': 1e-5 }
  for (const architecture of ['llama', 'gptneox', 'phi2', 'glm4']) {
    await refuses(fileOf(named(architecture, tooMany)), new RegExp(`${architecture}\\.rope\\.dimension_count must be at most 8, .* got 999`))
  }
})

test('settings without a default in llama.cpp must be there', async () => {
  for (const name of ['embedding_length', 'block_count', 'context_length', 'attention.head_count', 'attention.layer_norm_rms_epsilon']) {
    await refuses(fileOf({ [`llama.${name}`]: undefined }), new RegExp(`m\\.gguf: llama\\.${name} is missing`))
  }
  await refuses(fileOf({ 'llama.expert_count': 2 }), /llama\.expert_used_count is missing/)
  await refuses(fileOf(named('phi2')), /phi2\.attention\.layer_norm_epsilon is missing/)
})

test('ids of tokens are in the vocabulary', async () => {
  for (const role of ['bos', 'eos', 'unknown', 'padding', 'seperator']) {
    const key = `${PREFIX}${role}_token_id`
    await accepts(fileOf({ [key]: V - 1 }))
    for (const [value, text] of [['x', '"x"'], [int32(-1), '-1'], [float32(2.5), '2\\.5'], [[1], 'an array of 1'], [true, 'true']]) {
      await refuses(fileOf({ [key]: value }), new RegExp(`m\\.gguf: ${key} must be an id below ${V}, got ${text}`))
    }
    if (role !== 'padding') await refuses(fileOf({ [key]: V }), new RegExp(`${key} must be an id below ${V}, got ${V}`))
  }
  // llama.cpp ignores an id of padding outside the vocabulary, which old files have.
  const { model, config } = await gf.models.load({ 'm.gguf': fileOf({ [`${PREFIX}padding_token_id`]: 2 ** 32 - 1 }) })
  assert.equal(config.pad_token_id, undefined)
  model.dispose()
})

test('tensors of layers after the last one, and quantized tensors that the model does not have', async () => {
  await refuses(fileOf({}, layer(1)), /m\.gguf: llama\.block_count is 1, and blk\.1\.attn_norm\.weight is of a layer after the last one/)
  await refuses(fileOf({}, { 'blk.4.ffn_up.weight': small(C, C) }), /llama\.block_count is 1, and blk\.4\.ffn_up/)
  const blocks = { shape: [32], type: 'Q8_0', bytes: new Uint8Array(34) }
  for (const tensor of [blocks, small(C)]) await refuses(fileOf({}, { 'blk.0.attn_gate.weight': tensor }), /the model has no blk\.0\.attn_gate\.weight/)
})

test('a factor of scaling without a type is linear', async () => {
  const logitsOf = async metadata => {
    const { model } = await gf.models.load({ 'm.gguf': fileOf(metadata) })
    return gf.tidy(() => gf.noGrad(() => model.forward([[1, 4, 5, 6]]).logits.toArray()))
  }
  const type = { 'llama.rope.scaling.type': 'linear' }, factor = { 'llama.rope.scaling.factor': 4 }, plain = await logitsOf({})
  const expected = await logitsOf({ ...type, ...factor })
  assert.notDeepEqual(expected, plain)
  assert.deepEqual(await logitsOf(factor), expected)
  for (const more of [{}, type]) assert.deepEqual(await logitsOf({ 'llama.rope.scale_linear': float32(4), ...more }), expected)
  assert.deepEqual(await logitsOf({ ...factor, 'llama.rope.scaling.type': 'none' }), plain)
})

test('attention in both directions is refused', async () => {
  await accepts(fileOf({ 'llama.attention.causal': true }))
  await refuses(fileOf({ 'llama.attention.causal': false }), /llama\.attention\.causal = false is not supported/)
})

test('settings of the tokenizer', async () => {
  for (const name of ['add_bos_token', 'add_eos_token', 'add_space_prefix', 'remove_extra_whitespaces']) {
    await accepts(fileOf({ [PREFIX + name]: false }))
    for (const value of ['x', 1]) await refuses(fileOf({ [PREFIX + name]: value }), new RegExp(`m\\.gguf: ${PREFIX}${name} must be true or false, got`))
  }
  for (const name of ['model', 'pre']) await refuses(fileOf({ [PREFIX + name]: 3 }), new RegExp(`${PREFIX}${name} must be a string, got 3`))
})

test('lists of the tokenizer', async () => {
  const numbers = TOKENS.map((_, i) => i), scores = TOKENS.map((_, i) => -i - 0.5), is = (name, value, text) =>
    refuses(fileOf({ [PREFIX + name]: value }), new RegExp(`m\\.gguf: ${PREFIX}${name} must be ${text}`))
  await is('tokens', numbers, 'a list of strings, got 0')
  await is('tokens', 'abc', 'a list of strings, got "abc"')
  await is('scores', scores.slice(1), `a list of ${V} finite numbers, one for each token, got an array of ${V - 1}`)
  for (const value of [NaN, Infinity]) await is('scores', [value, ...scores.slice(1)], `a list of finite numbers, got ${value}`)
  await is('token_type', [1, 1], `a list of ${V} integers, one for each token, got an array of 2`)
  await is('token_type', scores, 'a list of integers, got -0.5')
  await is('token_type', 1, 'a list of integers, got 1')
  await is('merges', numbers, 'a list of strings of two parts, got 0')
  await is('merges', ['a b', 'ab'], 'a list of strings of two parts, got "ab"')
})

test('errors about settings have the names of the file', async () => {
  const norm = 'llama.attention.layer_norm_rms_epsilon', heads = 'llama.attention.head_count'
  for (const [key, value, text] of [
    [norm, '4', `${norm} must be a number >= 0, got "4"`],
    ['llama.block_count', 5000, 'llama.block_count must be at most 1000, got 5000'],
    ['llama.block_count', 2, 'llama.block_count gives 2 layers blk.0 to blk.1, and the file has 1 of them'],
    ['llama.embedding_length', 17, `llama.embedding_length must be divisible by ${heads}, got 17 and 2`],
    ['llama.attention.head_count_kv', 3, `${heads} must be divisible by ${heads}_kv, got 2 and 3`],
    ['llama.rope.freq_base', 'x', 'llama.rope.freq_base must be a number >= 0, got "x"'],
    ['llama.rope.scaling.type', 'linear', 'llama.rope.scaling.factor must be a number > 0, got undefined'],
    ['llama.rope.scaling.type', 'other', 'llama.rope.scaling.type "other" is not supported']
  ]) await refuses(fileOf({ [key]: value }), new RegExp(`m\\.gguf: ${text.replaceAll('.', '\\.')}`))
})
