/** Gauss-Legendre quadrature with four nodes on [0, 1]: exact for polynomials up to degree 7. */
const NODES = [0.8611363115940526, 0.3399810435848563].flatMap((x, i) => {
  const weight = [0.3478548451374538, 0.6521451548625461][i] / 2
  return [{ x: (1 - x) / 2, weight }, { x: (1 + x) / 2, weight }]
})

/**
 * A part of the path with the function's values at its ends.
 * @typedef {{ from: number, to: number, low: number, high: number, integral: Float64Array, gap: number }} Interval
 */

/** The number of intervals at the start. */
const FIRST = 4

/**
 * Intervals that are shorter than this fraction of their end are not split: there the function itself jumps, as where a
 * router chooses another expert.
 */
const MIN_FRACTION = 2 ** -24

/** Intervals from 0 are split at this fraction of their end, since every norm makes the path near 0 steeper. */
const FRACTION_AT_ZERO = 2 ** -4

/** Where intervals from 0 are no longer split. */
const MIN_END = 2 ** -100

/**
 * Integrates a gradient along a path from 0 to 1, until it is complete: splits the interval whose integral differs most
 * from the difference of the function's values at its ends. Near an input of zeros, where norms divide by almost
 * nothing, and at the corners of ReLU, this takes many more steps than elsewhere.
 * @param {(at: number) => number} valueAt the function along the path
 * @param {(at: number) => Float64Array} gradientAt what is integrated; its cells sum to the function's derivative
 * @param {{ steps: number, tolerance: number, start: number, end: number }} options steps: how many gradients are
 *   computed at most; tolerance: of the sum of all differences; start, end: the function's values at 0 and 1
 * @returns {Float64Array} the integral
 */
export function integrateUntilComplete(valueAt, gradientAt, { steps, tolerance, start, end }) {
  let count = 0
  /** @param {number} from @param {number} to @param {number} low @param {number} high @returns {Interval} */
  const integrate = (from, to, low, high) => {
    const width = to - from
    const parts = NODES.map(({ x, weight }) => gradientAt(from + x * width).map(value => value * weight * width))
    const integral = parts.reduce((sum, part) => sum.map((value, i) => value + part[i]))
    const gap = Math.abs(high - low - integral.reduce((sum, value) => sum + value, 0))
    count += NODES.length
    return { from, to, low, high, integral, gap }
  }
  /** @param {number[]} ends @param {number} low @param {number} high @returns {Interval[]} */
  const split = (ends, low, high) => {
    const values = ends.map((x, i) => (i === 0 ? low : i === ends.length - 1 ? high : valueAt(x)))
    return ends.slice(1).map((x, i) => integrate(ends[i], x, values[i], values[i + 1]))
  }
  const n = Math.max(1, Math.min(FIRST, Math.floor(steps / NODES.length)))
  const intervals = split(Array.from({ length: n + 1 }, (_, i) => i / n), start, end)
  while (count + 2 * NODES.length <= steps && intervals.reduce((sum, { gap }) => sum + gap, 0) > tolerance) {
    const worst = intervals.reduce((best, { from, to, gap }, i) => (
      to - from > MIN_FRACTION * to && to > MIN_END && !(gap <= intervals[best]?.gap) ? i : best), -1)
    if (worst < 0) break
    const [{ from, to, low, high }] = intervals.splice(worst, 1)
    const middle = from === 0 ? to * FRACTION_AT_ZERO : (from + to) / 2
    intervals.push(...split([from, middle, to], low, high))
  }
  return intervals.map(({ integral }) => integral).reduce((sum, part) => sum.map((value, i) => value + part[i]))
}
