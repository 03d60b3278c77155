/**
 * The state of a text during the training of byte-pair encoding: what the trainer counts before a merge.
 *
 * @typedef {object} Replay
 * @property {string[][]} words the tokens of each word of the text, in order
 * @property {{ pair: [string, string], count: number }[]} pairs the adjacent pairs within words, by descending count
 *   and then by first occurrence
 */

/** Merges every occurrence of a pair in a word. @param {string[]} word @param {readonly [string, string]} pair */
function applyMerge(word, [left, right]) {
  /** @type {string[]} */ const out = []
  for (let i = 0; i < word.length; i++) {
    if (word[i] === left && word[i + 1] === right) out.push(left + word[++i])
    else out.push(word[i])
  }
  return out
}

/** Counts adjacent pairs. @param {readonly string[][]} words @returns {Replay['pairs']} */
function countPairs(words) {
  /** @type {Map<string, Replay['pairs'][number]>} */ const found = new Map()
  for (const word of words) {
    for (let i = 1; i < word.length; i++) {
      const [left, right] = [word[i - 1], word[i]], key = `${left}\0${right}`
      const known = found.get(key)
      if (known) known.count += 1
      else found.set(key, { pair: [left, right], count: 1 })
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count)
}

/**
 * Applies merges to words and counts the adjacent pairs.
 * @param {readonly string[]} words @param {readonly { pair: [string, string] }[]} merges
 * @returns {Replay}
 */
export function replayMerges(words, merges) {
  const merged = merges.reduce((all, { pair }) => all.map(word => applyMerge(word, pair)), words.map(word => [...word]))
  return { words: merged, pairs: countPairs(merged) }
}
