import { expectOptions, expectInteger } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sum } from '../trace/explain.js'
import { range } from '../tensor/shape.js'
import { copyIdsForBackward } from './checks.js'
import { toClassIndices, toClassRows, expectClassWeights } from './classes.js'
import { readReduction } from './losses.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {{ target: Tensor, weight: Tensor | null, count: number, ignoreIndex: number, reduction: string }} Saved
 */

/** The factor of row n's log probability. @param {Saved} saved @param {number} n */
function factorOf({ target, weight, count, ignoreIndex, reduction }, n) {
  const own = target.values[n]
  return own === ignoreIndex ? 0 : -(weight ? weight.values[own] : 1) / (reduction === 'mean' ? count : 1)
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'nll_loss',
  roles: { out: 'loss' },
  axes: ({ inputs: { x }, saved: { reduction } }, of) => (reduction === 'none' ? of(x).slice(0, 1) : []),
  parameters: ({ saved: { target, ignoreIndex, reduction } }) => (
    { target: Array.from(target.values), ignoreIndex, reduction }),
  backward({ inputs: { x }, outputs: { out }, saved: { target, weight, count, ignoreIndex, reduction } }, gradient) {
    const [N, V] = x.shape, scale = reduction === 'mean' ? 1 / count : 1
    out.engine.c.gf_nll_loss_backward(gradient(x), gradient(out), weight?.dataPtr() ?? 0, target.dataPtr(), N, V,
      ignoreIndex, scale, reduction === 'none' ? 0 : 1)
  },
  explain({ inputs: { x }, saved }, _, index) {
    const rows = saved.reduction === 'none' ? index : range(x.shape[0])
    const terms = rows.filter(n => factorOf(saved, n) !== 0)
      .map(n => productTerm(constant('−weight', factorOf(saved, n)), cell(x, [n, saved.target.values[n]], 'log p')))
    const words = saved.reduction === 'mean' ? ',  each weight over the sum of all' : ''
    return { formula: `−Σₙ weight × log p[n, target[n]]${words}`, terms, computed: sum(terms) }
  },
  explainGradient({ outputs: { out }, saved }, _, [n, v], d) {
    const isTarget = saved.target.values[n] === v, own = constant('−weight', isTarget ? factorOf(saved, n) : 0)
    const terms = own.value ? [productTerm(d(out, saved.reduction === 'none' ? [n] : [], 'dloss'), own)] : []
    return { formula: 'dlog p[n, target[n]] = −dloss × weight', terms }
  }
}

/**
 * The negative log likelihood, minus the log probability of the target class: torch.nn.functional.nll_loss.
 * @param {Tensor} logProbs [N, V], [B, V, ...] or [V]
 * @param {import('./classes.js').Targets} target [N], [B, ...] or []: class indices 0 .. V-1 or ignoreIndex
 * @param {{ weight?: Tensor | null, ignoreIndex?: number, reduction?: 'mean' | 'sum' | 'none' }} [options]
 *   weight: [V], a weight for each class; ignoreIndex: -100, a target without a loss; reduction: 'mean', over the
 *   targets that are not ignored, weighted by their weights
 * @returns {Tensor} a scalar, or with 'none' the shape of target
 * @throws {import('../errors.js').GlassformerError} 'index' for a target outside the classes, 'shape'
 */
export function nllLoss(logProbs, target, options) {
  const { weight = null, ignoreIndex = -100, reduction } =
    expectOptions('nllLoss', options, ['weight', 'ignoreIndex', 'reduction'])
  const { rows, lead } = toClassRows('nllLoss', 'logProbs', logProbs), { engine } = rows, [N, V] = rows.shape
  expectInteger('nllLoss', 'ignoreIndex', ignoreIndex, -(2 ** 31))
  const how = readReduction('nllLoss', reduction), weights = expectClassWeights('nllLoss', rows, weight, V)
  const indices = toClassIndices(engine, 'nllLoss', target, lead, V, ignoreIndex), losses = engine.empty([N])
  const own = needsSaving(engine, rows) ? copyIdsForBackward(indices, target) : indices
  const count = engine.c.gf_cross_entropy_forward(losses.dataPtr(), rows.dataPtr(), 0, weights?.dataPtr() ?? 0,
    indices.dataPtr(), N, V, ignoreIndex, 0)
  const out = how === 'none' ? losses : engine.empty([])
  if (how !== 'none') {
    out.values[0] = engine.c.gf_sum(losses.dataPtr(), N) / (how === 'mean' ? count : 1)
    losses.dispose()
  }
  const saved = { target: own, weight: weights, count, ignoreIndex, reduction: how, origin: { target: indices } }
  const loss = record(engine, op, { x: rows }, { out }, saved)
  return how === 'none' && lead.length !== 1 ? loss.reshape(...lead) : loss
}
