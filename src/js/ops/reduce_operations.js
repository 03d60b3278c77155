import {
  LOGSUMEXP, MAX, MEAN, MIN, NORM, PROD, STD, SUM, TIES_SHARED, TIES_SHARED_WITH_NANS, TIES_TO_FIRST, VAR
} from '../engine/constants.js'
import { computedOutput } from '../autograd/autograd.js'
import { cell, constant, productTerm, productTermOf, sum as total, computedFactor } from '../trace/explain.js'
import { addRows, cellsAlong, rowsAlong, readRows } from './rows.js'

/**
 * The operations that reduce.js records: their formulas, gradients and explanations.
 *
 * @typedef {import('../trace/explain.js').Factor} Factor
 * @typedef {import('../trace/explain.js').CellExplanation} CellExplanation
 * @typedef {import('../autograd/autograd.js').Operation} Operation
 *
 * Statistics of the cells that are reduced to one: how many, their mean, the largest, and the option p.
 * @typedef {{ n: number, mean: number, max: number, p: number }} Statistics
 *
 * A reduction that sums a term for each cell and then finishes the sum.
 * @typedef {object} Reduction
 * @property {number} kind the kernel's code
 * @property {string} torch PyTorch's line
 * @property {string} formula
 * @property {(own: Factor, statistics: Statistics) => Factor[] | import('../trace/explain.js').Derived[]} part the
 *   factors of
 *   a cell's term
 * @property {(sum: number, statistics: Statistics) => number} [finish]
 * @property {string} [finishLabel] the same as a formula
 * @property {[string, (v: number, y: number, statistics: Statistics) => number]} slope the derivative of the result y
 *   by a cell v, as a formula and as a number
 * @property {string} [option] the name of the option p, a number
 */

/**
 * @param {string} formula of x @param {(v: number, statistics: Statistics) => number} value
 * @returns {Reduction['part']}
 */
const derivedPart = (formula, value) => (own, statistics) => [
  computedFactor(formula.replace('x', own.symbol), value(own.value, statistics), own)]
/** What a variance is divided by. @param {Statistics} statistics */
const getDivisor = ({ n, p }) => Math.max(n - p, 0)
const centred = derivedPart('(x − mean)²', (v, { mean }) => (v - mean) ** 2)

/** @template {string} N @param {Record<N, Reduction>} table */
const defineReductions = table => table

export const REDUCTIONS = defineReductions({
  sum: { kind: SUM, torch: 'torch.sum(x, dim)', formula: 'Σ x', part: own => [own], slope: ['1', () => 1] },
  mean: {
    kind: MEAN, torch: 'torch.mean(x, dim)', formula: 'Σ x / n', part: own => [own], finish: (s, { n }) => s / n,
    finishLabel: '÷ n', slope: ['1/n', (v, y, { n }) => 1 / n]
  },
  var: {
    kind: VAR, torch: 'torch.var(x, dim, correction=correction)', formula: 'Σ (x − mean)² / (n − correction)',
    part: centred, finish: (s, statistics) => s / getDivisor(statistics), finishLabel: '÷ (n − correction)', option: 'correction',
    slope: ['2 (x − mean) / (n − correction)', (v, y, { mean, n, p }) => (2 * (v - mean)) / (n - p)]
  },
  std: {
    kind: STD, torch: 'torch.std(x, dim, correction=correction)', formula: '√(Σ (x − mean)² / (n − correction))',
    part: centred, finish: (s, statistics) => Math.sqrt(s / getDivisor(statistics)), finishLabel: '√(Σ / (n − correction))',
    option: 'correction',
    slope: ['(x − mean) / ((n − correction) y)', (v, y, { mean, n, p }) => (y === 0 ? 0 : (v - mean) / ((n - p) * y))]
  },
  logsumexp: {
    kind: LOGSUMEXP, torch: 'torch.logsumexp(x, dim)', formula: 'max + log(Σ exp(x − max))',
    part: derivedPart('exp(x − max)', (v, { max }) => Math.exp(v - max)), finish: (s, { max }) => max + Math.log(s),
    finishLabel: 'max + log(Σ)', slope: ['exp(x − y)', (v, y) => Math.exp(v - y)]
  },
  norm: {
    kind: NORM, torch: 'torch.linalg.vector_norm(x, p, dim)', formula: '(Σ |x|ᵖ)^(1/p)', option: 'p',
    part: derivedPart('|x|ᵖ', (v, { p }) => (p === 0 ? Number(v !== 0) : Math.abs(v) ** p)),
    finish: (s, { p }) => (p === 0 ? s : s ** (1 / p)), finishLabel: 'Σ^(1/p)',
    slope: ['sign(x) (|x| / y)^(p − 1)',
      (v, y, { p }) => (y === 0 || p === 0 ? 0 : Math.sign(v) * (Math.abs(v) / y) ** (p - 1))]
  }
})

