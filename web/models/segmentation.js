/** The segmentation of a text by a tokenizer that searches for pieces (WordPiece, Unigram). */

import { SPACE } from '../../src/training/models/token_text.js'

/** @import { ExplainedWord, Segmentation } from '../types.d.ts' */
/** @import { Tokenizer } from '../../src/js/text/tokenizer.js' */

/** @param {string} text */
const withVisibleSpaces = text => text.replaceAll('▁', SPACE)

/** A word with spaces made visible. @param {ExplainedWord} word @returns {ExplainedWord} */
const display = word => (word.arcs ? {
  ...word, text: withVisibleSpaces(word.text),
  arcs: word.arcs.map(arc => ({ ...arc, piece: withVisibleSpaces(arc.piece) }))
} : word)

/** The end of the word at an index. @param {string} text @param {number} at */
const endOfWord = (text, at) => at + text.slice(at).search(/\s|$/u)

/**
 * The search for the pieces of a text, up to its last token.
 * @param {Tokenizer} tokenizer @param {string} text @param {number} longest the maximum number of tokens
 * @returns {Segmentation | undefined} undefined where the tokenizer does not search
 */
export function segmentationOf(tokenizer, text, longest) {
  const { type } = tokenizer
  if (type === 'BPE') return undefined
  const { ids, offsets } = tokenizer.encode(text, { special: true })
  const end = ids.length > longest ? offsets[longest - 1][1] : text.length
  return { type, words: tokenizer.explain(text.slice(0, endOfWord(text, end))).map(display) }
}
