// y[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]; the leading dimensions broadcast.
/** @import { TensorLike } from './tensor.js' */

import { broadcastIndex, broadcastShape, zeros } from './tensor.js'

/**
 * Calls visit(index in y, index in a, index in b) for every product that is summed.
 * @param {TensorLike} a
 * @param {TensorLike} b
 * @param {(at: number, left: number, right: number) => void} visit
 */
function forEachProduct(a, b, visit) {
  const [m, k] = a.shape.slice(-2)
  const n = /** @type {number} */ (b.shape.at(-1))
  const batch = broadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2))
  const inA = broadcastIndex(a.shape.slice(0, -2), batch)
  const inB = broadcastIndex(b.shape.slice(0, -2), batch)
  for (let s = 0; s < inA.length; s++) {
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        for (let c = 0; c < k; c++) visit((s * m + i) * n + j, (inA[s] * m + i) * k + c, (inB[s] * k + c) * n + j)
      }
    }
  }
}

/** @param {{ a: TensorLike, b: TensorLike }} inputs */
export function forward({ a, b }) {
  const batch = broadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2))
  const y = zeros(/** @type {number[]} */ ([...batch, a.shape.at(-2), b.shape.at(-1)]))
  forEachProduct(a, b, (at, left, right) => {
    y.data[at] += a.data[left] * b.data[right]
  })
  return { y }
}

/** @param {{ a: TensorLike, b: TensorLike }} inputs @param {object} _ @param {{ y: TensorLike }} outputs */
export function backward({ a, b }, _, { y: dy }) {
  const grads = { a: zeros(a.shape), b: zeros(b.shape) }
  forEachProduct(a, b, (at, left, right) => {
    grads.a.data[left] += dy.data[at] * b.data[right]
    grads.b.data[right] += dy.data[at] * a.data[left]
  })
  return grads
}
