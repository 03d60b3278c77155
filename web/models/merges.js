/** The merges of a text's tokens, where byte-pair encoding made them. */

/** @import { TokenMerge } from '../types.d.ts' */
/** @import { Tokenizer } from '../../src/js/text/tokenizer.js' */

/**
 * The merges into every token of a text, with pieces as displayed.
 * @param {Tokenizer} tokenizer @param {readonly number[]} ids @param {readonly string[]} vocabulary
 * @returns {Record<number, TokenMerge[]>} by id;
 *   empty where no token was merged
 */
export function mergesOf(tokenizer, ids, vocabulary) {
  /** @param {string} token */
  const display = token => vocabulary[tokenizer.idOf(token) ?? -1] ?? token
  /** @param {number} id @returns {TokenMerge[]} */
  const steps = id => tokenizer.mergesInto(id)
    .map(step => ({ ...step, pieces: step.pieces.map(display), token: display(step.token) }))
  const known = [...new Set(ids)].filter(id => id < tokenizer.size).map(id => ({ id, list: steps(id) }))
  return Object.fromEntries(known.filter(({ list }) => list.length).map(({ id, list }) => [id, list]))
}
