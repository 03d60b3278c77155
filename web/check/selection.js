/** Operations that select, join, repeat and add cells, in double. */

import { broadcastIndex, broadcastShape, map, sumToShape, zeros } from '../../src/reference/tensor.js'
import { foldBack, narrow, unfold, widen } from './rearrange.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */
/** @import { Operation } from './steps.js' */

/** The relative error of one rounding. */
const U = 2 ** -24

/** @param {number[]} sides */
const product = sides => sides.reduce((n, side) => n * side, 1)
/** @param {TensorLike} t @param {number} times */
const magnitudes = (t, times) => map(t, v => Math.abs(v) * times)
/** @param {unknown[]} index @returns {number[]} */
const shapeOf = index => (Array.isArray(index[0]) ? [index.length, ...shapeOf(index[0])] : [index.length])

/**
 * The cell of x that each picked cell comes from.
 * @param {number[]} shape of x @param {Record<string, any>} where index: one list for all rows, or one per cell
 */
function pickedCells(shape, { dim, index }) {
  const isShared = !Array.isArray(index[0]), flat = index.flat(Infinity)
  const picked = isShared ? shape.map((side, axis) => (axis === dim ? index.length : side)) : shapeOf(index)
  const from = new Int32Array(product(picked))
  for (let at = 0; at < from.length; at++) {
    let rest = at, cell = 0, stride = 1
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const i = rest % picked[axis]
      rest = Math.floor(rest / picked[axis])
      cell += stride * (axis !== dim ? i : isShared ? index[i] : flat[at])
      stride *= shape[axis]
    }
    from[at] = cell
  }
  return { shape: picked, from }
}

/** @param {TensorLike} x @param {Record<string, any>} where */
function pick(x, where) {
  const { shape, from } = pickedCells(x.shape, where)
  return { shape, data: Float64Array.from(from, cell => x.data[cell]) }
}

/**
 * Adds cells to those that they were picked from.
 * @param {TensorLike} to @param {TensorLike} part @param {Record<string, any>} where
 */
function addPicked(to, part, where) {
  const out = map(to, v => v)
  pickedCells(to.shape, where).from.forEach((cell, at) => { out.data[cell] += part.data[at] })
  return out
}

/** @param {TensorLike} x @param {Record<string, any>} where @param {TensorLike} dy */
const pickBackward = ({ shape }, where, dy) => addPicked(zeros(shape), dy, where)

/** The shape of x with summed axes of size 1. @param {number[]} shape @param {any} dim */
function summedShape(shape, dim) {
  const dims = dim === undefined || dim === null ? shape.map((_, axis) => axis) : [dim].flat()
  return shape.map((side, axis) => (dims.includes(axis) ? 1 : side))
}

/** @param {TensorLike} x @param {Record<string, any>} parameters */
function sum(x, { dim, keepdim }) {
  const kept = summedShape(x.shape, dim), { data } = sumToShape(x, kept)
  const dims = [dim ?? x.shape.map((_, axis) => axis)].flat()
  return { shape: keepdim ? kept : kept.filter((_, axis) => !dims.includes(axis)), data }
}

/** Repeats cells so that they fill a shape. @param {TensorLike} x @param {number[]} shape */
const repeat = (x, shape) => ({ shape, data: Float64Array.from(broadcastIndex(x.shape, shape), cell => x.data[cell]) })

/** @type {Operation} */
const picking = {
  forward: ({ x }, where) => pick(x, where), bound: (_, __, y) => zeros(y.shape),
  backward: ({ x }, where, dy) => ({ x: pickBackward(x, where, dy) }),
  backwardBound: ({ x }, where, dy) => (
    { x: magnitudes(pickBackward(x, where, magnitudes(dy, 1)), U * (dy.data.length + 1)) })
}

/** The ranges of the parts of a joined tensor. @param {Record<string, TensorLike>} read @param {number} dim */
function partRanges(read, dim) {
  let start = 0
  return Object.entries(read).map(([key, { shape }]) => {
    const range = { dim, start, length: shape[dim] }
    start += shape[dim]
    return { key, shape, range }
  })
}

/** ALiBi's slope of a head (Press et al. 2021). @param {number} head @param {number} heads @returns {number} */
function slopeOf(head, heads) {
  const power = 2 ** Math.floor(Math.log2(heads))
  return head < power ? 2 ** (-8 * (head + 1) / power) : 2 ** (-4 * (2 * (head - power) + 1) / power)
}

