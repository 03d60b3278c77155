/**
 * Vocabularies for the reader's own text: its characters, or byte-pair encoding trained on it; and one of given words.
 */

import { spelled } from '../token_text.js'
import { decode } from '../stories/decode.js'

/**
 * A tokenized text, with offsets in UTF-16 units.
 * @typedef {object} Tokenized
 * @property {readonly number[]} ids
 * @property {readonly [number, number][]} offsets
 *
 * @typedef {object} Vocabulary
 * @property {number} size
 * @property {string[]} tokens tokens as displayed
 * @property {(text: string) => number[]} encode leaves out characters or words without a token
 * @property {(ids: number[]) => string} decode
 * @property {(text: string) => Tokenized} [tokenize] tokens and their offsets, where they may be parts of a word
 * @property {any} [tokenizer] of byte-pair encoding
 * @property {boolean} [isWhole] the input is never truncated, however little room that leaves for an answer
 * @property {object} serialized all that is needed to recreate it
 */

const utf8 = new TextEncoder()

/** Every character is a token. @param {string[]} list @returns {Vocabulary} */
function characterVocabulary(list) {
  const known = new Map(list.map((sign, id) => [sign, id]))
  return {
    size: list.length, tokens: list.map(sign => spelled(utf8.encode(sign))), serialized: { signs: list },
    encode: text => Array.from(text).flatMap(sign => known.get(sign) ?? []),
    tokenize(text) {
      const found = Array.from(text.matchAll(/./gsu)).filter(([sign]) => known.has(sign))
      return {
        ids: found.map(([sign]) => /** @type {number} */ (known.get(sign))),
        offsets: found.map(({ 0: sign, index }) => [index, index + sign.length])
      }
    },
    decode: ids => ids.map(id => list[id]).join('')
  }
}

/** Every word is a token, separated by spaces. @param {readonly string[]} words @returns {Vocabulary} */
export function wordVocabulary(words) {
  const known = new Map(words.map((word, id) => [word, id]))
  return {
    size: words.length, tokens: [...words], serialized: { words }, isWhole: true,
    encode: text => text.split(/\s+/).flatMap(word => known.get(word) ?? []), decode: ids => ids.map(id => words[id]).join(' ')
  }
}

/** @param {any} tokenizer @returns {Vocabulary} */
const bpeVocabulary = tokenizer => ({
  size: tokenizer.size, tokens: Array.from({ length: tokenizer.size }, (_, id) => spelled(tokenizer.bytesOf(id))),
  serialized: { tokenizer }, tokenizer,
  encode: text => (text ? Array.from(tokenizer.encode(text).ids) : []), tokenize: text => tokenizer.encode(text),
  decode: ids => decode(tokenizer, ids)
})

/**
 * Creates the vocabulary of a text.
 * @param {any} gf the library @param {string} text @param {{ unit: string, size: number }} settings
 */
export const vocabularyOf = (gf, text, { unit, size }) => (unit === 'pairs'
  ? bpeVocabulary(gf.text.trainBPE(text, { vocabSize: size }))
  : characterVocabulary([...new Set(Array.from(text))].sort()))

/** Recreates a vocabulary. @param {any} gf @param {string} file as JSON */
export function vocabularyFrom(gf, file) {
  const { signs, words, tokenizer } = JSON.parse(file)
  if (words) return wordVocabulary(words)
  return signs ? characterVocabulary(signs) : bpeVocabulary(gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) }))
}
