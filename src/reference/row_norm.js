// Layer norm and RMS norm: per row, normal = (x - center) / sqrt(mean((x - center)^2) + eps) and y = normal * weight +
// bias. The center is the row's mean for layer norm and 0 for RMS norm.
/** @import { TensorLike } from './tensor.js' */

import { U, map, rowsOf, zeros } from './tensor.js'

/** @typedef {{ x: TensorLike, weight?: TensorLike, bias?: TensorLike }} Inputs @typedef {{ eps?: number }} Params */
/** @typedef {{ normal: Float64Array, error: Float64Array, inverseDeviation: number }} Row */

/** @param {ArrayLike<number>} values */
const mean = values => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length

/**
 * A norm of rows, its gradients, and the largest errors that float32 can have in both.
 * @param {boolean} isCentered @param {number} defaultEps
 */
export function createRowNorm(isCentered, defaultEps) {
  /**
   * The mean of n numbers is off by at most n * U * mean |x|, and that shifts every x - mean alike; the difference's
   * own rounding, the sum of squares, its root and the products add about n + 10 roundings relative to the normal
   * value.
   * @param {TensorLike} x @param {number} eps
   */
  function statistics(x, eps) {
    const { rows, width } = rowsOf(x), normal = zeros(x.shape).data, error = zeros(x.shape).data
    const inverseDeviation = zeros([rows]).data
    for (let r = 0; r < rows; r++) {
      const row = Float64Array.from(x.data.slice(r * width, (r + 1) * width)), center = isCentered ? mean(row) : 0
      inverseDeviation[r] = 1 / Math.sqrt(mean(row.map(value => (value - center) ** 2)) + eps)
      const shift = isCentered ? width * U * mean(row.map(Math.abs)) * inverseDeviation[r] : 0
      // The shift enters the variance squared.
      const relative = (width + 10) * U + shift ** 2
      row.forEach((value, i) => {
        const n = (value - center) * inverseDeviation[r]
        normal[r * width + i] = n
        error[r * width + i] = shift + relative * Math.abs(n)
      })
    }
    return { rows, width, normal, error, inverseDeviation }
  }

  /**
   * What the gradients and their errors have in common: the terms, and how those of a row make up dx.
   * @param {Inputs} inputs @param {Params} params @param {TensorLike} dy
   * @param {(g: Float64Array, row: Row) => Float64Array} computeRow dx of a row, from g = dy * weight
   * @param {(d: number, normal: number, error: number) => [weight: number, bias: number]} computeTerms
   */
  function gradients({ x, weight, bias }, { eps = defaultEps }, dy, computeRow, computeTerms) {
    const { rows, width, normal, error, inverseDeviation } = statistics(x, eps)
    const dx = zeros(x.shape), dweight = zeros([width]), dbias = zeros([width])
    for (let r = 0; r < rows; r++) {
      const part = (/** @type {Float64Array} */ values) => values.subarray(r * width, (r + 1) * width)
      const d = Float64Array.from(dy.data.slice(r * width, (r + 1) * width))
      const row = { normal: part(normal), error: part(error), inverseDeviation: inverseDeviation[r] }
      dx.data.set(computeRow(d.map((value, i) => value * (weight ? weight.data[i] : 1)), row), r * width)
      for (let i = 0; i < width; i++) {
        const [ofWeight, ofBias] = computeTerms(d[i], row.normal[i], row.error[i])
        dweight.data[i] += ofWeight
        dbias.data[i] += ofBias
      }
    }
    return { x: dx, ...(weight && { weight: dweight }), ...(bias && { bias: dbias }) }
  }

  return {
    /** @param {Inputs} inputs @param {Params} params */
    forward({ x, weight, bias }, { eps = defaultEps }) {
      const { width, normal } = statistics(x, eps)
      return { y: map(x, (_, i) => (
        normal[i] * (weight ? weight.data[i % width] : 1) + (bias ? bias.data[i % width] : 0))) }
    },
    /** @param {Inputs} inputs @param {Params} params */
    forwardBound({ x, weight, bias }, { eps = defaultEps }) {
      const { width, normal, error } = statistics(x, eps)
      return { y: map(x, (_, i) => (
        Math.abs(weight ? weight.data[i % width] : 1) * (error[i] + 2 * U * Math.abs(normal[i])) +
        U * Math.abs(bias ? bias.data[i % width] : 0))) }
    },
    /**
     * With g = dy * weight: dx = (g - mean(g) - normal * mean(g * normal)) * inverseDeviation; without a center, no
     * mean(g).
     * @param {Inputs} inputs @param {Params} params @param {{ y: TensorLike }} cot
     */
    backward: (inputs, params, { y: dy }) => gradients(inputs, params, dy, (g, { normal, inverseDeviation }) => {
      const meanG = isCentered ? mean(g) : 0, meanGNormal = mean(g.map((value, i) => value * normal[i]))
      return g.map((value, i) => (value - meanG - normal[i] * meanGNormal) * inverseDeviation)
    }, (d, normal) => [d * normal, d]),
    /**
     * Roundings of the sums, then the error of normal, twice.
     * @param {Inputs} inputs @param {Params} params @param {{ y: TensorLike }} cot
     */
    backwardBound(inputs, params, { y: dy }) {
      const { rows, width } = rowsOf(inputs.x)
      const sizes = { ...inputs, weight: inputs.weight && map(inputs.weight, Math.abs) }
      return gradients(sizes, params, map(dy, Math.abs), (g, { normal, error, inverseDeviation }) => {
        const n = normal.map(Math.abs), meanG = mean(g), meanGNormal = mean(g.map((value, i) => value * n[i]))
        const meanGError = mean(g.map((value, i) => value * error[i]))
        return g.map((value, i) => inverseDeviation * (
          (width + 12) * U * (value + meanG + n[i] * meanGNormal) + error[i] * meanGNormal + n[i] * meanGError))
      }, (d, normal, error) => [d * (error + (rows + 2) * U * Math.abs(normal)), rows * U * d])
    }
  }
}
