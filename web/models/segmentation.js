/** How the words of a text were segmented, where the tokenizer searches for pieces. */

import { SPACE } from './token_text.js'

/** @import { ExplainedWord, Segmentation } from '../types.d.ts' */
/** @import { Tokenizer } from '../../src/js/text/tokenizer.js' */

/** @param {string} text */
const spaced = text => text.replaceAll('▁', SPACE)

/** A word with spaces made visible. @param {ExplainedWord} word @returns {ExplainedWord} */
const display = word => (word.arcs ? {
  ...word, text: spaced(word.text), arcs: word.arcs.map(arc => ({ ...arc, piece: spaced(arc.piece) }))
} : word)

/** The end of the word at an index. @param {string} text @param {number} at */
const endOfWord = (text, at) => at + text.slice(at).search(/\s|$/u)

/**
 * The search for the pieces of a text, as far as it is read.
 * @param {Tokenizer} tokenizer @param {string} text @param {number} longest most tokens that are read
 * @returns {Segmentation | undefined} undefined where the tokenizer does not search
 */
export function segmentationOf(tokenizer, text, longest) {
  const { type } = tokenizer
  if (type === 'BPE') return undefined
  const { ids, offsets } = tokenizer.encode(text, { special: true })
  const end = ids.length > longest ? offsets[longest - 1][1] : text.length
  return { type, words: tokenizer.explain(text.slice(0, endOfWord(text, end))).map(display) }
}
