import { expect, shapeText, wholeNumber } from '../errors.js'
import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { floatTensor } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'narrow',
  isView: true,
  axes: ({ inputs: { x } }, of) => of(x),
  parameters: ({ outputs: { out }, saved: { start } }) => ({ start, length: out.shape[0] }),
  /* out = x[start : start + length]  =>  dx[start + i] += dout[i] */
  backward({ inputs: { x }, outputs: { out }, saved: { start } }, gradient) {
    const row = x.size / x.shape[0]
    out.engine.c.gf_accumulate(gradient(x) + start * row * 4, gradient(out), out.size)
  },
  explain({ inputs: { x }, saved: { start } }, _, [i, ...rest]) {
    return sumOf('out = x', [product(cell(x, [start + i, ...rest], 'x'))])
  },
  explainGradient({ outputs: { out }, saved: { start } }, _, [i, ...rest], d) {
    const isInside = i >= start && i < start + out.shape[0]
    return { formula: 'dx = dout', terms: isInside ? [product(d(out, [i - start, ...rest], 'dout'))] : [] }
  }
}

/**
 * Some rows of a tensor, without copying: torch.narrow(x, 0, start, length).
 * @param {Tensor} x [N, ...]
 * @param {number} start
 * @param {number} length
 * @returns {Tensor} [length, ...]
 */
export function narrow(x, start, length) {
  const { engine } = floatTensor('narrow', 'x', x), [rows] = x.shape
  expect(x.shape.length > 0, 'shape', () => `narrow: x must have at least one axis, got ${shapeText(x.shape)}`)
  wholeNumber('narrow', 'start', start, 0, rows)
  wholeNumber('narrow', 'length', length, 0, rows - start)
  const out = engine.view(x, [length, ...x.shape.slice(1)], rows ? (start * x.size) / rows : 0)
  return record(engine, op, { x }, { out }, { start })
}
