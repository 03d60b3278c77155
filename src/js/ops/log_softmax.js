import { cell, constant, productTerm, computedFactor } from '../trace/explain.js'
import { getRowIndices, rowsBackward, rowsForward } from './rowwise.js'
import { computeExponentials } from './softmax.js'

/**
 * Explains a value of a log softmax, which may be part of another operation.
 * @param {import('../trace/explain.js').Factor[]} row the inputs of the whole row
 * @param {number} i which of them
 * @returns {import('../trace/explain.js').CellExplanation}
 */
export function explainLogSoftmax(row, i) {
  const { max, terms, total } = computeExponentials(row), computed = row[i].value - max - Math.log(total)
  return {
    formula: '(x[i] − max) − log Σⱼ exp(x[j] − max)',
    terms,
    steps: [
      { label: 'max', value: max },
      { label: 'Σ', value: total },
      { label: 'log Σ', value: Math.log(total) },
      { label: 'x − max − log Σ', value: computed }
    ],
    computed
  }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'log_softmax',
  readsOutput: true,
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward: rowsBackward('gf_log_softmax_backward'),
  explain({ inputs: { x }, saved: { dim } }, _, index) {
    return explainLogSoftmax(getRowIndices(index, dim, x.shape[dim]).map(at => cell(x, at, 'x')), index[dim])
  },
  explainGradient({ outputs: { out }, saved: { dim } }, _, index, d) {
    const own = cell(out, index, 'y')
    const y = computedFactor(`exp(${own.symbol})`, Math.exp(own.value), own)
    return {
      formula: 'dx[i] = dy[i] − exp(y[i]) × Σⱼ dy[j]',
      terms: [
        productTerm(d(out, index, 'dy')),
        ...getRowIndices(index, dim, out.shape[dim]).map(at => productTerm(constant('−1', -1), y, d(out, at, 'dy')))
      ]
    }
  }
}

/**
 * The logarithm of the softmax along an axis: torch.nn.functional.log_softmax(x, dim).
 * @param {import('../tensor/tensor.js').Tensor} x any shape but []
 * @param {{ dim?: number }} [options] dim: -1, the axis of the softmax
 * @returns {import('../tensor/tensor.js').Tensor} the same shape
 */
export const logSoftmax = (x, options) => rowsForward('logSoftmax', 'gf_log_softmax_forward', op, x, options)
