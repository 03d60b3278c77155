import { expect, expectOptions, expectProbability, formatShape, expectInteger } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sum, computedFactor } from '../trace/explain.js'
import { range, sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { binaryFunctions } from './binary.js'
import { copyIdsForBackward } from './checks.js'
import { toClassIndices, toClassRows, expectClassWeights } from './classes.js'
import { explainLogSoftmax, logSoftmax } from './log_softmax.js'
import { reduceLosses, readReduction } from './losses.js'
import { reductions } from './reduce.js'
import { unaryFunctions } from './unary.js'

/** @typedef {import('../trace/explain.js').Factor} Factor */
/** @typedef {import('../trace/explain.js').Derived} Derived */
/**
 * @typedef {{ target: Tensor, weight: Tensor | null, count: number, ignoreIndex: number, labelSmoothing: number,
 *   reduction: string }} Saved
 */

/** The factor of each row's loss in the sum. @param {Saved} saved */
const rowWeight = ({ count, reduction }) => (reduction === 'mean' ? (count ? 1 / count : NaN) : 1)

/**
 * The probability of class v in the target of row n, times the weight of the class.
 * @param {Saved} saved @param {number} V @param {number} n @param {number} v
 */
function getTargetProbability({ target, weight, labelSmoothing, ignoreIndex }, V, n, v) {
  const own = target.values[n], times = weight ? weight.values[v] : 1
  return own === ignoreIndex ? 0 : ((v === own ? 1 - labelSmoothing : 0) + labelSmoothing / V) * times
}

/**
 * The terms of row n: for each class with a probability in the target, that probability times the log probability.
 * @param {any} node @param {number} n
 */
function rowTerms({ inputs: { logits }, outputs: { log_probs: logProbs }, saved }, n) {
  const V = logits.shape[1]
  return range(V).filter(v => getTargetProbability(saved, V, n, v) !== 0).map(v =>
    productTerm(constant('−share', -getTargetProbability(saved, V, n, v)), cell(logProbs, [n, v], 'log p')))
}

/**
 * Recomputes the losses of all rows after an edit of the log probabilities.
 * @param {Tensor} losses @param {Tensor} logProbs @param {Saved} saved
 */
function recomputeLosses(losses, logProbs, saved) {
  const node = { inputs: { logits: logProbs }, outputs: { log_probs: logProbs }, saved }
  losses.values.forEach((_, n) => { losses.values[n] = sum(rowTerms(node, n)) })
}

/** @type {import('../autograd/autograd.js').Operation} */
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
    dlosses.values.set(engine.memory.floats(gradient(out), out.numel()))
    engine.c.gf_scale(dlosses.dataPtr(), dlosses.numel(), rowWeight(saved))
    engine.c.gf_cross_entropy_backward(dlogits, dlosses.dataPtr(), logProbs.dataPtr(), weight?.dataPtr() ?? 0,
      target.dataPtr(), N, V, ignoreIndex, labelSmoothing, reduction === 'none' ? 0 : 1)
    if (trace) {
      const to = engine.memory.floats(gradient(logProbs), N * V), { values } = dlosses
      for (let i = 0; i < to.length; i++) {
        const n = Math.floor(i / V), dloss = values[reduction === 'none' ? n : 0]
        if (target.values[n] !== ignoreIndex) to[i] -= dloss * getTargetProbability(saved, V, n, i % V)
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
      steps: [{ label: 'Σ', value: total }, ...(isMean ? [{ label: `÷ ${saved.count}`, value: computed }] : [])],
      computed
    }
  },
  explainGradient({ inputs: { logits }, outputs: { out, log_probs: logProbs }, saved }, input, [n, v], d) {
    const { count, reduction } = saved, isMean = reduction === 'mean'
    const dloss = d(out, reduction === 'none' ? [n] : [], 'dloss')
    const V = logits.shape[1], own = constant('share', getTargetProbability(saved, V, n, v))
    /** The term of a row, as part of the mean. @param {Factor | Derived} factor */
    const rowTerm = factor => {
      const term = productTerm(dloss, factor), value = term.value * rowWeight(saved)
      if (!isMean) return term
      return { label: `${term.label} / rows`, value, factors: [...term.factors, constant('rows', count)] }
    }
    const rows = isMean ? ' / rows' : '', isCounted = saved.target.values[n] !== saved.ignoreIndex
    if (input === 'log_probs') {
      const factor = computedFactor('(−share)', -own.value, { ...own, symbol: '−share', value: -own.value })
      return { formula: `dlog p = −dloss × share${rows}`, terms: isCounted ? [rowTerm(factor)] : [] }
    }
    const log = cell(logProbs, [n, v], 'log p'), p = Math.exp(log.value)
    const total = saved.weight ? range(V).reduce((s, c) => s + getTargetProbability(saved, V, n, c), 0) : 1
    const weights = saved.weight ? [constant('Σ share', total)] : [], times = saved.weight ? ' × Σ share' : ''
    const difference = computedFactor(`(exp(${log.symbol})${times} − share)`, p * total - own.value, log, ...weights, own)
    return {
      formula: `dlogits[v] = dloss × (p[v]${times} − share[v])${rows}`,
      terms: isCounted ? [rowTerm(difference)] : [],
      steps: isCounted ? [{ label: 'p', value: p }] : []
    }
  }
}

