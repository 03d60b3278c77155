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
  const bytes = randomBytes(shape.reduce((a, b) => a * b), 5), values = Float32Array.from(bytes, byte => (byte - 128) / 512)
  return { shape, type: 'F32', bytes: new Uint8Array(values.buffer) }
}
const layer = n => ({
  [`blk.${n}.attn_norm.weight`]: small(C), [`blk.${n}.attn_q.weight`]: small(C, C), [`blk.${n}.attn_k.weight`]: small(C, C),
  [`blk.${n}.attn_v.weight`]: small(C, C), [`blk.${n}.attn_output.weight`]: small(C, C), [`blk.${n}.ffn_norm.weight`]: small(C),
  [`blk.${n}.ffn_gate.weight`]: small(C, C), [`blk.${n}.ffn_up.weight`]: small(C, C), [`blk.${n}.ffn_down.weight`]: small(C, C)
})
const TENSORS = { 'token_embd.weight': small(V, C), ...layer(0), 'output_norm.weight': small(C) }
const fileOf = (metadata = {}, tensors = {}) => writeGguf(Array.isArray(metadata) ? metadata : { ...METADATA, ...metadata },
  Array.isArray(tensors) ? tensors : { ...TENSORS, ...tensors })
const accepts = async (bytes, file = 'm.gguf') => (await gf.models.load({ [file]: bytes })).model.dispose()
/** Asserts that load and inspect refuse a file. */
const refuses = async (bytes, message) => {
  await assert.rejects(gf.models.load({ 'm.gguf': bytes }), { name: 'GlassformerError', code: 'format', message })
  assert.match(gf.models.inspect({ 'm.gguf': bytes }).problems.join('\n'), message)
}
/** Values of types that the settings of `writeGguf` do not have. */
const int32 = value => writer => { writer.u32(5); writer.number(4, 'setInt32', value) }
const float32 = value => writer => { writer.u32(6); writer.number(4, 'setFloat32', value) }
const rowsOf = values => ({ shape: [values.length], type: 'F32', bytes: new Uint8Array(Float32Array.from(values).buffer) })

test('types of tensors that are not read are refused by their names', async () => {
  await accepts(fileOf())
  for (const [name, type, bytes] of [['Q2_K', 10, 84], ['Q3_K', 11, 110]]) {
    const blocks = { shape: [256], type, bytes: new Uint8Array(bytes) }
    await refuses(fileOf({}, { 'blk.0.attn_q.weight': blocks }),
      new RegExp(`m\\.gguf: blk\\.0\\.attn_q\\.weight has values of type ${name}, which is not supported; supported are ((?!Q[23]_K).)*$`))
  }
})

test('offsets, names and the alignment of tensors', async () => {
  const list = Object.entries(TENSORS), at = offset => list.map(([name, tensor], i) => [name, i === 2 ? { ...tensor, offset } : tensor])
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
