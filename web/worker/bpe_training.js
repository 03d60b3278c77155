/** Byte-pair encoding trained on the reader's text, one merge at a time. */

import { spelled } from '../../src/training/models/token_text.js'

/** @import { BpeStep, Library } from '../types.d.ts' */
/** @import { Tokenizer } from '../../src/js/text/tokenizer.js' */

/** Limits, small enough that every merge and token can be displayed. */
const LIMITS = { merges: 80, text: 2000, pairs: 8 }
const BYTES = 256

/** The tokenizer trained last, per engine. @type {WeakMap<Library, { text: string, tokenizer: Tokenizer }>} */
const tokenizers = new WeakMap()

/** @param {Library} gf @param {string} text */
function trainedTokenizer(gf, text) {
  const last = tokenizers.get(gf)
  if (last?.text === text) return last.tokenizer
  const tokenizer = gf.text.trainBPE(text, { vocabSize: BYTES + LIMITS.merges, minFrequency: 2 })
  tokenizers.set(gf, { text, tokenizer })
  return tokenizer
}

/**
 * The words and pairs of a text before a merge, or after the last one.
 * @param {Library} gf @param {{ text: string, step: number }} request step: −1 after all merges @returns {BpeStep}
 */
export function bpeStep(gf, { text: fullText, step }) {
  const text = [...fullText].slice(0, LIMITS.text).join('')
  const tokenizer = trainedTokenizer(gf, text), { merges } = tokenizer
  const at = step < 0 ? merges.length : Math.min(step, merges.length)
  const { words, pairs } = tokenizer.replay(text, at)
  /** @param {string} token */
  const displayToken = token => spelled(tokenizer.bytesOf(/** @type {number} */ (tokenizer.idOf(token))))
  /** @param {[string, string]} pair @returns {[string, string]} */
  const displayPair = ([left, right]) => [displayToken(left), displayToken(right)]
  const next = merges[at]
  // Among equally frequent pairs the trainer merges the one of the oldest tokens; it is listed first here.
  /** @param {{ pair: [string, string] }} one */
  const isNext = ({ pair }) => next?.pair.every((token, i) => token === pair[i])
  const sortedPairs = next ? [...pairs.filter(isNext), ...pairs.filter(entry => !isNext(entry))] : pairs
  return {
    count: merges.length, words: words.map(word => word.map(displayToken)),
    pairs: sortedPairs.slice(0, LIMITS.pairs).map(({ pair, count }) => ({ pair: displayPair(pair), count })),
    merge: next ? { pair: displayPair(next.pair), token: displayToken(next.token), count: next.count ?? 0 } : null
  }
}
