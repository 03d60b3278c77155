/** A table around a clock as a sum of waves: Fourier components, in double precision. */

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)

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
