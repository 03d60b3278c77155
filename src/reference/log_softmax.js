// y[i] = (x[i] - max) - log(sum of exp(x - max)), along the last dimension.
/** @import { TensorLike } from './tensor.js' */

import { rowsOf, zeros } from './tensor.js'

/** @param {{ x: TensorLike }} inputs */
export function forward({ x }) {
  const { rows, width } = rowsOf(x)
  const y = zeros(x.shape)
  for (let r = 0; r < rows; r++) {
    const row = x.data.slice(r * width, (r + 1) * width)
    const max = row.reduce((a, b) => Math.max(a, b), -Infinity)
    const logSum = Math.log(row.reduce((sum, value) => sum + Math.exp(value - max), 0))
    for (let i = 0; i < width; i++) y.data[r * width + i] = row[i] - max - logSum
  }
  return { y }
}

/**
 * dx[i] = dy[i] - softmax[i] * sum of dy, where softmax = exp(y).
 * @param {{ x: TensorLike }} inputs
 * @param {object} _
 * @param {{ y: TensorLike }} outputs
 */
export function backward(inputs, _, { y: dy }) {
  const { y } = forward(inputs)
  const { rows, width } = rowsOf(y)
  const dx = zeros(y.shape)
  for (let r = 0; r < rows; r++) {
    let total = 0
    for (let i = r * width; i < (r + 1) * width; i++) total += dy.data[i]
    for (let i = r * width; i < (r + 1) * width; i++) dx.data[i] = dy.data[i] - Math.exp(y.data[i]) * total
  }
  return { x: dx }
}
