import { NormalizedString } from './normalized_string.js'
import { preTokenize } from './pretokenizers.js'

/**
 * Returns a function that normalizes and pre-tokenizes a text and yields its words.
 * @param {import('./normalizers.js').Normalize} normalize
 * @param {readonly import('./pretokenizers.js').PreTokenizer[]} preTokenizers
 * @returns {(text: string) => Generator<string>}
 */
export const createWordSplitter = (normalize, preTokenizers) => function* (string) {
  const { text, ends } = preTokenize(preTokenizers, normalize(new NormalizedString(string)), 0)
  let start = 0
  for (const end of ends) {
    yield text.string.slice(start, end)
    start = end
  }
}
