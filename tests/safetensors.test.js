import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load()

/** A file with this header (an object or raw text) and so many bytes of data. */
function file(header, size = 0, length) {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const bytes = new Uint8Array(8 + json.length + size)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? json.length), true)
  bytes.set(json, 8)
  return bytes
}

test('what is saved is loaded: names, shapes, dtypes, bits, metadata', () => {
  const model = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 })
  const extra = {
    ids: gf.tensor([[1, -2]], { dtype: 'int32' }), table: gf.positionalEncoding(3, 4, { dtype: 'float64' }),
    nothing: gf.tensor([]), 한글: gf.tensor([NaN, -0, Infinity])
  }
  const bytes = gf.saveSafetensors({ ...model.stateDict(), ...extra }, { note: '날짜' })
  assert.equal(bytes.length % 4, 0)
  const { tensors, metadata } = gf.loadSafetensors(bytes)
  assert.deepEqual(metadata, { note: '날짜' })
  for (const [name, t] of Object.entries({ ...model.stateDict(), ...extra })) {
    assert.deepEqual([...tensors[name].shape], [...t.shape], name)
    assert.equal(tensors[name].dtype, t.dtype)
    assert.deepEqual([...tensors[name].bytes], [...t.bytes], name)
  }
  const copy = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 })
  copy.loadStateDict(gf.loadSafetensors(gf.saveSafetensors(model.stateDict())).tensors)
  assert.deepEqual(copy.linear1.weight.toArray(), model.linear1.weight.toArray())
})

const entry = (dtype, shape, from, to) => ({ dtype, shape, data_offsets: [from, to] })
const hostile = {
  'an empty file': new Uint8Array(0),
  'a header that is longer than the file': file('{}', 0, 1000),
  'a header of 2^63 bytes': file('{}', 0, 2n ** 63n),
  'a header that is not JSON': file('{"a":'),
  'a header that is not UTF-8': (() => { const f = file('{"ab":1}'); f[11] = 0xff; return f })(),
  'a header that is a list': file('[]'),
  'an entry that is null': file({ a: null }),
  'an unknown dtype': file({ a: entry('I16', [1], 0, 2) }, 2),
  'a dtype from the prototype': file({ a: entry('constructor', [1], 0, 4) }, 4),
  'a negative side': file({ a: entry('F32', [-1, -1], 0, 4) }, 4),
  'a fractional side': file({ a: entry('F32', [1.5], 0, 6) }, 6),
  'sides whose product overflows': file({ a: entry('F32', [2 ** 30, 2 ** 30, 2 ** 30], 0, 4) }, 4),
  'nine axes': file({ a: entry('F32', [1, 1, 1, 1, 1, 1, 1, 1, 1], 0, 4) }, 4),
  'offsets past the end': file({ a: entry('F32', [2], 0, 8) }, 4),
  'offsets backwards': file({ a: entry('F32', [0], 4, 0) }, 4),
  'too few bytes for the shape': file({ a: entry('F32', [2], 0, 4) }, 4),
  'overlapping tensors': file({ a: entry('F32', [2], 0, 8), b: entry('F32', [2], 4, 12) }, 12),
  'a gap between tensors': file({ a: entry('F32', [1], 0, 4), b: entry('F32', [1], 8, 12) }, 12),
  'bytes after the last tensor': file({ a: entry('F32', [1], 0, 4) }, 8)
}

for (const [what, bytes] of Object.entries(hostile)) {
  test(`${what} is refused`, () => assert.throws(() => gf.loadSafetensors(bytes), { code: 'format' }))
}

test('what is not bytes, and what is not a tensor', () => {
  assert.throws(() => gf.loadSafetensors('x'), { code: 'type' })
  assert.throws(() => gf.saveSafetensors({ a: [1] }), { code: 'type', message: /a must be a tensor/ })
})

test("Node's Buffers, which share memory, are read at their own place", () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([1, 2, 3]) })
  const shared = Buffer.concat([Buffer.alloc(5), bytes]).subarray(5)
  assert.deepEqual(gf.loadSafetensors(shared).tensors.a.toArray(), [1, 2, 3])
})

test('a file cut at any byte is refused', () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([1, 2, 3]), b: gf.tensor([[4]]) })
  for (let n = 0; n < bytes.length; n++) {
    assert.throws(() => gf.loadSafetensors(bytes.slice(0, n)), { code: 'format' }, `${n} bytes`)
  }
})

test('no file is written that readers refuse', () => {
  const x = gf.tensor([1])
  for (const metadata of ['abc', null, { epoch: 3 }, ['a']]) {
    assert.throws(() => gf.saveSafetensors({ x }, metadata), { code: 'type', message: /metadata must be an object of strings/ })
  }
  for (const name of ['__metadata__', '__proto__']) {
    assert.throws(() => gf.saveSafetensors({ ['x']: x, [name]: x }), { code: 'type', message: new RegExp(name) })
  }
  for (const tensors of [null, [x], new Map([['x', x]])]) {
    assert.throws(() => gf.saveSafetensors(tensors), { code: 'type', message: /tensors must be an object of tensors/ })
  }
})
