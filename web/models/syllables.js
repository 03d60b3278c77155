/** The tokens that contain the Hangul syllables of a text, and which of their bytes. */

/** @import { Tokenized } from '../../src/training/models/text/vocabulary.js' */
/** @import { Hangul, Syllable } from '../types.d.ts' */

/**
 * A tokenizer, with its tokens as displayed and their bytes, if they have some.
 * @typedef {object} TokenView
 * @property {(text: string) => Tokenized} tokenize
 * @property {(id: number) => string} display
 * @property {(id: number) => Uint8Array} [bytesOf]
 * @property {number} [longest] the maximum number of tokens that are read
 */

/** The example for texts without Hangul. */
const EXAMPLE = '한글'
const utf8 = new TextEncoder()

/**
 * The byte range of a syllable in each token; null where tokens do not contain its bytes.
 * @param {Uint8Array} bytes of the syllable @param {Uint8Array[]} parts of the surrounding tokens
 * @returns {[number, number][] | null}
 */
function byteRangesOf(bytes, parts) {
  const all = parts.flatMap(part => [...part]), inner = parts.slice(1, -1).reduce((sum, part) => sum + part.length, 0)
  // It starts in the first token and ends in the last.
  const [first, last] = [parts[0].length, parts.length > 1 ? parts[0].length + inner : 0]
  const start = all.findIndex((_, i) => (
    i < first && i + bytes.length > last && bytes.every((byte, k) => all[i + k] === byte)))
  if (start < 0) return null
  let at = 0
  return parts.map(part => {
    const from = Math.max(0, at - start)
    at += part.length
    return [from, Math.min(bytes.length, at - start)]
  })
}

/** @param {string} text @param {TokenView} spelling @returns {Syllable[]} */
function syllablesIn(text, { tokenize, display, bytesOf, longest = Infinity }) {
  const { ids, offsets } = tokenize(text)
  const read = ids.slice(0, longest)
  return Array.from(text.matchAll(/[가-힣]/gu), ({ 0: syllable, index: at }) => {
    const inside = read.map((id, i) => ({ id, i })).filter(({ i }) => offsets[i][0] <= at && at < offsets[i][1])
    const parts = bytesOf && inside.map(({ id }) => bytesOf(id))
    const ranges = parts?.length ? byteRangesOf(utf8.encode(syllable), parts) : null
    return { syllable, pieces: inside.map(({ id }, k) => ({ token: display(id), id, range: ranges?.[k] ?? null })) }
  }).filter(({ pieces }) => pieces.length > 0)
}

/**
 * The syllables of a text with their tokens; of a text without Hangul those of an example, if the tokenizer can read
 * it, else undefined.
 * @param {string} text @param {TokenView} spelling @returns {Hangul | undefined}
 */
export function hangulOf(text, spelling) {
  const syllables = syllablesIn(text, spelling)
  if (syllables.length) return { isExample: false, syllables }
  const example = syllablesIn(EXAMPLE, spelling)
  return example.length ? { isExample: true, syllables: example } : undefined
}
