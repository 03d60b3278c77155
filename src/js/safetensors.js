import { describe, expect, GlassformerError, isPlain } from './errors.js'
import { sizeOf } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * The safetensors format: 8 bytes with the length of a JSON header, the header with dtype, shape and place of every
 * tensor, then the values, little-endian and without gaps. Nothing in such a file is executed; everything is checked
 * before it is used.
 */

const DTYPES = /** @type {const} */ ({
  float32: 'F32', int32: 'I32', float64: 'F64', bool: 'BOOL', float16: 'F16', bfloat16: 'BF16'
})
const BYTES = { F32: 4, I32: 4, F64: 8, BOOL: 1, F16: 2, BF16: 2 }
/** What a header has a meaning of its own for, and what an object cannot hold as a key of its own. */
const RESERVED = ['__metadata__', '__proto__']
/** No header of a real model is longer. */
const LONGEST_HEADER = 100_000_000

/** @param {boolean} condition @param {() => string} message @returns {asserts condition} */
const check = (condition, message) => expect(condition, 'format', () => `safetensors: ${message()}`)

/**
 * A file with these tensors.
 * @param {Record<string, Tensor>} tensors by name, such as `module.stateDict()`
 * @param {Record<string, string>} [metadata]
 * @returns {Uint8Array}
 * @throws {GlassformerError} 'type' when one of them is not a tensor, or metadata not strings by name
 */
export function saveSafetensors(tensors, metadata) {
  checkNames(tensors, metadata)
  /** @type {Record<string, any>} */ const header = metadata ? { __metadata__: metadata } : {}
  let end = 0
  for (const [name, t] of Object.entries(tensors)) {
    expect(t instanceof Tensor, 'type', () => `saveSafetensors: ${name} must be a tensor, got ${describe(t)}`)
    const start = end
    end += t.bytes.length
    header[name] = { dtype: DTYPES[t.dtype], shape: [...t.shape], data_offsets: [start, end] }
  }
  const json = padded(new TextEncoder().encode(JSON.stringify(header)))
  const file = new Uint8Array(8 + json.length + end)
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true)
  file.set(json, 8)
  for (const [name, t] of Object.entries(tensors)) file.set(t.bytes, 8 + json.length + header[name].data_offsets[0])
  return file
}

/** @param {unknown} tensors @param {unknown} metadata */
function checkNames(tensors, metadata) {
  expect(isPlain(tensors), 'type',
    () => `saveSafetensors: tensors must be an object of tensors by name, got ${describe(tensors)}`)
  for (const name of RESERVED) expect(!Object.hasOwn(/** @type {object} */ (tensors), name), 'type',
    () => `saveSafetensors: no tensor can be called ${name}`)
  if (metadata === undefined) return
  const areStrings = isPlain(metadata) && Object.values(metadata).every(value => typeof value === 'string')
  expect(areStrings, 'type',
    () => `saveSafetensors: metadata must be an object of strings, got ${JSON.stringify(metadata)}`)
}

/** Filled up with spaces to a multiple of 8 bytes, so that the values after it are aligned. @param {Uint8Array} json */
function padded(json) {
  const out = new Uint8Array(Math.ceil(json.length / 8) * 8).fill(32)
  out.set(json)
  return out
}

/** @param {Uint8Array} file @returns {{ header: Record<string, any>, data: Uint8Array }} */
function readHeader(file) {
  check(file.length >= 8, () => `expected a file of at least 8 bytes, got ${file.length}`)
  const length = new DataView(file.buffer, file.byteOffset).getBigUint64(0, true)
  const most = Math.min(LONGEST_HEADER, file.length - 8)
  check(length <= most, () => `the header must fit into the file (${most} bytes), but claims ${length}`)
  const json = file.subarray(8, 8 + Number(length))
  let header
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch (error) {
    throw new GlassformerError('format', `safetensors: the header is not JSON: ${/** @type {Error} */ (error).message}`)
  }
  check(header !== null && typeof header === 'object' && !Array.isArray(header), () => 'the header must be an object')
  return { header, data: file.subarray(8 + Number(length)) }
}

/** @param {unknown} value @returns {value is number} */
const isWhole = value => Number.isInteger(value) && Number(value) >= 0

/** @param {string} name @param {any} entry @param {number} size of the data in bytes */
function checkEntry(name, entry, size) {
  check(entry !== null && typeof entry === 'object', () => `${name} must be an object`)
  const { dtype, shape, data_offsets: offsets } = entry
  check(Object.hasOwn(BYTES, dtype), () => `${name} must have dtype F32, I32 or F64, got ${describe(dtype)}`)
  const isShape = Array.isArray(shape) && shape.length <= 8 && shape.every(s => isWhole(s) && s < 2 ** 31)
  check(isShape, () => `${name} must have a shape of whole numbers, got ${JSON.stringify(shape)}`)
  const isPair = Array.isArray(offsets) && offsets.length === 2 && offsets.every(isWhole)
  const [from, to] = isPair ? offsets : [1, 0]
  check(from <= to && to <= size,
    () => `${name} must lie inside the ${size} bytes of data, got ${JSON.stringify(offsets)}`)
  const bytes = sizeOf(shape) * BYTES[/** @type {'F32'} */ (dtype)]
  check(to - from === bytes, () => `${name} needs ${bytes} bytes for its shape, got ${to - from}`)
}

/** The tensors must cover the data exactly. @param {[string, any][]} entries @param {number} size */
function checkCover(entries, size) {
  let end = 0
  const places = entries.map(([name, { data_offsets: [from, to] }]) => ({ name, from, to }))
  for (const { name, from, to } of places.sort((a, b) => a.from - b.from || a.to - b.to)) {
    check(from === end, () => `${name} must start at byte ${end}, where the tensor before it ends, got ${from}`)
    end = to
  }
  check(end === size, () => `the tensors take ${end} bytes, but there are ${size}`)
}

/**
 * The tensors of a file.
 * @param {import('./engine.js').Engine} engine
 * @param {Uint8Array | ArrayBuffer} bytes
 * @returns {{ tensors: Record<string, Tensor>, metadata: Record<string, string> }}
 * @throws {GlassformerError} 'format' for anything that is not a well-formed file
 */
export function loadSafetensors(engine, bytes) {
  expect(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array, 'type',
    () => `loadSafetensors: bytes must be a Uint8Array or an ArrayBuffer, got ${describe(bytes)}`)
  const file = bytes instanceof ArrayBuffer
    ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const { header: { __metadata__: metadata = {}, ...header }, data } = readHeader(file)
  const entries = Object.entries(header)
  for (const [name, entry] of entries) checkEntry(name, entry, data.length)
  checkCover(entries, data.length)
  const tensors = entries.map(([name, { dtype, shape, data_offsets: [from, to] }]) => {
    const kind = Object.entries(DTYPES).find(([, code]) => code === dtype)?.[0]
    const tensor = engine.empty(shape, /** @type {import('./tensor.js').DType} */ (kind))
    tensor.bytes.set(data.subarray(from, to))
    return [name, tensor]
  })
  return { tensors: Object.fromEntries(tensors), metadata }
}
