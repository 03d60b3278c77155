import { record } from '../autograd.js'
import { cell, constant, product, sum } from '../explain.js'
import { range } from '../shape.js'
import { floatTensor, lastSide, rowsOf } from './checks.js'

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'log_softmax',
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_log_softmax_backward(gradient(x), gradient(out), out.address, rowsOf(x), x.shape[x.shape.length - 1])
  },
  explain({ inputs: { x } }, _, index) {
    const row = index.slice(0, -1), values = range(x.shape[x.shape.length - 1]).map(j => cell(x, [...row, j], 'x'))
    const most = values.reduce((m, f) => Math.max(m, f.value), -Infinity), own = values[index[index.length - 1]]
    const terms = values.map(f => ({ label: `exp(${f.symbol} − max)`, value: Math.exp(f.value - most), factors: [f] }))
    const computed = own.value - most - Math.log(sum(terms))
    return {
      formula: '(x[i] − max) − log Σⱼ exp(x[j] − max)',
      terms,
      steps: [
        { label: 'max', value: most },
        { label: 'Σ', value: sum(terms) },
        { label: 'log Σ', value: Math.log(sum(terms)) },
        { label: 'x − max − log Σ', value: computed }
      ],
      computed
    }
  },
  explainGradient({ outputs: { out } }, _, index, d) {
    const row = index.slice(0, -1), own = cell(out, index, 'y')
    return {
      formula: 'dx[i] = dy[i] − exp(y[i]) × Σⱼ dy[j]',
      terms: [
        product(d(out, index, 'dy')),
        ...range(out.shape[out.shape.length - 1]).map(j =>
          product(constant('−1', -1), { ...own, symbol: `exp(${own.symbol})`, value: Math.exp(own.value) }, d(out, [...row, j], 'dy')))
      ]
    }
  }
}

/**
 * The logarithm of the softmax over the last axis: torch.nn.functional.log_softmax(x, dim=-1).
 * @param {import('../tensor.js').Tensor} x [..., C]
 * @returns {import('../tensor.js').Tensor} the same shape
 */
export function logSoftmax(x) {
  const { engine } = floatTensor('logSoftmax', 'x', x)
  const C = lastSide('logSoftmax', 'x', x), out = engine.empty(x.shape)
  engine.c.gf_log_softmax_forward(out.address, x.address, rowsOf(x), C)
  return record(engine, op, { x }, { out })
}
