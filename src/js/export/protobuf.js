/**
 * Writes Protocol Buffers. A message is a list of chunks, so that weights are copied only once, at the end.
 * @typedef {Uint8Array[]} Chunks
 */

const VARINT = 0, BYTES = 2, FIXED32 = 5
const text = new TextEncoder()

/** @param {number} value an integer, possibly negative */
function varint(value) {
  const bytes = []
  for (let remaining = BigInt.asUintN(64, BigInt(value)); ; remaining >>= 7n) {
    const low = Number(remaining & 127n)
    if (remaining < 128n) return Uint8Array.from([...bytes, low])
    bytes.push(low | 128)
  }
}

/** @param {number} field @param {number} wire */
const tag = (field, wire) => varint((field << 3) | wire)
/** @param {Chunks} chunks */
const lengthOf = chunks => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
/** @param {number} field @param {number} value @returns {Chunks} */
export const int = (field, value) => [tag(field, VARINT), varint(value)]
/** @param {number} field @param {Chunks} chunks @returns {Chunks} */
export const message = (field, chunks) => [tag(field, BYTES), varint(lengthOf(chunks)), ...chunks]
/** @param {number} field @param {string} value */
export const string = (field, value) => message(field, [text.encode(value)])

/** @param {number} field @param {number} value in float32 @returns {Chunks} */
export function float(field, value) {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value, true)
  return [tag(field, FIXED32), bytes]
}

/** @param {Chunks} chunks */
export function concatenate(chunks) {
  const all = new Uint8Array(lengthOf(chunks))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