/** @type {Record<string, Operation>} */
export const SELECTION_STEPS = {
  alibi: {
    forward(_, { heads, past, shape: [, , queries, keys] }) {
      const out = zeros([1, heads, queries, keys])
      for (let at = 0; at < out.data.length; at++) {
        const j = at % keys, i = past + Math.floor(at / keys) % queries, head = Math.floor(at / (keys * queries))
        out.data[at] = -slopeOf(head, heads) * Math.abs(i - j)
      }
      return out
    },
    bound: (_, __, y) => magnitudes(y, 4 * U)
  },
  index_select: picking,
  gather: picking,
  scatter_add: {
    forward: ({ x, src }, where) => addPicked(x, src, where),
    bound: ({ x, src }, where) => (
      magnitudes(addPicked(magnitudes(x, 1), magnitudes(src, 1), where), U * (src.data.length + 1))),
    backward: ({ src }, where, dy) => ({ x: dy, src: { shape: src.shape, data: pick(dy, where).data } }),
    backwardBound: ({ x, src }) => ({ x: zeros(x.shape), src: zeros(src.shape) })
  },
  sum: {
    forward: ({ x }, parameters) => sum(x, parameters),
    bound: ({ x }, parameters, y) => (
      magnitudes(sum(magnitudes(x, 1), parameters), U * (x.data.length / y.data.length + 1))),
    backward: ({ x }, { dim }, dy) => ({ x: repeat({ shape: summedShape(x.shape, dim), data: dy.data }, x.shape) }),
    backwardBound: ({ x }) => ({ x: zeros(x.shape) })
  },
  div: {
    forward({ a, b }) {
      const shape = broadcastShape(a.shape, b.shape), divisor = repeat(b, shape)
      return map(repeat(a, shape), (v, i) => v / divisor.data[i])
    },
    bound: (_, __, y) => magnitudes(y, U),
    backward({ a, b }, _, dy) {
      const divisor = repeat(b, dy.shape), numerator = repeat(a, dy.shape)
      return { a: sumToShape(map(dy, (v, i) => v / divisor.data[i]), a.shape),
        b: sumToShape(map(dy, (v, i) => -v * numerator.data[i] / divisor.data[i] ** 2), b.shape) }
    },
    backwardBound({ a, b }, _, dy) {
      const divisor = repeat(b, dy.shape), numerator = repeat(a, dy.shape)
      /** @param {TensorLike} x @param {(v: number, i: number) => number} slope */
      const bound = (x, slope) => magnitudes(
        sumToShape(map(dy, (v, i) => Math.abs(slope(v, i))), x.shape), U * (dy.data.length / x.data.length + 4))
      return { a: bound(a, (v, i) => v / divisor.data[i]),
        b: bound(b, (v, i) => v * numerator.data[i] / divisor.data[i] ** 2) }
    }
  },
  expand: {
    forward: ({ x }, { shape }) => repeat(x, shape), bound: (_, __, y) => zeros(y.shape),
    backward: ({ x }, _, dy) => ({ x: sumToShape(dy, x.shape) }),
    backwardBound: ({ x }, _, dy) => (
      { x: magnitudes(sumToShape(magnitudes(dy, 1), x.shape), U * (dy.data.length / x.data.length + 1)) })
  },
  unfold: {
    forward: ({ x }, where) => unfold(x, where), bound: (_, __, y) => zeros(y.shape),
    backward: ({ x }, where, dy) => ({ x: foldBack(dy, x.shape, where) }),
    backwardBound: ({ x }, where, dy) => ({ x: magnitudes(foldBack(magnitudes(dy, 1), x.shape, where),
      U * (where.windows.reduce((/** @type {number} */ n, /** @type {any} */ { size }) => n * size, 1) + 1)) })
  },
  clamp: {
    forward: ({ x }, { min = -Infinity, max = Infinity }) => (
      map(x, v => Math.min(Math.max(v, Math.fround(min)), Math.fround(max)))),
    bound: (_, __, y) => zeros(y.shape),
    backward: ({ x }, { min = -Infinity, max = Infinity }, dy) => ({ x: map(dy, (v, i) => (
      x.data[i] < Math.fround(min) || x.data[i] > Math.fround(max) ? 0 : v)) }),
    backwardBound: ({ x }) => ({ x: zeros(x.shape) })
  },
  cat: {
    forward(read, { dim }) {
      const ranges = partRanges(read, dim), [first] = ranges
      const total = ranges.reduce((n, { range: { length } }) => n + length, 0)
      const shape = first.shape.map((side, axis) => (axis === dim ? total : side))
      const out = zeros(shape)
      for (const { key, range } of ranges) widen(read[key], shape, range).data.forEach((v, i) => { out.data[i] += v })
      return out
    },
    bound: (_, __, y) => zeros(y.shape),
    backward: (read, { dim }, dy) => (
      Object.fromEntries(partRanges(read, dim).map(({ key, range }) => [key, narrow(dy, range)]))),
    backwardBound: read => Object.fromEntries(Object.entries(read).map(([key, { shape }]) => [key, zeros(shape)]))
  }
}
