import { expect, outOfMemory, shapeText } from './errors.js'

/** Arithmetic on shapes and indices of row-major tensors. */

/** How many cells the first axes of a shape have, or all. @param {readonly number[]} shape @param {number} [rank] */
export function sizeOf(shape, rank = shape.length) {
  let size = 1
  for (let axis = 0; axis < rank; axis++) size *= shape[axis]
  return size
}

/** A whole memory of float32 has this many, so that the kernels' integers hold every place and every stride. */
const MOST_CELLS = 2 ** 30
/** As many empty rows can be walked in no time. */
const MOST_EMPTY_ROWS = 2 ** 24

/** As many as torch's tensors have. */
export const MAX_AXES = 64

/**
 * How many cells a tensor of this shape has. An empty one may have no sides that its views and gradients could not
 * have.
 * @param {readonly number[]} shape @returns {number}
 * @throws {import('./errors.js').GlassformerError} 'memory' for more than there can be, 'shape' for too many axes
 */
export function cellsOf(shape) {
  expect(shape.length <= MAX_AXES, 'shape', () => `a tensor has at most ${MAX_AXES} axes, got a shape of ${shape.length}`)
  const size = sizeOf(shape)
  if (size > 0 && size <= MOST_CELLS) return size
  if (size > 0) throw outOfMemory(4 * size)
  const most = sizeOf(shape.map(side => side || 1)), rows = sizeOf(shape, shape.indexOf(0))
  expect(most <= MOST_CELLS && rows <= MOST_EMPTY_ROWS, 'memory',
    () => `shape ${shapeText(shape)} has sides that are too large even without cells`)
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
 * Some of the sides as an array of its own. The shape of a tensor is frozen, and slice takes V8 twenty times as long
 * then.
 * @param {readonly number[]} shape @param {number} from @param {number} [to] as slice takes them
 */
export const sliceShape = (shape, from, to) => [...shape].slice(from, to)

/** The shape with another last side. @param {readonly number[]} shape @param {number} side */
export function replaceLastSize(shape, side) {
  const sides = [...shape]
  sides[sides.length - 1] = side
  return sides
}

/** The place of a cell among all of them. @param {readonly number[]} shape @param {readonly number[]} index */
export const offsetOf = (shape, index) => index.reduce((offset, i, axis) => offset * shape[axis] + i, 0)

/** The index of the cell at a place. @param {readonly number[]} shape @param {number} offset @returns {number[]} */
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
 * @param {readonly number[]} shape @param {ArrayLike<number>} values @param {number} [first] the place to begin at
 * @returns {any}
 */
export function nest(shape, values, first = 0) {
  if (!shape.length) return values[first]
  const [side, ...inner] = shape, step = sizeOf(inner)
  return range(side).map(i => nest(inner, values, first + i * step))
}
