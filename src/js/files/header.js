import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { sizeOf } from '../tensor/shape.js'
import { detectSourceFormat, detectNonWeights } from './format.js'
import { parseObject } from './json.js'

/**
 * The position, dtype and shape of a tensor in a file.
 * @typedef {object} Entry
 * @property {import('./source.js').Source} source
 * @property {string} dtype as the file names it: 'F32', 'BF16' ...
 * @property {readonly number[]} shape
 * @property {number} from first byte in the file
 * @property {number} to the byte after the last
 *
 * @typedef {{ entries: Map<string, Entry>, metadata: Record<string, string> }} Header
 */

/** Bytes per value of every supported dtype. @type {Record<string, number>} */
export const BYTES = {
  F64: 8, F32: 4, F16: 2, BF16: 2, F8_E4M3: 1, F8_E5M2: 1,
  I64: 8, I32: 4, I16: 2, I8: 1, U64: 8, U32: 4, U16: 2, U8: 1, BOOL: 1
}
/** Longer headers are refused; no real model has one. */
const MAX_HEADER_BYTES = 100_000_000
const MAX_AXES = 8

/** @param {boolean} condition @param {() => string} message @returns {asserts condition} */
const check = (condition, message) => expect(condition, 'format', () => `safetensors: ${message()}`)

/** @param {unknown} value @returns {value is number} */
const isCount = value => Number.isSafeInteger(value) && Number(value) >= 0

/** @param {string} name @param {any} entry @param {number} size of the data in bytes */
function checkEntry(name, entry, size) {
  check(isPlain(entry), () => `${name} must be an object, got ${describe(entry)}`)
  const { dtype, shape, data_offsets: offsets } = /** @type {any} */ (entry)
  check(typeof dtype === 'string' && Object.hasOwn(BYTES, dtype),
    () => `${name} must have a dtype of ${Object.keys(BYTES).join(', ')}, got ${describe(dtype)}`)
  const isShape = Array.isArray(shape) && shape.length <= MAX_AXES && shape.every(s => isCount(s) && s < 2 ** 31)
  check(isShape, () => `${name} must have a shape of at most ${MAX_AXES} integers, got ${JSON.stringify(shape)}`)
  const isPair = Array.isArray(offsets) && offsets.length === 2 && offsets.every(isCount)
  const [from, to] = isPair ? offsets : [1, 0]
  check(from <= to && to <= size,
    () => `${name} must be inside the ${size} bytes of data, got ${JSON.stringify(offsets)}${from <= to
      ? '; is the download incomplete?' : ''}`)
  const bytes = sizeOf(shape) * BYTES[dtype]
  check(to - from === bytes, () => `${name} needs ${bytes} bytes for its shape, got ${to - from}`)
}

/** The tensors must cover the data exactly. @param {[string, any][]} entries @param {number} size */
function checkCover(entries, size) {
  let end = 0
  const ranges = entries.map(([name, { data_offsets: [from, to] }]) => ({ name, from, to }))
  for (const { name, from, to } of ranges.sort((a, b) => a.from - b.from || a.to - b.to)) {
    check(from === end, () => `${name} must start at byte ${end}, where the tensor before it ends, got ${from}`)
    end = to
  }
  check(end === size, () => `the tensors take ${end} bytes, but there are ${size}`)
}

/** @param {unknown} metadata */
function checkMetadata(metadata) {
  const areStrings = isPlain(metadata) && Object.values(metadata).every(value => typeof value === 'string')
  check(areStrings, () => `__metadata__ must be an object of strings, got ${JSON.stringify(metadata)}`)
}

/** @param {Uint8Array} bytes */
function headerText(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new GlassformerError('format',
      `safetensors: the header is not UTF-8: ${/** @type {Error} */ (error).message}`)
  }
}

/**
 * Reads the header of a safetensors file. The format: 8 bytes with the length of a JSON header, the header with dtype,
 * shape and offsets of every tensor, then the values, little-endian and without gaps. Everything is checked before it
 * is used; no value is read yet.
 * @param {import('./source.js').Source} source
 * @returns {Generator<any, Header, any>}
 * @throws {GlassformerError} 'format' for a malformed file
 */
export function* readHeader(source) {
  const head = source.size < 8 ? null : /** @type {Uint8Array} */ (yield source.read(0, 8))
  const length = head ? new DataView(head.buffer, head.byteOffset).getBigUint64(0, true) : 0n
  const max = Math.min(MAX_HEADER_BYTES, source.size - 8)
  const otherFormat = head && length > max ? yield* detectSourceFormat(source, detectNonWeights) : null
  check(source.size >= 8, () => `expected a file of at least 8 bytes, got ${source.size}${source.size ? '' : ': it is empty'}`)
  check(length <= max, () => `the header must fit into the file (${max} bytes), but ${otherFormat
    ? `the file ${otherFormat}` : `claims ${length}`}`)
  const start = 8 + Number(length)
  const header = parseObject('safetensors: the header', headerText(yield source.read(8, start)))
  const { __metadata__: metadata = {}, ...rest } = header, list = Object.entries(rest), size = source.size - start
  checkMetadata(metadata)
  for (const [name, entry] of list) checkEntry(name, entry, size)
  checkCover(list, size)
  const entries = list.map(([name, { dtype, shape, data_offsets: [from, to] }]) =>
    /** @type {[string, Entry]} */ ([name, { source, dtype, shape, from: start + from, to: start + to }]))
  return { entries: new Map(entries), metadata }
}
