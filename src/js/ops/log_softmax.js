import { record } from '../autograd.js'
import { cell, constant, product, worked } from '../explain.js'
import { range } from '../shape.js'
import { checkDim, floatTensor, lastSide, rowsOf } from './checks.js'
import { exponentials } from './softmax.js'

/**
 * How a log softmax makes one of its values, whichever operation it is part of.
 * @param {import('../explain.js').Factor[]} row the inputs of the whole row
 * @param {number} i which of them
 * @returns {import('../explain.js').CellExplanation}
 */
export function explainLogSoftmax(row, i) {
  const { most, terms, total } = exponentials(row), computed = row[i].value - most - Math.log(total)
  return {
    formula: '(x[i] − max) − log Σⱼ exp(x[j] − max)',
    terms,
    steps: [
      { label: 'max', value: most },
      { label: 'Σ', value: total },
      { label: 'log Σ', value: Math.log(total) },
      { label: 'x − max − log Σ', value: computed }
    ],
    computed
  }
}

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'log_softmax',
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_log_softmax_backward(gradient(x), gradient(out), out.address, rowsOf(x), x.shape.at(-1))
  },
  explain({ inputs: { x } }, _, index) {
    const row = index.slice(0, -1)
    return explainLogSoftmax(range(x.shape.at(-1)).map(j => cell(x, [...row, j], 'x')), index[row.length])
  },
  explainGradient({ outputs: { out } }, _, index, d) {
    const row = index.slice(0, -1), own = cell(out, index, 'y')
    const y = worked(`exp(${own.symbol})`, Math.exp(own.value), own)
    return {
      formula: 'dx[i] = dy[i] − exp(y[i]) × Σⱼ dy[j]',
      terms: [
        product(d(out, index, 'dy')),
        ...range(out.shape[row.length]).map(j => product(constant('−1', -1), y, d(out, [...row, j], 'dy')))
      ]
    }
  }
}

/**
 * The logarithm of the softmax over the last axis: torch.nn.functional.log_softmax(x, dim=-1).
 * @param {import('../tensor.js').Tensor} x [..., C]
 * @param {{ dim?: number }} [options] dim: the last axis, the only one there is a kernel for
 * @returns {import('../tensor.js').Tensor} the same shape
 */
export function logSoftmax(x, options) {
  const { engine } = floatTensor('logSoftmax', 'x', x)
  const C = lastSide('logSoftmax', 'x', x)
  checkDim('logSoftmax', x, options)
  const out = engine.empty(x.shape)
  engine.c.gf_log_softmax_forward(out.address, x.address, rowsOf(x), C)
  return record(engine, op, { x }, { out })
}
