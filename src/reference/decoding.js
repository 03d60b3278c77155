// Choosing from a row of logits, in plain float64: what temperature, top-k and top-p keep, which token a random number
// selects, and beam search over every row by hand.

/** Places from the largest value to the smallest; of equal ones the first. */
export const ranked = row => Array.from(row.keys()).sort(
  (a, b) => (row[a] === row[b] ? a - b : row[a] > row[b] ? -1 : 1))

const softmax = values => {
  const most = Math.max(...values), parts = values.map(v => Math.exp(v - most)), sum = parts.reduce((a, b) => a + b)
  return parts.map(part => part / sum)
}

/**
 * { ids, probabilities }: the k best, then the shortest beginning of them whose probabilities reach p, with their own
 * probabilities.
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

export const pick = ({ ids, probabilities }, draw) =>
  ids[probabilities.findIndex((_, i) => probabilities.slice(0, i + 1).reduce((a, b) => a + b) > draw)] ?? ids.at(-1)

/** Every beginning of a width-limited search, whose logarithms come from `logsOf(ids)`: the best answer. */
export function beams(logsOf, prompt, width, steps, end) {
  let open = [{ ids: [], score: 0 }]
  const done = []
  for (let step = 0; step < steps && open.length; step++) {
    const next = open.flatMap(({ ids, score }) => {
      const logs = logsOf([...prompt, ...ids])
      return ranked(logs).slice(0, width).map(id => ({ ids: [...ids, id], score: score + logs[id] }))
    }).sort((a, b) => b.score - a.score).slice(0, width)
    done.push(...next.filter(({ ids }) => ids.at(-1) === end))
    open = next.filter(({ ids }) => ids.at(-1) !== end)
  }
  return (done.length ? done : open).sort((a, b) => b.score - a.score)[0].ids
}
