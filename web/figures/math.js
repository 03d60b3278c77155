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

/** The rows of a table without their mean. @param {number[][]} rows */
const centered = rows => {
  const mean = rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length)
  return rows.map(row => row.map((value, c) => value - mean[c]))
}

/**
 * The Fourier component of a table around a clock of as many hours as it has rows: the sums of the rows times cosine
 * and sine of their angles on wave k, which turns k times while the hours go around once.
 * @param {number[][]} rows [N, C], without their mean @param {number} k @returns {number[][]} two rows of length C
 */
const componentOf = (rows, k) => [Math.cos, Math.sin].map(wave => rows[0].map((_, c) => (
  rows.reduce((sum, row, n) => sum + row[c] * wave(2 * Math.PI * k * n / rows.length), 0))))

/**
 * The fraction of a table's variance on each wave; an odd number of rows has (N − 1) / 2 of them, and they sum to 1.
 * @param {number[][]} table [N, C]
 */
export function waveShares(table) {
  const rows = centered(table), variance = rows.reduce((sum, row) => sum + dot(row, row), 0)
  return Array.from({ length: (rows.length - 1) / 2 }, (_, i) => {
    const [cosines, sines] = componentOf(rows, i + 1)
    return 2 / rows.length * (dot(cosines, cosines) + dot(sines, sines)) / variance
  })
}

/**
 * The rows of a table projected on the plane of a wave's two directions. A row lies at the wave's angle only if the
 * table has little else in that plane.
 * @param {number[][]} table [N, C] @param {number} k @returns {number[][]} N points
 */
export function placeOnWave(table, k) {
  const rows = centered(table), [cosines, sines] = componentOf(rows, k)
  const x = cosines.map(value => value / Math.sqrt(dot(cosines, cosines)))
  const rest = sines.map((value, c) => value - dot(sines, x) * x[c]), length = Math.sqrt(dot(rest, rest))
  return rows.map(row => [dot(row, x), dot(row, rest) / length])
}

/**
 * The mean cosine similarity of rows that lie 1, 2, … hours apart, without the mean of the table.
 * @param {number[][]} table [N, C]
 */
export function similarityByDistance(table) {
  const rows = centered(table), { length: N } = rows
  const cosine = (/** @type {number[]} */ a, /** @type {number[]} */ b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
  return Array.from({ length: (N - 1) / 2 }, (_, i) => (
    rows.reduce((sum, row, n) => sum + cosine(row, rows[(n + i + 1) % N]), 0) / N))
}
