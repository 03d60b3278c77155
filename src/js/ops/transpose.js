import { describe, expect, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { moveFourByteValues } from './four_bytes.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { sliceShape, sizeOf } from '../tensor/shape.js'

/** A method of tensors: tensor.js imports this file, so it imports neither the class nor checks.js, which does. */

/**
 * A copy of a list with two elements exchanged.
 * @template T @param {readonly T[]} list @param {number} a @param {number} b
 */
function exchange(list, a, b) {
  const result = [...list]
  result[a] = list[b]
  result[b] = list[a]
  return result
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'transpose',
  axes: ({ inputs: { x }, saved: { a, b } }, of) => exchange(of(x), a, b),
  parameters: ({ saved: { a, b } }) => ({ a, b }),
  backward({ inputs: { x }, outputs: { out }, saved: { sides } }, gradient) {
    out.engine.c.gf_transpose_backward(gradient(x), gradient(out), ...sides)
  },
  explain({ inputs: { x }, saved: { a, b } }, _, index) {
    return sumOf('out = x', [productTerm(cell(x, exchange(index, a, b), 'x'))])
  },
  explainGradient({ outputs: { out }, saved: { a, b } }, _, index, d) {
    return { formula: 'dx = dout', terms: [productTerm(d(out, exchange(index, a, b), 'dout'))] }
  }
}

/**
 * Exchanges two axes, as a copy: torch.transpose(x, a, b).contiguous().
 * @param {import('../tensor/tensor.js').Tensor} x float32, int32 or bool
 * @param {number} first an axis; negative ones count from the end
 * @param {number} second
 * @returns {import('../tensor/tensor.js').Tensor}
 */
export function transpose(x, first, second) {
  expect(['float32', 'int32', 'bool'].includes(x.dtype), 'type',
    () => `transpose: x must be a float32, int32 or bool tensor, got ${describe(x)}; to('float32') makes one`)
  const rank = x.shape.length
  const axes = [first, second].map((axis, i) =>
    expectInteger('transpose', i ? 'second axis' : 'first axis', axis, -rank, rank - 1))
  const [a, b] = axes.map(axis => (axis < 0 ? axis + rank : axis)).sort((p, q) => p - q)
  const size = (/** @type {number} */ from, /** @type {number} */ to) => sizeOf(sliceShape(x.shape, from, to))
  const sides = a === b ? [1, 1, 1, 1, x.numel()]
    : [size(0, a), x.shape[a], size(a + 1, b), x.shape[b], size(b + 1, rank)]
  const out = x.engine.empty(exchange(x.shape, a, b), x.dtype)
  moveFourByteValues(out, [x], (to, from) => x.engine.c.gf_transpose_forward(to, from, ...sides))
  if (out.storage) out.storage.isCopyOfView = true
  return record(x.engine, op, { x }, { out }, { sides, a, b })
}
