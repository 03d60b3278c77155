import { describe, expect, expectInteger, optionsOf } from '../errors.js'
import { Scheduler, finite } from './lr_scheduler.js'

/**
 * Epochs, in order.
 * @param {string} where @param {string} name @param {any} value @returns {number[]}
 */
function epochs(where, name, value) {
  expect(Array.isArray(value), 'type', () => `${where}: ${name} must be an array of epochs, got ${describe(value)}`)
  return value.map((one, i) => expectInteger(where, `${name}[${i}]`, one))
}

/**
 * Times gamma at each of some epochs: torch.optim.lr_scheduler.MultiStepLR.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.MultiStepLR(optimizer, [2, 4], { gamma: 0.5 })
 * for (let epoch = 0; epoch < 4; epoch++) { optimizer.step(); scheduler.step() }
 * optimizer.lr                                    // 0.25
 */
export class MultiStepLR extends Scheduler {
  static fields = { milestones: epochs, gamma: finite }

  /**
   * @param {import('./optimizer.js').Optimizer} optimizer @param {readonly number[]} milestones epochs; one that is
   *   there twice counts twice
   * @param {{ gamma?: number }} [options] gamma: 0.1
   */
  constructor(optimizer, milestones, options) {
    super(optimizer)
    const { gamma = 0.1 } = optionsOf('MultiStepLR', options, ['gamma'])
    this.milestones = epochs('MultiStepLR', 'milestones', milestones)
    this.gamma = finite('MultiStepLR', 'gamma', gamma)
    this.update()
  }

  /** @param {import('./optimizer.js').ParamGroup} group */
  rate({ lr }) {
    return this.milestones.filter(epoch => epoch === this.lastEpoch).reduce(rate => rate * this.gamma, lr)
  }
}

/** Times gamma at every epoch: torch.optim.lr_scheduler.ExponentialLR. */
export class ExponentialLR extends Scheduler {
  static fields = { gamma: finite }

  /** @param {import('./optimizer.js').Optimizer} optimizer @param {number} gamma */
  constructor(optimizer, gamma) {
    super(optimizer)
    this.gamma = finite('ExponentialLR', 'gamma', gamma)
  }

  /** @param {import('./optimizer.js').ParamGroup} group */
  rate({ lr }) {
    return this.lastEpoch === 0 ? lr : lr * this.gamma
  }
}
