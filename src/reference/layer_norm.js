// Per row: normal = (x - mean) / sqrt(variance + eps), y = normal * weight + bias, with variance = mean((x - mean)^2).
/** @import { TensorLike, Tensor } from './tensor.js' */

import { rowsOf, zeros } from './tensor.js'

/** @param {Float64Array} values */
const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length

/** @param {Float64Array} row @param {number} eps */
function statistics(row, eps) {
  const center = mean(row)
  const variance = mean(row.map(value => (value - center) ** 2))
  const inverseDeviation = 1 / Math.sqrt(variance + eps)
  return { normal: row.map(value => (value - center) * inverseDeviation), inverseDeviation }
}

/** @param {{ x: TensorLike, weight?: TensorLike, bias?: TensorLike }} inputs @param {{ eps?: number }} params */
export function forward({ x, weight, bias }, { eps = 1e-5 }) {
  const { rows, width } = rowsOf(x)
  const y = zeros(x.shape)
  for (let r = 0; r < rows; r++) {
    const { normal } = statistics(Float64Array.from(x.data.slice(r * width, (r + 1) * width)), eps)
    for (let i = 0; i < width; i++) {
      y.data[r * width + i] = normal[i] * (weight ? weight.data[i] : 1) + (bias ? bias.data[i] : 0)
    }
  }
  return { y }
}

/**
 * With g = dy * weight: dx = (g - mean(g) - normal * mean(g * normal)) * inverseDeviation.
 * @param {{ x: TensorLike, weight?: TensorLike, bias?: TensorLike }} inputs
 * @param {{ eps?: number }} params
 * @param {{ y: TensorLike }} outputs
 */
export function backward({ x, weight, bias }, { eps = 1e-5 }, { y: dy }) {
  const { rows, width } = rowsOf(x)
  /** @type {Record<string, Tensor>} */
  const grads = { x: zeros(x.shape) }
  if (weight) grads.weight = zeros(weight.shape)
  if (bias) grads.bias = zeros(bias.shape)
  for (let r = 0; r < rows; r++) {
    const { normal, inverseDeviation } = statistics(Float64Array.from(x.data.slice(r * width, (r + 1) * width)), eps)
    const d = Float64Array.from(dy.data.slice(r * width, (r + 1) * width))
    const g = d.map((value, i) => value * (weight ? weight.data[i] : 1))
    const meanG = mean(g)
    const meanGNormal = mean(g.map((value, i) => value * normal[i]))
    for (let i = 0; i < width; i++) {
      grads.x.data[r * width + i] = (g[i] - meanG - normal[i] * meanGNormal) * inverseDeviation
      if (weight) grads.weight.data[i] += d[i] * normal[i]
      if (bias) grads.bias.data[i] += d[i]
    }
  }
  return grads
}
