import { cell, constant, productTerm, sum } from '../trace/explain.js'
import { getRowIndices, rowsBackward, rowsForward } from './rowwise.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The exponentials of a row minus its largest value, and their sum.
 * @param {import('../trace/explain.js').Factor[]} row
 */
export function computeExponentials(row) {
  const max = row.reduce((m, f) => Math.max(m, f.value), -Infinity)
  const terms = row.map(f => ({ label: `exp(${f.symbol} − max)`, value: Math.exp(f.value - max), factors: [f] }))
  return { max, terms, total: sum(terms) }
}

/**
 * Explains a value of a softmax, which may be part of another operation.
 * @param {import('../trace/explain.js').Factor[]} row the inputs of the whole row
 * @param {number} i which of them
 * @returns {import('../trace/explain.js').CellExplanation}
 */
export function explainSoftmax(row, i) {
  const { max, terms, total } = computeExponentials(row), computed = terms[i].value / total
  return {
    formula: 'exp(x[i] − max) / Σⱼ exp(x[j] − max)',
    terms,
    steps: [
      { label: 'max', value: max },
      { label: `exp(${row[i].symbol} − max)`, value: terms[i].value },
      { label: 'Σ', value: total },
      { label: 'exp / Σ', value: computed }
    ],
    computed
  }
}

/**
 * Explains the gradient of a softmax's input.
 * @param {import('../trace/explain.js').Factor[]} outs the whole row
 * @param {import('../trace/explain.js').Factor[]} gradients theirs
 * @param {number} i
 */
export function explainSoftmaxGradient(outs, gradients, i) {
  return {
    formula: 'dx[i] = y[i] × dy[i] − y[i] × Σⱼ dy[j] × y[j]',
    terms: [
      productTerm(outs[i], gradients[i]),
      ...outs.map((y, j) => productTerm(constant('−1', -1), outs[i], gradients[j], y))
    ]
  }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'softmax',
  readsOutput: true,
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward: rowsBackward('gf_softmax_backward'),
  explain({ inputs: { x }, saved: { dim } }, _, index) {
    return explainSoftmax(getRowIndices(index, dim, x.shape[dim]).map(at => cell(x, at, 'x')), index[dim])
  },
  explainGradient({ outputs: { out }, saved: { dim } }, _, index, d) {
    const row = getRowIndices(index, dim, out.shape[dim])
    const outs = row.map(at => cell(out, at, 'y')), gradients = row.map(at => d(out, at, 'dy'))
    return explainSoftmaxGradient(outs, gradients, index[dim])
  }
}

/**
 * Softmax along an axis: torch.nn.functional.softmax(x, dim).
 * @param {Tensor} x any shape but []
 * @param {{ dim?: number }} [options] dim: -1
 * @returns {Tensor} the same shape; NaN for a row of only −∞
 * @example
 * F.softmax(gf.tensor([1, 2, 3]))                 // [0.09, 0.2447, 0.6652]
 */
export const softmax = (x, options) => rowsForward('softmax', 'gf_softmax_forward', op, x, options)
