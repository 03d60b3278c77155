import { expect, expectOptions, expectProbability, formatShape, expectInteger } from '../errors.js'
import { needsSaving, record } from '../autograd.js'
import { cell, constant, product, sum, derived } from '../explain.js'
import { range, sameShape } from '../shape.js'
import { Tensor } from '../tensor.js'
import { binaryFunctions } from './binary.js'
import { copyIdsForBackward } from './checks.js'
import { toClassIndices, toClassRows, expectClassWeights } from './classes.js'
import { explainLogSoftmax, logSoftmax } from './log_softmax.js'
import { reduced, readReduction } from './losses.js'
import { reductions } from './reduce.js'
import { unaryFunctions } from './unary.js'

/** @typedef {import('../explain.js').Factor} Factor */
/** @typedef {import('../explain.js').Derived} Derived */
/**
 * @typedef {{ target: Tensor, weight: Tensor | null, kept: number, ignoreIndex: number, labelSmoothing: number,
 *   reduction: string }} Saved
 */

/** What each row's loss is multiplied by before they are added. @param {Saved} saved */
const rowWeight = ({ kept, reduction }) => (reduction === 'mean' ? (kept ? 1 / kept : NaN) : 1)

/**
 * The share of class v in row n's target.
 * @param {Saved} saved @param {number} V @param {number} n @param {number} v
 */
