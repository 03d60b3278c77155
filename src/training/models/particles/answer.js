/** From a sentence to the model's input, and from its logits to words. */

import { LONGEST, MASK, TOKENS, WORDS, encode } from './tokens.js'

const MASK_ID = TOKENS.indexOf(MASK)

/**
 * Encodes a text, truncated around its first [?] if it is too long.
 * @param {string} text
 * @returns {{ ids: number[], tokens: string[], offsets: [number, number][], places: number[] }} places: positions
 *   of [?]
 */
export function encodeSentence(text) {
  const { ids, tokens, offsets } = encode(text)
  const middle = Math.max(0, ids.indexOf(MASK_ID)) - LONGEST / 2
  const from = Math.max(0, Math.min(middle, ids.length - LONGEST))
  /** @template T @param {T[]} list */
  const part = list => list.slice(from, from + LONGEST)
  const places = part(ids).flatMap((id, at) => (id === MASK_ID ? [at] : []))
  return { ids: part(ids), tokens: part(tokens), offsets: part(offsets), places }
}

/**
 * The words for a position, the most probable first.
 * @param {ArrayLike<number>} logits [T, words] @param {number} at
 * @returns {{ word: string, probability: number }[]}
 */
export function wordsAt(logits, at) {
  const row = Array.from(logits).slice(at * WORDS.length, (at + 1) * WORDS.length), max = Math.max(...row)
  const parts = row.map(logit => Math.exp(logit - max)), total = parts.reduce((sum, part) => sum + part, 0)
  const words = WORDS.map((word, n) => ({ word, probability: parts[n] / total }))
  return words.sort((a, b) => b.probability - a.probability)
}

/**
 * The words for every [?] of a text.
 * @param {any} gf @param {any} model @param {string} text
 * @returns {{ at: number, words: { word: string, probability: number }[] }[]}
 */
export function answer(gf, model, text) {
  const { ids, places } = encodeSentence(text)
  if (places.length === 0) return []
  const logits = gf.tidy(() => gf.noGrad(() => model.forward([ids]).values.slice()))
  return places.map(at => ({ at, words: wordsAt(logits, at) }))
}

/**
 * A text with the most probable word for every [?], particles without a space before them.
 * @param {string} text @param {{ words: { word: string }[] }[]} answers
 */
export function filled(text, answers) {
  let n = 0
  return text.replace(/(?:(?<=[가-힣])\s+)?\[\?\]/g, () => answers[n++]?.words[0].word ?? MASK)
}
