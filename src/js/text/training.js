import { describe, expect, expectOptions, expectInteger } from '../errors.js'
import { alternatives } from './pattern.js'
import { toWellFormed } from './scan.js'

/**
 * @typedef {object} TrainOptions
 * @property {number} vocabSize the number of tokens including specials; the result has fewer if the text is too small
 * @property {string[]} [specials] special tokens, which get the first ids and are matched literally in a text; default
 *   none
 */

/**
 * @typedef {{ texts: string[], vocabSize: number, specials: string[], minFrequency: number, lowercase: boolean }}
 *   CheckedOptions
 */

/**
 * Checks the arguments of a training function and fills in defaults.
 * @param {string} where @param {unknown} text @param {unknown} options @param {readonly string[]} names of options
 * @returns {CheckedOptions}
 */
export function readTrainOptions(where, text, options, names) {
  const { vocabSize, specials = [], minFrequency = 1, lowercase = false } = expectOptions(where, options, names)
  const texts = Array.isArray(text) ? Array.from(text) : [text]
  texts.forEach((item, i) => expect(typeof item === 'string', 'type', () => Array.isArray(text)
    ? `${where}: text[${i}] must be a string, got ${describe(item)}`
    : `${where}: text must be a string or an array of strings, got ${describe(item)}`))
  expect(Array.isArray(specials), 'type',
    () => `${where}: specials must be an array of strings, got ${describe(specials)}`)
  Array.from(specials).forEach((token, i) => {
    expect(typeof token === 'string' && token !== '', 'type',
      () => `${where}: specials[${i}] must be a non-empty string, got ${describe(token)}`)
    expect(specials.indexOf(token) === i, 'range', () => `${where}: specials[${i}] repeats ${describe(token)}`)
  })
  expectInteger(where, 'minFrequency', minFrequency, 1)
  return { texts: texts.map(toWellFormed), vocabSize, specials, minFrequency, lowercase }
}

/**
 * Throws if vocabSize is too small for the tokens that are required.
 * @param {string} where @param {unknown} vocabSize @param {number} minSize @param {string} what there is so much of
 */
export function checkVocabSize(where, vocabSize, minSize, what) {
  expectInteger(where, 'vocabSize', vocabSize, 1, 2 ** 24)
  expect(/** @type {number} */ (vocabSize) >= minSize, 'range',
    () => `${where}: vocabSize must be at least ${minSize}, for ${what}, got ${vocabSize}`)
}

/**
 * Counts words, in order of first appearance, without specials.
 * @param {readonly string[]} texts @param {readonly string[]} specials @param {(text: string) => Iterable<string>} cut
 */
export function countWords(texts, specials, cut) {
  /** @type {Map<string, number>} */ const counts = new Map()
  const separators = specials.length ? new RegExp(alternatives(specials), 'gu') : undefined
  for (const part of separators ? texts.flatMap(text => text.split(separators)) : texts) {
    for (const word of cut(part)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** Sorts characters by code point. @param {Iterable<string>} characters */
export const sortByCodePoint = characters =>
  [...characters].sort((a, b) => /** @type {number} */ (a.codePointAt(0)) - /** @type {number} */ (b.codePointAt(0)))