function share({ target, weight, labelSmoothing, ignoreIndex }, V, n, v) {
  const own = target.values[n], times = weight ? weight.values[v] : 1
  return own === ignoreIndex ? 0 : ((v === own ? 1 - labelSmoothing : 0) + labelSmoothing / V) * times
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
  from: ({ inputs: { logits }, outputs: { log_probs } }, output) =>
    (output === 'out' ? { 'log p': log_probs } : { x: logits }),
  axes({ inputs: { logits }, saved: { reduction } }, of, output) {
    const axes = of(logits)
    return output === 'log_probs' ? axes : reduction === 'none' ? axes.slice(0, 1) : []
  },
  parameters: ({ saved: { target, ignoreIndex, labelSmoothing, reduction } }) => (
    { target: Array.from(target.values), ignoreIndex, labelSmoothing, reduction }),
  backward({ inputs: { logits }, outputs: { out, log_probs: logProbs }, saved, trace }, gradient) {
    const { engine } = out, { target, weight, ignoreIndex, labelSmoothing, reduction } = saved
    const [N, V] = logits.shape, dlogits = gradient(logits)
    if (!dlogits) return
    const dlosses = engine.empty(out.shape)
    dlosses.values.set(engine.memory.floats(gradient(out), out.size))
    engine.c.gf_scale(dlosses.dataPtr(), dlosses.size, rowWeight(saved))
    engine.c.gf_cross_entropy_backward(dlogits, dlosses.dataPtr(), logProbs.dataPtr(), weight?.dataPtr() ?? 0,
      target.dataPtr(), N, V, ignoreIndex, labelSmoothing, reduction === 'none' ? 0 : 1)
    if (trace) {
      const to = engine.memory.floats(gradient(logProbs), N * V), { values } = dlosses
      for (let i = 0; i < to.length; i++) {
        const n = Math.floor(i / V), dloss = values[reduction === 'none' ? n : 0]
        if (target.values[n] !== ignoreIndex) to[i] -= dloss * share(saved, V, n, i % V)
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
    /** One term, a row's part of the mean. @param {Factor | Derived} factor */
    const part = factor => {
      const term = product(dloss, factor), value = term.value * rowWeight(saved)
      if (!isMean) return term
      return { label: `${term.label} / rows`, value, factors: [...term.factors, constant('rows', kept)] }
    }
    const rows = isMean ? ' / rows' : '', isCounted = saved.target.values[n] !== saved.ignoreIndex
    if (input === 'log_probs') {
      const pull = derived('(−share)', -own.value, { ...own, symbol: '−share', value: -own.value })
      return { formula: `dlog p = −dloss × share${rows}`, terms: isCounted ? [part(pull)] : [] }
    }
    const log = cell(logProbs, [n, v], 'log p'), p = Math.exp(log.value)
    const all = saved.weight ? range(logits.shape[1]).reduce((s, c) => s + share(saved, logits.shape[1], n, c), 0) : 1
    const times = saved.weight ? [constant('Σ share', all)] : [], words = saved.weight ? ' × Σ share' : ''
    const apart = derived(`(exp(${log.symbol})${words} − share)`, p * all - own.value, log, ...times, own)
    return {
      formula: `dlogits[v] = dloss × (p[v]${words} − share[v])${rows}`,
      terms: isCounted ? [part(apart)] : [],
      steps: isCounted ? [{ label: 'p', value: p }] : []
    }
  }
}

/**
 * Cross entropy with targets that give every class a share.
 * @param {Tensor} logits as they were given @param {Tensor} target of their shape
 * @param {Tensor | null} weight @param {number} labelSmoothing @param {'mean' | 'sum' | 'none'} reduction
 */
function withShares(logits, target, weight, labelSmoothing, reduction) {
  const { rows, lead } = toClassRows('crossEntropy', 'logits', logits), [N, V] = rows.shape
  const { add, div, mul } = binaryFunctions
  const shares = toClassRows('crossEntropy', 'target', target).rows
  const smooth = labelSmoothing ? add(mul(shares, 1 - labelSmoothing), labelSmoothing / V) : shares
  const parts = mul(logSoftmax(rows), smooth), weighed = weight ? mul(parts, weight) : parts
  const losses = unaryFunctions.neg(reductions.sum(weighed, { dim: 1 }))
  if (reduction === 'mean') return div(reductions.sum(losses), N)
  return reduction === 'none' ? losses.reshape(...lead) : reduced(losses, reduction)
}

/**
 * Cross entropy between logits and targets: torch.nn.functional.cross_entropy.
 * @param {Tensor} logits [N, V], [B, V, ...] or [V]
 * @param {import('./classes.js').Targets} target class numbers 0 .. V-1 or ignoreIndex, [N], [B, ...] or []; or, in the
 *   shape of logits and float32, the share of each class
 * @param {{ weight?: Tensor | null, ignoreIndex?: number, labelSmoothing?: number,
 *   reduction?: 'mean' | 'sum' | 'none'
 * }} [options] weight: [V], how much each class counts; ignoreIndex: -100, a target that counts for nothing;
 *   labelSmoothing: 0; reduction: 'mean' over the targets kept, or their weights
 * @returns {Tensor} a scalar, or with reduction 'none' a loss for each target; the mean of nothing is NaN
 * @throws {import('../errors.js').GlassformerError} 'index' for a target outside the classes, 'shape', 'range'
 * @example
 * const logits = gf.tensor([[2, 0, 0], [0, 3, 0]])
 * F.crossEntropy(logits, [0, 1])                  // 0.1672
 * F.crossEntropy(logits, [0, 1], { reduction: 'none' })   // [0.2395, 0.0949]
 */
export function crossEntropy(logits, target, options) {
  const { weight = null, ignoreIndex = -100, labelSmoothing = 0, reduction: how } =
    expectOptions('crossEntropy', options, ['weight', 'ignoreIndex', 'labelSmoothing', 'reduction'])
  const { rows, lead } = toClassRows('crossEntropy', 'logits', logits), { engine } = rows, [N, V] = rows.shape
  expectProbability('crossEntropy', 'labelSmoothing', labelSmoothing)
  expectInteger('crossEntropy', 'ignoreIndex', ignoreIndex, -(2 ** 31))
  const reduction = readReduction('crossEntropy', how), weights = expectClassWeights('crossEntropy', rows, weight, V)
  if (target instanceof Tensor && target.dtype === 'float32' && sameShape(target.shape, logits.shape)) {
    expect(ignoreIndex === -100, 'range', () => 'crossEntropy: ignoreIndex goes with class numbers, and target, ' +
      `${formatShape(target.shape)}, gives shares of classes`)
    return withShares(logits, target, weights, labelSmoothing, reduction)
  }
  const given = toClassIndices(engine, 'crossEntropy', target, lead, V, ignoreIndex)
  const losses = engine.empty([N]), logProbs = engine.empty([N, V])
  const kept = engine.c.gf_cross_entropy_forward(losses.dataPtr(), logProbs.dataPtr(), rows.dataPtr(),
    weights?.dataPtr() ?? 0, given.dataPtr(), N, V, ignoreIndex, labelSmoothing)
  const own = needsSaving(engine, rows) ? copyIdsForBackward(given, target) : given
  const saved = { target: own, weight: weights, kept, ignoreIndex, labelSmoothing, reduction }
  if (engine.trace?.willEdit('log_probs')) takeAgain(losses, engine.trace.patch('log_probs', logProbs), saved)
  const out = reduction === 'none' ? losses : engine.empty([])
  if (reduction !== 'none') {
    out.values[0] = engine.c.gf_sum(losses.dataPtr(), N) * rowWeight(saved)
    losses.dispose()
  }
  const loss = record(engine, op, { logits: rows }, { out, log_probs: logProbs }, saved)
  return reduction === 'none' && lead.length !== 1 ? loss.reshape(...lead) : loss
}
