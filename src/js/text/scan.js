import {
  TEXT_DONE, TEXT_END, TEXT_NEEDS_TEXT, TEXT_START, TOKEN_OPENING_QUOTE, TOKEN_SLOTS, TOKEN_SLOT_BYTES
} from '../constants.js'
import { GlassformerError, describe, expect } from '../errors.js'
import { encodeInto } from './encode_into.js'
import { expectAttached } from './views.js'

/** Text given at once to a kernel, in UTF-16 units or bytes, so that memory does not grow with the length of a text. */
const WINDOW = 32768
/** Room for tokens at first. A token is three int32. */
const ROOM = 8192
/** Shorter texts do without places for tokens to be used again. */
const WORTH_PLACES = 4096

/**
 * The same string with U+FFFD in place of lone surrogates, as it is after a trip through UTF-8.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
  return text.isWellFormed?.() ? text : text.replace(/[\ud800-\udfff]/gu, '\ufffd')
}

/**
 * Text as a string to cut tokens from, and how to copy a part of it to a kernel.
 * @typedef {object} Source
 * @property {string} string
 * @property {number} size in steps: the units that windows are measured in
 * @property {number} bytesPerStep at most
 * @property {(into: Uint8Array, from: number, steps: number) => number} copy returns the bytes written
 * @property {0 | 1} progress which of the kernel's two counts is in steps: 0 bytes, 1 UTF-16 units
 */

/** @param {string} where @param {Uint8Array} text */
function decode(where, text) {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)
  } catch {
    throw new GlassformerError('text', `${where}: a text of ${text.length} bytes does not fit a string; give it in parts`)
  }
}

/** @param {string} where @param {unknown} text @returns {Source} */
function source(where, text) {
  if (typeof text === 'string') {
    const string = wellFormed(text)
    /** @type {Source['copy']} */
    const copy = (into, from, steps) => encodeInto(string.slice(from, from + steps), into)
    return { string, size: string.length, bytesPerStep: 3, copy, progress: 1 }
  }
  expect(text instanceof Uint8Array, 'type',
    () => `${where}: text must be a string or a Uint8Array, got ${describe(text)}`)
  expectAttached(where, 'text', text)
  /** @type {Source['copy']} */
  const copy = (into, from, steps) => {
    into.set(text.subarray(from, from + steps))
    return steps
  }
  const string = decode(where, text)
  return { string, size: text.length, bytesPerStep: 1, copy, progress: 0 }
}

/**
 * Cuts the tokens of one window out of the text.
 * @param {string[]} tokens receives them
 * @param {(string | undefined)[]} recent the token in each place
 * @param {string} string
 * @param {number} base where the window begins
 * @param {Int32Array} spans start, end and place of each token
 */
function cut(tokens, recent, string, base, spans) {
  for (let i = 0; i < spans.length; i += 3) {
    const place = spans[i + 2]
    if (place > 0) {
      tokens.push(/** @type {string} */ (recent[place]))
      continue
    }
    const end = spans[i + 1]
    const token = end >= 0 ? string.slice(base + spans[i], base + end) : end === TOKEN_OPENING_QUOTE ? '``' : "''"
    if (place < 0) recent[-place] = token
    tokens.push(token)
  }
}

/**
 * Runs a kernel that writes spans over a text, window by window, and cuts the tokens out.
 * @param {import('../kernels.js').Kernels} engine
 * @param {'gf_whitespace' | 'gf_words'} kernel
 * @param {string} where the public function, for messages
 * @param {unknown} text a string or a Uint8Array of UTF-8
 * @param {number} [flags] GF_TEXT_... besides START and END
 * @returns {string[]}
 * @throws {GlassformerError} 'type' when the text is something else, 'memory'
 */
export function scan({ c, memory }, kernel, where, text, flags = 0) {
  const { string, size, bytesPerStep, copy, progress } = source(where, text)
  const placeBytes = size < WORTH_PLACES ? 0 : TOKEN_SLOTS * TOKEN_SLOT_BYTES
  const recent = new Array(placeBytes && TOKEN_SLOTS + 1)
  /** @type {string[]} */
  const tokens = []
  let window = Math.min(size, WINDOW)
  let room = Math.min(size, ROOM)
  let from = 0 // in steps
  let base = 0 // in UTF-16 units

  /**
   * Goes on while the sizes suffice; says what is lacking if they do not.
   * @param {number} places the kernel's memory: places, done [3] and a word of padding, spans [room,3], text
   */
  function run(places) {
    const done = places + placeBytes
    const spans = done + 16
    const bytes = spans + 12 * room
    memory.bytes(places, placeBytes).fill(0)
    while (from < size) {
      const steps = Math.min(window, size - from)
      const written = copy(memory.bytes(bytes, steps * bytesPerStep), from, steps)
      const ends = (from === 0 ? TEXT_START : 0) | (from + steps === size ? TEXT_END : 0)
      const count = c[kernel](spans, done, placeBytes && places, bytes, written, room, flags | ends)
      cut(tokens, recent, string, base, memory.ints(spans, 3 * count))
      const counts = memory.ints(done, 3)
      if (counts[0] === 0) return counts[2]
      from += counts[progress]
      base += counts[1]
    }
    return TEXT_DONE
  }

  while (from < size) {
    const lacking = memory.borrow(placeBytes + 16 + 12 * room + bytesPerStep * window, run)
    if (lacking === TEXT_NEEDS_TEXT) window *= 2
    else room *= 2
  }
  return tokens
}
