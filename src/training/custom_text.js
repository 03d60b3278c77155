/** The reader's own text: validation before a training starts, and a hash that identifies it. */

/** @import { Problem } from './types.d.ts' */

/** The maximum size of a text: a larger one takes longer to read than to learn from. */
export const MAX_BYTES = 5 * 2 ** 20
/** More different characters than this call for byte pairs. */
const MAX_CHARACTERS = 3000
/** The minimum length of a text, in windows. */
const MIN_WINDOWS = 4

/** @param {number} bytes */
const formatMegabytes = bytes => (bytes / 2 ** 20).toFixed(1)
/** @param {number} bytes */
const sizeProblemOf = bytes => ({
  key: 'theatre.errors.large', values: { megabytes: formatMegabytes(bytes), most: String(MAX_BYTES / 2 ** 20) }
})

/** The problem with the size of a file before it is read. @param {number} bytes */
export const sizeProblem = bytes => (bytes > MAX_BYTES ? sizeProblemOf(bytes) : null)

/**
 * The problem of a text, as the key of a text and its values, or null.
 * @param {string} text @param {{ length: number, unit: string }} settings
 */
export function textProblem(text, { length, unit }) {
  if (text.trim() === '') return { key: 'theatre.errors.empty', values: {} }
  const bytes = text.length > MAX_BYTES ? text.length : new TextEncoder().encode(text).length
  if (bytes > MAX_BYTES) return sizeProblemOf(bytes)
  const characterCount = new Set(text).size
  if (characterCount < 2) return { key: 'theatre.errors.oneSign', values: {} }
  const count = Array.from(text).length, minLength = MIN_WINDOWS * (length + 1)
  if (count < minLength) return { key: 'theatre.errors.short', values: { count: String(count), need: String(minLength) } }
  if (unit === 'characters' && characterCount > MAX_CHARACTERS) {
    return { key: 'theatre.errors.manySigns', values: { signs: String(characterCount), most: String(MAX_CHARACTERS) } }
  }
  return null
}

/**
 * Decodes the text of a file.
 * @param {ArrayBuffer | Uint8Array} bytes
 * @returns {{ text: string } | { problem: Problem }}
 */
export function decodeText(bytes) {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: { key: 'theatre.errors.utf8', values: {} } }
  }
}

/** FNV-1a over a sequence of numbers. @param {number} count @param {(i: number) => number} at */
function hash(count, at) {
  let mark = 0x811c9dc5
  for (let i = 0; i < count; i++) mark = Math.imul(mark ^ at(i), 0x01000193)
  return (mark >>> 0).toString(36)
}

/** A hash that represents a text in a link. @param {string | undefined} text */
export const hashText = text => (text === undefined ? '' : hash(text.length, i => text.charCodeAt(i)))

/** A hash of a file. @param {Uint8Array} bytes */
export const hashBytes = bytes => hash(bytes.length, i => bytes[i])
