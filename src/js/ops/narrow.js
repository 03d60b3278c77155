import { expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { sliceShape, sizeOf } from '../tensor/shape.js'
import { axisOf, copyNarrow, expectMovable } from './strided.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** @param {readonly number[]} index @param {number} dim @param {number} by */
const moved = (index, dim, by) => index.map((i, axis) => (axis === dim ? i + by : i))

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'narrow',
  isView: true,
  axes: ({ inputs: { x }, saved: { dim, start } }, of) => of(x).map((axis, i) => (
    i === dim && start > 0 ? { ...axis, first: (axis.first ?? 0) + start } : axis)),
  parameters: ({ outputs: { out }, saved: { dim, start } }) => ({ dim, start, length: out.shape[dim] }),
  /* out = x[start : start + length]  =>  dx[start + i] += dout[i] */
  backward({ inputs: { x }, outputs: { out }, saved: { dim, start } }, gradient) {
    const row = sizeOf(sliceShape(x.shape, dim + 1))
    out.engine.c.gf_accumulate(gradient(x) + start * row * 4, gradient(out), out.numel())
  },
  explain({ inputs: { x }, saved: { dim, start } }, _, index) {
    return sumOf('out = x', [productTerm(cell(x, moved(index, dim, start), 'x'))])
  },
  explainGradient({ outputs: { out }, saved: { dim, start } }, _, index, d) {
    const at = moved(index, dim, -start), isInside = at[dim] >= 0 && at[dim] < out.shape[dim]
    return { formula: 'dx = dout', terms: isInside ? [productTerm(d(out, at, 'dout'))] : [] }
  }
}

/**
 * `length` cells along an axis from `start` on: torch.narrow. A view if the cells are contiguous, which is so on the
 * first axis or after axes of length 1; otherwise a copy.
 * @param {Tensor} x
 * @param {number} dim
 * @param {number} start negative numbers count from the end
 * @param {number} length
 * @returns {Tensor}
 * @example
 * gf.tensor([[1, 2, 3]]).narrow(1, 1, 2)          // [[2, 3]]
 */
export function narrow(x, dim, start, length) {
  const { engine, shape, dtype } = expectMovable('narrow', x), axis = axisOf('narrow', dim, shape.length)
  if (sizeOf(shape, axis) !== 1 || dtype !== 'float32') return copyNarrow(x, dim, start, length)
  const side = shape[axis], first = expectInteger('narrow', 'start', start, -side, side) + (start < 0 ? side : 0)
  expectInteger('narrow', 'length', length, 0, side - first)
  const sides = shape.map((all, a) => (a === axis ? length : all))
  const out = engine.view(x, sides, first * sizeOf(sliceShape(shape, axis + 1)))
  return record(engine, op, { x }, { out }, { dim: axis, start: first })
}

/**
 * The cells with one index along an axis, without that axis: torch.select, x[i] for the first axis.
 * @param {Tensor} x @param {number} dim @param {number} index negative numbers count from the end @returns {Tensor}
 */
export function select(x, dim, index) {
  const { shape } = expectMovable('select', x), axis = axisOf('select', dim, shape.length), side = shape[axis]
  const at = expectInteger('select', 'index', index, -side, side - 1)
  return narrow(x, axis, at < 0 ? at + side : at, 1).reshape(shape.filter((_, other) => other !== axis))
}
