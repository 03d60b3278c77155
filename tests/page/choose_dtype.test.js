// Which dtype the page proposes for an imported model: by its size, by what the files have, and by the room there is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseDtype, weightRoom } from '../../web/models/imported/choose_dtype.js'
import { fileOf } from '../models/gguf_file.js'
import { gf } from '../lib/engine.js'

/** An engine whose models have these bytes by dtype; dtypes without bytes cannot be loaded. */
const engineOf = (stored, bytes) => ({ models: { async inspect(files, { dtype = 'file' } = {}) {
  const problems = dtype in bytes ? [] : [`${dtype} does not fit`]
  return { dtype: stored, bytes: bytes[dtype] ?? Infinity, problems }
} } })
const GB = 2 ** 30
const proposalOf = async (stored, bytes, room) => {
  const { dtype, reason, inspection } = await chooseDtype(engineOf(stored, bytes), {}, room)
  assert.equal(inspection.bytes, bytes[dtype], 'its description is that of the proposed dtype')
  return [dtype, reason]
}

test('float32 up to 1 GB, then as the files have it, then what is smaller', async () => {
  const small = { float32: 0.5 * GB, bfloat16: 0.25 * GB, int8: 0.13 * GB, q4_k: 0.07 * GB }
  assert.deepEqual(await proposalOf('bfloat16', small, 2.5 * GB), ['float32', 'editable'])
  assert.deepEqual(await proposalOf('bfloat16', small, 0.3 * GB), ['bfloat16', 'stored'])
  assert.deepEqual(await proposalOf('float32', small, 0.3 * GB), ['int8', 'smaller'])
  assert.deepEqual(await proposalOf('bfloat16', small, 0.1 * GB), ['q4_k', 'smaller'])
  assert.deepEqual(await proposalOf('bfloat16', small, 0.01 * GB), ['q4_k', 'smaller'], 'the smallest, if none fits')
  const large = { float32: 3.2 * GB, float16: 1.6 * GB, bfloat16: 1.6 * GB, int8: 0.9 * GB }
  assert.deepEqual(await proposalOf('float16', large, 2.5 * GB), ['float16', 'stored'])
  assert.deepEqual(await proposalOf('float32', large, 2.5 * GB), ['int8', 'smaller'], 'float32 does not leave room for a run')
  assert.deepEqual(await proposalOf('float32', large, 0.5 * GB), ['int8', 'smaller'], 'q4_k is impossible for some rows')
  assert.deepEqual(await proposalOf('float64', { float32: 3 * GB, int8: GB }, 4 * GB), ['float32', 'stored'])
})

test('a large GGUF file stays in its blocks', async () => {
  const { choices, ...large } = await chooseDtype(engineOf('q4_k', { file: 0.7 * GB, float32: 3.3 * GB, int8: 1.2 * GB }), {}, 2.5 * GB)
  assert.deepEqual([large.dtype, large.reason, large.stored], ['file', 'stored', 'q4_k'])
  assert.deepEqual(choices.map(({ dtype }) => dtype), ['float32', 'file', 'int8'])
  const small = await chooseDtype(gf, { 'model.gguf': fileOf(() => 'Q8_0') })
  assert.deepEqual([small.dtype, small.stored], ['float32', 'q8_0'])
})

test('the room for weights depends on the memory of the machine, where it tells it', t => {
  const roomOf = deviceMemory => {
    Object.defineProperty(globalThis, 'navigator', { value: { deviceMemory }, configurable: true })
    return weightRoom() / GB
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  t.after(() => (before ? Object.defineProperty(globalThis, 'navigator', before) : delete globalThis.navigator))
  assert.deepEqual([undefined, 8, 4, 0.5].map(roomOf), [2.5, 2.5, 2, 0.25])
})
