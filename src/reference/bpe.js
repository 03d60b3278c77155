// Byte-pair encoding by its definition, without tables, heap or cache.

const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu

/** Splits a text into the words of GPT-2's pre-tokenizer. */
export const cut = text => text.match(GPT2) ?? []

/** Merges adjacent symbols: always the pair with the lowest rank, the leftmost of ties. ranks: Map of 'left right'. */
export function join(symbols, ranks) {
  let parts = [...symbols]
  for (;;) {
    const pairRanks = parts.slice(1).map((right, i) => ranks.get(`${parts[i]} ${right}`) ?? Infinity)
    const best = Math.min(...pairRanks)
    if (!(best < Infinity)) return parts
    const at = pairRanks.indexOf(best)
    parts = [...parts.slice(0, at), parts[at] + parts[at + 1], ...parts.slice(at + 2)]
  }
}

/** Counts the pairs of adjacent symbols. words: [symbols, count] */
function pairCounts(words) {
  const counts = new Map()
  for (const [symbols, count] of words) {
    for (let i = 1; i < symbols.length; i++) {
      const pair = `${symbols[i - 1]} ${symbols[i]}`
      counts.set(pair, (counts.get(pair) ?? 0) + count)
    }
  }
  return counts
}

const joinPair = (symbols, [left, right]) => symbols.reduce((out, symbol) => {
  const isPair = !out.closed && out.list.at(-1) === left && symbol === right
  if (isPair) out.list[out.list.length - 1] += symbol
  else out.list.push(symbol)
  out.closed = isPair
  return out
}, { list: [], closed: false }).list

/**
 * Learns merges; counts all pairs again after each merge.
 * @param words [symbols, count] of each distinct word
 * @param alphabet the initial symbols, in order
 * @param minCount the minimum count of a pair
 * @param score of a pair, from the counts of the pair and of its two symbols; the highest is merged
 */
export function learn(words, alphabet, size, minCount, score = count => count) {
  const order = [...alphabet]
  const merges = []
  let current = words
  while (order.length < size) {
    const single = new Map()
    for (const [symbols, count] of current) {
      for (const symbol of symbols) single.set(symbol, (single.get(symbol) ?? 0) + count)
    }
    const ranked = [...pairCounts(current)].filter(([, count]) => count >= minCount).map(([pair, count]) => {
      const [left, right] = pair.split(' ')
      return { left, right, count, score: score(count, single.get(left), single.get(right)) }
    })
    if (!ranked.length) break
    ranked.sort((a, b) => b.score - a.score || order.indexOf(a.left) - order.indexOf(b.left) ||
      order.indexOf(a.right) - order.indexOf(b.right))
    const { left, right, count } = ranked[0]
    merges.push({ pair: [left, right], count })
    current = current.map(([symbols, n]) => [joinPair(symbols, [left, right]), n])
    if (!order.includes(left + right)) order.push(left + right)
  }
  return merges
}
