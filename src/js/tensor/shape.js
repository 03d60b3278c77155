import { expect, outOfMemoryError, formatShape } from '../errors.js'

/** Arithmetic on shapes and indices of row-major tensors. */

/** The number of cells of a shape's first `rank` axes. @param {readonly number[]} shape @param {number} [rank] all */
export function sizeOf(shape, rank = shape.length) {
  let size = 1
  for (let axis = 0; axis < rank; axis++) size *= shape[axis]
  return size
}

/** A full memory of float32 has this many cells, so the kernels' integers can hold every offset and stride. */
const MAX_CELLS = 2 ** 30
/** The maximum number of rows of a tensor whose rows are empty: kernels still loop over them. */
const MAX_EMPTY_ROWS = 2 ** 24

/** The maximum number of axes, as in PyTorch. */
export const MAX_AXES = 64

/**
 * The number of cells of a tensor of this shape. The sides of an empty tensor are limited too, since its views and
 * gradients may have the other sides.
 * @param {readonly number[]} shape @returns {number}
 * @throws {import('../errors.js').GlassformerError} 'memory' for too many cells, 'shape' for too many axes
 */
export function countCells(shape) {
  expect(shape.length <= MAX_AXES, 'shape', () => `a tensor has at most ${MAX_AXES} axes, got a shape of ${shape.length}`)
  const size = sizeOf(shape)
  if (size > 0 && size <= MAX_CELLS) return size
  if (size > 0) throw outOfMemoryError(4 * size)
  const nonzeroSize = sizeOf(shape.map(side => side || 1)), rows = sizeOf(shape, shape.indexOf(0))
  expect(nonzeroSize <= MAX_CELLS && rows <= MAX_EMPTY_ROWS, 'memory',
    () => `shape ${formatShape(shape)} has sides that are too large even without cells`)
  return size
}

/** @param {readonly number[]} a @param {readonly number[]} b */
export function sameShape(a, b) {
  let axis = a.length
  if (axis !== b.length) return false
  while (axis--) if (a[axis] !== b[axis]) return false
  return true
}

/**
 * Some sides of a shape as a new array. Tensors' shapes are frozen, and V8 slices a frozen array twenty times more
 * slowly than it copies one.
 * @param {readonly number[]} shape @param {number} from @param {number} [to] as for slice
 */
export const sliceShape = (shape, from, to) => [...shape].slice(from, to)

/** A shape with its last side replaced. @param {readonly number[]} shape @param {number} side */
export function replaceLastSize(shape, side) {
  const sides = [...shape]
  sides[sides.length - 1] = side
  return sides
}

/** The row-major offset of a cell. @param {readonly number[]} shape @param {readonly number[]} index */
export const offsetOf = (shape, index) => index.reduce((offset, i, axis) => offset * shape[axis] + i, 0)

/** The index of a cell at an offset. @param {readonly number[]} shape @param {number} offset @returns {number[]} */
export function indexOf(shape, offset) {
  const index = shape.map(() => 0)
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = offset % shape[axis]
    offset = Math.floor(offset / shape[axis])
  }
  return index
}

/** 0 .. n - 1. @param {number} n @returns {number[]} */
export const range = n => Array.from({ length: n }, (_, i) => i)

/** Every index of a shape, in order. @param {readonly number[]} shape @returns {number[][]} */
export const indicesOf = shape => range(sizeOf(shape)).map(i => indexOf(shape, i))

/**
 * The cells of a shape as nested arrays; a single value for the shape [].
 * @param {readonly number[]} shape @param {ArrayLike<number>} values @param {number} [first] offset of the first value
 * @returns {any}
 */
export function nest(shape, values, first = 0) {
  if (!shape.length) return values[first]
  const [side, ...inner] = shape, step = sizeOf(inner)
  return range(side).map(i => nest(inner, values, first + i * step))
}
