// Helpers of the references. A tensor is { shape, data: Float64Array }, row-major; the data of inputs may be any array.

/**
 * @typedef {{ length: number, [i: number]: number, slice: (start?: number, end?: number) => Numbers,
 *   map: (f: (value: number, i: number) => number) => Numbers,
 *   reduce: (f: (sum: number, value: number, i: number) => number, first: number) => number }} Numbers
 */
/** @typedef {{ shape: number[], data: Numbers }} TensorLike */
/** @typedef {{ shape: number[], data: Float64Array }} Tensor */

/** The unit roundoff of float32: the largest relative error of one rounding. */
export const U = 2 ** -24

/** @param {number[]} shape */
export const sizeOf = shape => shape.reduce((size, extent) => size * extent, 1)

/** @param {number[]} shape @returns {Tensor} */
export const zeros = shape => ({ shape: [...shape], data: new Float64Array(sizeOf(shape)) })

/** @param {TensorLike} x @param {(value: number, i: number) => number} f @returns {Tensor} */
export function map({ shape, data }, f) {
  const y = new Float64Array(data.length)
  for (let i = 0; i < y.length; i++) y[i] = f(data[i], i)
  return { shape: [...shape], data: y }
}

/** The number and width of the rows of x, its last dimension. @param {TensorLike} x */
export function rowsOf(x) {
  const width = /** @type {number} */ (x.shape.at(-1))
  return { rows: sizeOf(x.shape.slice(0, -1)), width }
}

/** @param {number[]} a @param {number[]} b */
export function broadcastShape(a, b) {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, axis) => {
    const m = a[axis - rank + a.length] ?? 1
    const n = b[axis - rank + b.length] ?? 1
    if (m !== n && m !== 1 && n !== 1) throw new Error(`shapes [${a}] and [${b}] do not broadcast`)
    return m === 1 ? n : m
  })
}

/**
 * For every index of `outShape`, the index that it reads in a tensor of `shape`; dimensions of 1 broadcast.
 * @param {number[]} shape
 * @param {number[]} outShape
 */
export function broadcastIndex(shape, outShape) {
  const strides = new Array(outShape.length).fill(0)
  let stride = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1) strides[outShape.length - shape.length + axis] = stride
    stride *= shape[axis]
  }
  const index = new Int32Array(sizeOf(outShape)), at = new Array(outShape.length).fill(0)
  for (let place = 0, from = 0; place < index.length; place++) {
    index[place] = from
    for (let axis = outShape.length - 1; axis >= 0; axis--) {
      at[axis] += 1
      from += strides[axis]
      if (at[axis] < outShape[axis]) break
      at[axis] = 0
      from -= outShape[axis] * strides[axis]
    }
  }
  return index
}

/**
 * The gradient of a broadcast: the sum over all positions that read the same value.
 * @param {TensorLike} outGradient
 * @param {number[]} shape
 */
export function sumToShape(outGradient, shape) {
  const gradient = zeros(shape)
  broadcastIndex(shape, outGradient.shape).forEach((from, place) => {
    gradient.data[from] += outGradient.data[place]
  })
  return gradient
}
