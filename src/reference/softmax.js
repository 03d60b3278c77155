// y[i] = exp(x[i] - max) / sum of exp(x - max), along the last dimension. Subtracting the maximum avoids overflow and
// cancels. A row of only -Infinity gives NaN, as in PyTorch.
/** @import { TensorLike } from './tensor.js' */

import { rowsOf, zeros } from './tensor.js'

/** @param {{ x: TensorLike }} inputs */
export function forward({ x }) {
  const { rows, width } = rowsOf(x)
  const y = zeros(x.shape)
  for (let r = 0; r < rows; r++) {
    const row = x.data.slice(r * width, (r + 1) * width)
    const max = row.reduce((a, b) => Math.max(a, b), -Infinity)
    const exponentials = row.map(value => Math.exp(value - max))
    const sum = exponentials.reduce((a, b) => a + b, 0)
    for (let i = 0; i < width; i++) y.data[r * width + i] = exponentials[i] / sum
  }
  return { y }
}

/**
 * dx[i] = y[i] * (dy[i] - sum over j of y[j] * dy[j]), computed from the output y.
 * @param {TensorLike} y
 * @param {TensorLike} dy
 */
export function gradientFromResult(y, dy) {
  const { rows, width } = rowsOf(y)
  const dx = zeros(y.shape)
  for (let r = 0; r < rows; r++) {
    let mean = 0
    for (let i = r * width; i < (r + 1) * width; i++) mean += y.data[i] * dy.data[i]
    for (let i = r * width; i < (r + 1) * width; i++) dx.data[i] = y.data[i] * (dy.data[i] - mean)
  }
  return dx
}

/** @param {{ x: TensorLike }} inputs @param {object} _ @param {{ y: TensorLike }} outputs */
export const backward = (inputs, _, { y: dy }) => ({ x: gradientFromResult(forward(inputs).y, dy) })
