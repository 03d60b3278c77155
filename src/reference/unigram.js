// The unigram language model by enumerating every segmentation.

/** All segmentations of a word into known pieces, with their log-probabilities. scores: Map */
export function cuts(word, scores) {
  if (!word) return [{ pieces: [], score: 0 }]
  const out = []
  for (let end = 1; end <= word.length; end++) {
    const score = scores.get(word.slice(0, end))
    if (score === undefined) continue
    for (const rest of cuts(word.slice(end), scores)) out.push(
      { pieces: [word.slice(0, end), ...rest.pieces], score: score + rest.score })
  }
  return out
}

/** The most probable segmentation. */
export const best = (word, scores) => cuts(word, scores).reduce((a, b) => b.score > a.score ? b : a)

/** The expected count of each piece over all segmentations, and the log-probability of the word. */
export function expected(word, scores) {
  const all = cuts(word, scores)
  const total = all.reduce((sum, { score }) => sum + Math.exp(score), 0)
  const counts = new Map()
  for (const { pieces, score } of all) {
    for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + Math.exp(score) / total)
  }
  return { counts, likelihood: Math.log(total) }
}
