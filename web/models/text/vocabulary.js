/** The tokens of a reader's own text: its characters, or pairs of bytes learned from it. */

import { spelled } from '../spelling.js'
import { decode } from '../stories/data.js'

/**
 * @typedef {object} Vocabulary
 * @property {number} size
 * @property {string[]} words tokens as they are shown
 * @property {(text: string) => number[]} encode what there is no token for is left out
 * @property {(ids: number[]) => string} decode
 * @property {any} [tokenizer] of pairs
 * @property {object} file all it takes to make it again
 */

const utf8 = new TextEncoder()

/** Every character is a token. @param {string[]} signs @returns {Vocabulary} */
function characters(signs) {
  const known = new Map(signs.map((sign, id) => [sign, id]))
  return {
    size: signs.length, words: signs.map(sign => spelled(utf8.encode(sign))), file: { signs },
    encode: text => Array.from(text).flatMap(sign => known.get(sign) ?? []),
    decode: ids => ids.map(id => signs[id]).join('')
  }
}

/** @param {any} tokenizer @returns {Vocabulary} */
const pairs = tokenizer => ({
  size: tokenizer.size, words: Array.from({ length: tokenizer.size }, (_, id) => spelled(tokenizer.bytesOf(id))),
  file: { tokenizer }, tokenizer,
  encode: text => (text ? Array.from(tokenizer.encode(text).ids) : []), decode: ids => decode(tokenizer, ids)
})

/**
 * The vocabulary of a text.
 * @param {any} gf the library @param {string} text @param {{ unit: string, size: number }} settings
 */
export const vocabularyOf = (gf, text, { unit, size }) => (unit === 'pairs'
  ? pairs(gf.text.trainBPE(text, { vocabSize: size })) : characters([...new Set(Array.from(text))].sort()))

/** The same vocabulary again. @param {any} gf @param {string} file as JSON */
export function vocabularyFrom(gf, file) {
  const { signs, tokenizer } = JSON.parse(file)
  return signs ? characters(signs) : pairs(gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) }))
}
