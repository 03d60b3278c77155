import { expect } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sum } from '../trace/explain.js'
import { range, sliceShape, sizeOf } from '../tensor/shape.js'
import { to } from './convert.js'
import { axisOf, expectMovable } from './strided.js'

/** @param {readonly number[]} index @param {number} dim @param {number} i */
const replaceIndex = (index, dim, i) => index.map((at, axis) => (axis === dim ? i : at))

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'cumsum',
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward({ inputs: { x }, outputs: { out }, saved: { sides } }, gradient) {
    out.engine.c.gf_cumsum_backward(gradient(x), gradient(out), ...sides)
  },
  explain({ inputs: { x }, saved: { dim } }, _, index) {
    const terms = range(index[dim] + 1).map(i => productTerm(cell(x, replaceIndex(index, dim, i), 'x')))
    return { formula: 'out[k] = Σᵢ x[i]', terms, computed: x.dtype === 'float32' ? Math.fround(sum(terms)) : sum(terms) }
  },
  explainGradient({ outputs: { out }, saved: { dim } }, _, index, d) {
    const places = range(out.shape[dim] - index[dim]).map(i => replaceIndex(index, dim, index[dim] + i))
    return { formula: 'dx[i] = Σₖ dout[k]', terms: places.map(at => productTerm(d(out, at, 'dout'))) }
  }
}

/**
 * Cumulative sums of integers, which must fit into int32.
 * @param {Int32Array} out @param {Int32Array} x @param {number[]} sides outer, C, inner
 */
function addIntegers(out, x, [outer, C, inner]) {
  for (let first = 0; first < outer * C * inner; first += C * inner) for (let i = 0; i < inner; i++) {
    let total = 0
    for (let at = first + i; at < first + C * inner; at += inner) {
      total += x[at]
      expect(total === (total | 0), 'range', () => `cumsum: the sum ${total} does not fit into int32 (−2147483648 to 2147483647); ` +
        "write x.to('float32').cumsum(dim) for the nearest float32")
      out[at] = total
    }
  }
}

/**
 * Cumulative sums along an axis: torch.cumsum.
 * @param {import('../tensor/tensor.js').Tensor} x float32, int32 or bool @param {number} dim
 * @returns {import('../tensor/tensor.js').Tensor} int32 for int32 and bool
 * @throws {import('../errors.js').GlassformerError} 'range' for a sum of integers that does not fit into int32
 */
export function cumsum(x, dim) {
  const { engine, shape, dtype } = expectMovable('cumsum', x), axis = axisOf('cumsum', dim, Math.max(shape.length, 1))
  if (dtype === 'bool') return cumsum(to(x, 'int32'), dim)
  if (!shape.length) return cumsum(x.reshape(1), 0).reshape()
  const sides = [sizeOf(shape, axis), shape[axis], sizeOf(sliceShape(shape, axis + 1))]
  const out = engine.empty(shape, dtype)
  if (dtype === 'float32') engine.c.gf_cumsum_forward(out.dataPtr(), x.dataPtr(), ...sides)
  else addIntegers(/** @type {Int32Array} */ (out.values), /** @type {Int32Array} */ (x.values), sides)
  return record(engine, op, { x }, { out }, { sides, dim: axis })
}
