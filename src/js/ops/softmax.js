import { record } from '../autograd.js'
import { cell, constant, product, sum } from '../explain.js'
import { range } from '../shape.js'
import { checkDim, floatTensor, lastSide, rowsOf } from './checks.js'

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
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_softmax_backward(gradient(x), gradient(out), out.address, rowsOf(x), x.shape.at(-1))
  },
  explain({ inputs: { x } }, _, index) {
    const row = index.slice(0, -1)
    return explainSoftmax(range(x.shape.at(-1)).map(j => cell(x, [...row, j], 'x')), index[row.length])
  },
  explainGradient({ outputs: { out } }, _, index, d) {
    const row = index.slice(0, -1), places = range(out.shape[row.length]).map(j => [...row, j])
    const outs = places.map(at => cell(out, at, 'y')), gradients = places.map(at => d(out, at, 'dy'))
    return explainSoftmaxGradient(outs, gradients, index[row.length])
  }
}

/**
 * Softmax over the last axis: torch.nn.functional.softmax(x, dim=-1).
 * @param {Tensor} x [..., C]
 * @param {{ dim?: number }} [options] dim: the last axis, the only one there is a kernel for
 * @returns {Tensor} the same shape; a row of only −∞ gives NaN
 */
export function softmax(x, options) {
  const { engine } = floatTensor('softmax', 'x', x)
  const C = lastSide('softmax', 'x', x)
  checkDim('softmax', x, options)
  const out = engine.empty(x.shape)
  engine.c.gf_softmax_forward(out.address, x.address, rowsOf(x), C)
  return record(engine, op, { x }, { out })
}
