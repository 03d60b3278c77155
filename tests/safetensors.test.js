import assert from 'node:assert/strict'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('saved files load with the same names, shapes, dtypes, bits and metadata', () => {
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
  'an unknown dtype': file({ a: entry('F12', [1], 0, 2) }, 2),
  'a dtype from the prototype': file({ a: entry('constructor', [1], 0, 4) }, 4),
  'a dtype in a list': file({ a: { ...entry('F32', [1], 0, 4), dtype: ['I32'] } }, 4),
  'a dtype that is a list of another': file({ a: { ...entry('F64', [1], 0, 8), dtype: ['F64'] } }, 8),
  'an entry that is a list': file({ a: ['F32', [1], [0, 4]] }, 4),
  'metadata that are not strings': file({ __metadata__: { epoch: 3 } }),
  'metadata that are no object': file({ __metadata__: ['a'] }),
  'a key that is there twice': file(`{"a":${JSON.stringify(entry('F32', [1], 0, 4))},"a":${JSON.stringify(
    entry('F32', [1], 4, 8))}}`, 8),
  'a key that is there twice, once with an escape': file('{"__metadata__":{"a":"1","\\u0061":"2"}}'),
  'a header nested beyond any stack': file('['.repeat(200_000) + ']'.repeat(200_000)),
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

test('rejects values that are not bytes or tensors', () => {
  assert.throws(() => gf.loadSafetensors('x'), { code: 'type' })
  assert.throws(() => gf.saveSafetensors({ a: [1] }), { code: 'type', message: /a must be a tensor/ })
})

test("Node's Buffers are read from their own offset", () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([1, 2, 3]) })
  const shared = Buffer.concat([Buffer.alloc(5), bytes]).subarray(5)
  assert.deepEqual(gf.loadSafetensors(shared).tensors.a.toArray(), [1, 2, 3])
})

test('a file truncated at any byte is rejected', () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([1, 2, 3]), b: gf.tensor([[4]]) })
  for (let n = 0; n < bytes.length; n++) {
    assert.throws(() => gf.loadSafetensors(bytes.slice(0, n)), { code: 'format' }, `${n} bytes`)
  }
})

test('files that readers would reject are not written', () => {
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

/** Values of every dtype as their bytes stand in a file, and what they become. */
const { buffer: halves } = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00, 0x8000)
const { buffer: brains } = Uint16Array.of(0x3f80, 0xc000, 0x7f80, 0x7fc0, 0x0001)
const dtypes = [
  ['F64', new Float64Array([0.1, -0, 1e300]).buffer, 'float64', [0.1, -0, 1e300]],
  ['F32', new Float32Array([0.5, NaN]).buffer, 'float32', [0.5, NaN]],
  ['F16', halves, 'float32', [1, -2, 2 ** -24, 65504, Infinity, NaN, -0]],
  ['BF16', brains, 'float32', [1, -2, Infinity, NaN, 2 ** -133]],
  ['F8_E4M3', Uint8Array.of(0x38, 0xb8, 0x01, 0x7e, 0x7f, 0x08).buffer, 'float32', [1, -1, 2 ** -9, 448, NaN, 2 ** -6]],
  ['F8_E5M2', Uint8Array.of(0x3c, 0xbc, 0x01, 0x7b, 0x7c, 0x7f).buffer, 'float32',
    [1, -1, 2 ** -16, 57344, Infinity, NaN]],
  ['I64', BigInt64Array.of(1n, -1n, 2147483647n, -2147483648n).buffer, 'int32', [1, -1, 2147483647, -2147483648]],
  ['I64', BigInt64Array.of(1n, 2147483648n, -(2n ** 53n) + 1n).buffer, 'float64', [1, 2147483648, -(2 ** 53) + 1]],
  ['I32', Int32Array.of(-5, 7).buffer, 'int32', [-5, 7]],
  ['I16', Int16Array.of(-32768, 7).buffer, 'int32', [-32768, 7]],
  ['I8', Int8Array.of(-128, 7).buffer, 'int32', [-128, 7]],
  ['U64', BigUint64Array.of(1n, 2n ** 52n).buffer, 'float64', [1, 2 ** 52]],
  ['U32', Uint32Array.of(1, 7).buffer, 'int32', [1, 7]],
  ['U32', Uint32Array.of(1, 2 ** 32 - 1).buffer, 'float64', [1, 2 ** 32 - 1]],
  ['U16', Uint16Array.of(65535).buffer, 'int32', [65535]],
  ['U8', Uint8Array.of(255, 0).buffer, 'int32', [255, 0]],
  ['BOOL', Uint8Array.of(1, 0).buffer, 'bool', [true, false]]
]

for (const [dtype, buffer, becomes, values] of dtypes) test(`${dtype} becomes ${becomes}`, () => {
  const bytes = file({ a: entry(dtype, [values.length], 0, buffer.byteLength) }, buffer.byteLength)
  bytes.set(new Uint8Array(buffer), bytes.length - buffer.byteLength)
  const odd = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3)
  for (const source of [bytes, odd]) {
    const { tensors: { a } } = gf.loadSafetensors(source)
    assert.equal(a.dtype, becomes)
    assert.deepEqual(a.toArray(), values)
    if (dtype.startsWith('F8')) continue
    const { tensors: { a: again } } = gf.loadSafetensors(gf.saveSafetensors({ a }, {}, { dtypes: dtype }))
    assert.deepEqual(again.toArray(), values, 'and back')
  }
})

