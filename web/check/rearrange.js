/** Transposing and narrowing tensors. */

import { zeros } from '../../src/reference/tensor.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */

/**
 * Swaps two axes.
 * @param {TensorLike} x @param {number} a @param {number} b
 */
export function transpose(x, a, b) {
  const shape = [...x.shape]
  ;[shape[a], shape[b]] = [shape[b], shape[a]]
  const out = zeros(shape), strides = x.shape.map((_, axis) => x.shape.slice(axis + 1).reduce((n, side) => n * side, 1))
  ;[strides[a], strides[b]] = [strides[b], strides[a]]
  for (let i = 0; i < out.data.length; i++) {
    let rest = i, from = 0
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += rest % shape[axis] * strides[axis]
      rest = Math.floor(rest / shape[axis])
    }
    out.data[i] = x.data[from]
  }
  return out
}

/** @param {number[]} sides */
const product = sides => sides.reduce((n, side) => n * side, 1)

/**
 * A range of one axis, and the inverse for gradients, padded with zeros.
 * @param {number[]} shape of the whole @param {{ dim?: number, start: number, length: number }} where
 * @param {(whole: number, part: number) => void} visit indices of both, cell by cell
 */
function eachWithin(shape, { dim = 0, start, length }, visit) {
  const side = shape[dim], inner = product(shape.slice(dim + 1)), count = product(shape.slice(0, dim)) * length * inner
  for (let at = 0; at < count; at++) {
    const place = Math.floor(at / inner) % length, outer = Math.floor(at / (inner * length))
    visit((outer * side + start + place) * inner + at % inner, at)
  }
}

/** @param {TensorLike} x @param {any} where */
export function narrow(x, where) {
  const { dim = 0, length } = where, out = zeros(x.shape.map((side, axis) => (axis === dim ? length : side)))
  eachWithin(x.shape, where, (whole, part) => { out.data[part] = x.data[whole] })
  return out
}

/** @param {TensorLike} part @param {number[]} shape @param {any} where */
export function widen(part, shape, where) {
  const out = zeros(shape)
  eachWithin(shape, where, (whole, at) => { out.data[whole] = part.data[at] })
  return out
}