/**
 * Cross entropy with probabilities of all classes as targets.
 * @param {Tensor} logits @param {Tensor} target of the same shape
 * @param {Tensor | null} weight @param {number} labelSmoothing @param {'mean' | 'sum' | 'none'} reduction
 */
function crossEntropyOfProbabilities(logits, target, weight, labelSmoothing, reduction) {
  const { rows, lead } = toClassRows('crossEntropy', 'logits', logits), [N, V] = rows.shape
  const { add, div, mul } = binaryFunctions
  const probabilities = toClassRows('crossEntropy', 'target', target).rows
  const smooth = labelSmoothing ? add(mul(probabilities, 1 - labelSmoothing), labelSmoothing / V) : probabilities
  const parts = mul(logSoftmax(rows), smooth), weighted = weight ? mul(parts, weight) : parts
  const losses = unaryFunctions.neg(reductions.sum(weighted, { dim: 1 }))
  if (reduction === 'mean') return div(reductions.sum(losses), N)
  return reduction === 'none' ? losses.reshape(...lead) : reduceLosses(losses, reduction)
}

/**
 * Cross entropy between logits and targets: torch.nn.functional.cross_entropy.
 * @param {Tensor} logits [N, V], [B, V, ...] or [V]
 * @param {import('./classes.js').Targets} target class indices 0 .. V-1 or ignoreIndex, [N], [B, ...] or []; or the
 *   probability of each class, float32 in the shape of logits
 * @param {{ weight?: Tensor | null, ignoreIndex?: number, labelSmoothing?: number,
 *   reduction?: 'mean' | 'sum' | 'none'
 * }} [options] weight: [V], a weight for each class; ignoreIndex: -100, a target without a loss; labelSmoothing: 0;
 *   reduction: 'mean', over the targets that are not ignored, weighted by their weights
 * @returns {Tensor} a scalar, or with reduction 'none' a loss for each target; NaN if all targets are ignored
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
    expect(ignoreIndex === -100, 'range', () => 'crossEntropy: ignoreIndex goes with class indices, but target, ' +
      `${formatShape(target.shape)}, has probabilities of classes`)
    return crossEntropyOfProbabilities(logits, target, weights, labelSmoothing, reduction)
  }
  const indices = toClassIndices(engine, 'crossEntropy', target, lead, V, ignoreIndex)
  const losses = engine.empty([N]), logProbs = engine.empty([N, V])
  const count = engine.c.gf_cross_entropy_forward(losses.dataPtr(), logProbs.dataPtr(), rows.dataPtr(),
    weights?.dataPtr() ?? 0, indices.dataPtr(), N, V, ignoreIndex, labelSmoothing)
  const own = needsSaving(engine, rows) ? copyIdsForBackward(indices, target) : indices
  const origin = { target: indices }
  const saved = { target: own, weight: weights, count, ignoreIndex, labelSmoothing, reduction, origin }
  if (engine.trace?.willEdit('log_probs')) recomputeLosses(losses, engine.trace.patch('log_probs', logProbs), saved)
  const out = reduction === 'none' ? losses : engine.empty([])
  if (reduction !== 'none') {
    out.values[0] = engine.c.gf_sum(losses.dataPtr(), N) * rowWeight(saved)
    losses.dispose()
  }
  const loss = record(engine, op, { logits: rows }, { out, log_probs: logProbs }, saved)
  return reduction === 'none' && lead.length !== 1 ? loss.reshape(...lead) : loss
}
