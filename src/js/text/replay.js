/**
 * How a text stands while byte-pair encoding is learned from it: what the trainer counts before it joins a pair.
 *
 * @typedef {object} Replay
 * @property {string[][]} words of the text in their order, each in tokens
 * @property {{ pair: [string, string], count: number }[]} pairs that stand side by side within a word, the most
 *   frequent first; of equals the one that is met first
 */

/** A word with a pair joined wherever it stands. @param {string[]} word @param {readonly [string, string]} pair */
function joined(word, [left, right]) {
  /** @type {string[]} */ const out = []
  for (let i = 0; i < word.length; i++) {
    if (word[i] === left && word[i + 1] === right) out.push(left + word[++i])
    else out.push(word[i])
  }
  return out
}

/** How often each pair stands side by side. @param {readonly string[][]} words @returns {Replay['pairs']} */
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
 * @param {readonly string[]} words @param {readonly { pair: [string, string] }[]} merges those that are made
 * @returns {Replay}
 */
export function replay(words, merges) {
  const now = merges.reduce((all, { pair }) => all.map(word => joined(word, pair)), words.map(word => [...word]))
  return { words: now, pairs: countPairs(now) }
}
