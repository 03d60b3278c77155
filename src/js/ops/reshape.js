import { describe, expect, shapeText, wholeNumber } from '../errors.js'
import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { indexOf, offsetOf, sizeOf } from '../shape.js'

/** A method of tensors: tensor.js imports this file, so it does not import the class. */

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'reshape',
  isView: true,
  /* out = x in another shape  =>  dx += dout */
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_accumulate(gradient(x), gradient(out), out.size)
  },
  explain({ inputs: { x }, outputs: { out } }, _, index) {
    const source = indexOf(x.shape, offsetOf(out.shape, index))
    return sumOf('out = x', [product(cell(x, source, 'x'))])
  },
  explainGradient({ inputs: { x }, outputs: { out } }, _, index, d) {
    const target = indexOf(out.shape, offsetOf(x.shape, index))
    return { formula: 'dx = dout', terms: [product(d(out, target, 'dout'))] }
  }
}

/**
 * The same values in another shape: torch.Tensor.view. Nothing is copied.
 * @param {Tensor} x
 * @param {readonly number[]} shape one side may be -1: what is left
 * @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'shape' when the sizes differ
 */
export function reshape(x, shape) {
  shape.forEach((side, axis) => wholeNumber('reshape', `shape[${axis}]`, side, -1))
  const known = sizeOf(shape.filter(side => side !== -1)), open = shape.filter(side => side === -1).length
  const target = shape.map(side => (side === -1 ? x.size / known : side))
  expect(open <= 1 && sizeOf(target) === x.size && target.every(Number.isInteger), 'shape',
    () => `reshape: ${describe(x)} cannot take shape ${shapeText(shape)}`)
  return record(x.engine, op, { x }, { out: x.engine.view(x, target) })
}
