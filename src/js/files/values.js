import { describe, expect, expectOneOf } from '../errors.js'
import { findBlock, BLOCKS } from '../tensor/blocks.js'
import { packBlocks } from '../tensor/block_weights.js'
import { DTYPES, TENSOR_DTYPES, isBlockType } from '../tensor/dtype.js'
import { to } from '../ops/convert.js'
import { BYTES } from './header.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../tensor/dtype.js').DType} DType
 * @typedef {import('./header.js').Entry} Entry
 */

/** Number of bytes read at a time, so that a file and its tensors are never in memory together. */
export const CHUNK_BYTES = 2 ** 24

/** Dtypes that the kernels convert. @type {Record<string, DType>} */
export const NATIVE = { F64: 'float64', F32: 'float32', F16: 'float16', BF16: 'bfloat16', I32: 'int32', BOOL: 'bool' }

/** 4 bits of exponent and 3 of mantissa, no infinity. @param {number} bits */
function fromE4M3(bits) {
  const exponent = bits >> 3 & 15, mantissa = bits & 7, sign = bits >> 7 ? -1 : 1
  if ((bits & 127) === 127) return NaN
  return sign * (exponent ? (8 + mantissa) * 2 ** (exponent - 10) : mantissa * 2 ** -9)
}

/** 5 bits of exponent and 2 of mantissa: the upper half of a float16. @param {number} bits */
const fromE5M2 = bits => /** @type {(bits: number) => number} */ (DTYPES.float16.read)(bits << 8)

/**
 * Combines two 32-bit words into a number.
 * @param {Int32Array | Uint32Array} words low before high @param {number} i
 */
const combineWords = (words, i) => words[2 * i + 1] * 2 ** 32 + (words[2 * i] >>> 0)

/** Readers of all other dtypes. @type {Record<string, (buffer: ArrayBuffer) => (i: number) => number>} */
const READERS = {
  I64: buffer => (words => i => combineWords(words, i))(new Int32Array(buffer)),
  U64: buffer => (words => i => combineWords(words, i))(new Uint32Array(buffer)),
  U32: buffer => (values => i => values[i])(new Uint32Array(buffer)),
  I16: buffer => (values => i => values[i])(new Int16Array(buffer)),
  U16: buffer => (values => i => values[i])(new Uint16Array(buffer)),
  I8: buffer => (values => i => values[i])(new Int8Array(buffer)),
  U8: buffer => (values => i => values[i])(new Uint8Array(buffer)),
  F8_E4M3: buffer => (values => i => fromE4M3(values[i]))(new Uint8Array(buffer)),
  F8_E5M2: buffer => (values => i => fromE5M2(values[i]))(new Uint8Array(buffer))
}
/** Integers that may be too large for int32. */
const WIDE_INTEGERS = ['I64', 'U64', 'U32']
const FLOATS = ['F64', 'F32', 'F16', 'BF16', 'F8_E4M3', 'F8_E5M2', ...Object.keys(BLOCKS)]

/** The default dtype of a tensor by the dtype of the file. @param {string} code @returns {DType} */
const defaultDtype = code => {
  if (code === 'F64' || WIDE_INTEGERS.includes(code)) return 'float64'
  return FLOATS.includes(code) ? 'float32' : code === 'BOOL' ? 'bool' : 'int32'
}

/** @param {string} name @param {number} value @param {DType} dtype */
function checkRange(name, value, dtype) {
  if (dtype === 'int32' ? value === (value | 0) : Math.abs(value) <= Number.MAX_SAFE_INTEGER || value !== value) return
  expect(dtype !== 'int32' && Math.abs(value) === Infinity, 'range',
    () => `safetensors: ${name} holds ${value}, which ${dtype} cannot hold exactly`)
}

/**
 * Writes whole blocks of a file into a tensor.
 * @param {Tensor} to @param {number} at @param {import('../tensor/blocks.js').BlockKind} kind @param {Uint8Array} chunk
 */
