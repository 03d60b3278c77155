import { expectInteger, expectNumber } from '../errors.js'

/**
 * Changes of logits that depend on the tokens so far, in the order of Hugging Face's logits processors.
 *
 * @typedef {object} ProcessingOptions
 * @property {number} [repetitionPenalty] 1; logits of tokens that occurred are divided by it if positive, else
 *   multiplied (Keskar et al. 2019)
 * @property {number} [noRepeatNgramSize] 0; above 0: no sequence of so many tokens occurs twice
 * @property {number} [minNewTokens] 0; before so many new tokens no end token is chosen
 */

export const PROCESSING_OPTIONS = ['repetitionPenalty', 'noRepeatNgramSize', 'minNewTokens']

/**
 * The checked options with their defaults.
 * @param {string} where @param {any} options @returns {Required<ProcessingOptions>}
 */
export function checkProcessingOptions(where, { repetitionPenalty = 1, noRepeatNgramSize = 0, minNewTokens = 0 }) {
  expectNumber(where, 'repetitionPenalty', repetitionPenalty, 'a number > 0', v => v > 0 && v < Infinity)
  expectInteger(where, 'noRepeatNgramSize', noRepeatNgramSize)
  expectInteger(where, 'minNewTokens', minNewTokens)
  return { repetitionPenalty, noRepeatNgramSize, minNewTokens }
}

/**
 * The tokens that would complete a sequence of `size` tokens that occurred before.
 * @param {readonly number[]} ids @param {number} size @returns {Set<number>}
 */
function completions(ids, size) {
  const found = new Set(), start = ids.length - (size - 1)
  if (start < 1) return found
  for (let i = 0; i + size <= ids.length; i++) {
    if (ids.slice(i, i + size - 1).every((id, j) => id === ids[start + j])) found.add(ids[i + size - 1])
  }
  return found
}

/**
 * Changes a row of logits, or of log probabilities, in place.
 * @param {Float32Array} row [V] @param {readonly number[]} ids the prompt and the tokens so far
 * @param {number} newCount how many of them are new @param {Required<ProcessingOptions>} options
 * @param {readonly number[]} ends
 */
export function processLogits(row, ids, newCount, { repetitionPenalty, noRepeatNgramSize, minNewTokens }, ends) {
  const forbid = (/** @type {number} */ id) => { if (id < row.length) row[id] = -Infinity }
  if (repetitionPenalty !== 1) for (const id of new Set(ids)) {
    if (id < row.length) row[id] = row[id] < 0 ? row[id] * repetitionPenalty : row[id] / repetitionPenalty
  }
  if (noRepeatNgramSize) completions(ids, noRepeatNgramSize).forEach(forbid)
  if (newCount < minNewTokens) ends.forEach(forbid)
}
