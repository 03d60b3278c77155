import { toWellFormed } from './scan.js'
import { decodeUtf8, decodeValidUtf8, encodeInto } from './utf8.js'
import { expectBytes } from './views.js'

/**
 * A text as a string, and its bytes, which may be invalid UTF-8.
 * @typedef {object} Source
 * @property {string} string well-formed; invalid bytes are U+FFFD
 * @property {(into: Uint8Array, from: number, to: number) => number} copy writes the bytes of units [from, to)
 * @property {(from: number, to: number) => import('./normalizers.js').Raw} [raw] the bytes of units [from, to), if the
 *   text is invalid UTF-8
 */

/** @param {string} string @returns {Source} */
export const stringSource = string =>
  ({ string, copy: (into, from, to) => encodeInto(string.slice(from, to), into) })

/**
 * Creates the source of a text.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string} where
 * @param {unknown} text a string or a Uint8Array of UTF-8
 * @returns {Source}
 */
export function createSource(engine, where, text) {
  if (typeof text === 'string') return stringSource(toWellFormed(text))
  expectBytes(where, text)
  const string = decodeValidUtf8(text)
  return string === undefined ? invalidSource(engine, text) : stringSource(string)
}

/** @param {import('../engine/kernels.js').Kernels} engine @param {Uint8Array} bytes @returns {Source} */
function invalidSource({ c, memory }, bytes) {
  const string = decodeUtf8(bytes)
  const units = string.length
  const ends = memory.borrow(4 * units + bytes.length, address => {
    const list = memory.ints(address, units)
    for (let i = 0; i < units; i++) list[i] = i + 1
    memory.bytes(address + 4 * units, bytes.length).set(bytes)
    c.gf_byte_ends(address, units, address + 4 * units, bytes.length)
    return memory.ints(address, units).slice()
  })
  /** The first byte of a unit. @param {number} unit */
  const byteAt = unit => ends[unit - 1] ?? 0
  /** @type {Source['copy']} */
  const copy = (into, from, to) => {
    const part = bytes.subarray(byteAt(from), byteAt(to))
    into.set(part)
    return part.length
  }
  /** @param {number} from @param {number} to */
  const raw = (from, to) => {
    const start = byteAt(from), part = bytes.subarray(start, byteAt(to))
    const units = new Int32Array(part.length + 1).fill(to - from)
    for (let i = to - 1; i >= from; i--) units.fill(i - from, byteAt(i) - start, byteAt(i + 1) - start)
    return { bytes: part, units }
  }
  return { string, copy, raw }
}
