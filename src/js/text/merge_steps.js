/**
 * The merges that build a token: starting from its symbols, the pair of the lowest rank is merged until none is left.
 * They do not depend on the text around the token, because no merge crosses its ends.
 *
 * @typedef {object} MergeStep
 * @property {string[]} pieces before this merge
 * @property {number} at the index of the left piece of the pair
 * @property {number} rank the index of the merge in `merges`
 * @property {string} token the merged piece
 * @property {number} [count] how often the pair occurred in the training text; only after training, not in a file
 */

/** @typedef {import('./tokenizer.js').Merge} Merge */

/**
 * The rank of each pair; of a pair that is listed twice, the later one, as in Hugging Face's library.
 * @param {readonly Merge[]} merges @returns {Map<string, number>}
 */
const rankByPair = merges => new Map(merges.map(({ pair }, rank) => [pair.join('\0'), rank]))

/**
 * Splits a token into the symbols that merges start from.
 * @param {string} token @param {string} prefix @param {string} suffix
 */
function symbolsOf(token, prefix, suffix) {
  const isContinuing = prefix !== '' && token.startsWith(prefix), isEnd = suffix !== '' && token.endsWith(suffix)
  const characters = [...token.slice(isContinuing ? prefix.length : 0, isEnd ? -suffix.length : undefined)]
  return characters.map((character, i) =>
    (i || isContinuing ? prefix : '') + character + (isEnd && i === characters.length - 1 ? suffix : ''))
}

/**
 * Returns a function that finds the merges of a token, as the vocabulary spells it; none if no merge produces it.
 * @param {readonly Merge[]} merges
 * @param {{ continuing_subword_prefix?: string | null, end_of_word_suffix?: string | null }} [model]
 * @returns {(token: string) => MergeStep[]}
 */
export function createMergeFinder(merges, { continuing_subword_prefix, end_of_word_suffix } = {}) {
  const prefix = continuing_subword_prefix ?? '', suffix = end_of_word_suffix ?? ''
  const ranks = rankByPair(merges), mergedTokens = new Set(merges.map(({ token }) => token))
  return token => {
    /** @type {MergeStep[]} */ const steps = []
    if (!mergedTokens.has(token)) return steps
    let pieces = symbolsOf(token, prefix, suffix)
    for (;;) {
      const pairs = pieces.slice(1).map((right, i) => ranks.get(`${pieces[i]}\0${right}`) ?? Infinity)
      const rank = Math.min(...pairs), at = pairs.indexOf(rank)
      if (rank === Infinity) return steps
      const joined = pieces[at] + pieces[at + 1].slice(prefix.length)
      const { count } = merges[rank]
      steps.push({ pieces, at, rank, token: joined, ...(count !== undefined && { count }) })
      pieces = [...pieces.slice(0, at), joined, ...pieces.slice(at + 2)]
    }
  }
}
