/** The vocabulary of the reader's own text: its characters, or byte pairs trained on it; or the words of a list. */

import { spelled } from '../token_text.js'
import { decode } from '../stories/data.js'

/** @import { Cutting } from '../syllables.js' */

/**
 * @typedef {object} Vocabulary
 * @property {number} size
 * @property {string[]} words tokens as displayed
 * @property {(text: string) => number[]} encode leaves out what has no token
 * @property {(ids: number[]) => string} decode
 * @property {(text: string) => Cutting} [cut] tokens and their offsets, where they may be parts of a word
 * @property {any} [tokenizer] of byte pairs
 * @property {boolean} [isWhole] the input is never truncated, however little room that leaves for an answer
 * @property {object} file all that is needed to recreate it
 */

const utf8 = new TextEncoder()

/** Every character is a token. @param {string[]} signs @returns {Vocabulary} */
function characters(signs) {
  const known = new Map(signs.map((sign, id) => [sign, id]))
  return {
    size: signs.length, words: signs.map(sign => spelled(utf8.encode(sign))), file: { signs },
    encode: text => Array.from(text).flatMap(sign => known.get(sign) ?? []),
    cut(text) {
      const found = Array.from(text.matchAll(/./gsu)).filter(([sign]) => known.has(sign))
      return {
        ids: found.map(([sign]) => /** @type {number} */ (known.get(sign))),
        offsets: found.map(({ 0: sign, index }) => [index, index + sign.length])
      }
    },
    decode: ids => ids.map(id => signs[id]).join('')
  }
}

/** Every word is a token, separated by spaces. @param {readonly string[]} words @returns {Vocabulary} */
export function wordVocabulary(words) {
  const known = new Map(words.map((word, id) => [word, id]))
  return {
    size: words.length, words: [...words], file: { words }, isWhole: true,
    encode: text => text.split(/\s+/).flatMap(word => known.get(word) ?? []), decode: ids => ids.map(id => words[id]).join(' ')
  }
}

/** @param {any} tokenizer @returns {Vocabulary} */
const pairs = tokenizer => ({
  size: tokenizer.size, words: Array.from({ length: tokenizer.size }, (_, id) => spelled(tokenizer.bytesOf(id))),
  file: { tokenizer }, tokenizer,
  encode: text => (text ? Array.from(tokenizer.encode(text).ids) : []), cut: text => tokenizer.encode(text),
  decode: ids => decode(tokenizer, ids)
})

/**
 * Creates the vocabulary of a text.
 * @param {any} gf the library @param {string} text @param {{ unit: string, size: number }} settings
 */
export const vocabularyOf = (gf, text, { unit, size }) => (unit === 'pairs'
  ? pairs(gf.text.trainBPE(text, { vocabSize: size })) : characters([...new Set(Array.from(text))].sort()))

/** Recreates a vocabulary. @param {any} gf @param {string} file as JSON */
export function vocabularyFrom(gf, file) {
  const { signs, words, tokenizer } = JSON.parse(file)
  if (words) return wordVocabulary(words)
  return signs ? characters(signs) : pairs(gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) }))
}
