// y = a * b, with NumPy's broadcasting. Each factor's gradient is the other factor times dy.
/** @import { TensorLike } from './tensor.js' */

import { broadcastIndex, broadcastShape, sumToShape, zeros } from './tensor.js'

/** @param {TensorLike} a @param {TensorLike} b */
function product(a, b) {
  const y = zeros(broadcastShape(a.shape, b.shape))
  const inA = broadcastIndex(a.shape, y.shape)
  const inB = broadcastIndex(b.shape, y.shape)
  for (let i = 0; i < y.data.length; i++) y.data[i] = a.data[inA[i]] * b.data[inB[i]]
  return y
}

/** @param {{ a: TensorLike, b: TensorLike }} inputs */
export const forward = ({ a, b }) => ({ y: product(a, b) })

/** @param {{ a: TensorLike, b: TensorLike }} inputs @param {object} _ @param {{ y: TensorLike }} outputs */
export const backward = ({ a, b }, _, { y: dy }) => ({
  a: sumToShape(product(dy, b), a.shape),
  b: sumToShape(product(dy, a), b.shape)
})
