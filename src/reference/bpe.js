// Byte-pair encoding as it is told, slowly: no tables, no heap, no memory of words.

const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu

/** GPT-2's words. */
export const cut = text => text.match(GPT2) ?? []

/** Joins neighbours: the pair with the lowest rank first, of equals the leftmost. ranks: Map of 'left right'. */
export function join(symbols, ranks) {
  let parts = [...symbols]
  for (;;) {
    const found = parts.slice(1).map((right, i) => ranks.get(`${parts[i]} ${right}`) ?? Infinity)
    const best = Math.min(...found)
    if (!(best < Infinity)) return parts
    const at = found.indexOf(best)
    parts = [...parts.slice(0, at), parts[at] + parts[at + 1], ...parts.slice(at + 2)]
  }
}

/** How often each pair of neighbours occurs. words: [symbols, count] */
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
 * Learns merges, counting everything anew each time.
 * @param words [symbols, count] of each distinct word
 * @param alphabet the symbols there are, in order
 * @param score of a pair, from how often it and its two symbols occur; the highest is joined
 */
export function learn(words, alphabet, size, least, score = count => count) {
  const order = [...alphabet]
  const merges = []
  let current = words
  while (order.length < size) {
    const single = new Map()
    for (const [symbols, count] of current) for (const one of symbols) single.set(one, (single.get(one) ?? 0) + count)
    const ranked = [...pairCounts(current)].filter(([, count]) => count >= least).map(([pair, count]) => {
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
