import { expect, oneOf, optionsOf, probability, wholeNumber } from '../errors.js'
import { isRecording, record } from '../autograd.js'
import { cell, constant, product, sum, worked } from '../explain.js'
import { range } from '../shape.js'
import { expectRank, expectShape, floatTensor, idTensor, savedIds } from './checks.js'
import { explainLogSoftmax } from './log_softmax.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../explain.js').Factor} Factor */
/** @typedef {import('../explain.js').Worked} Worked */
/** @typedef {{ target: Tensor, kept: number, ignoreIndex: number, labelSmoothing: number, reduction: string }} Saved */

/** What each row's loss is multiplied by before they are added. @param {Saved} saved */
const rowWeight = ({ kept, reduction }) => (reduction === 'mean' ? 1 / kept : 1)

/**
 * The share of class v in row n's target.
 * @param {Saved} saved @param {number} V @param {number} n @param {number} v
 */
function share({ target, labelSmoothing, ignoreIndex }, V, n, v) {
  const own = target.values[n]
  return own === ignoreIndex ? 0 : (v === own ? 1 - labelSmoothing : 0) + labelSmoothing / V
}

/**
 * The classes that row n's target gives a share, with that share times the log probability.
 * @param {any} node @param {number} n
 */
function rowTerms({ inputs: { logits }, outputs: { log_probs: logProbs }, saved }, n) {
  const V = logits.shape[1]
  return range(V).filter(v => share(saved, V, n, v) !== 0).map(v =>
    product(constant('−share', -share(saved, V, n, v)), cell(logProbs, [n, v], 'log p')))
}

/**
 * The losses of all rows from logarithms that an edit has changed.
 * @param {Tensor} losses @param {Tensor} logProbs @param {Saved} saved
 */
function takeAgain(losses, logProbs, saved) {
  const node = { inputs: { logits: logProbs }, outputs: { log_probs: logProbs }, saved }
  losses.values.forEach((_, n) => { losses.values[n] = sum(rowTerms(node, n)) })
}

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'cross_entropy',
  roles: { out: 'loss' },
  from: ({ inputs: { logits }, outputs: { log_probs } }, output) => (output === 'out' ? { 'log p': log_probs } : { x: logits }),
  axes({ inputs: { logits }, saved: { reduction } }, of, output) {
    const axes = of(logits)
    return output === 'log_probs' ? axes : reduction === 'none' ? axes.slice(0, 1) : []
  },
  parameters: ({ saved: { target, ignoreIndex, labelSmoothing, reduction } }) => (
    { target: Array.from(target.values), ignoreIndex, labelSmoothing, reduction }),
  backward({ inputs: { logits }, outputs: { out, log_probs: logProbs }, saved, trace }, gradient) {
    const { engine } = out, { target, kept, ignoreIndex, labelSmoothing, reduction } = saved
    const [N, V] = logits.shape, dlogits = gradient(logits)
    if (!dlogits || !kept) return
    const dlosses = engine.empty(out.shape)
    dlosses.values.set(engine.memory.floats(gradient(out), out.size))
    engine.c.gf_scale(dlosses.address, dlosses.size, rowWeight(saved))
    engine.c.gf_cross_entropy_backward(dlogits, dlosses.address, logProbs.address, target.address, N, V, ignoreIndex,
      labelSmoothing, reduction === 'none' ? 0 : 1)
    if (trace) {
      const to = engine.memory.floats(gradient(logProbs), N * V), { values } = dlosses
      for (let i = 0; i < to.length; i++) {
        const n = Math.floor(i / V), dloss = values[reduction === 'none' ? n : 0]
        to[i] -= dloss * share(saved, V, n, i % V)
      }
    }
    dlosses.dispose()
  },
  explain(node, output, index) {
    const { inputs: { logits }, saved } = node
    if (output === 'log_probs') {
      const [n, v] = index
      return explainLogSoftmax(range(logits.shape[1]).map(j => cell(logits, [n, j], 'x')), v)
    }
    if (saved.reduction === 'none') {
      const terms = rowTerms(node, index[0])
      return { formula: '−Σᵥ share[v] × log p[v]', terms, computed: sum(terms) }
    }
    const rows = range(logits.shape[0]).map(n => rowTerms(node, n))
    const terms = rows.flat(), total = sum(terms), computed = total * rowWeight(saved)
    const isMean = saved.reduction === 'mean'
    return {
      formula: `−Σₙ Σᵥ share[n, v] × log p[n, v]${isMean ? ' / rows' : ''}`,
      terms,
      steps: [{ label: 'Σ', value: total }, ...(isMean ? [{ label: `÷ ${saved.kept}`, value: computed }] : [])],
      computed
    }
  },
  explainGradient({ inputs: { logits }, outputs: { out, log_probs: logProbs }, saved }, input, [n, v], d) {
    const { kept, reduction } = saved, isMean = reduction === 'mean'
    const dloss = d(out, reduction === 'none' ? [n] : [], 'dloss')
    const own = constant('share', share(saved, logits.shape[1], n, v))
    /** One term, a row's part of the mean. @param {Factor | Worked} factor */
    const part = factor => {
      const term = product(dloss, factor), value = term.value * rowWeight(saved)
      if (!isMean) return term
      return { label: `${term.label} / rows`, value, factors: [...term.factors, constant('rows', kept)] }
    }
    const rows = isMean ? ' / rows' : ''
    if (input === 'log_probs') {
      const pull = worked('(−share)', -own.value, { ...own, symbol: '−share', value: -own.value })
      return { formula: `dlog p = −dloss × share${rows}`, terms: kept ? [part(pull)] : [] }
    }
    const isCounted = kept && saved.target.values[n] !== saved.ignoreIndex
    const log = cell(logProbs, [n, v], 'log p'), p = Math.exp(log.value)
    const apart = worked(`(exp(${log.symbol}) − share)`, p - own.value, log, own)
    return {
      formula: `dlogits[v] = dloss × (p[v] − share[v])${rows}`,
      terms: isCounted ? [part(apart)] : [],
      steps: isCounted ? [{ label: 'p', value: p }] : []
    }
  }
}

