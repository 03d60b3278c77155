/** Why a text is no source or no target of the translator. */

import { LONGEST, SOURCE_TOKENS, TARGET_TOKENS, splitSource, splitTarget } from './data.js'

/** @import { Problem } from '../../types.d.ts' */

/**
 * The problem of a field: its first unknown word, or too many words.
 * @param {string[]} words @param {string[]} known @param {number} max
 * @param {string} [key] of the text about an unknown word
 * @returns {Problem | null}
 */
function inputProblem(words, known, max, key = 'errors.unknown') {
  const unknown = words.find(word => !known.includes(word))
  if (unknown) return { key, values: { word: unknown } }
  return words.length > max ? { key: 'errors.tooLong', values: { most: max } } : null
}

/** @param {string} text */
export function sourceProblem(text) {
  const words = splitSource(text)
  if (words.length === 0) return { key: 'errors.emptySource', values: {} }
  return inputProblem(words, SOURCE_TOKENS.slice(1), LONGEST.source, 'errors.unknownDate')
}

/** @param {string} text */
export const targetProblem = text => inputProblem(splitTarget(text), TARGET_TOKENS.slice(3), LONGEST.target - 1)
