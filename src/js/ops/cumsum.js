import { record } from '../autograd.js'
import { cell, product, sum } from '../explain.js'
import { range, sliceShape, sizeOf } from '../shape.js'
import { expectFloatTensor } from './checks.js'
import { axisOf } from './strided.js'

/** @param {readonly number[]} index @param {number} dim @param {number} i */
const replaceIndex = (index, dim, i) => index.map((at, axis) => (axis === dim ? i : at))

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'cumsum',
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward({ inputs: { x }, outputs: { out }, saved: { sides } }, gradient) {
    out.engine.c.gf_cumsum_backward(gradient(x), gradient(out), ...sides)
  },
  explain({ inputs: { x }, saved: { dim } }, _, index) {
    const terms = range(index[dim] + 1).map(i => product(cell(x, replaceIndex(index, dim, i), 'x')))
    return { formula: 'out[k] = Σᵢ x[i]', terms, computed: Math.fround(sum(terms)) }
  },
  explainGradient({ outputs: { out }, saved: { dim } }, _, index, d) {
    const places = range(out.shape[dim] - index[dim]).map(i => replaceIndex(index, dim, index[dim] + i))
    return { formula: 'dx[i] = Σₖ dout[k]', terms: places.map(at => product(d(out, at, 'dout'))) }
  }
}

/**
 * Cumulative sums along an axis: torch.cumsum.
 * @param {import('../tensor.js').Tensor} x @param {number} dim @returns {import('../tensor.js').Tensor}
 */
export function cumsum(x, dim) {
  const { engine, shape } = expectFloatTensor('cumsum', 'x', x), axis = axisOf('cumsum', dim, Math.max(shape.length, 1))
  if (!shape.length) return cumsum(x.reshape(1), 0).reshape()
  const sides = [sizeOf(shape, axis), shape[axis], sizeOf(sliceShape(shape, axis + 1))], out = engine.empty(shape)
  engine.c.gf_cumsum_forward(out.dataPtr(), x.dataPtr(), ...sides)
  return record(engine, op, { x }, { out }, { sides, dim: axis })
}
