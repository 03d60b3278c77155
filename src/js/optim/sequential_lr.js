import { describe, expect, expectInteger } from '../errors.js'
import { Scheduler } from './lr_scheduler.js'
import { ReduceLROnPlateau } from './reduce_lr_on_plateau.js'

/** @param {string} where @param {string} name @param {any} value @param {number} count @returns {number[]} */
function expectMilestones(where, name, value, count) {
  expect(Array.isArray(value) && value.length === count, 'type', () => `${where}: ${name} must be an array of epochs, one ` +
    `fewer than schedulers (${count}), got ${describe(value)}`)
  return value.map((/** @type {unknown} */ epoch, /** @type {number} */ i) =>
    expectInteger(where, `${name}[${i}]`, epoch, i ? value[i - 1] + 1 : 1))
}

/**
 * Runs one scheduler after the other, each from epoch 0 and the initial rates: torch.optim.lr_scheduler.SequentialLR.
 * @example
 * const { LinearLR, CosineAnnealingLR, SequentialLR } = gf.optim.lrScheduler
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const warmup = new LinearLR(optimizer, { startFactor: 0.5, totalIters: 2 })
 * const scheduler = new SequentialLR(optimizer, [warmup, new CosineAnnealingLR(optimizer, 4)], [2])
 * for (let epoch = 0; epoch < 4; epoch++) { optimizer.step(); scheduler.step() }
 * optimizer.lr                                    // 0.5
 */
export class SequentialLR extends Scheduler {
  /**
   * @param {import('./optimizer.js').Optimizer} optimizer
   * @param {readonly Scheduler[]} schedulers of this optimizer, in order
   * @param {readonly number[]} milestones epochs at which the next one starts, one fewer than schedulers
   */
  constructor(optimizer, schedulers, milestones) {
    super(optimizer)
    expect(Array.isArray(schedulers) && schedulers.length > 0, 'type',
      () => `SequentialLR: schedulers must be an array of schedulers, got ${describe(schedulers)}`)
    schedulers.forEach((scheduler, i) => {
      const isUsable = scheduler instanceof Scheduler && !(scheduler instanceof ReduceLROnPlateau) &&
        !(scheduler instanceof SequentialLR)
      expect(isUsable, 'type', () => `SequentialLR: schedulers[${i}] must be a scheduler other than ReduceLROnPlateau or ` +
        `SequentialLR, got ${describe(scheduler)}`)
      expect(scheduler.optimizer === optimizer, 'state',
        () => `SequentialLR: schedulers[${i}] must be created with the same optimizer`)
    })
    this.milestones = expectMilestones('SequentialLR', 'milestones', milestones, schedulers.length - 1)
    this.schedulers = [...schedulers]
    this.schedulers[0].restart()
  }

  step() {
    const { milestones, schedulers } = this, epoch = ++this.lastEpoch
    const scheduler = schedulers[milestones.filter(milestone => milestone <= epoch).length]
    if (milestones.includes(epoch)) scheduler.restart()
    else scheduler.step()
  }

  stateDict() {
    const { lastEpoch, milestones, schedulers } = this
    return { lastEpoch, milestones: [...milestones], schedulers: schedulers.map(scheduler => scheduler.stateDict()) }
  }

  /** @param {Record<string, any>} state @internal */
  prepareLoad(state) {
    const own = super.prepareLoad(state), { schedulers } = this, where = 'SequentialLR'
    expect(Array.isArray(state.schedulers) && state.schedulers.length === schedulers.length, 'type',
      () => `${where}: schedulers must be ${schedulers.length} states, got ${describe(state.schedulers)}`)
    const milestones = expectMilestones(where, 'milestones', state.milestones, schedulers.length - 1)
    const loads = schedulers.map((scheduler, i) => scheduler.prepareLoad(state.schedulers[i]))
    const commit = () => {
      own.commit()
      this.milestones = milestones
      for (const load of loads) load.commit()
    }
    return { commit, cancel() {} }
  }
}
