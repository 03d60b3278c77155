// Choosing from a row of logits, in plain float64: what temperature, top-k and top-p keep, which token a random number
// selects, and beam search over every row by hand.

/** The indices of values in descending order; of equal values the first comes first. */
export const ranked = row => Array.from(row.keys()).sort(
  (a, b) => (row[a] === row[b] ? a - b : row[a] > row[b] ? -1 : 1))

const softmax = values => {
  const max = Math.max(...values), parts = values.map(v => Math.exp(v - max)), sum = parts.reduce((a, b) => a + b)
  return parts.map(part => part / sum)
}

/**
 * { ids, probabilities }: the k most probable tokens, then the shortest prefix of them whose probabilities reach p,
 * with renormalized probabilities.
 */
export function filterLogits(logits, { temperature = 1, topK = 0, topP = 1 } = {}) {
  const row = Array.from(logits, v => v / temperature)
  let ids = ranked(row).slice(0, topK || row.length)
  if (topP < 1) {
    const probabilities = softmax(ids.map(id => row[id]))
    const sums = probabilities.map((_, i) => probabilities.slice(0, i + 1).reduce((a, b) => a + b))
    ids = ids.slice(0, sums.findIndex(sum => sum >= topP) + 1 || ids.length)
  }
  return { ids, probabilities: softmax(ids.map(id => row[id])) }
}

/** The token that a uniform random number selects. */
export const pick = ({ ids, probabilities }, uniform) =>
  ids[probabilities.findIndex((_, i) => probabilities.slice(0, i + 1).reduce((a, b) => a + b) > uniform)] ?? ids.at(-1)

/** Beam search: the best sequence of at most `steps` tokens, with log probabilities from `logsOf(ids)`. */
export function beams(logsOf, prompt, width, steps, end) {
  let unfinished = [{ ids: [], score: 0 }]
  const finished = []
  for (let step = 0; step < steps && unfinished.length; step++) {
    const next = unfinished.flatMap(({ ids, score }) => {
      const logs = logsOf([...prompt, ...ids])
      return ranked(logs).slice(0, width).map(id => ({ ids: [...ids, id], score: score + logs[id] }))
    }).sort((a, b) => b.score - a.score).slice(0, width)
    finished.push(...next.filter(({ ids }) => ids.at(-1) === end))
    unfinished = next.filter(({ ids }) => ids.at(-1) !== end)
  }
  return [...finished, ...unfinished].sort((a, b) => b.score - a.score)[0].ids
}
