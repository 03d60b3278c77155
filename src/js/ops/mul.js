import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { broadcast, operandIndex, passFours, resultIndices } from './broadcast.js'
import { floatTensor, sameEngine } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'mul',
  backward({ inputs: { a, b }, outputs: { out }, saved: { sides, aStrides, bStrides } }, gradient) {
    const { engine } = out
    const uses = /** @type {const} */ ([[a, aStrides, b, bStrides], [b, bStrides, a, aStrides]])
    for (const [tensor, strides, other, otherStrides] of uses) {
      const to = gradient(tensor), from = gradient(out)
      if (to) engine.c.gf_mul_backward(to, from, other.address, ...passFours(engine, sides, strides, otherStrides))
    }
  },
  explain({ inputs: { a, b } }, _, index) {
    const factors = Object.entries({ a, b }).map(([symbol, t]) => cell(t, operandIndex(t.shape, index), symbol))
    return sumOf('out = a × b', [product(...factors)])
  },
  explainGradient({ inputs, outputs: { out } }, input, index, d) {
    const other = input === 'a' ? 'b' : 'a', { shape } = inputs[other]
    const places = resultIndices(out.shape, inputs[input].shape, index)
    return {
      formula: `d${input} = dout × ${other}`,
      terms: places.map(at => product(d(out, at, 'dout'), cell(inputs[other], operandIndex(shape, at), other)))
    }
  }
}

/**
 * a × b element by element with PyTorch's broadcasting: torch.mul.
 * @param {Tensor} a
 * @param {Tensor} b
 * @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'shape' when the shapes do not broadcast
 */
export function mul(a, b) {
  const { engine } = floatTensor('mul', 'a', a)
  floatTensor('mul', 'b', b)
  sameEngine('mul', a, b)
  const { shape, sides, aStrides, bStrides } = broadcast('mul', a.shape, b.shape)
  const out = engine.empty(shape)
  engine.c.gf_mul_forward(out.address, a.address, b.address, ...passFours(engine, sides, aStrides, bStrides))
  return record(engine, op, { a, b }, { out }, { sides, aStrides, bStrides })
}
