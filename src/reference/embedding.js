// y[i] = weight[idx[i]], a table lookup. Backward: the gradient of a row is the sum over its lookups; the row
// padding_idx gets none.
/** @import { TensorLike } from './tensor.js' */

import { zeros } from './tensor.js'

/** @param {{ idx: TensorLike, weight: TensorLike }} inputs */
export function forward({ idx, weight }) {
  const width = weight.shape[1]
  const y = zeros([...idx.shape, width])
  for (let i = 0; i < idx.data.length; i++) {
    for (let c = 0; c < width; c++) y.data[i * width + c] = weight.data[idx.data[i] * width + c]
  }
  return { y }
}

/**
 * @param {{ idx: TensorLike, weight: TensorLike }} inputs
 * @param {{ padding_idx?: number }} params
 * @param {{ y: TensorLike }} outputs
 */
export function backward({ idx, weight }, { padding_idx: paddingIdx }, { y: dy }) {
  const width = weight.shape[1]
  const dweight = zeros(weight.shape)
  for (let i = 0; i < idx.data.length; i++) {
    if (idx.data[i] === paddingIdx) continue
    for (let c = 0; c < width; c++) dweight.data[idx.data[i] * width + c] += dy.data[i * width + c]
  }
  return { weight: dweight }
}
