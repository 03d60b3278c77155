/**
 * Notebook 003: why code computes exp(-2i ln(n) / d) instead of the paper's 1 / n^(2i/d). Both are the same number; the
 * notebook measures how much the results differ, also in float32.
 */

export const id = '003'

/** @param {any} gf @param {number} maxLen @param {number} dEmbed */
export const encoding = (gf, maxLen, dEmbed) => gf.positionalEncoding(maxLen, dEmbed, { method: 'log-float32' })

/** The largest difference between two tables. @param {any} a @param {any} b @returns {number} */
export function largestDifference(a, b) {
  const p = a.values, q = b.values
  return p.reduce((/** @type {number} */ max, /** @type {number} */ v, /** @type {number} */ i) =>
    Math.max(max, Math.abs(v - q[i])), 0)
}

/** @type {{ id: string, run: (gf: any, s: any) => any }[]} */
export const cells = [
  { id: 'shapes', run: (gf, s) => {
    s.encoding = encoding(gf, 256, 512)
    return [[256, 512], [256, 1], [1, ...s.encoding.shape]]
  } },
  { id: 'log_against_power', run: (gf, s) => {
    const options = { dtype: 'float64' }
    s.log = gf.positionalEncoding(256, 512, { ...options, method: 'log' })
    s.power = gf.positionalEncoding(256, 512, { ...options, method: 'direct' })
    return largestDifference(s.log, s.power)
  } },
  { id: 'float32_against_double', run: (gf, s) => largestDifference(s.encoding, s.power) }
]

export const quirks = ['log-is-not-for-stability', 'power-needs-no-loop']
