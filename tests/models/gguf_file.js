// Writes GGUF files: settings with types, tensors of any kind, as llama.cpp's converters write them.
import { blockFormats } from '../../src/reference/blocks.js'

const TYPES = { F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q5_0: 6, Q5_1: 7, Q8_0: 8, Q4_K: 12, Q5_K: 13, Q6_K: 14, BF16: 30 }

/** Bytes that grow. */
class Writer {
  /** @type {number[]} */ bytes = []

  push(...bytes) {
    for (const byte of bytes) this.bytes.push(byte)
  }

  number(size, method, value) {
    const view = new DataView(new ArrayBuffer(size))
    view[method](0, value, true)
    this.push(...new Uint8Array(view.buffer))
  }

  u32(value) {
    this.number(4, 'setUint32', value)
  }

  u64(value) {
    this.number(8, 'setBigUint64', BigInt(value))
  }

  string(text) {
    const bytes = new TextEncoder().encode(text)
    this.u64(bytes.length)
    this.push(...bytes)
  }

  /**
   * A value with its type; numbers are unsigned integers or, with a fraction or wrapped in an array, floats. A function
   * writes another type itself.
   */
  setting(value, isFloat = typeof value === 'number' && !Number.isInteger(value)) {
    if (typeof value === 'function') return value(this)
    if (typeof value === 'string') return this.u32(8), this.string(value)
    if (typeof value === 'boolean') return this.u32(7), this.push(Number(value))
    if (typeof value === 'number') return this.u32(isFloat ? 6 : 4), isFloat ? this.number(4, 'setFloat32', value) : this.u32(value)
    this.u32(9)
    const isText = typeof value[0] === 'string', type = isText ? 8 : value.every(Number.isInteger) ? 5 : 6
    this.u32(type)
    this.u64(value.length)
    for (const item of value) {
      if (isText) this.string(item)
      else this.number(4, type === 5 ? 'setInt32' : 'setFloat32', item)
    }
  }
}

/**
 * @typedef {{ shape: number[], type: string | number, bytes: Uint8Array, offset?: number }} Stored offset: another one
 * than after the tensor before it
 */

/**
 * The bytes of a file. A list of entries may have a name twice.
 * @param {Record<string, any> | [string, any][]} metadata
 * @param {Record<string, Stored> | [string, Stored][]} tensors
 * @param {{ version?: number, alignment?: number }} [options]
 */
export function writeGguf(metadata, tensors, { version = 3, alignment = 32 } = {}) {
  const entriesOf = (/** @type {any} */ all) => (Array.isArray(all) ? all : Object.entries(all))
  const writer = new Writer(), list = entriesOf(tensors)
  const settings = entriesOf(metadata).filter(([, value]) => value !== undefined)
  const aligned = (/** @type {number} */ at) => Math.ceil(at / alignment) * alignment
  writer.u32(0x46554747)
  writer.u32(version)
  writer.u64(list.length)
  writer.u64(settings.length)
  for (const [key, value] of settings) {
    writer.string(key)
    writer.setting(value, /(epsilon|freq_base|softcapping|scale|factor)$/.test(key))
  }
  let offset = 0
  for (const [name, { shape, type, bytes, offset: own = offset }] of list) {
    writer.string(name)
    writer.u32(shape.length)
    for (const side of [...shape].reverse()) writer.u64(side)
    writer.u32(TYPES[type] ?? type)
    writer.u64(own)
    offset += aligned(bytes.length)
  }
  const start = aligned(writer.bytes.length), last = list.at(-1)?.[1].bytes.length ?? 0
  const file = new Uint8Array(list.length ? start + offset - aligned(last) + last : writer.bytes.length)
  file.set(writer.bytes)
  let at = start
  for (const [, { bytes }] of list) {
    file.set(bytes, at)
    at += aligned(bytes.length)
  }
  return file
}

/** A tensor of float32. @param {number[]} shape @param {Float32Array} values */
export const floats = (shape, values) => ({ shape, type: 'F32', bytes: new Uint8Array(values.slice().buffer) })

/** Random bytes that stay the same. */
export function randomBytes(count, seed) {
  let state = seed
  return Uint8Array.from({ length: count }, () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) >>> 24)
}

/**
 * A tensor of random blocks.
 * @param {string} type @param {number[]} shape
 * @param {{ seed?: number, isForModel?: boolean }} [options] isForModel: whether the values are as small as weights;
 *   default: any finite ones
 */
export function randomBlocks(type, shape, { seed = blockFormats[type].bytes, isForModel = false } = {}) {
  const { values, bytes: size, halves } = blockFormats[type], count = shape.reduce((a, b) => a * b) / values
  const bytes = randomBytes(size * count, seed)
  // Bits of the high byte of a scale: those that stay random in a model, and its exponent.
  const [random, set] = type === 'Q6_K' ? [0x80, 0] : [0x83, type === 'Q8_0' || values === 256 ? 0x04 : 0x14]
  for (let b = 0; b < count; b++) for (const at of halves) {
    const high = b * size + at + 1
    bytes[high] = isForModel ? bytes[high] & random | set : bytes[high] & 0xbb
  }
  return { shape, type, bytes }
}

/** The sizes of the model of `fileOf`. */
export const SIZES = { C: 256, V: 24, F: 512, HEADS: 4, KV_HEADS: 2 }
const ones = shape => floats(shape, new Float32Array(shape.reduce((a, b) => a * b)).fill(1))

/**
 * The file of a model with one layer. typeOf: the type of a tensor by its name; shapes: other tensors than Llama's.
 */
export function fileOf(typeOf, { settings = {}, architecture = 'llama', without = [], shapes = {} } = {}) {
  const { C, V, F, HEADS, KV_HEADS } = SIZES, kv = C / HEADS * KV_HEADS, all = {
    'token_embd': [V, C], 'output_norm': [C], 'blk.0.attn_norm': [C], 'blk.0.ffn_norm': [C], 'blk.0.attn_q': [C, C], 'blk.0.attn_k': [kv, C],
    'blk.0.attn_v': [kv, C], 'blk.0.attn_output': [C, C], 'blk.0.ffn_gate': [F, C], 'blk.0.ffn_up': [F, C], 'blk.0.ffn_down': [C, F], ...shapes
  }
  const tensors = Object.entries(all).filter(([name]) => !without.includes(name)).map(([name, shape], seed) => {
    const type = shape.length === 1 ? 'F32' : typeOf(name)
    const tensor = type !== 'F32' ? randomBlocks(type, shape, { seed: seed + 5, isForModel: true }) : shape.length === 1 ? ones(shape)
      : floats(shape, Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i * 7 + seed) / 16))
    return [name.endsWith('.bias') ? name : `${name}.weight`, tensor]
  })
  const named = {
    'embedding_length': C, 'block_count': 1, 'feed_forward_length': F, 'context_length': 64, 'attention.head_count': HEADS,
    'attention.head_count_kv': KV_HEADS, 'attention.layer_norm_rms_epsilon': 1e-5, ...settings
  }
  const metadata = Object.fromEntries(Object.entries(named).map(([key, value]) => [`${architecture}.${key}`, value]))
  return writeGguf({ 'general.architecture': architecture, ...metadata }, Object.fromEntries(tensors))
}
