/** The token costs of the same sentence in Korean and in English. */

/** @import { LanguageCost } from '../types.d.ts' */
/** @import { Spelling } from './syllables.js' */

/** One sentence in two languages. @type {Record<string, string>} */
const SENTENCE = { ko: '나는 아침마다 강을 따라 걸어요.', en: 'Every morning I walk along the river.' }
const utf8 = new TextEncoder()

/**
 * Undefined where a tokenizer lacks tokens for one of them.
 * @param {Pick<Spelling, 'cut' | 'shown'>} spelling @returns {LanguageCost[]}
 */
export function languageCosts({ cut, shown }) {
  const all = Object.entries(SENTENCE).map(([lang, text]) => (
    { lang, text, bytes: utf8.encode(text).length, tokens: cut(text).ids.map(shown) }))
  return all.every(({ tokens }) => tokens.length) ? all : []
}