test('other dtypes may be requested, by name or for all', () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([1, 2]), b: gf.tensor([3, 4], { dtype: 'int32' }) })
  const { a, b } = gf.loadSafetensors(bytes, { dtypes: 'float64' }).tensors
  assert.deepEqual([a.dtype, b.dtype, ...a.toArray(), ...b.toArray()], ['float64', 'float64', 1, 2, 3, 4])
  const { tensors } = gf.loadSafetensors(bytes, { dtypes: { b: 'float32' } })
  assert.deepEqual([tensors.a.dtype, tensors.b.dtype], ['float32', 'float32'])
  assert.throws(() => gf.loadSafetensors(bytes, { dtypes: 'int32' }), { code: 'type', message: /a is F32.*truncated/ })
  assert.throws(() => gf.loadSafetensors(bytes, { dtypes: 'int8' }), { name: 'GlassformerError' })
})

test('numbers outside the requested dtype, or beyond 2^53, are rejected', () => {
  const save = (values, options) => gf.saveSafetensors({ a: gf.tensor(values, { dtype: 'float64' }) }, {}, options)
  for (const [value, dtype] of [[256, 'U8'], [-1, 'U64'], [0.5, 'I32'], [2 ** 31, 'I32'], [NaN, 'I64'], [2, 'BOOL']]) {
    assert.throws(() => save([value], { dtypes: dtype }),
      { code: 'range', message: new RegExp(`a holds ${value}.*${dtype}`) })
  }
  for (const [dtype, least, most] of [['I8', -128, 127], ['U8', 0, 255], ['I16', -(2 ** 15), 2 ** 15 - 1],
    ['U16', 0, 2 ** 16 - 1], ['I32', -(2 ** 31), 2 ** 31 - 1], ['U32', 0, 2 ** 32 - 1], ['BOOL', 0, 1]]) {
    const { tensors: { a } } = gf.loadSafetensors(save([least, most], { dtypes: dtype }))
    assert.deepEqual([...a.values].map(Number), [least, most], dtype)
    for (const beyond of [least - 1, most + 1]) assert.throws(() => save([beyond], { dtypes: dtype }), { code: 'range' })
  }
  const bytes = save([1])
  new DataView(bytes.buffer).setBigInt64(bytes.length - 8, 2n ** 53n + 1n, true)
  const wide = new TextDecoder('latin1').decode(bytes).replace('"F64"', '"I64"')
  assert.throws(() => gf.loadSafetensors(Uint8Array.from(wide, c => c.charCodeAt(0))), { code: 'range', message: /a holds/ })
  assert.throws(() => save([1], { dtypes: 'F8_E4M3' }), { code: 'range', message: /the dtype of a must be one of/ })
  assert.throws(() => save([1], { dtypes: { b: 'F16' } }), { code: 'type', message: /dtypes name "b"/ })
})

test('selected tensors of a file are loaded by name', () => {
  const bytes = gf.saveSafetensors({ 'a.x': gf.tensor([1]), 'a.y': gf.tensor([2]), 'b': gf.tensor([3]) })
  const names = options => Object.keys(gf.loadSafetensors(bytes, options).tensors)
  assert.deepEqual(names({ names: ['b', 'a.x'] }), ['b', 'a.x'])
  assert.deepEqual(names({ names: name => name.startsWith('a.') }), ['a.x', 'a.y'])
  assert.deepEqual(names({ names: [] }), [])
  assert.throws(() => names({ names: ['c'] }), { code: 'index', message: /no tensor is named "c"; there are a.x, a.y, b/ })
  assert.throws(() => names({ names: 'b' }), { code: 'type' })
})

