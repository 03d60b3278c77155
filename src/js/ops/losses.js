import { describe, expect, expectBoolean, expectNumber, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { sameShape } from '../tensor/shape.js'
import { binaryFunctions, elementLosses } from './binary.js'
import { expectFloatTensor, expectOptionalTensor, expectSameEngine } from './checks.js'
import { comparisons } from './compare.js'
import { reductions } from './reduce.js'
import { unaryFunctions } from './unary.js'
import { where } from './where.js'

/**
 * The elementwise losses of torch.nn.functional: each is an operation of the table in binary.js, followed by a mean or
 * a sum unless reduction is 'none'.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {'mean' | 'sum' | 'none'} Reduction
 */

const { add, mul, sub } = binaryFunctions

/** The losses, their sum or their mean. @param {Tensor} losses @param {Reduction} reduction @returns {Tensor} */
export const reduceLosses = (losses, reduction) => (reduction === 'none' ? losses : reductions[reduction](losses))

/** @param {string} where @param {unknown} reduction @returns {Reduction} */
export const readReduction = (where, reduction = 'mean') =>
  expectOneOf(where, 'reduction', reduction, /** @type {const} */ (['mean', 'sum', 'none']))

/**
 * Throws unless both tensors have the same shape. PyTorch only warns and broadcasts, which is rarely intended.
 * @param {string} where @param {Tensor} input @param {Tensor} target
 */
function checkPair(where, input, target) {
  expectFloatTensor(where, 'input', input)
  expectFloatTensor(where, 'target', target)
  expectSameEngine(where, input, target)
  expect(sameShape(input.shape, target.shape), 'shape', () =>
    `${where}: target must have the shape of input, ${formatShape(input.shape)}, got ${formatShape(target.shape)}`)
}

/**
 * The mean of (input − target)²: torch.nn.functional.mse_loss.
 * @param {Tensor} input any shape @param {Tensor} target the same
 * @param {{ reduction?: Reduction }} [options] reduction: 'mean'
 * @returns {Tensor} [], or with 'none' the shape of input
 * @throws {import('../errors.js').GlassformerError} 'shape' when the shapes differ
 * @example
 * F.mseLoss(gf.tensor([1, 2]), gf.tensor([0, 4]))   // 2.5
 */
export function mseLoss(input, target, options) {
  const { reduction } = expectOptions('mseLoss', options, ['reduction'])
  checkPair('mseLoss', input, target)
  return reduceLosses(elementLosses.squaredError(input, target), readReduction('mseLoss', reduction))
}

/**
 * The mean of |input − target|: torch.nn.functional.l1_loss.
 * @param {Tensor} input any shape @param {Tensor} target the same
 * @param {{ reduction?: Reduction }} [options] reduction: 'mean' @returns {Tensor}
 */
export function l1Loss(input, target, options) {
  const { reduction } = expectOptions('l1Loss', options, ['reduction'])
  checkPair('l1Loss', input, target)
  return reduceLosses(elementLosses.absoluteError(input, target), readReduction('l1Loss', reduction))
}

/**
 * |d| as a parabola up to a limit and a line beyond it: q² / 2 + limit × (|d| − q) with q = min(|d|, limit).
 * @param {Tensor} input @param {Tensor} target @param {number} limit
 */
function limitedSquare(input, target, limit) {
  const distance = elementLosses.absoluteError(input, target)
  const q = where(comparisons.gt(distance, limit), limit, distance)
  return add(mul(unaryFunctions.square(q), 0.5), mul(sub(distance, q), limit))
}

/**
 * The mean of d² / (2 beta) where d = |input − target| < beta, else of d − beta / 2:
 * torch.nn.functional.smooth_l1_loss.
 * @param {Tensor} input any shape @param {Tensor} target the same
 * @param {{ reduction?: Reduction, beta?: number }} [options] reduction: 'mean'; beta: 1; 0 is l1Loss
 * @returns {Tensor}
 * @example
 * F.smoothL1Loss(gf.tensor([0, 3]), gf.tensor([1, 1]))   // 1
 */
export function smoothL1Loss(input, target, options) {
  const { reduction, beta = 1 } = expectOptions('smoothL1Loss', options, ['reduction', 'beta'])
  checkPair('smoothL1Loss', input, target)
  expectNumber('smoothL1Loss', 'beta', beta, 'a number >= 0', v => v >= 0 && v < Infinity)
  const losses = beta ? binaryFunctions.div(limitedSquare(input, target, beta), beta)
    : elementLosses.absoluteError(input, target)
  return reduceLosses(losses, readReduction('smoothL1Loss', reduction))
}

/**
 * The mean of d² / 2 where d = |input − target| ≤ delta, else of delta × (d − delta / 2):
 * torch.nn.functional.huber_loss.
 * @param {Tensor} input any shape @param {Tensor} target the same
 * @param {{ reduction?: Reduction, delta?: number }} [options] reduction: 'mean'; delta: 1
 * @returns {Tensor}
 */
export function huberLoss(input, target, options) {
  const { reduction, delta = 1 } = expectOptions('huberLoss', options, ['reduction', 'delta'])
  checkPair('huberLoss', input, target)
  expectNumber('huberLoss', 'delta', delta, 'a number > 0', v => v > 0 && v < Infinity)
  return reduceLosses(limitedSquare(input, target, delta), readReduction('huberLoss', reduction))
}

/** @param {string} where @param {Tensor} losses @param {unknown} weight @param {Reduction} reduction */
function reduceWeighted(where, losses, weight, reduction) {
  const factor = expectOptionalTensor(where, 'weight', weight)
  return reduceLosses(factor ? mul(losses, factor) : losses, reduction)
}

/**
 * Binary cross entropy, −(t log p + (1 − t) log(1 − p)), where each logarithm is at least −100:
 * torch.nn.functional.binary_cross_entropy.
 * @param {Tensor} input probabilities from 0 to 1, any shape @param {Tensor} target the same shape
 * @param {{ weight?: Tensor, reduction?: Reduction }} [options] weight: a factor for each loss, broadcast; reduction:
 *   'mean'
 * @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'range' for an input that is not a probability
 */
export function binaryCrossEntropy(input, target, options) {
  const { weight, reduction } = expectOptions('binaryCrossEntropy', options, ['weight', 'reduction'])
  checkPair('binaryCrossEntropy', input, target)
  const wrong = input.values.findIndex(p => p < 0 || p > 1)
  expect(wrong < 0, 'range', () => 'binaryCrossEntropy: input must hold probabilities from 0 to 1, got ' +
    `${input.values[wrong]} at index ${wrong}; binaryCrossEntropyWithLogits takes any numbers`)
  const losses = elementLosses.binaryCrossEntropy(input, target)
  return reduceWeighted('binaryCrossEntropy', losses, weight, readReduction('binaryCrossEntropy', reduction))
}

/**
 * Binary cross entropy of sigmoid(input), computed without loss of precision:
 * torch.nn.functional.binary_cross_entropy_with_logits.
 * @param {Tensor} input any shape @param {Tensor} target the same shape
 * @param {{ weight?: Tensor, posWeight?: Tensor, reduction?: Reduction }} [options] weight: a factor for each loss,
 *   broadcast; posWeight: a factor for targets of 1, broadcast; reduction: 'mean'
 * @returns {Tensor}
 */
export function binaryCrossEntropyWithLogits(input, target, options) {
  const where = 'binaryCrossEntropyWithLogits'
  const { weight, posWeight, reduction } = expectOptions(where, options, ['weight', 'posWeight', 'reduction'])
  checkPair(where, input, target)
  const positive = expectOptionalTensor(where, 'posWeight', posWeight), how = readReduction(where, reduction)
  if (!positive) return reduceWeighted(where, elementLosses.binaryCrossEntropyWithLogits(input, target), weight, how)
  // (1 − t) x + (1 + (posWeight − 1) t) log(1 + e^−x)
  const factor = add(mul(sub(positive, 1), target), 1), softplus = unaryFunctions.softplus(unaryFunctions.neg(input))
  return reduceWeighted(where, add(mul(sub(1, target), input), mul(factor, softplus)), weight, how)
}

/**
 * Kullback-Leibler divergence, Σ t (log t − input), where input are log probabilities: torch.nn.functional.kl_div.
 * @param {Tensor} input any shape @param {Tensor} target the same shape: probabilities, or their logarithms
 * @param {{ reduction?: Reduction | 'batchmean', logTarget?: boolean }} [options] reduction: 'mean', over all values;
 *   'batchmean', the sum divided by the first side, is the divergence; logTarget: false; true if target is logarithms
 * @returns {Tensor}
 */
export function klDiv(input, target, options) {
  const { reduction = 'mean', logTarget = false } = expectOptions('klDiv', options, ['reduction', 'logTarget'])
  checkPair('klDiv', input, target)
  expectOneOf('klDiv', 'reduction', reduction, ['mean', 'sum', 'none', 'batchmean'])
  const losses = elementLosses[expectBoolean('klDiv', 'logTarget', logTarget) ? 'klDivLog' : 'klDiv'](input, target)
  if (reduction !== 'batchmean') return reduceLosses(losses, reduction)
  expect(input.shape.length > 0, 'shape', () => `klDiv: batchmean needs an axis, got ${describe(input)}`)
  return binaryFunctions.div(reductions.sum(losses), input.shape[0])
}
