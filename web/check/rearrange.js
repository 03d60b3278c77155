/** Transposing and narrowing tensors, and windows that slide over them. */

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
 * Visits the cells of a range of one axis.
 * @param {number[]} shape of the whole @param {{ dim?: number, start: number, length: number }} where
 * @param {(whole: number, part: number) => void} visit indices of both, cell by cell
 */
function eachWithin(shape, { dim = 0, start, length }, visit) {
  const side = shape[dim], inner = product(shape.slice(dim + 1)), count = product(shape.slice(0, dim)) * length * inner
  for (let at = 0; at < count; at++) {
    const offset = Math.floor(at / inner) % length, outer = Math.floor(at / (inner * length))
    visit((outer * side + start + offset) * inner + at % inner, at)
  }
}

/** A range of one axis. @param {TensorLike} x @param {any} where */
export function narrow(x, where) {
  const { dim = 0, length } = where, out = zeros(x.shape.map((side, axis) => (axis === dim ? length : side)))
  eachWithin(x.shape, where, (whole, part) => { out.data[part] = x.data[whole] })
  return out
}

/** The gradient of `narrow`: pads with zeros. @param {TensorLike} part @param {number[]} shape @param {any} where */
export function widen(part, shape, where) {
  const out = zeros(shape)
  eachWithin(shape, where, (whole, at) => { out.data[whole] = part.data[at] })
  return out
}

/**
 * Visits the cells of windows that slide over axes: the index of a cell is that of its window, plus its own in it.
 * @param {number[]} shape of the whole @param {{ windows: any[], order: number[] }} where order: of the axes of the
 *   result: those of the whole, then one for the cells of each window
 * @param {(whole: number, part: number) => void} visit indices of both, cell by cell @returns {number[]} the shape
 */
function eachInWindows(shape, { windows, order }, visit) {
  const counts = shape.map((side, axis) => windows.find(window => window.axis === axis)?.count ?? side)
  const sides = [...counts, ...windows.map(({ size }) => size)], result = order.map(axis => sides[axis])
  for (let at = 0; at < product(result); at++) {
    /** @type {number[]} */ const index = []
    let rest = at
    for (const axis of [...order].reverse()) {
      index[axis] = rest % sides[axis]
      rest = Math.floor(rest / sides[axis])
    }
    const own = shape.map((_, axis) => windows.reduce((i, { axis: slid, stride, dilation }, n) => (
      slid === axis ? i * stride + index[shape.length + n] * dilation : i), index[axis]))
    visit(own.reduce((whole, i, axis) => whole * shape[axis] + i, 0), at)
  }
  return result
}

/** Windows that slide over axes. @param {TensorLike} x @param {any} where */
export function unfold(x, where) {
  /** @type {number[]} */ const data = []
  const shape = eachInWindows(x.shape, where, whole => data.push(x.data[whole]))
  return { shape, data: Float64Array.from(data) }
}

/**
 * The gradient of `unfold`: sums of overlapping windows.
 * @param {TensorLike} dy @param {number[]} shape @param {any} where
 */
export function foldBack(dy, shape, where) {
  const out = zeros(shape)
  eachInWindows(shape, where, (whole, part) => { out.data[whole] += dy.data[part] })
  return out
}
