import { describe, expect, expectInteger, expectOptions } from '../errors.js'
import { Scheduler, expectFinite } from './lr_scheduler.js'

/**
 * Checks a list of epochs.
 * @param {string} where @param {string} name @param {any} value @returns {number[]}
 */
function expectEpochs(where, name, value) {
  expect(Array.isArray(value), 'type', () => `${where}: ${name} must be an array of epochs, got ${describe(value)}`)
  return value.map((epoch, i) => expectInteger(where, `${name}[${i}]`, epoch))
}

/**
 * Multiplies the rate by gamma at each milestone: torch.optim.lr_scheduler.MultiStepLR.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.MultiStepLR(optimizer, [2, 4], { gamma: 0.5 })
 * for (let epoch = 0; epoch < 4; epoch++) { optimizer.step(); scheduler.step() }
 * optimizer.lr                                    // 0.25
 */
export class MultiStepLR extends Scheduler {
  static fields = { milestones: expectEpochs, gamma: expectFinite }

  /**
   * @param {import('./optimizer.js').Optimizer} optimizer @param {readonly number[]} milestones epochs; an epoch that
   *   occurs twice counts twice
   * @param {{ gamma?: number }} [options] gamma: 0.1
   */
  constructor(optimizer, milestones, options) {
    super(optimizer)
    const { gamma = 0.1 } = expectOptions('MultiStepLR', options, ['gamma'])
    this.milestones = expectEpochs('MultiStepLR', 'milestones', milestones)
    this.gamma = expectFinite('MultiStepLR', 'gamma', gamma)
    this.update()
  }

  /** @param {import('./optimizer.js').ParamGroup} group @internal */
  rate({ lr }) {
    return this.milestones.filter(epoch => epoch === this.lastEpoch).reduce(rate => rate * this.gamma, lr)
  }
}

/** Multiplies the rate by gamma at every epoch: torch.optim.lr_scheduler.ExponentialLR. */
export class ExponentialLR extends Scheduler {
  static fields = { gamma: expectFinite }

  /** @param {import('./optimizer.js').Optimizer} optimizer @param {number} gamma */
  constructor(optimizer, gamma) {
    super(optimizer)
    this.gamma = expectFinite('ExponentialLR', 'gamma', gamma)
  }

  /** @param {import('./optimizer.js').ParamGroup} group @internal */
  rate({ lr }) {
    return this.lastEpoch === 0 ? lr : lr * this.gamma
  }
}
