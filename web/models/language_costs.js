/** The number of tokens and bytes of the same sentence in Korean and in English. */

/** @import { LanguageCost } from '../types.d.ts' */
/** @import { TokenView } from './syllables.js' */

/** One sentence in two languages. @type {Record<string, string>} */
const SENTENCE = { ko: '나는 아침마다 강을 따라 걸어요.', en: 'Every morning I walk along the river.' }
const utf8 = new TextEncoder()

/**
 * The costs in each language; none if the tokenizer lacks tokens for one of them.
 * @param {Pick<TokenView, 'tokenize' | 'display'>} spelling @returns {LanguageCost[]}
 */
export function languageCosts({ tokenize, display }) {
  const all = Object.entries(SENTENCE).map(([lang, text]) => (
    { lang, text, bytes: utf8.encode(text).length, tokens: tokenize(text).ids.map(display) }))
  return all.every(({ tokens }) => tokens.length) ? all : []
}
