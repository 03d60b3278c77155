import { expectOptions } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { expectFloatTensor, getLastSize, countRows } from './checks.js'
import { addRows, axisOf, rowsAlong, readRows, writeRows } from './rows.js'

/**
 * Operations that map rows to rows along any axis, with kernels (out, x, N, C) and (dx, dout, out, N, C).
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/**
 * @param {string} where @param {string} kernel @param {import('../autograd/autograd.js').Operation} op
 * @param {Tensor} x @param {{ dim?: number }} [options] dim: -1 @returns {Tensor}
 */
export function rowsForward(where, kernel, op, x, options) {
  const { engine } = expectFloatTensor(where, 'x', x), C = getLastSize(where, 'x', x)
  const dim = axisOf(where, x, expectOptions(where, options, ['dim']).dim ?? -1), out = engine.empty(x.shape)
  if (dim === x.shape.length - 1) engine.c[kernel](out.dataPtr(), x.dataPtr(), countRows(x), C)
  else {
    const rows = rowsAlong(x.shape, [dim])
    readRows(engine, x.dataPtr(), x.numel(), rows, from => writeRows(engine, out.dataPtr(), x.numel(), rows, to =>
      engine.c[kernel](to, from, rows.N, rows.C)))
  }
  return record(engine, op, { x }, { out }, { dim })
}

/** @param {string} kernel @returns {import('../autograd/autograd.js').Operation['backward']} */
export const rowsBackward = kernel => ({ inputs: { x }, outputs: { out }, saved: { dim } }, gradient) => {
  const { engine, shape } = x, size = x.numel(), rows = rowsAlong(shape, [dim]), to = gradient(x), dout = gradient(out)
  readRows(engine, out.dataPtr(), size, rows, y => readRows(engine, dout, size, rows, dy =>
    addRows(engine, to, size, rows, dx => engine.c[kernel](dx, dy, y, rows.N, rows.C))))
}

/** The indices of all cells in a cell's row. @param {readonly number[]} index @param {number} dim @param {number} C */
export const getRowIndices = (index, dim, C) =>
  Array.from({ length: C }, (_, j) => index.map((i, axis) => (axis === dim ? j : i)))
