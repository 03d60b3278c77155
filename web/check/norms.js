/** Layer norm and RMS norm in double, with bounds on the error of float32, derived as in tests/ops. */

import { zeros } from '../../src/reference/tensor.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */
/** @import { Operation } from './steps.js' */

const U = 2 ** -24

/**
 * Each row minus its center (the mean, or 0), divided by its size, with the error of the result.
 * @param {TensorLike} x @param {number} eps @param {boolean} isCentred
 */
function statistics(x, eps, isCentred) {
  const width = /** @type {number} */ (x.shape.at(-1)), rows = x.data.length / width
  const normal = new Float64Array(x.data.length), error = new Float64Array(x.data.length)
  const inverse = new Float64Array(rows)
  for (let r = 0; r < rows; r++) {
    const row = Array.from(x.data.slice(r * width, (r + 1) * width))
    /** @param {(v: number) => number} of */
    const mean = of => row.reduce((sum, v) => sum + of(v), 0) / width
    const centre = isCentred ? mean(v => v) : 0
    inverse[r] = 1 / Math.sqrt(mean(v => (v - centre) ** 2) + eps)
    const shift = isCentred ? width * U * mean(Math.abs) * inverse[r] : 0
    const relative = (width + 10) * U + shift ** 2
    for (let i = 0; i < width; i++) {
      normal[r * width + i] = (row[i] - centre) * inverse[r]
      error[r * width + i] = shift + relative * Math.abs(normal[r * width + i])
    }
  }
  return { width, rows, normal, error, inverse }
}

/**
 * A weight or bias by index.
 * @param {TensorLike | undefined} t @param {number} width @param {number} none
 */
const at = (t, width, none) => (/** @type {number} */ i) => (t ? t.data[i % width] : none)

/** @param {boolean} isCentred @returns {Operation} */
const norm = isCentred => ({
  forward({ x, weight, bias }, { eps }) {
    const { width, normal } = statistics(x, eps, isCentred), times = at(weight, width, 1), more = at(bias, width, 0)
    return { shape: x.shape, data: normal.map((n, i) => n * times(i) + more(i)) }
  },
  bound({ x, weight, bias }, { eps }) {
    const { width, normal, error } = statistics(x, eps, isCentred)
    const times = at(weight, width, 1), more = at(bias, width, 0)
    return { shape: x.shape, data: normal.map((n, i) => (
      Math.abs(times(i)) * (error[i] + 2 * U * Math.abs(n)) + U * Math.abs(more(i)))) }
  },
  // With g = dy · weight: dx = (g − mean g − normal · mean(g · normal)) / deviation; without a centre no mean g.
  backward({ x, weight, bias }, { eps }, dy) {
    const { width, rows, normal, inverse } = statistics(x, eps, isCentred)
    const dx = zeros(x.shape), dw = zeros([width]), db = zeros([width])
    for (let r = 0; r < rows; r++) {
      const [g, along] = meansOf(dy, weight, normal, r, width, v => v)
      for (let c = 0, i = r * width; c < width; c++, i++) {
        dx.data[i] = (dy.data[i] * (weight ? weight.data[c] : 1) - (isCentred ? g : 0) - normal[i] * along) * inverse[r]
        dw.data[c] += dy.data[i] * normal[i]
        db.data[c] += dy.data[i]
      }
    }
    return { x: dx, ...(weight && { weight: dw }), ...(bias && { bias: db }) }
  },
  backwardBound({ x, weight, bias }, { eps }, dy) {
    const { width, rows, normal, error, inverse } = statistics(x, eps, isCentred)
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
 * The means of g and of g times a vector, per row.
 * @param {TensorLike} dy @param {TensorLike | undefined} weight @param {Float64Array} times @param {number} r
 * @param {number} width
 * @param {(v: number) => number} of
 */
function meansOf(dy, weight, times, r, width, of) {
  let g = 0, along = 0
  for (let c = 0, i = r * width; c < width; c++, i++) {
    const own = dy.data[i] * (weight ? weight.data[c] : 1)
    g += of(own) / width
    along += of(own * times[i]) / width
  }
  return [g, along]
}

export const layerNorm = norm(true)
export const rmsNorm = norm(false)
