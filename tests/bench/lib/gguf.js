// Files as llama.cpp reads them, GGUF of version 3: what is said of the model, then its tensors, each matrix in blocks
// of 32 neighbours of a row: a scale of 16 bits and 8 bits a weight (Q8_0).

const ALIGNMENT = 32, BLOCK = 32, BLOCK_BYTES = 34
const FLOAT32 = 0, Q8_0 = 8
const TYPES = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 }
const encoder = new TextEncoder()

/** Bytes one after the other, little-endian. */
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

  /** @param {[string, any[]]} list its type and its values */
  array([type, values]) {
    this.u32(TYPES[type])
    this.u64(values.length)
    for (const value of values) this[type](value)
  }

  align() {
    this.bytes(new Uint8Array(-this.size & (ALIGNMENT - 1)))
  }
}

/** The bits of a number between 2^-14 and 65504 as 16 bits, rounded to the nearest; 0 for less. */
function halfOf(value) {
  if (value < 2 ** -14) return 0
  const exponent = Math.floor(Math.log2(value)), mantissa = Math.round((value / 2 ** exponent - 1) * 1024)
  return (exponent + 15) * 1024 + mantissa
}

/** @param {Float32Array} values whole rows of blocks */
function q8(values) {
  const bytes = new Uint8Array(values.length / BLOCK * BLOCK_BYTES), view = new DataView(bytes.buffer)
  for (let block = 0; block * BLOCK < values.length; block++) {
    const row = values.subarray(block * BLOCK, (block + 1) * BLOCK), at = block * BLOCK_BYTES
    const scale = row.reduce((most, one) => Math.max(most, Math.abs(one)), 0) / 127
    view.setUint16(at, halfOf(scale), true)
    for (let i = 0; i < BLOCK; i++) view.setInt8(at + 2 + i, Math.round(row[i] / (scale || 1)))
  }
  return bytes
}

/**
 * @param {Record<string, [keyof typeof TYPES, any]>} said of the model
 * @param {Record<string, { shape: number[], data: Float32Array, isExact?: boolean }>} tensors isExact: in 32 bits
 * @returns {Uint8Array[]} the parts of the file
 */
export function gguf(said, tensors) {
  const out = new Writer(), list = Object.entries(tensors).map(([name, { shape, data, isExact }]) => {
    const isFloat = isExact || shape.length === 1
    const bytes = isFloat ? new Uint8Array(data.slice().buffer) : q8(data)
    return { name, shape, type: isFloat ? FLOAT32 : Q8_0, bytes }
  })
  out.bytes(encoder.encode('GGUF'))
  out.u32(3)
  out.u64(list.length)
  out.u64(Object.keys(said).length)
  for (const [key, [type, value]] of Object.entries(said)) {
    out.string(key)
    out.u32(TYPES[type])
    out[type](value)
  }
  let offset = 0
  for (const { name, shape, type, bytes } of list) {
    out.string(name)
    out.u32(shape.length)
    // The axis whose neighbours lie side by side comes first.
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
