import { describe, expect } from '../errors.js'
import { encodeInto } from './encode_into.js'
import { wellFormed } from './scan.js'
import { expectAttached } from './views.js'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * A text as a string, and its bytes, which may be no UTF-8 at all.
 * @typedef {object} Source
 * @property {string} string well-formed; U+FFFD stands for bytes that are not UTF-8
 * @property {(into: Uint8Array, from: number, to: number) => number} copy writes the bytes of units [from, to)
 * @property {(from: number, to: number) => import('./normalizers.js').Raw} [raw] the bytes of units [from, to) of a
 *   text that is not well-formed
 */

/** @param {string} string @returns {Source} */
export const sourceOfString = string =>
  ({ string, copy: (into, from, to) => encodeInto(string.slice(from, to), into) })

/** @param {Uint8Array} bytes @returns {string | undefined} */
function decodeStrictly(bytes) {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * @param {import('../kernels.js').Kernels} engine
 * @param {string} where
 * @param {unknown} text a string or a Uint8Array of UTF-8
 * @returns {Source}
 */
export function sourceOf(engine, where, text) {
  if (typeof text === 'string') return sourceOfString(wellFormed(text))
  expect(text instanceof Uint8Array, 'type',
    () => `${where}: text must be a string or a Uint8Array, got ${describe(text)}`)
  expectAttached(where, 'text', text)
  const string = decodeStrictly(text)
  return string === undefined ? sourceOfBroken(engine, text) : sourceOfString(string)
}

/** @param {import('../kernels.js').Kernels} engine @param {Uint8Array} bytes @returns {Source} */
function sourceOfBroken({ c, memory }, bytes) {
  const string = lenient.decode(bytes)
  const units = string.length
  const ends = memory.borrow(4 * units + bytes.length, address => {
    const list = memory.ints(address, units)
    for (let i = 0; i < units; i++) list[i] = i + 1
    memory.bytes(address + 4 * units, bytes.length).set(bytes)
    c.gf_byte_ends(address, units, address + 4 * units, bytes.length)
    return memory.ints(address, units).slice()
  })
  /** Where a unit begins. @param {number} unit */
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
