// y[i] = weight[idx[i]]: a table look-up. Going back, every row collects what its uses received,
// except the padding row, which is told nothing.
/** @import { Given } from './tensor.js' */

import { zeros } from './tensor.js'

/** @param {{ idx: Given, weight: Given }} inputs */
export function forward({ idx, weight }) {
  const width = weight.shape[1]
  const y = zeros([...idx.shape, width])
  for (let i = 0; i < idx.data.length; i++) {
    for (let c = 0; c < width; c++) y.data[i * width + c] = weight.data[idx.data[i] * width + c]
  }
  return { y }
}

/**
 * @param {{ idx: Given, weight: Given }} inputs
 * @param {{ padding_idx?: number }} params
 * @param {{ y: Given }} outputs
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
