import { describe, expect, expectInteger, expectOptions, expectType } from '../errors.js'
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
  if (Array.isArray(text)) expectStrings(`${where}: text`, text)
  else expectType(typeof text === 'string', `${where}: text must be a string or an array of strings`, text)
  /** @type {string[]} */ const texts = [text].flat()
  checkSpecials(where, specials, 'a non-empty string')
  expectInteger(where, 'minFrequency', minFrequency, 1)
  return { texts: texts.map(toWellFormed), vocabSize, specials, minFrequency, lowercase }
}

/**
 * Throws unless a value is an array of strings.
 * @param {string} name with the function, such as 'Vocab: specials' @param {any} value
 * @param {string} [expected] what each must be
 * @returns {asserts value is string[]}
 */
export function expectStrings(name, value, expected = 'a string') {
  expectType(Array.isArray(value), `${name} must be an array of strings`, value)
  for (const [i, item] of value.entries()) if (typeof item !== 'string' || (!item && expected !== 'a string')) expectType(false, `${name}[${i}] must be ${expected}`, item)
}

/**
 * Checks special tokens. @param {string} where @param {any} specials @param {string} [expected] what each must be
 */
export function checkSpecials(where, specials, expected) {
  expectStrings(`${where}: specials`, specials, expected)
  specials.forEach((token, i) => expect(specials.indexOf(token) === i, 'range', () => `${where}: specials[${i}] repeats ${describe(token)}`))
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