/**
 * Cross entropy between logits and class numbers: torch.nn.functional.cross_entropy.
 * @param {Tensor} logits [N, V]
 * @param {Tensor | number[] | Int32Array} target [N], values 0 .. V-1 or ignoreIndex
 * @param {{ ignoreIndex?: number, labelSmoothing?: number, reduction?: 'mean' | 'sum' | 'none' }} [options]
 *   ignoreIndex: -100, a target that counts for nothing; labelSmoothing: 0; reduction: 'mean' over the targets kept
 * @returns {Tensor} a scalar, or [N] with reduction 'none'; the mean of nothing is NaN
 * @throws {import('../errors.js').GlassformerError} 'index' for a target outside the classes, 'shape', 'range'
 */
export function crossEntropy(logits, target, options) {
  const { ignoreIndex = -100, labelSmoothing = 0, reduction = 'mean' } =
    optionsOf('crossEntropy', options, ['ignoreIndex', 'labelSmoothing', 'reduction'])
  const { engine } = floatTensor('crossEntropy', 'logits', logits)
  expectRank('crossEntropy', 'logits', logits, 2, '[N, V]')
  const [N, V] = logits.shape, classes = idTensor(engine, 'crossEntropy', 'target', target)
  expectShape('crossEntropy', 'target', classes, [N], 'one class for each row of logits')
  probability('crossEntropy', 'labelSmoothing', labelSmoothing)
  wholeNumber('crossEntropy', 'ignoreIndex', ignoreIndex, -(2 ** 31))
  oneOf('crossEntropy', 'reduction', reduction, ['mean', 'sum', 'none'])
  const bad = engine.c.gf_cross_entropy_check(classes.address, N, V, ignoreIndex)
  expect(bad < 0, 'index', () =>
    `crossEntropy: target must be from 0 to ${V - 1} or ${ignoreIndex} (ignoreIndex), ` +
    `got ${classes.values[bad]} at place ${bad}`)
  const losses = engine.empty([N]), logProbs = engine.empty([N, V])
  const kept = engine.c.gf_cross_entropy_forward(losses.address, logProbs.address, logits.address, classes.address, N,
    V, ignoreIndex, labelSmoothing)
  const own = isRecording(engine, logits) ? savedIds(classes, target) : classes
  const saved = { target: own, kept, ignoreIndex, labelSmoothing, reduction }
  if (engine.trace?.willEdit('log_probs')) takeAgain(losses, engine.trace.patch('log_probs', logProbs), saved)
  const out = reduction === 'none' ? losses : engine.empty([])
  if (reduction !== 'none') {
    out.values[0] = engine.c.gf_sum(losses.address, N) * rowWeight(saved)
    losses.dispose()
  }
  return record(engine, op, { logits }, { out, log_probs: logProbs }, saved)
}
