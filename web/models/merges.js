/** How the tokens of a text came about, where byte-pair encoding made them. */

/**
 * The merges into every token of a text, with pieces as they are shown.
 * @param {any} tokenizer @param {readonly number[]} ids @param {readonly string[]} vocabulary
 * @returns {Record<number, { pieces: string[], at: number, rank: number, count?: number, token: string }[]>} by id;
 *   empty where no token was merged
 */
export function mergesOf(tokenizer, ids, vocabulary) {
  const shown = token => vocabulary[tokenizer.idOf(token)] ?? token
  const steps = id => tokenizer.mergesInto(id)
    .map(step => ({ ...step, pieces: step.pieces.map(shown), token: shown(step.token) }))
  const known = [...new Set(ids)].filter(id => id < tokenizer.size).map(id => [id, steps(id)])
  return Object.fromEntries(known.filter(([, list]) => list.length))
}
