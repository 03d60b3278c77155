import { describe, expect, expectOptions, expectInteger } from '../errors.js'
import { anyOf } from './pattern.js'
import { wellFormed } from './scan.js'

/**
 * @typedef {object} TrainOptions
 * @property {number} vocabSize how many tokens there are to be, specials included; fewer when the text does not have
 *   them
 * @property {string[]} [specials] marks with ids of their own, the first ones; they are found in a text as they are
 *   written
 */

/**
 * @typedef {{ texts: string[], vocabSize: number, specials: string[], minFrequency: number, lowercase: boolean }}
 *   Checked
 */

/**
 * @param {string} where @param {unknown} text @param {unknown} options @param {readonly string[]} names of options
 * @returns {Checked}
 */
export function checked(where, text, options, names) {
  const { vocabSize, specials = [], minFrequency = 1, lowercase = false } = expectOptions(where, options, names)
  const texts = Array.isArray(text) ? Array.from(text) : [text]
  texts.forEach((one, i) => expect(typeof one === 'string', 'type', () => Array.isArray(text)
    ? `${where}: text[${i}] must be a string, got ${describe(one)}`
    : `${where}: text must be a string or an array of strings, got ${describe(one)}`))
  expect(Array.isArray(specials), 'type',
    () => `${where}: specials must be an array of strings, got ${describe(specials)}`)
  Array.from(specials).forEach((token, i) => {
    expect(typeof token === 'string' && token !== '', 'type',
      () => `${where}: specials[${i}] must be a string that is not empty, got ${describe(token)}`)
    expect(specials.indexOf(token) === i, 'range', () => `${where}: specials[${i}] is ${describe(token)} again`)
  })
  expectInteger(where, 'minFrequency', minFrequency, 1)
  return { texts: texts.map(wellFormed), vocabSize, specials, minFrequency, lowercase }
}

/**
 * What there has to be in any case must fit.
 * @param {string} where @param {unknown} vocabSize @param {number} least @param {string} what there is so much of
 */
export function checkSize(where, vocabSize, least, what) {
  expectInteger(where, 'vocabSize', vocabSize, 1, 2 ** 24)
  expect(/** @type {number} */ (vocabSize) >= least, 'range',
    () => `${where}: vocabSize must be at least ${least}, for ${what}, got ${vocabSize}`)
}

/**
 * How often each word occurs, in the order of first appearance; specials are no words.
 * @param {readonly string[]} texts @param {readonly string[]} specials @param {(text: string) => Iterable<string>} cut
 */
export function countWords(texts, specials, cut) {
  /** @type {Map<string, number>} */ const counts = new Map()
  const between = specials.length ? new RegExp(anyOf(specials), 'gu') : undefined
  for (const part of between ? texts.flatMap(text => text.split(between)) : texts) {
    for (const word of cut(part)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** In the order of code points. @param {Iterable<string>} characters */
export const sorted = characters =>
  [...characters].sort((a, b) => /** @type {number} */ (a.codePointAt(0)) - /** @type {number} */ (b.codePointAt(0)))

/** The parts of a tokenizer.json. @param {any} parts model, pre_tokenizer and decoder, and what else there is */
export const tokenizerJson = parts => ({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, post_processor: null, ...parts
})
