import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { broadcast, operandIndex, passFours, resultIndices } from './broadcast.js'
import { floatTensor, sameEngine } from './checks.js'

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'add',
  backward({ inputs: { a, b }, outputs: { out }, saved: { sides, aStrides, bStrides } }, gradient) {
    const { engine } = out
    for (const [tensor, strides] of [[a, aStrides], [b, bStrides]]) {
      const to = gradient(tensor), from = gradient(out)
      if (to) engine.c.gf_add_backward(to, from, ...passFours(engine, sides, strides))
    }
  },
  explain({ inputs: { a, b } }, _, index) {
    const terms = Object.entries({ a, b }).map(([symbol, t]) => product(cell(t, operandIndex(t.shape, index), symbol)))
    return sumOf('out = a + b', terms)
  },
  explainGradient({ inputs, outputs: { out } }, input, index, d) {
    const shape = inputs[input].shape
    return {
      formula: `d${input} = dout`,
      terms: resultIndices(out.shape, shape, index).map(at => product(d(out, at, 'dout')))
    }
  }
}

/**
 * a + b with PyTorch's broadcasting: torch.add.
 * @param {import('../tensor.js').Tensor} a
 * @param {import('../tensor.js').Tensor} b
 * @returns {import('../tensor.js').Tensor}
 * @throws {import('../errors.js').GlassformerError} 'shape' when the shapes do not broadcast
 */
export function add(a, b) {
  const { engine } = floatTensor('add', 'a', a)
  floatTensor('add', 'b', b)
  sameEngine('add', a, b)
  const { shape, sides, aStrides, bStrides } = broadcast('add', a.shape, b.shape)
  const out = engine.empty(shape)
  engine.c.gf_add_forward(out.address, a.address, b.address, ...passFours(engine, sides, aStrides, bStrides))
  return record(engine, op, { a, b }, { out }, { sides, aStrides, bStrides })
}
