import { describe, expect, expectInteger, expectNumber, expectOneOf, expectOptions } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Scheduler } from './lr_scheduler.js'

/** @typedef {import('./lr_scheduler.js').Check} Check */

/** @type {Check} */
const expectNonNegative = (where, name, value) => expectNumber(where, name, value, 'a number >= 0', v => v >= 0)
/** @type {Check} */
const expectMode = (where, name, value) => expectOneOf(where, name, value, ['min', 'max'])
/** @type {Check} */
const expectThresholdMode = (where, name, value) => expectOneOf(where, name, value, ['rel', 'abs'])
/** @type {Check} */
const expectFactor = (where, name, value) => expectNumber(where, name, value, 'a number below 1', v => v < 1)

/** @type {Check} */
function expectRates(where, name, value) {
  expect(Array.isArray(value), 'type', () => `${where}: ${name} must be a list of numbers, got ${describe(value)}`)
  return value.map((/** @type {unknown} */ rate, /** @type {number} */ i) => expectNonNegative(where, `${name}[${i}]`, rate))
}

/** @type {Check} */
const expectBest = (where, name, value) => (value === null ? null : expectNumber(where, name, value, 'a number', () => true))

const OPTIONS = ['mode', 'factor', 'patience', 'threshold', 'thresholdMode', 'cooldown', 'minLr', 'eps']

/**
 * Multiplies the rate by a factor when a metric has stopped improving: torch.optim.lr_scheduler.ReduceLROnPlateau.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.ReduceLROnPlateau(optimizer, { patience: 1 })
 * for (const loss of [3, 2, 2, 2]) scheduler.step(loss)
 * optimizer.lr                                    // 0.1
 */
export class ReduceLROnPlateau extends Scheduler {
  static fields = {
    factor: expectFactor, minLrs: expectRates, patience: expectInteger, cooldown: expectInteger,
    cooldownCounter: expectInteger, mode: expectMode, threshold: expectNonNegative, thresholdMode: expectThresholdMode,
    best: expectBest, numBadEpochs: expectInteger, eps: expectNonNegative
  }

  /** The number of epochs since the best, without those of a cooldown. */ numBadEpochs = 0
  /** The number of remaining epochs of a cooldown. */ cooldownCounter = 0
  /** The best metric so far; null before the first, also in JSON. @type {number | null} */ best = null

  /**
   * @param {import('./optimizer.js').Optimizer} optimizer
   * @param {{ mode?: 'min' | 'max', factor?: number, patience?: number, threshold?: number, thresholdMode?: 'rel' |
   *   'abs', cooldown?: number, minLr?: number | readonly number[], eps?: number }} [options] mode: 'min', smaller is
   *   better; factor: 0.1; patience: 10, epochs without improvement before a reduction; threshold: 1e-4, the minimum
   *   improvement; thresholdMode: 'rel', of the best, or 'abs'; cooldown: 0, epochs after a reduction that do not
   *   count; minLr: 0, for all groups, or one for each; eps: 1e-8, smaller changes of a rate are left out
   */
  constructor(optimizer, options) {
    super(optimizer, false)
    const where = 'ReduceLROnPlateau', settings = expectOptions(where, options, OPTIONS), { length } = optimizer.paramGroups
    const { minLr = 0, patience = 10, cooldown = 0, threshold = 1e-4, eps = 1e-8 } = settings
    this.mode = expectMode(where, 'mode', settings.mode ?? 'min')
    this.factor = expectFactor(where, 'factor', settings.factor ?? 0.1)
    this.patience = expectInteger(where, 'patience', patience)
    this.cooldown = expectInteger(where, 'cooldown', cooldown)
    this.threshold = expectNonNegative(where, 'threshold', threshold)
    this.thresholdMode = expectThresholdMode(where, 'thresholdMode', settings.thresholdMode ?? 'rel')
    this.eps = expectNonNegative(where, 'eps', eps)
    expect(!Array.isArray(minLr) || minLr.length === length, 'shape',
      () => `${where}: minLr must be a number, or an array of ${length} numbers, one for each group, got ${describe(minLr)}`)
    this.minLrs = Array.isArray(minLr) ? expectRates(where, 'minLr', minLr) : Array(length).fill(expectNonNegative(where, 'minLr', minLr))
  }

  /** @param {number} current */
  #isBetter(current) {
    const { mode, threshold, thresholdMode } = this, isMin = mode === 'min'
    const best = this.best ?? (isMin ? Infinity : -Infinity)
    if (thresholdMode === 'rel') return isMin ? current < best * (1 - threshold) : current > best * (threshold + 1)
    return isMin ? current < best - threshold : current > best + threshold
  }

  /**
   * Advances to the next epoch and sets its rates. NaN is not better than any number.
   * @param {number | Tensor} [metrics] the metric, such as the validation loss
   */
  step(metrics) {
    const current = expectNumber('ReduceLROnPlateau', 'metrics', metrics instanceof Tensor ? metrics.item() : metrics,
      'a number, such as the validation loss', () => true)
    this.lastEpoch++
    if (this.#isBetter(current)) {
      this.best = current
      this.numBadEpochs = 0
    } else this.numBadEpochs++
    if (this.cooldownCounter > 0) {
      this.cooldownCounter--
      this.numBadEpochs = 0
    }
    if (this.numBadEpochs <= this.patience) return
    this.cooldownCounter = this.cooldown
    this.numBadEpochs = 0
    this.optimizer.paramGroups.forEach((group, i) => {
      const lr = Math.max(group.lr * this.factor, this.minLrs[i] ?? 0)
      if (group.lr - lr > this.eps) group.lr = lr
    })
  }
}
