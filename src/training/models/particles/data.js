/** Sentences with missing words: inputs and targets. */

import { createRandom } from '../random.js'
import { englishSentence } from './english.js'
import { koreanSentence } from './korean.js'
import { LONGEST, MASK, WORDS, encode } from './tokens.js'

/** @typedef {import('./korean.js').Part} Part @typedef {import('../random.js').Random} Draw */

/** @type {Record<string, (draw: Draw, isHeldOut: boolean) => Part[]>} */
const LANGUAGES = { ko: koreanSentence, en: englishSentence }
const WORD_IDS = new Map(WORDS.map((word, id) => [word, id]))

/**
 * The position of a missing word.
 * @typedef {object} Place
 * @property {number} at the index of its token
 * @property {[number, number]} stem the range of tokens of the word that determines the answer
 * @property {string[]} answers the correct words
 * @property {number} target one of them
 *
 * @typedef {{ text: string, ids: number[], places: Place[], language: string }} Example
 */

const isSlot = (/** @type {Part} */ part) => typeof part === 'object' && 'answers' in part
const isStem = (/** @type {Part} */ part) => typeof part === 'object' && 'stem' in part
const textOf = (/** @type {Part} */ part) => (typeof part === 'string' ? part : 'stem' in part ? part.stem : MASK)

/**
 * Masks one of the slots of a sentence, or all of them, and fills the others.
 * @param {Draw} draw @param {Part[]} parts
 */
function maskWords(draw, parts) {
  const slots = parts.filter(isSlot), masked = draw.chance(0.75) ? [draw.pick(slots)] : slots
  return parts.map(part => (isSlot(part) && !masked.includes(part) ? draw.pick(part.answers) : part))
}

/**
 * The positions of the missing words, from the offsets of parts and tokens.
 * @param {Draw} draw @param {Part[]} parts @param {[number, number][]} offsets @returns {Place[]}
 */
function placesOf(draw, parts, offsets) {
  const starts = parts.map((_, n) => parts.slice(0, n).map(textOf).join('').length)
  const tokenAt = (/** @type {number} */ from) => offsets.findIndex(offset => offset[0] >= from)
  return parts.flatMap((part, n) => {
    if (!isSlot(part)) return []
    const before = parts.slice(0, n).findLastIndex(isStem), stemIndex = before >= 0 ? before : parts.findIndex(isStem)
    const from = tokenAt(starts[stemIndex]), to = from + encode(textOf(parts[stemIndex])).ids.length
    const { answers } = part, target = WORD_IDS.get(draw.pick(answers)) ?? NaN
    return [{ at: tokenAt(starts[n]), stem: [from, to], answers, target }]
  })
}

/**
 * A training or test sentence that is not too long.
 * @param {Draw} draw @param {string} language 'ko' or 'en' @param {boolean} isHeldOut of unseen nouns only
 */
export function example(draw, language, isHeldOut) {
  for (;;) {
    const parts = maskWords(draw, LANGUAGES[language](draw, isHeldOut)), text = parts.map(textOf).join('')
    const { ids, offsets } = encode(text)
    if (ids.length <= LONGEST) return { text, ids, places: placesOf(draw, parts, offsets), language }
  }
}

/**
 * Examples from a seed, alternating between the languages or of one language.
 * @param {number} seed @param {number} count @param {{ isHeldOut?: boolean, languages?: string[] }} [options]
 * @returns {Example[]}
 */
export function examples(seed, count, { isHeldOut = false, languages = ['ko', 'en'] } = {}) {
  const draw = createRandom(seed)
  return Array.from({ length: count }, (_, n) => example(draw, languages[n % languages.length], isHeldOut))
}
