/**
 * The arithmetic of the lessons' small figures, in double precision: a few numbers at a time, recomputed as they are
 * dragged.
 */

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)

/** @param {number[]} a */
export const norm = a => Math.sqrt(dot(a, a))

/** The angle between two vectors in degrees; NaN where one of them is zero. @param {number[]} a @param {number[]} b */
export const angle = (a, b) => Math.acos(Math.min(1, Math.max(-1, dot(a, b) / (norm(a) * norm(b))))) * 180 / Math.PI

/** Exponentials of scores less their maximum, and their shares of the sum. @param {number[]} scores */
export function softmax(scores) {
  const max = Math.max(...scores), exps = scores.map(score => Math.exp(score - max))
  const sum = exps.reduce((total, value) => total + value, 0)
  return exps.map(value => value / sum)
}

/** The sum of vectors times their weights. @param {number[][]} vectors @param {number[]} weights */
export const mix = (vectors, weights) => vectors[0].map((_, axis) => dot(vectors.map(vector => vector[axis]), weights))

/**
 * The line y = w x + b: its mean squared error, and the error's gradient.
 * @param {number[][]} points pairs of x and y @param {number} w @param {number} b
 */
export function fit(points, w, b) {
  const residuals = points.map(([x, y]) => w * x + b - y)
  const mean = (/** @type {number[]} */ list) => list.reduce((sum, value) => sum + value, 0) / list.length
  return {
    residuals, loss: mean(residuals.map(r => r * r)),
    gradient: { w: mean(residuals.map((r, i) => 2 * r * points[i][0])), b: mean(residuals.map(r => 2 * r)) }
  }
}

/**
 * The encoding of a position: sine and cosine at each frequency.
 * @param {number} position @param {number[]} frequencies
 */
export const encodePosition = (position, frequencies) => (
  frequencies.flatMap(frequency => [Math.sin(position * frequency), Math.cos(position * frequency)]))

/**
 * Counts neighboring pairs, the most frequent first; among equals the earlier.
 * @param {string[][]} words lists of tokens; pairs do not cross their borders
 */
export function countPairs(words) {
  /** @type {Map<string, { pair: string[], count: number }>} */ const pairs = new Map()
  for (const tokens of words) {
    tokens.slice(1).forEach((token, i) => {
      const key = JSON.stringify([tokens[i], token]), known = pairs.get(key) ?? { pair: [tokens[i], token], count: 0 }
      pairs.set(key, { ...known, count: known.count + 1 })
    })
  }
  return [...pairs.values()].sort((a, b) => b.count - a.count)
}

/** Replaces a pair by one token, from left to right. @param {string[]} tokens @param {string[]} pair */
export function mergePair(tokens, [left, right]) {
  /** @type {string[]} */ const merged = []
  for (let i = 0; i < tokens.length; i++) {
    const isPair = tokens[i] === left && tokens[i + 1] === right
    merged.push(isPair ? left + right : tokens[i])
    if (isPair) i++
  }
  return merged
}
