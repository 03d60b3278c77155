import { describe, expect } from '../errors.js'
import { sizeOf } from '../tensor/shape.js'
import { findBlock } from '../tensor/blocks.js'
import { BYTES } from './header.js'

/**
 * GGUF, the format of llama.cpp: a magic number, settings with their types, the tensors' names, shapes, types and
 * offsets, then their values (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Numbers are little-endian.
 *
 * @typedef {import('./header.js').Entry} Entry
 * @typedef {import('./source.js').Source} Source
 * @typedef {{ metadata: Record<string, any>, entries: Map<string, Entry> }} Gguf
 */

const MAGIC = 0x46554747
const DEFAULT_ALIGNMENT = 32
/** Bytes that are read at a time, until the header is complete. */
const CHUNK_BYTES = 2 ** 22
/** The types of tensors by number; those with blocks are in blocks.js. @type {Record<number, string>} */
const TYPES = {
  0: 'F32', 1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 6: 'Q5_0', 7: 'Q5_1', 8: 'Q8_0', 12: 'Q4_K', 13: 'Q5_K', 14: 'Q6_K',
  24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64', 30: 'BF16'
}
/** Types that the error message can name. @type {Record<number, string>} */
const UNSUPPORTED_TYPES = { 10: 'Q2_K', 11: 'Q3_K' }
const STRING = 8, ARRAY = 9
/** Deeper arrays of arrays are refused; no real file has any. */
const MAX_DEPTH = 8
/**
 * Readers of single values by type number.
 * @type {Record<number, [bytes: number, read: (view: DataView, at: number) => any]>}
 */
const SCALARS = {
  0: [1, (view, at) => view.getUint8(at)], 1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)], 3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)], 5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)], 7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))], 11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)]
}

/** The file ended, or what was read of it. */
class EndOfBytes extends Error {}

/** Reads values one after the other. */
class GgufReader {
  at = 0

