// y[r][o] = bias[o] + sum over i of x[r][i] * weight[o][i]
/** @import { TensorLike, Tensor } from './tensor.js' */

import { rowsOf, zeros } from './tensor.js'

/** @param {{ x: TensorLike, weight: TensorLike, bias?: TensorLike }} inputs */
export function forward({ x, weight, bias }) {
  const [outputs, width] = weight.shape
  const { rows } = rowsOf(x)
  const y = zeros([...x.shape.slice(0, -1), outputs])
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outputs; o++) {
      let sum = bias ? bias.data[o] : 0
      for (let i = 0; i < width; i++) sum += x.data[r * width + i] * weight.data[o * width + i]
      y.data[r * outputs + o] = sum
    }
  }
  return { y }
}

/**
 * @param {{ x: TensorLike, weight: TensorLike, bias?: TensorLike }} inputs
 * @param {object} _ @param {{ y: TensorLike }} outputs
 */
export function backward({ x, weight, bias }, _, { y: dy }) {
  const [outputs, width] = weight.shape
  const { rows } = rowsOf(x)
  /** @type {Record<string, Tensor>} */
  const grads = { x: zeros(x.shape), weight: zeros(weight.shape) }
  if (bias) grads.bias = zeros(bias.shape)
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outputs; o++) {
      const d = dy.data[r * outputs + o]
      if (bias) grads.bias.data[o] += d
      for (let i = 0; i < width; i++) {
        grads.x.data[r * width + i] += d * weight.data[o * width + i]
        grads.weight.data[o * width + i] += d * x.data[r * width + i]
      }
    }
  }
  return grads
}
