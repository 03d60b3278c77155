// Writes GGUF files (version 3), which llama.cpp reads: metadata of the model, then its tensors. Matrices of float32
// become Q8_0: every 32 adjacent weights of a row share a float16 scale and have 8 bits each.

const ALIGNMENT = 32, BLOCK = 32, BLOCK_BYTES = 34
/** The numbers of GGUF's types. */
const FLOAT32 = 0, Q4_0 = 2, Q8_0 = 8, Q4_K = 12
const TYPES = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 }
const encoder = new TextEncoder()

/** Collects little-endian values. */
class Writer {
  parts = []
  size = 0

  /** @param {Uint8Array} part */
  bytes(part) {
    this.parts.push(part)
    this.size += part.length
  }

  #number(bytes, set) {
    const view = new DataView(new ArrayBuffer(bytes))
    set(view)
    this.bytes(new Uint8Array(view.buffer))
  }

  u32(value) {
    this.#number(4, view => view.setUint32(0, value, true))
  }

  i32(value) {
    this.#number(4, view => view.setInt32(0, value, true))
  }

  f32(value) {
    this.#number(4, view => view.setFloat32(0, value, true))
  }

  u64(value) {
    this.#number(8, view => view.setBigUint64(0, BigInt(value), true))
  }

  string(text) {
    const bytes = encoder.encode(text)
    this.u64(bytes.length)
    this.bytes(bytes)
  }

  /** @param {[string, any[]]} array the type of its values, and the values */
  array([type, values]) {
    this.u32(TYPES[type])
    this.u64(values.length)
    for (const value of values) this[type](value)
  }

  align() {
    this.bytes(new Uint8Array(-this.size & (ALIGNMENT - 1)))
  }
}

/** The bits of the nearest float16 of a number from 0 to 65504. */
function toFloat16(value) {
  if (value < 2 ** -14) return Math.round(value * 2 ** 24)
  const exponent = Math.floor(Math.log2(value)), mantissa = Math.round((value / 2 ** exponent - 1) * 1024)
  return (exponent + 15) * 1024 + mantissa
}

/** The floats at the start of random blocks, which give weights a standard deviation of about 0.02, and their size. */
const RANDOM_BLOCKS = {
  q8_0: { type: Q8_0, size: 34, weights: 32, floats: [2.7e-4] },
  q4_0: { type: Q4_0, size: 18, weights: 32, floats: [4.3e-3] },
  q4_k: { type: Q4_K, size: 144, weights: 256, floats: [1e-4, 7.5e-4] }
}

/**
 * A matrix of random blocks, always the same.
 * @param {keyof typeof RANDOM_BLOCKS} dtype @param {number} rows @param {number} columns whole blocks
 */
export function randomBlocks(dtype, rows, columns) {
  const { type, size, weights, floats } = RANDOM_BLOCKS[dtype], bytes = new Uint8Array(rows * columns / weights * size)
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2), view = new DataView(bytes.buffer)
  for (let i = 0, state = 0x9e3779b9 ^ rows; i < words.length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[i] = state
  }
  for (let at = 0; at < bytes.length; at += size) {
    floats.forEach((value, i) => view.setUint16(at + 2 * i, toFloat16(value), true))
  }
  return { shape: [rows, columns], type, bytes }
}

/** @param {Float32Array} values a multiple of BLOCK */
function quantizeQ8(values) {
  const bytes = new Uint8Array(values.length / BLOCK * BLOCK_BYTES), view = new DataView(bytes.buffer)
  for (let block = 0; block * BLOCK < values.length; block++) {
    const row = values.subarray(block * BLOCK, (block + 1) * BLOCK), at = block * BLOCK_BYTES
    const scale = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / 127
    view.setUint16(at, toFloat16(scale), true)
    for (let i = 0; i < BLOCK; i++) view.setInt8(at + 2 + i, Math.round(row[i] / (scale || 1)))
  }
  return bytes
}

/**
 * Serializes a model.
 * @param {Record<string, [keyof typeof TYPES, any]>} metadata types and values by key
 * @param {Record<string, { shape: number[], data?: Float32Array, isFloat32?: boolean, type?: number, bytes?: Uint8Array
 *   }>} tensors isFloat32: stored as float32; type, bytes: already in blocks
 * @returns {Uint8Array[]} the chunks of the file
 */
export function gguf(metadata, tensors) {
  const out = new Writer(), list = Object.entries(tensors).map(([name, { shape, data, isFloat32, ...blocks }]) => {
    if (blocks.bytes) return { name, shape, ...blocks }
    const isFloat = isFloat32 || shape.length === 1
    const bytes = isFloat ? new Uint8Array(data.slice().buffer) : quantizeQ8(data)
    return { name, shape, type: isFloat ? FLOAT32 : Q8_0, bytes }
  })
  out.bytes(encoder.encode('GGUF'))
  out.u32(3)
  out.u64(list.length)
  out.u64(Object.keys(metadata).length)
  for (const [key, [type, value]] of Object.entries(metadata)) {
    out.string(key)
    out.u32(TYPES[type])
    out[type](value)
  }
  let offset = 0
  for (const { name, shape, type, bytes } of list) {
    out.string(name)
    out.u32(shape.length)
    // GGUF lists the contiguous axis first.
    for (const side of shape.toReversed()) out.u64(side)
    out.u32(type)
    out.u64(offset)
    offset += Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT
  }
  out.align()
  for (const { bytes } of list) {
    out.bytes(bytes)
    out.align()
  }
  return out.parts
}
