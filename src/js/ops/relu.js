import { record } from '../autograd.js'
import { cell, constant, product } from '../explain.js'
import { floatTensor } from './checks.js'

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'relu',
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_relu_backward(gradient(x), gradient(out), x.address, x.size)
  },
  explain({ inputs: { x } }, _, index) {
    const own = cell(x, index, 'x'), passes = own.value <= 0 ? 0 : 1
    return {
      formula: 'max(x, 0)',
      terms: [product(own, constant('[x > 0]', passes))],
      computed: passes ? own.value : 0
    }
  },
  explainGradient({ inputs: { x }, outputs: { out } }, _, index, d) {
    const passes = x.at(...index) <= 0 ? 0 : 1
    return { formula: 'dx = dout', note: { name: 'positive' }, terms: [product(d(out, index, 'dout'), constant('[x > 0]', passes))] }
  }
}

/**
 * max(x, 0): torch.nn.functional.relu.
 * @param {import('../tensor.js').Tensor} x any shape
 * @returns {import('../tensor.js').Tensor} the same shape
 */
export function relu(x) {
  const { engine } = floatTensor('relu', 'x', x), out = engine.empty(x.shape)
  engine.c.gf_relu_forward(out.address, x.address, x.size)
  return record(engine, op, { x }, { out })
}
