import { describe, expect, expectInteger, expectNumber, expectOneOf, optionsOf } from '../errors.js'
import { Tensor } from '../tensor.js'
import { Scheduler } from './lr_scheduler.js'

/** @typedef {import('./lr_scheduler.js').Check} Check */

/** @type {Check} */
const notNegative = (where, name, value) => expectNumber(where, name, value, 'a number >= 0', v => v >= 0)
/** @type {Check} */
const mode = (where, name, value) => expectOneOf(where, name, value, ['min', 'max'])
/** @type {Check} */
const thresholdMode = (where, name, value) => expectOneOf(where, name, value, ['rel', 'abs'])
/** @type {Check} */
const factor = (where, name, value) => expectNumber(where, name, value, 'a number below 1', v => v < 1)

/** @type {Check} */
function rates(where, name, value) {
  expect(Array.isArray(value), 'type', () => `${where}: ${name} must be a list of numbers, got ${describe(value)}`)
  return value.map((/** @type {unknown} */ one, /** @type {number} */ i) => notNegative(where, `${name}[${i}]`, one))
}

/** The best so far; JSON has null for the infinite one before the first. @type {Check} */
const best = (where, name, value) => (value === null ? null : expectNumber(where, name, value, 'a number', () => true))

const OPTIONS = ['mode', 'factor', 'patience', 'threshold', 'thresholdMode', 'cooldown', 'minLr', 'eps']

/**
 * Down by a factor when a number has not become better for a while: torch.optim.lr_scheduler.ReduceLROnPlateau.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.ReduceLROnPlateau(optimizer, { patience: 1 })
 * for (const loss of [3, 2, 2, 2]) scheduler.step(loss)
 * optimizer.lr                                    // 0.1
 */
export class ReduceLROnPlateau extends Scheduler {
  static fields = {
    factor, minLrs: rates, patience: expectInteger, cooldown: expectInteger, cooldownCounter: expectInteger, mode,
    threshold: notNegative, thresholdMode, best, numBadEpochs: expectInteger, eps: notNegative
  }

  /** Epochs since the best that count. */ numBadEpochs = 0
  /** Epochs that are left of a cooldown. */ cooldownCounter = 0
  /** The best number so far; null before the first. @type {number | null} */ best = null

  /**
   * @param {import('./optimizer.js').Optimizer} optimizer
   * @param {{ mode?: 'min' | 'max', factor?: number, patience?: number, threshold?: number, thresholdMode?: 'rel' |
   *   'abs', cooldown?: number, minLr?: number | readonly number[], eps?: number }} [options] mode: 'min', smaller is
   *   better; factor: 0.1; patience: 10, epochs without a better number that are let pass; threshold: 1e-4, by how much
   *   it must be better; thresholdMode: 'rel', of the best, or 'abs'; cooldown: 0, epochs after a reduction that do not
   *   count; minLr: 0, for all groups, or for each; eps: 1e-8, smaller changes of a rate are left out
   */
  constructor(optimizer, options) {
    super(optimizer, false)
    const where = 'ReduceLROnPlateau', given = optionsOf(where, options, OPTIONS), { length } = optimizer.paramGroups
    const { minLr = 0, patience = 10, cooldown = 0, threshold = 1e-4, eps = 1e-8 } = given
    this.mode = mode(where, 'mode', given.mode ?? 'min')
    this.factor = factor(where, 'factor', given.factor ?? 0.1)
    this.patience = expectInteger(where, 'patience', patience)
    this.cooldown = expectInteger(where, 'cooldown', cooldown)
    this.threshold = notNegative(where, 'threshold', threshold)
    this.thresholdMode = thresholdMode(where, 'thresholdMode', given.thresholdMode ?? 'rel')
    this.eps = notNegative(where, 'eps', eps)
    expect(!Array.isArray(minLr) || minLr.length === length, 'shape',
      () => `${where}: minLr must be a number, or ${length} of them for as many groups, got ${describe(minLr)}`)
    this.minLrs = Array.isArray(minLr) ? rates(where, 'minLr', minLr) : Array(length).fill(notNegative(where, 'minLr', minLr))
  }

  /** @param {number} current */
  #isBetter(current) {
    const { mode: direction, threshold, thresholdMode: kind } = this, isMin = direction === 'min'
    const found = this.best ?? (isMin ? Infinity : -Infinity)
    if (kind === 'rel') return isMin ? current < found * (1 - threshold) : current > found * (threshold + 1)
    return isMin ? current < found - threshold : current > found + threshold
  }

  /**
   * The next epoch. NaN is not better than any number.
   * @param {number | Tensor} [metrics] the number that is watched, such as the loss on what is held out
   */
  step(metrics) {
    const current = expectNumber('ReduceLROnPlateau', 'metrics', metrics instanceof Tensor ? metrics.item() : metrics,
      'a number, such as the loss on held-out data', () => true)
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
