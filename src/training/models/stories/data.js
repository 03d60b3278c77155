/** Stories as tokens: byte-pair encoding trained on the stories themselves, and the training data. */

import { createRandom } from '../random.js'
import { END } from './decode.js'
import { story } from './grammar.js'
import { LONGEST } from './model.js'

/** The vocabulary size, and the training text of the tokenizer. */
const VOCAB_SIZE = 1024, CORPUS = 4000, CORPUS_SEED = 1

/** @type {('ko' | 'en')[]} */
export const LANGUAGES = ['ko', 'en']

/**
 * Stories from a seed, alternating between the languages or of one language.
 * @param {number} seed @param {number} count
 * @param {{ names?: import('./grammar.js').Names, languages?: ('ko' | 'en')[] }} [options]
 * @returns {string[]}
 */
export function stories(seed, count, { names, languages = LANGUAGES } = {}) {
  const draw = createRandom(seed)
  return Array.from({ length: count }, (_, n) => story(draw, languages[n % languages.length], names))
}

/** The example text, until the reader types one. */
export const exampleText = () => stories(1, 1500, { names: 'plain' }).join('\n')

/**
 * The tokenizer, trained anew: it is the same every time.
 * @param {any} gf the library
 */
export function createTokenizer(gf) {
  const corpus = stories(CORPUS_SEED, CORPUS, { names: 'plain' }).map(text => ` ${text}`)
  return gf.text.trainBPE(corpus, { vocabSize: VOCAB_SIZE, specials: [END] })
}

/**
 * Encodes a text with a space before it, so that its first word is the same token as anywhere else. Characters outside
 * the vocabulary become bytes.
 * @param {any} tokenizer @param {string} text @returns {number[]}
 */
const idsOf = (tokenizer, text) => (text ? tokenizer.encode(` ${text}`).ids : [])

/**
 * The tokens of a text and their offsets, without <end>.
 * @param {any} tokenizer @param {string} text @returns {{ ids: number[], offsets: [number, number][] }}
 */
export function tokenize(tokenizer, text) {
  const { ids, offsets } = tokenizer.encode(` ${text}`)
  return { ids, offsets: offsets.map((/** @type {[number, number]} */ [from, to]) => [Math.max(0, from - 1), to - 1]) }
}

/**
 * The input for a text: <end>, then the text, or as much of its end as leaves room to continue.
 * @param {any} tokenizer @param {string} text @param {number} [room] tokens to keep free
 * @returns {number[]}
 */
export function encode(tokenizer, text, room = 0) {
  const ids = idsOf(tokenizer, text)
  return [tokenizer.idOf(END), ...ids.slice(Math.max(0, ids.length - (LONGEST - 1 - room)))]
}

/**
 * Inputs and targets at each position, padded to the longest.
 * @param {any} tokenizer @param {readonly string[]} texts
 * @returns {{ input: number[][], target: number[] }} -100 for no target
 */
export function batchOf(tokenizer, texts) {
  const end = tokenizer.idOf(END)
  const rows = texts.map(text => [end, ...idsOf(tokenizer, text), end].slice(0, LONGEST + 1))
  const length = Math.max(...rows.map(row => row.length)) - 1
  const fill = (/** @type {number[]} */ row, /** @type {number} */ value) => (
    [...row, ...Array(length - row.length).fill(value)])
  return {
    input: rows.map(row => fill(row.slice(0, -1), end)), target: rows.flatMap(row => fill(row.slice(1), -100))
  }
}
