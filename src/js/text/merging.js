/**
 * How byte-pair encoding came to a token: from its smallest symbols, the pair whose merge was made first is joined,
 * again and again. What stands around a token in a text has no part in it, since no merge goes across its ends.
 *
 * @typedef {object} MergeStep
 * @property {string[]} pieces before this merge
 * @property {number} at the place of the left one of the pair
 * @property {number} rank which merge it is, from 0: the order in which they were made
 * @property {string} token what the pair becomes
 * @property {number} [count] how often the pair occurred when it was joined; known to the tokenizer that was trained
 */

/** @typedef {import('./tokenizer.js').Merge} Merge */

/** Merges by their pair. @param {readonly Merge[]} merges */
function byPair(merges) {
  const ranks = new Map()
  merges.forEach(({ pair }, rank) => {
    const key = pair.join('\0')
    if (!ranks.has(key)) ranks.set(key, rank)
  })
  return ranks
}

/** The symbols that a token was merged of. @param {string} token @param {string} prefix @param {string} suffix */
function symbolsOf(token, prefix, suffix) {
  const isContinuing = prefix !== '' && token.startsWith(prefix), isEnd = suffix !== '' && token.endsWith(suffix)
  const characters = [...token.slice(isContinuing ? prefix.length : 0, isEnd ? -suffix.length : undefined)]
  return characters.map((character, i) =>
    (i || isContinuing ? prefix : '') + character + (isEnd && i === characters.length - 1 ? suffix : ''))
}

/**
 * @param {readonly Merge[]} merges
 * @param {{ continuing_subword_prefix?: string | null, end_of_word_suffix?: string | null }} [model] how the pieces of
 *   a word are written
 * @returns {(token: string) => MergeStep[]} by the token as the vocabulary spells it; none for one that was not merged
 */
export function mergesInto(merges, { continuing_subword_prefix, end_of_word_suffix } = {}) {
  const prefix = continuing_subword_prefix ?? '', suffix = end_of_word_suffix ?? ''
  const ranks = byPair(merges), made = new Set(merges.map(({ token }) => token))
  return token => {
    /** @type {MergeStep[]} */ const steps = []
    if (!made.has(token)) return steps
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