  /** @param {Uint8Array} bytes @param {string} name of the file */
  constructor(bytes, name) {
    this.bytes = bytes
    this.name = name
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Moves on, and returns where the value begins. @param {number} count */
  advance(count) {
    if (this.at + count > this.bytes.length) throw new EndOfBytes()
    this.at += count
    return this.at - count
  }

  /** @param {number} type */
  scalar(type) {
    const reader = SCALARS[type]
    expect(reader !== undefined, 'format', () => `${this.name}: ${type} is no type of a setting`)
    const [bytes, read] = reader
    return read(this.view, this.advance(bytes))
  }

  string() {
    const length = this.scalar(10), from = this.advance(length)
    return new TextDecoder().decode(this.bytes.subarray(from, from + length))
  }

  /** @param {number} type @param {number} [depth] number of arrays that it is in @returns {any} */
  value(type, depth = 0) {
    if (type === STRING) return this.string()
    if (type !== ARRAY) return this.scalar(type)
    expect(depth < MAX_DEPTH, 'format', () => `${this.name}: arrays must be nested at most ${MAX_DEPTH} deep`)
    const inner = this.scalar(4), count = this.scalar(10)
    if (count > this.bytes.length - this.at) throw new EndOfBytes()
    return Array.from({ length: count }, () => this.value(inner, depth + 1))
  }
}

/**
 * The names, shapes and types of the tensors, with offsets from the start of the values.
 * @param {GgufReader} reader @param {number} count
 */
function readTensorInfos(reader, count) {
  return Array.from({ length: count }, () => {
    const name = reader.string(), rank = reader.scalar(4)
    expect(rank <= 4, 'format', () => `${reader.name}: ${name} must have at most 4 axes, got ${rank}`)
    const shape = Array.from({ length: rank }, () => reader.scalar(10)).reverse(), type = reader.scalar(4)
    expect(Object.hasOwn(TYPES, type), 'format', () => `${reader.name}: ${name} has values of type ${UNSUPPORTED_TYPES[type] ?? type}, which is not ` +
      `supported; supported are ${Object.values(TYPES).join(', ')}`)
    return { name, shape, dtype: TYPES[type], offset: reader.scalar(10) }
  })
}

/** @param {GgufReader} reader @param {number} count */
function readMetadata(reader, count) {
  /** @type {Map<string, any>} */ const metadata = new Map()
  for (let i = 0; i < count; i++) {
    const key = reader.string(), isNew = !metadata.has(key)
    expect(isNew, 'format', () => `${reader.name}: ${key} is in the file twice`)
    metadata.set(key, reader.value(reader.scalar(4)))
  }
  return Object.fromEntries(metadata)
}

/** @param {unknown} value */
const isPowerOfTwo = value => typeof value === 'number' && value >= 1 && 2 ** Math.round(Math.log2(value)) === value

/**
 * Every tensor must have a name and bytes of its own.
 * @param {string} file @param {readonly [string, Entry][]} entries
 */
function checkOverlap(file, entries) {
  const names = new Set()
  for (const [name] of entries) {
    expect(!names.has(name), 'format', () => `${file}: ${name} is in the file twice`)
    names.add(name)
  }
  const sorted = [...entries].sort(([, a], [, b]) => a.from - b.from || a.to - b.to)
  sorted.forEach(([name, { from }], i) => {
    const [before, { to: end }] = sorted[Math.max(0, i - 1)]
    expect(i === 0 || from >= end, 'format', () => `${file}: ${name} must start at or after byte ${end}, where ${before} ends, got ${from}`)
  })
}

/** @param {Uint8Array} bytes @param {Source} source @returns {Gguf} @throws {EndOfBytes} if there is more to read */
function parseHeader(bytes, { name: file, size, ...source }) {
  const reader = new GgufReader(bytes, file), magic = reader.scalar(4), version = reader.scalar(4)
  expect(magic === MAGIC, 'format', () => `${file} must be a GGUF file and begin with "GGUF"`)
  expect(version === 2 || version === 3, 'format', () => `${file}: version ${version} of GGUF is not supported; expected 2 or 3`)
  const count = reader.scalar(10), settings = reader.scalar(10)
  expect(count < 2 ** 20 && settings < 2 ** 20, 'format', () => `${file}: ${count} tensors and ${settings} settings are too many`)
  const metadata = readMetadata(reader, settings), infos = readTensorInfos(reader, count)
  const alignment = metadata['general.alignment'] ?? DEFAULT_ALIGNMENT
  expect(isPowerOfTwo(alignment), 'format', () => `${file}: general.alignment must be a power of two, got ${describe(alignment)}`)
  const start = Math.ceil(reader.at / alignment) * alignment
  const entries = infos.map(({ name, shape, dtype, offset }) => {
    const { values, bytes: blockBytes } = findBlock(dtype) ?? { values: 1, bytes: BYTES[dtype] }, n = sizeOf(shape)
    expect(n % values === 0 && (shape.at(-1) ?? 1) % values === 0, 'format',
      () => `${file}: the rows of ${name} must be whole blocks of ${values} values, got ${shape.at(-1)}`)
    expect(offset % alignment === 0, 'format', () => `${file}: ${name} must start at a multiple of ${alignment} bytes after ` +
      `the header, got ${offset}`)
    const from = start + offset, to = from + n / values * blockBytes
    expect(to <= size, 'format', () => `${file}: ${name} must end at byte ${to}, and the file has ${size}; is the download incomplete?`)
    return /** @type {[string, Entry]} */ ([name, { source: { name: file, size, ...source }, dtype, shape, from, to }])
  })
  checkOverlap(file, entries)
  return { metadata, entries: new Map(entries) }
}

/** Whether a file begins as a GGUF file does. @param {Source} source @returns {Generator<any, boolean, any>} */
export function* isGguf(source) {
  const head = yield source.read(0, Math.min(4, source.size))
  return head.length === 4 && new DataView(head.buffer, head.byteOffset).getUint32(0, true) === MAGIC
}

/**
 * Reads the settings and the tensors' positions; no value is read yet.
 * @param {Source} source
 * @returns {Generator<any, Gguf, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' for any other file
 */
export function* readGguf(source) {
  for (let size = Math.min(CHUNK_BYTES, source.size); ; size = Math.min(4 * size, source.size)) {
    const bytes = yield source.read(0, size)
    try {
      return parseHeader(bytes, source)
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw error
      expect(size < source.size, 'format', () => `${source.name}: the file ends inside its header; is the download incomplete?`)
    }
  }
}