function writeBlocks(to, at, { values, bytes, read }, chunk) {
  const count = chunk.length / bytes, floats = new Float32Array(count * values)
  for (let i = 0; i < count; i++) read(chunk, i * bytes, floats, i * values)
  writeChunk(to, at, { dtype: 'F32' }, '', new Uint8Array(floats.buffer))
}

/** How many bytes a number of values takes in a file. @param {string} dtype @param {number} count */
export const bytesOfValues = (dtype, count) => {
  const { values, bytes } = findBlock(dtype) ?? { values: 1, bytes: BYTES[dtype] }
  return count / values * bytes
}

/** How many values a number of bytes of a file holds. @param {string} dtype @param {number} bytes */
const valuesIn = (dtype, bytes) => bytes / bytesOfValues(dtype, 1)

/**
 * Writes a chunk of a file into a tensor.
 * @param {Tensor} to @param {number} at index of the first value @param {Pick<Entry, 'dtype'>} entry
 * @param {string} name @param {Uint8Array} chunk
 */
function writeChunk(to, at, { dtype: code }, name, chunk) {
  const { engine, dtype } = to, { bytes, code: kind, block: own } = DTYPES[dtype]
  const native = NATIVE[code], block = findBlock(code)
  if (native === dtype || (block && block === own)) return to.bytes.set(chunk, at * bytes)
  if (block) return writeBlocks(to, at, block, chunk)
  if (native) {
    return engine.memory.borrow(chunk.length, address => {
      engine.memory.bytes(address, chunk.length).set(chunk)
      engine.c.gf_convert(to.dataPtr() + at * bytes, kind, address, DTYPES[native].code, chunk.length / BYTES[code])
    })
  }
  const read = READERS[code](/** @type {ArrayBuffer} */ (chunk.slice().buffer))
  const { values } = to, isChecked = !FLOATS.includes(code)
  for (let i = 0; i < chunk.length / BYTES[code]; i++) {
    const value = read(i)
    if (isChecked) checkRange(name, value, dtype)
    values[at + i] = value
  }
}

/**
 * Reads all values of an entry into a tensor, from index `at` on.
 * @param {Tensor} to @param {number} at @param {Entry} entry @param {string} name
 * @returns {Generator<any, void, any>}
 */
export function* readInto(to, at, entry, name) {
  const { source, from, to: end, dtype } = entry, unit = findBlock(dtype)?.bytes ?? 1
  const step = Math.floor(CHUNK_BYTES / unit) * unit
  for (let start = from; start < end; start += step) {
    const chunk = yield source.readChunk(start, Math.min(end, start + step))
    writeChunk(to, at + valuesIn(dtype, start - from), entry, name, chunk)
  }
}

/**
 * Reads a small entry of F32 without a tensor.
 * @param {Entry} entry @returns {Generator<any, Float32Array, any>}
 */
export function* readTensorValues({ source, from, to: end }) {
  const bytes = yield source.read(from, end)
  return new Float32Array(bytes.slice().buffer)
}

/**
 * Reads all rows of an entry into a matrix in blocks, several at a time.
 * @param {Tensor} to @param {number} first row @param {Entry} entry @param {string} name
 * @returns {Generator<any, void, any>}
 */
export function* readRowsInto(to, first, entry, name) {
  const { engine, shape: [, K] } = to, { from, to: end, dtype } = entry, row = bytesOfValues(dtype, K)
  const step = Math.max(1, Math.floor(CHUNK_BYTES / 4 / row)), count = row && (end - from) / row
  const rows = engine.keep(engine.empty([Math.min(step, count), K]))
  try {
    for (let i = 0; i < count; i += step) {
      const n = Math.min(step, count - i)
      yield* readInto(rows, 0, { ...entry, from: from + i * row, to: from + (i + n) * row }, name)
      packBlocks(to, rows.dataPtr(), first + i, n)
    }
  } finally {
    rows.dispose()
  }
}

