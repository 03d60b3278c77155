import { expect, formatShape, expectInteger } from '../errors.js'
import { sliceShape, sizeOf } from '../tensor/shape.js'
import { expectTensor } from './checks.js'
import { axisOf } from './strided.js'

/** Operations that insert, remove, merge and split axes; all give views. */

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Inserts an axis of length 1: torch.unsqueeze.
 * @param {Tensor} x @param {number} dim its index in the result; negative numbers count from the end @returns {Tensor}
 */
export function unsqueeze(x, dim) {
  const { shape } = expectTensor('unsqueeze', 'x', x), axis = axisOf('unsqueeze', dim, shape.length + 1)
  return x.reshape([...sliceShape(shape, 0, axis), 1, ...sliceShape(shape, axis)])
}

/**
 * Removes axes of length 1: torch.squeeze.
 * @param {Tensor} x @param {number} [dim] the only axis to remove, if it has length 1; default: all @returns {Tensor}
 */
export function squeeze(x, dim) {
  const { shape } = expectTensor('squeeze', 'x', x)
  const only = dim === undefined ? null : axisOf('squeeze', dim, shape.length)
  return x.reshape(shape.filter((side, axis) => side !== 1 || (only !== null && axis !== only)))
}

/**
 * Merges the axes from `from` to `to`: torch.flatten.
 * @param {Tensor} x @param {number} [from] 0 @param {number} [to] -1, the last @returns {Tensor}
 */
export function flattenAxes(x, from = 0, to = -1) {
  const { shape } = expectTensor('flatten', 'x', x), rank = shape.length
  if (rank === 0) return x.reshape([1])
  const first = axisOf('flatten', from, rank, 'from'), last = axisOf('flatten', to, rank, 'to')
  expect(first <= last, 'range', () => `flatten: from must not come after to, got ${first} and ${last}`)
  return x.reshape([
    ...sliceShape(shape, 0, first), sizeOf(sliceShape(shape, first, last + 1)),
    ...sliceShape(shape, last + 1)
  ])
}

/**
 * Splits an axis into several: torch.unflatten.
 * @param {Tensor} x @param {number} dim @param {readonly number[]} sides one may be −1 and is then inferred
 * @returns {Tensor}
 */
export function unflatten(x, dim, sides) {
  const { shape } = expectTensor('unflatten', 'x', x), axis = axisOf('unflatten', dim, shape.length)
  expect(Array.isArray(sides), 'type', () => 'unflatten: sides must be an array of numbers')
  sides.forEach((side, i) => expectInteger('unflatten', `sides[${i}]`, side, -1))
  const known = sizeOf(sides.filter(side => side !== -1)),
    inferred = sides.map(side => (side === -1 ? shape[axis] / known : side))
  expect(sizeOf(inferred) === shape[axis] && inferred.every(Number.isInteger), 'shape',
    () => `unflatten: ${formatShape(sides)} must multiply to ${shape[axis]}, the side of axis ${axis}`)
  return x.reshape([...sliceShape(shape, 0, axis), ...inferred, ...sliceShape(shape, axis + 1)])
}
