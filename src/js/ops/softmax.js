import { cell, constant, product, sum } from '../explain.js'
import { placesOf, rowsBackward, rowsForward } from './rowwise.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * The exponentials of a row, after its largest value is taken away.
 * @param {import('../explain.js').Factor[]} row
 */
export function exponentials(row) {
  const most = row.reduce((m, f) => Math.max(m, f.value), -Infinity)
  const terms = row.map(f => ({ label: `exp(${f.symbol} − max)`, value: Math.exp(f.value - most), factors: [f] }))
  return { most, terms, total: sum(terms) }
}

/**
 * How a softmax makes one of its values, whichever operation it is part of.
 * @param {import('../explain.js').Factor[]} row the inputs of the whole row
 * @param {number} i which of them
 * @returns {import('../explain.js').CellExplanation}
 */
export function explainSoftmax(row, i) {
  const { most, terms, total } = exponentials(row), computed = terms[i].value / total
  return {
    formula: 'exp(x[i] − max) / Σⱼ exp(x[j] − max)',
    terms,
    steps: [
      { label: 'max', value: most },
      { label: `exp(${row[i].symbol} − max)`, value: terms[i].value },
      { label: 'Σ', value: total },
      { label: 'exp / Σ', value: computed }
    ],
    computed
  }
}

/**
 * What the gradient of a softmax's input consists of.
 * @param {import('../explain.js').Factor[]} outs the whole row
 * @param {import('../explain.js').Factor[]} gradients theirs
 * @param {number} i
 */
export function explainSoftmaxGradient(outs, gradients, i) {
  return {
    formula: 'dx[i] = y[i] × dy[i] − y[i] × Σⱼ dy[j] × y[j]',
    terms: [
      product(outs[i], gradients[i]),
      ...outs.map((y, j) => product(constant('−1', -1), outs[i], gradients[j], y))
    ]
  }
}

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'softmax',
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward: rowsBackward('gf_softmax_backward'),
  explain({ inputs: { x }, saved: { dim } }, _, index) {
    return explainSoftmax(placesOf(index, dim, x.shape[dim]).map(at => cell(x, at, 'x')), index[dim])
  },
  explainGradient({ outputs: { out }, saved: { dim } }, _, index, d) {
    const places = placesOf(index, dim, out.shape[dim])
    const outs = places.map(at => cell(out, at, 'y')), gradients = places.map(at => d(out, at, 'dy'))
    return explainSoftmaxGradient(outs, gradients, index[dim])
  }
}

/**
 * Softmax along an axis: torch.nn.functional.softmax(x, dim).
 * @param {Tensor} x any shape but []
 * @param {{ dim?: number }} [options] dim: -1, the axis whose cells are taken together
 * @returns {Tensor} the same shape; a row of only −∞ gives NaN
 * @example
 * F.softmax(gf.tensor([1, 2, 3]))                 // [0.09, 0.2447, 0.6652]
 */
export const softmax = (x, options) => rowsForward('softmax', 'gf_softmax_forward', op, x, options)
