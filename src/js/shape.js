/** Arithmetic on shapes and indices of row-major tensors. */

/** @param {readonly number[]} shape @param {readonly number[]} index */
export const offsetOf = (shape, index) => index.reduce((offset, i, axis) => offset * shape[axis] + i, 0)

/** @param {readonly number[]} shape @param {number} offset @returns {number[]} */
export function indexOf(shape, offset) {
  const index = shape.map(() => 0)
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = offset % shape[axis]
    offset = Math.floor(offset / shape[axis])
  }
  return index
}

/** @param {number} n @returns {number[]} 0 .. n - 1 */
export const range = n => Array.from({ length: n }, (_, i) => i)

/** Every index of a shape, in order. @param {readonly number[]} shape @returns {number[][]} */
export const indicesOf = shape => range(shape.reduce((n, side) => n * side, 1)).map(i => indexOf(shape, i))