test('a Blob and an open file are read in chunks, and only the needed parts', async () => {
  const big = gf.rand([2 ** 23]), bytes = gf.saveSafetensors({ big, small: gf.tensor([5]) }, { of: 'two' })
  const folder = await mkdtemp(join(tmpdir(), 'tensors-')), path = join(folder, 'a.safetensors')
  await writeFile(path, bytes)
  const handle = await open(path)
  try {
    for (const source of [new Blob([bytes]), handle]) {
      let most = 0, all = 0
      const seen = new Proxy(source, { get: (target, name) => {
        const value = target[name]
        if (typeof value !== 'function') return value
        return (...given) => {
          const size = name === 'slice' ? given[1] - given[0] : name === 'read' ? given[2] : 0
          most = Math.max(most, size)
          all += size
          return value.apply(target, given)
        }
      } })
      const { tensors, metadata } = await gf.loadSafetensors(seen)
      assert.deepEqual(Buffer.compare(tensors.big.bytes, big.bytes), 0)
      assert.equal(tensors.small.item(), 5)
      assert.deepEqual(metadata, { of: 'two' })
      assert.ok(most <= 2 ** 24, `${most} bytes at once`)
      all = 0
      assert.equal((await gf.loadSafetensors(seen, { names: ['small'] })).tensors.small.item(), 5)
      assert.ok(all < 1000, `${all} bytes for a small tensor`)
      Object.values(tensors).forEach(t => t.dispose())
    }
  } finally {
    await handle.close()
    await rm(folder, { recursive: true })
  }
  await assert.rejects(async () => gf.loadSafetensors(new Blob([bytes.slice(0, 60)])), { code: 'format' })
})

test('a file that ends while it is read frees its tensors', async () => {
  const bytes = gf.saveSafetensors({ a: gf.rand([100]), b: gf.rand([100]) }), { tensors } = gf.memory()
  class Short {
    async stat() { return { size: bytes.length } }
    async read(into, at, length, from) {
      const part = bytes.subarray(from, Math.min(from + length, bytes.length - 40))
      into.set(part, at)
      return { bytesRead: part.length }
    }
  }
  await assert.rejects(async () => gf.loadSafetensors(new Short()), { code: 'format', message: /ended at byte/ })
  assert.equal(gf.memory().tensors, tensors)
})

test('2,000 files with changed bytes are read or rejected', () => {
  const bytes = gf.saveSafetensors({ a: gf.tensor([[1, 2]]), b: gf.tensor([3], { dtype: 'int32' }) }, { note: 'x' })
  let seed = 7, read = 0
  const below = n => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % n
  for (let i = 0; i < 2000; i++) {
    const changed = bytes.slice()
    for (let n = 1 + below(3); n > 0; n--) {
      const at = below(4) ? 8 + below(bytes.length - 20) : below(bytes.length)
      changed[at] = below(3) ? '0123456789"{}[],:aF'.charCodeAt(below(19)) : below(256)
    }
    gf.tidy(() => {
      try {
        for (const t of Object.values(gf.loadSafetensors(changed).tensors)) t.toArray()
        read++
      } catch (error) {
        assert.equal(error.name, 'GlassformerError', error.stack)
      }
    })
  }
  assert.ok(read > 20 && read < 1980, `${read} were read`)
})

test('headers at and beyond their limits', () => {
  const opened = bytes => gf.loadSafetensors(bytes, { names: [] }), refused = (bytes, message) =>
    assert.throws(() => opened(bytes), { code: 'format', message })
  opened(file('{}'))
  opened(file({ a: entry('F32', [1, 1, 1, 1, 1, 1, 1, 1], 0, 4) }, 4))
  refused(file({ a: entry('F32', [1, 1, 1, 1, 1, 1, 1, 1, 1], 0, 4) }, 4), /shape of at most 8 integers/)
  opened(file({ a: entry('F32', [0, 2 ** 31 - 1], 0, 0) }))
  refused(file({ a: entry('F32', [0, 2 ** 31], 0, 0) }), /shape of at most 8 integers/)
  refused(file({ a: entry('F32', [1, -1], 0, 0) }), /shape of at most 8 integers/)
  opened(file({ a: entry('F32', [2], 0, 8), none: entry('F32', [0], 8, 8), b: entry('U8', [1], 8, 9) }, 9))
  refused(file({ a: entry('F32', [2], 0, 8) }, 7), /must be inside the 7 bytes/)
  for (const offsets of [[0], [0, 4, 4], [-1, 3], [4, 0], ['0', 4], 4, null]) {
    refused(file({ a: { dtype: 'F32', shape: [1], data_offsets: offsets } }, 4), /must be inside the 4 bytes/)
  }
  refused(file({ a: entry('F32', [1], 1, 5) }, 5), /must start at byte 0/)
  refused(new Uint8Array(7), /at least 8 bytes, got 7/)
  refused(new Uint8Array(8), /Unexpected end|JSON/)
})
