import {
  TOKEN_SLOT_BYTES, TOKEN_SLOTS, TEXT_DONE, TEXT_END, TEXT_NEEDS_TEXT, TEXT_START, TOKEN_OPENING_QUOTE
} from '../engine/constants.js'
import { GlassformerError } from '../errors.js'
import { decodeUtf8, encodeInto } from './utf8.js'
import { expectBytes } from './views.js'

/**
 * Length of the text passed to a kernel at once, in UTF-16 units or bytes, so that memory does not grow with the text.
 */
const WINDOW = 32768
/** Initial room for tokens, of three int32 each. */
const INITIAL_CAPACITY = 8192
/** Shorter texts are scanned without a token cache. */
const MIN_CACHED_SIZE = 4096

/**
 * Replaces lone surrogates by U+FFFD, as encoding to UTF-8 does (String.prototype.toWellFormed).
 * @param {string} text
 * @returns {string}
 */
export function toWellFormed(text) {
  return text.isWellFormed?.() ? text : text.replace(/[\ud800-\udfff]/gu, '\ufffd')
}

/**
 * A text as a string to slice tokens from, and its bytes for a kernel.
 * @typedef {object} Source
 * @property {string} string
 * @property {number} size in steps: UTF-16 units of a string, bytes of a byte array
 * @property {number} bytesPerStep the maximum number of bytes of a step
 * @property {(into: Uint8Array, from: number, steps: number) => number} copy returns the bytes written
 * @property {0 | 1} progress which of the kernel's two counts is in steps: 0 bytes, 1 UTF-16 units
 */

/** @param {string} where @param {Uint8Array} text */
function decode(where, text) {
  try {
    return decodeUtf8(text)
  } catch {
    throw new GlassformerError('text', `${where}: a text of ${text.length} bytes does not fit a string; give it in parts`)
  }
}

/** @param {string} where @param {unknown} text @returns {Source} */
function createSource(where, text) {
  if (typeof text === 'string') {
    const string = toWellFormed(text)
    /** @type {Source['copy']} */
    const copy = (into, from, steps) => encodeInto(string.slice(from, from + steps), into)
    return { string, size: string.length, bytesPerStep: 3, copy, progress: 1 }
  }
  expectBytes(where, text)
  /** @type {Source['copy']} */
  const copy = (into, from, steps) => {
    into.set(text.subarray(from, from + steps))
    return steps
  }
  const string = decode(where, text)
  return { string, size: text.length, bytesPerStep: 1, copy, progress: 0 }
}

/**
 * Slices the tokens of a window from the text.
 * @param {string[]} tokens receives them
 * @param {(string | undefined)[]} cache the token in each slot
 * @param {string} string
 * @param {number} base where the window begins
 * @param {Int32Array} spans start, end and cache slot of each token
 */
function sliceTokens(tokens, cache, string, base, spans) {
  for (let i = 0; i < spans.length; i += 3) {
    const slot = spans[i + 2]
    if (slot > 0) {
      tokens.push(/** @type {string} */ (cache[slot]))
      continue
    }
    const end = spans[i + 1]
    const token = end >= 0 ? string.slice(base + spans[i], base + end) : end === TOKEN_OPENING_QUOTE ? '``' : "''"
    if (slot < 0) cache[-slot] = token
    tokens.push(token)
  }
}

/**
 * Splits a text by a kernel that writes spans, window by window.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {'gf_whitespace' | 'gf_words'} kernel
 * @param {string} where the public function, for messages
 * @param {unknown} text a string or a Uint8Array of UTF-8
 * @param {number} [flags] GF_TEXT_... besides START and END
 * @returns {string[]}
 * @throws {GlassformerError} 'type' if the text is neither; 'memory'
 */
export function scan({ c, memory }, kernel, where, text, flags = 0) {
  const { string, size, bytesPerStep, copy, progress } = createSource(where, text)
  const cacheBytes = size < MIN_CACHED_SIZE ? 0 : TOKEN_SLOTS * TOKEN_SLOT_BYTES
  const cache = new Array(cacheBytes && TOKEN_SLOTS + 1)
  /** @type {string[]} */
  const tokens = []
  let window = Math.min(size, WINDOW)
  let capacity = Math.min(size, INITIAL_CAPACITY)
  let from = 0 // in steps
  let base = 0 // in UTF-16 units

  /**
   * Scans until the window or the room for tokens is too small; returns which.
   * @param {number} cacheAddress the kernel's memory: cache, done [3] and padding, spans [capacity,3], text
   */
  function run(cacheAddress) {
    const done = cacheAddress + cacheBytes
    const spans = done + 16
    const bytes = spans + 12 * capacity
    memory.bytes(cacheAddress, cacheBytes).fill(0)
    while (from < size) {
      const steps = Math.min(window, size - from)
      const written = copy(memory.bytes(bytes, steps * bytesPerStep), from, steps)
      const windowFlags = (from === 0 ? TEXT_START : 0) | (from + steps === size ? TEXT_END : 0)
      const count = c[kernel](spans, done, cacheBytes && cacheAddress, bytes, written, capacity, flags | windowFlags)
      sliceTokens(tokens, cache, string, base, memory.ints(spans, 3 * count))
      const counts = memory.ints(done, 3)
      if (counts[0] === 0) return counts[2]
      from += counts[progress]
      base += counts[1]
    }
    return TEXT_DONE
  }

  while (from < size) {
    const reason = memory.borrow(cacheBytes + 16 + 12 * capacity + bytesPerStep * window, run)
    if (reason === TEXT_NEEDS_TEXT) window *= 2
    else capacity *= 2
  }
  return tokens
}