/**
 * The index of a cell of the result in the axes that are kept.
 * @param {any} node @param {readonly number[]} index of the result @returns {number[]}
 */
const getKeptIndex = ({ saved: { axes, keepdim } }, index) =>
  (keepdim ? index.filter((_, axis) => !axes.includes(axis)) : [...index])

/** The index of the result that a cell of x is reduced to. @param {any} node @param {readonly number[]} index of x */
function getResultIndex({ saved: { axes, keepdim } }, index) {
  const isReduced = (/** @type {number} */ axis) => axes.includes(axis)
  return keepdim ? index.map((i, axis) => (isReduced(axis) ? 0 : i)) : index.filter((_, axis) => !isReduced(axis))
}

/** The cells that are reduced to one cell of the result. @param {any} node @param {readonly number[]} index */
const getReducedCells = (node, index) =>
  cellsAlong(node.inputs.x.shape, node.saved.axes, getKeptIndex(node, index)).map(at => cell(node.inputs.x, at, 'x'))

/** @param {Factor[]} cells @param {number} p @returns {Statistics} */
function computeStatistics(cells, p) {
  const n = cells.length, mean = cells.reduce((s, f) => s + f.value, 0) / n
  return { n, mean, max: cells.reduce((m, f) => Math.max(m, f.value), -Infinity), p }
}

/**
 * What all reductions share: axes, parameters and the backward pass, for which x is arranged in rows.
 * @type {(kind: number, ties?: number) => any}
 */
const rowsOperation = (kind, ties = TIES_TO_FIRST) => ({
  usesOutput: true,
  readsOutput: ![SUM, MEAN, VAR].includes(kind),
  axes: (/** @type {any} */ { inputs: { x }, saved: { axes, keepdim } }, /** @type {any} */ of) =>
    (keepdim ? of(x) : of(x).filter((/** @type {unknown} */ _, /** @type {number} */ axis) => !axes.includes(axis))),
  parameters: (/** @type {any} */ { saved: { axes, keepdim, p, option } }) => (
    { dim: axes, keepdim, ...(option && { [option]: p }) }),
  backward(/** @type {any} */ node, /** @type {any} */ gradient) {
    const { inputs: { x }, outputs: { out }, saved: { axes, p } } = node, y = computedOutput(node), { engine } = x
    const rows = rowsAlong(x.shape, axes), { N, C } = rows
    const dx = gradient(x), dout = gradient(out)
    readRows(engine, x.dataPtr(), x.numel(), rows, values => addRows(engine, dx, x.numel(), rows, to => {
      engine.c.gf_reduce_backward(to, dout, y.dataPtr(), values, N, C, kind, p, ties)
    }))
  }
})

