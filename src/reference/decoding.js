// Sampling from a row of logits in float64: temperature, top-k and top-p filtering, inverse-CDF sampling, beam search.

/** Indices by descending value; ties by ascending index. */
export const ranked = row => Array.from(row.keys()).sort(
  (a, b) => (row[a] === row[b] ? a - b : row[a] > row[b] ? -1 : 1))

const softmax = values => {
  const max = Math.max(...values), exponentials = values.map(v => Math.exp(v - max))
  const sum = exponentials.reduce((a, b) => a + b)
  return exponentials.map(exponential => exponential / sum)
}

/** { ids, shares }: the top k tokens, of those the smallest set with a probability of at least p, and probabilities
 * (shares) renormalized over them. */
export function kept(logits, { temperature = 1, topK = 0, topP = 1 } = {}) {
  const row = Array.from(logits, v => v / temperature)
  let ids = ranked(row).slice(0, topK || row.length)
  if (topP < 1) {
    const shares = softmax(ids.map(id => row[id]))
    const sums = shares.map((_, i) => shares.slice(0, i + 1).reduce((a, b) => a + b))
    ids = ids.slice(0, sums.findIndex(sum => sum >= topP) + 1 || ids.length)
  }
  return { ids, shares: softmax(ids.map(id => row[id])) }
}

export const picked = ({ ids, shares }, draw) =>
  ids[shares.findIndex((_, i) => shares.slice(0, i + 1).reduce((a, b) => a + b) > draw)] ?? ids.at(-1)

/** Beam search: returns the best sequence. `logsOf(ids)` gives the log-probabilities of the next token. */
export function beams(logsOf, prompt, width, steps, end) {
  let candidates = [{ ids: [], score: 0 }]
  const finished = []
  for (let step = 0; step < steps && candidates.length; step++) {
    const next = candidates.flatMap(({ ids, score }) => {
      const logs = logsOf([...prompt, ...ids])
      return ranked(logs).slice(0, width).map(id => ({ ids: [...ids, id], score: score + logs[id] }))
    }).sort((a, b) => b.score - a.score).slice(0, width)
    finished.push(...next.filter(({ ids }) => ids.at(-1) === end))
    candidates = next.filter(({ ids }) => ids.at(-1) !== end)
  }
  return (finished.length ? finished : candidates).sort((a, b) => b.score - a.score)[0].ids
}
