/**
 * Notebook 001: positions as vectors with all sines before all cosines, and what is constant about them: the distance
 * to the next position, the norm, the dot product with the next. In two dimensions they lie on a circle, in three on a
 * spiral.
 */

export const id = '001'

/** @param {any} gf @param {number} position how many @param {number} dModel */
export const positionalEncoding = (gf, position, dModel) =>
  gf.positionalEncoding(position, dModel, { layout: 'concatenated', method: 'direct', dtype: 'float64' })

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0)

/**
 * Distance to the next row, norm of the row, dot product with the next.
 * @param {number[][]} rows @returns {number[][]}
 */
export const neighbours = rows => rows.slice(0, -1).map((row, i) => {
  const next = rows[i + 1], difference = row.map((v, c) => v - next[c])
  return [Math.sqrt(dot(difference, difference)), Math.sqrt(dot(row, row)), dot(row, next)]
})

/** @type {{ id: string, run: (gf: any, s: any) => any }[]} */
export const cells = [
  { id: 'pe_5x6', run: (gf, s) => (s.pe = positionalEncoding(gf, 5, 6)) },
  { id: 'distance_norm_dot', run: (gf, s) => neighbours(s.pe.toArray()) },
  { id: 'curve_2d', run: gf => positionalEncoding(gf, 32, 2) },
  { id: 'curve_3d', run: gf => positionalEncoding(gf, 500, 3) }
]

export const quirks = ['equal-neighbours-only', 'odd-dimensions']