/** @param {string} name @param {Reduction} line @returns {Operation} */
export const sumOperation = (name, { kind, formula, part, finish, finishLabel = '', slope: [slopeFormula, slope] }) => ({
  ...rowsOperation(kind),
  name,
  kind: 'reduction',
  reads: slopeFormula.includes('x') ? { x: ['x'] } : {},
  explain(node, _, index) {
    const cells = getReducedCells(node, index), statistics = computeStatistics(cells, node.saved.p)
    if (statistics.p === Infinity) return explainExtreme(cells, absolute, 'max |x|', true)
    if (kind === LOGSUMEXP && cells.length && !Number.isFinite(statistics.max)) {
      return explainExtreme(cells, f => f.value, 'max x')
    }
    const terms = cells.map(own => productTerm(...part(own, statistics))), s = total(terms)
    if (!finish) return { formula, terms, computed: s }
    const computed = finish(s, statistics)
    return { formula, terms, steps: [{ label: 'Σ', value: s }, { label: finishLabel, value: computed }], computed }
  },
  explainGradient(node, _, index, d) {
    const { outputs: { out } } = node, at = getResultIndex(node, index), own = d(out, at, 'dy')
    if (slopeFormula === '1') return { formula: 'dx = dy', terms: [productTerm(own)] }
    const cells = getReducedCells(node, at), statistics = computeStatistics(cells, node.saved.p), x = cell(node.inputs.x, index, 'x')
    const isMaxNorm = statistics.p === Infinity, factor = isMaxNorm ? 'sign(x) [|x| = y] / count' : slopeFormula
    const value = isMaxNorm ? Math.sign(x.value) * getGradientFraction(cells, x, absolute, TIES_SHARED) || 0
      : slope(x.value, computedOutput(node).at(...at), statistics)
    return { formula: `dx = dy × ${factor}`, terms: [productTerm(own, constant(factor, value))], row: cells }
  }
})

/** @typedef {(f: Factor) => number} Measure by which cells are compared */

/** The first of the largest cells, or the first NaN. @param {Factor[]} cells @param {Measure} measure */
const findExtreme = (cells, measure) =>
  cells.reduce((best, f) => (measure(best) >= measure(f) || Number.isNaN(measure(best)) ? best : f))

/**
 * Explains a result that is the value of one of the cells.
 * @param {Factor[]} cells @param {Measure} measure @param {string} formula
 * @param {boolean} [isAbsolute] whether it is the absolute value
 * @returns {CellExplanation}
 */
function explainExtreme(cells, measure, formula, isAbsolute = false) {
  const chosen = findExtreme(cells, measure), value = isAbsolute ? Math.abs(chosen.value) : chosen.value
  const terms = [productTerm(isAbsolute ? computedFactor(`|${chosen.symbol}|`, value, chosen) : chosen)]
  return { formula, terms, row: cells, computed: value }
}

/**
 * The fraction of the gradient that a cell gets. Of several largest cells either the first gets all of it, or each the
 * same fraction; with TIES_SHARED a NaN equals no cell, and the fraction is NaN.
 * @param {Factor[]} cells @param {Factor} x one of them @param {Measure} measure
 * @param {number} ties TIES_TO_FIRST, TIES_SHARED or TIES_SHARED_WITH_NANS
 */
function getGradientFraction(cells, x, measure, ties) {
  const chosen = findExtreme(cells, measure), max = measure(chosen)
  const nansAreEqual = ties === TIES_SHARED_WITH_NANS && Number.isNaN(max)
  const isMax = (/** @type {Factor} */ f) => (nansAreEqual ? Number.isNaN(measure(f)) : measure(f) === max)
  if (ties === TIES_TO_FIRST) return Number(String(chosen.index) === String(x.index))
  return Number(isMax(x)) / cells.filter(isMax).length
}

/** @type {Measure} */ const absolute = f => Math.abs(f.value)

/**
 * The largest cell, or with sign −1 the smallest.
 * @param {string} name @param {1 | -1} sign @param {number} ties as in getGradientFraction
 * @returns {Operation}
 */
