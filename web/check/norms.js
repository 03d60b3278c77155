/** Layer norm and RMS norm in double, with bounds on the error of float32, derived as in tests/ops. */

import { zeros } from '../../src/reference/tensor.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */
/** @import { Operation } from './steps.js' */

const U = 2 ** -24

/**
 * Normalizes each row: subtracts its mean, if `isCentered`, and divides by its root mean square. Returns error
 * bounds, too.
 * @param {TensorLike} x @param {number} eps @param {boolean} isCentered
 */
function statistics(x, eps, isCentered) {
  const width = /** @type {number} */ (x.shape.at(-1)), rows = x.data.length / width
  const normal = new Float64Array(x.data.length), error = new Float64Array(x.data.length)
  const inverse = new Float64Array(rows)
  for (let r = 0; r < rows; r++) {
    const row = Array.from(x.data.slice(r * width, (r + 1) * width))
    /** @param {(v: number) => number} transform */
    const mean = transform => row.reduce((sum, v) => sum + transform(v), 0) / width
    const center = isCentered ? mean(v => v) : 0
    inverse[r] = 1 / Math.sqrt(mean(v => (v - center) ** 2) + eps)
    const shift = isCentered ? width * U * mean(Math.abs) * inverse[r] : 0
    const relative = (width + 10) * U + shift ** 2
    for (let i = 0; i < width; i++) {
      normal[r * width + i] = (row[i] - center) * inverse[r]
      error[r * width + i] = shift + relative * Math.abs(normal[r * width + i])
    }
  }
  return { width, rows, normal, error, inverse }
}

/**
 * A function from an index to the weight or bias there, or to a constant where there is none.
 * @param {TensorLike | undefined} t @param {number} width @param {number} fallback
 */
const at = (t, width, fallback) => (/** @type {number} */ i) => (t ? t.data[i % width] : fallback)

/** @param {boolean} isCentered @returns {Operation} */
const norm = isCentered => ({
  forward({ x, weight, bias }, { eps }) {
    const { width, normal } = statistics(x, eps, isCentered)
    const weightAt = at(weight, width, 1), biasAt = at(bias, width, 0)
    return { shape: x.shape, data: normal.map((n, i) => n * weightAt(i) + biasAt(i)) }
  },
  bound({ x, weight, bias }, { eps }) {
    const { width, normal, error } = statistics(x, eps, isCentered)
    const weightAt = at(weight, width, 1), biasAt = at(bias, width, 0)
    return { shape: x.shape, data: normal.map((n, i) => (
      Math.abs(weightAt(i)) * (error[i] + 2 * U * Math.abs(n)) + U * Math.abs(biasAt(i)))) }
  },
  // With g = dy · weight: dx = (g − mean g − normal · mean(g · normal)) / deviation; without a centre no mean g.
  backward({ x, weight, bias }, { eps }, dy) {
    const { width, rows, normal, inverse } = statistics(x, eps, isCentered)
    const dx = zeros(x.shape), dw = zeros([width]), db = zeros([width])
    for (let r = 0; r < rows; r++) {
      const [g, along] = meansOf(dy, weight, normal, r, width, v => v)
      for (let c = 0, i = r * width; c < width; c++, i++) {
        const g_i = dy.data[i] * (weight ? weight.data[c] : 1)
        dx.data[i] = (g_i - (isCentered ? g : 0) - normal[i] * along) * inverse[r]
        dw.data[c] += dy.data[i] * normal[i]
        db.data[c] += dy.data[i]
      }
    }
    return { x: dx, ...(weight && { weight: dw }), ...(bias && { bias: db }) }
  },
  backwardBound({ x, weight, bias }, { eps }, dy) {
    const { width, rows, normal, error, inverse } = statistics(x, eps, isCentered)
    const dx = zeros(x.shape), dw = zeros([width]), db = zeros([width])
    for (let r = 0; r < rows; r++) {
      const [g, along] = meansOf(dy, weight, normal, r, width, Math.abs)
      const [, off] = meansOf(dy, weight, error, r, width, Math.abs)
      for (let c = 0, i = r * width; c < width; c++, i++) {
        const own = Math.abs(dy.data[i] * (weight ? weight.data[c] : 1)), n = Math.abs(normal[i])
        dx.data[i] = inverse[r] * ((width + 12) * U * (own + g + n * along) + error[i] * along + n * off)
        dw.data[c] += Math.abs(dy.data[i]) * (error[i] + (rows + 2) * U * n)
        db.data[c] += (rows + 1) * U * Math.abs(dy.data[i])
      }
    }
    return { x: dx, ...(weight && { weight: dw }), ...(bias && { bias: db }) }
  }
})

/**
 * The means over row `r` of g = dy · weight and of g times a vector, after a transformation of each term.
 * @param {TensorLike} dy @param {TensorLike | undefined} weight @param {Float64Array} times @param {number} r
 * @param {number} width
 * @param {(v: number) => number} transform
 */
function meansOf(dy, weight, times, r, width, transform) {
  let g = 0, along = 0
  for (let c = 0, i = r * width; c < width; c++, i++) {
    const own = dy.data[i] * (weight ? weight.data[c] : 1)
    g += transform(own) / width
    along += transform(own * times[i]) / width
  }
  return [g, along]
}

export const layerNorm = norm(true)
export const rmsNorm = norm(false)