/**
 * Reads an entry as a tensor: float16, bfloat16 and float8 as float32, integers as int32, or float64 if necessary.
 * @param {Engine} engine @param {string} name @param {Entry} entry
 * @param {DType} [dtype] another dtype to read it as
 * @returns {Generator<any, Tensor, any>}
 */
export function* readTensor(engine, name, entry, dtype) {
  const { dtype: code, shape } = entry, isFloat = FLOATS.includes(code)
  if (dtype !== undefined) expectOneOf('loadSafetensors', `the dtype of ${name}`, dtype, TENSOR_DTYPES)
  expect(!isFloat || !dtype || !['int32', 'bool'].includes(dtype), 'type',
    () => `safetensors: ${name} is ${code}, and its values would be truncated as ${dtype}`)
  const tensor = engine.keep(engine.empty(shape, dtype ?? defaultDtype(code)))
  try {
    yield* readInto(tensor, 0, entry, name)
    return dtype || !WIDE_INTEGERS.includes(code) ? tensor : narrowToInt32(tensor)
  } catch (error) {
    tensor.dispose()
    throw error
  }
}

/** The tensor as int32 if all values fit. @param {Tensor} tensor integers as float64 */
function narrowToInt32(tensor) {
  const { engine, values, shape } = tensor
  if (!values.every(value => value === (value | 0))) return tensor
  const out = engine.keep(engine.empty(shape, 'int32'))
  engine.c.gf_convert(out.dataPtr(), DTYPES.int32.code, tensor.dataPtr(), DTYPES.float64.code, tensor.numel())
  tensor.dispose()
  return out
}

/** @type {Record<string, [number, number, new (n: number) => any]>} minimum, maximum, array type */
const INTEGERS = {
  I64: [-(2 ** 53), 2 ** 53, BigInt64Array], U64: [0, 2 ** 53, BigUint64Array],
  U32: [0, 2 ** 32 - 1, Uint32Array], I32: [-(2 ** 31), 2 ** 31 - 1, Int32Array],
  I16: [-(2 ** 15), 2 ** 15 - 1, Int16Array], U16: [0, 2 ** 16 - 1, Uint16Array],
  I8: [-128, 127, Int8Array], U8: [0, 255, Uint8Array], BOOL: [0, 1, Uint8Array]
}

/** Dtypes that can be written. */
export const WRITABLE = Object.keys(BYTES).filter(code => !code.startsWith('F8'))

/**
 * The bytes of a tensor's values in a dtype of the file.
 * @param {string} name @param {Tensor} tensor @param {string} code
 * @returns {Uint8Array}
 * @throws {import('../errors.js').GlassformerError} 'range' for a number that the dtype cannot represent
 */
export function bytesAs(name, tensor, code) {
  if (isBlockType(tensor.dtype)) return tensor.engine.tidy(() => bytesAs(name, to(tensor, 'float32'), code))
  const { engine, dtype } = tensor, size = tensor.numel(), native = NATIVE[code]
  if (native === dtype) return tensor.bytes.slice()
  if (!Object.hasOwn(INTEGERS, code)) {
    return engine.memory.borrow(size * BYTES[code], address => {
      engine.c.gf_convert(address, DTYPES[native].code, tensor.dataPtr(), DTYPES[dtype].code, size)
      return engine.memory.bytes(address, size * BYTES[code]).slice()
    })
  }
  const [low, high, List] = INTEGERS[code], out = new List(size), { values } = tensor, { read } = DTYPES[dtype]
  for (let i = 0; i < size; i++) {
    const value = read ? Number(read(values[i])) : values[i]
    expect(Number.isInteger(value) && value >= low && value <= high, 'range',
      () => `saveSafetensors: ${name} holds ${describe(value)}, which ${code} does not`)
    out[i] = high > 2 ** 32 ? BigInt(value) : value
  }
  return new Uint8Array(out.buffer)
}