export const extreme = (name, sign, ties) => ({
  ...rowsOperation(sign > 0 ? MAX : MIN, ties),
  name,
  kind: 'reduction',
  reads: { x: ['x'] },
  explain: (node, _, index) => explainExtreme(getReducedCells(node, index), f => sign * f.value, sign > 0 ? 'max x' : 'min x'),
  explainGradient(node, _, index, d) {
    const at = getResultIndex(node, index), cells = getReducedCells(node, at), x = cell(node.inputs.x, index, 'x')
    const fraction = getGradientFraction(cells, x, f => sign * f.value, ties)
    const symbol = ties === TIES_TO_FIRST ? '[x = y]' : '[x = y] / count'
    const terms = [productTerm(d(node.outputs.out, at, 'dy'), constant(symbol, fraction))]
    return { formula: `dx = dy × ${symbol}`, terms, row: cells }
  }
})

/** @type {Operation} */
export const prod = {
  ...rowsOperation(PROD),
  name: 'prod',
  kind: 'reduction',
  reads: { x: ['x'] },
  explain(node, _, index) {
    const term = productTermOf(getReducedCells(node, index))
    return { formula: 'Π x', terms: [term], computed: term.value }
  },
  explainGradient(node, _, index, d) {
    const at = getResultIndex(node, index), cells = getReducedCells(node, at), own = d(node.outputs.out, at, 'dy')
    const x = cell(node.inputs.x, index, 'x'), zeros = cells.filter(f => f.value === 0).length
    if (zeros || cells.every(f => Number.isFinite(f.value))) {
      const others = cells.filter(f => String(f.index) !== String(index))
      return { formula: 'dx = dy × Π of the others', terms: [productTermOf([own, ...others])] }
    }
    // Like PyTorch, this divides the product by x; infinity by infinity is NaN.
    const quotient = cells.reduce((all, f) => all * f.value, 1) / x.value
    return { formula: 'dx = dy × y / x', terms: [productTerm(own, computedFactor('y / x', quotient, x))], row: cells }
  }
}

/**
 * An operation whose result is an integer or a bool, which has no gradient.
 * @param {string} name @param {string} formula @param {(values: number[]) => number} compute the result from the cells
 * @returns {Operation}
 */
const integerOperation = (name, formula, compute) => ({
  ...rowsOperation(SUM),
  name,
  kind: 'reduction',
  backward() {},
  explain(node, _, index) {
    const cells = getReducedCells(node, index)
    return { formula, terms: cells.map(own => productTerm(own)), computed: compute(cells.map(f => f.value)) }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
})

/** Math.max takes fewer arguments than there may be values. @param {number[]} values */
const findMax = values => values.reduce((max, value) => Math.max(max, value), -Infinity)

/** The product of integers; infinite products of others with a 0 are 0. @param {number[]} values */
export const multiplyIntegers = values =>
  (values.includes(0) ? 0 : values.reduce((result, value) => result * value, 1))

/** Reductions of int32 and bool tensors by the kernel's code. @type {Record<number, Operation>} */
export const INTEGER_OPERATIONS = {
  [SUM]: integerOperation('sum', 'Σ x', values => values.reduce((s, v) => s + v, 0)),
  [PROD]: integerOperation('prod', 'Π x', multiplyIntegers),
  [MAX]: integerOperation('max', 'max x', findMax),
  [MIN]: integerOperation('min', 'min x', values => -findMax(values.map(v => -v)))
}
export const ALL = integerOperation('all', '1 where every x ≠ 0, else 0', values => Number(values.every(v => v !== 0)))
export const ANY = integerOperation('any', '1 where an x ≠ 0, else 0', values => Number(values.some(v => v !== 0)))

/** argmax, or with sign −1 argmin. @param {string} name @param {1 | -1} sign */
export const argOperation = (name, sign) => integerOperation(name, `the first place of ${sign > 0 ? 'max' : 'min'} x`,
  values => {
    const max = values.some(Number.isNaN) ? NaN : findMax(values.map(v => sign * v))
    return values.findIndex(v => Object.is(sign * v, max) || sign * v === max)
  })
