import { expect, formatShape, expectInteger } from '../errors.js'
import { sliceShape, sizeOf } from '../shape.js'
import { expectTensor } from './checks.js'
import { axisOf } from './strided.js'

/** Axes of length 1 put in and taken out, axes joined and parted: the same values in another shape. */

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * A new axis of length 1: torch.unsqueeze. @param {Tensor} x @param {number} dim where it will stand @returns {Tensor}
 */
export function unsqueeze(x, dim) {
  const { shape } = expectTensor('unsqueeze', 'x', x), axis = axisOf('unsqueeze', dim, shape.length + 1)
  return x.reshape([...sliceShape(shape, 0, axis), 1, ...sliceShape(shape, axis)])
}

/**
 * Without axes of length 1, or without this one if it has that length: torch.squeeze.
 * @param {Tensor} x @param {number} [dim] @returns {Tensor}
 */
export function squeeze(x, dim) {
  const { shape } = expectTensor('squeeze', 'x', x)
  const only = dim === undefined ? null : axisOf('squeeze', dim, shape.length)
  return x.reshape(shape.filter((side, axis) => side !== 1 || (only !== null && axis !== only)))
}

/**
 * Axes as one: torch.flatten. @param {Tensor} x @param {number} [from] 0 @param {number} [to] the last
 * @returns {Tensor}
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
 * One axis as several: torch.unflatten.
 * @param {Tensor} x @param {number} dim @param {readonly number[]} sides one may be −1: what is left @returns {Tensor}
 */
export function unflatten(x, dim, sides) {
  const { shape } = expectTensor('unflatten', 'x', x), axis = axisOf('unflatten', dim, shape.length)
  expect(Array.isArray(sides), 'type', () => 'unflatten: sides must be an array of numbers')
  sides.forEach((side, i) => expectInteger('unflatten', `sides[${i}]`, side, -1))
  const known = sizeOf(sides.filter(side => side !== -1)),
    whole = sides.map(side => (side === -1 ? shape[axis] / known : side))
  expect(sizeOf(whole) === shape[axis] && whole.every(Number.isInteger), 'shape',
    () => `unflatten: ${formatShape(sides)} must multiply to ${shape[axis]}, the side of axis ${axis}`)
  return x.reshape([...sliceShape(shape, 0, axis), ...whole, ...sliceShape(shape, axis + 1)])
}
