import { describe, expect, expectBoolean, isPlain, expectNumber, expectOneOf, expectOptions, expectInteger } from '../errors.js'
import { Optimizer } from './optimizer.js'
import { addSpellingHints } from '../interface/name_hints.js'

/**
 * torch.optim.lr_scheduler: schedulers set the learning rate of an optimizer when they are created, and at each call of
 * step().
 *
 * @typedef {import('./optimizer.js').ParamGroup} ParamGroup
 * @typedef {(where: string, name: string, value: any) => any} Check returns the value, or throws
 */

/** The superclass of schedulers: the number of steps, and the initial rates of the groups. */
export class Scheduler {
  /** What a state has besides lastEpoch, each with its check. @type {Record<string, Check>} @internal */
  static fields = {}

  #where
  /** The number of calls of step(). */ lastEpoch = 0

  /**
   * @param {Optimizer} optimizer
   * @param {boolean} [setsInitial] whether the current rates become the initial ones; default true
   */
  constructor(optimizer, setsInitial = true) {
    this.#where = new.target.name
    expect(optimizer instanceof Optimizer, 'type',
      () => `${this.#where}: optimizer must be an optimizer, got ${describe(optimizer)}`)
    this.optimizer = optimizer
    if (setsInitial) for (const group of optimizer.paramGroups) group.initialLr ??= group.lr
  }

  /** The initial rates, one for each group. @returns {number[]} */
  get baseLrs() {
    return this.optimizer.paramGroups.map(group => /** @type {number} */ (group.initialLr))
  }

  /** The rate of a group in this epoch. @param {ParamGroup} group @param {number} _i @returns {number} @internal */
  rate(group, _i) {
    return group.lr
  }

  /** Sets the rates of the current epoch. */
  update() {
    this.optimizer.paramGroups.forEach((group, i) => { group.lr = this.rate(group, i) })
  }

  /** Advances to the next epoch and sets its rates. */
  step() {
    this.lastEpoch++
    this.update()
  }

  /** The current rates, one for each group. @returns {number[]} */
  getLastLr() {
    return this.optimizer.paramGroups.map(group => group.lr)
  }

  /** @returns {Record<string, Check>} */
  get #fields() {
    return /** @type {any} */ (this.constructor).fields
  }

  /** Starts at epoch 0 with the initial rates, as SequentialLR does with each of its schedulers. @internal */
  restart() {
    this.lastEpoch = 0
    for (const group of this.optimizer.paramGroups) group.lr = group.initialLr ?? group.lr
    this.update()
  }

  /** The epoch and the settings, to save: torch.optim.lr_scheduler's state_dict. @returns {Record<string, any>} */
  stateDict() {
    const own = /** @type {Record<string, any>} */ (this), names = Object.keys(this.#fields)
    return { lastEpoch: this.lastEpoch, ...Object.fromEntries(names.map(name => [name, structuredClone(own[name])])) }
  }

  /**
   * Continues from a saved epoch; the rates are part of the optimizer's state.
   * @param {Record<string, any>} state from stateDict; settings that it lacks stay as they are
   */
  loadStateDict(state) {
    this.prepareLoad(state).commit()
  }

  /**
   * Checks a state without changing anything.
   * @param {Record<string, any>} state @returns {{ commit(): void, cancel(): void }} @internal
   */
  prepareLoad(state) {
    expect(isPlain(state), 'type', () => `${this.#where}: state must be { lastEpoch }, got ${describe(state)}`)
    const where = this.#where
    /** @type {Record<string, any>} */ const values = { lastEpoch: expectInteger(where, 'lastEpoch', state.lastEpoch) }
    for (const [name, check] of Object.entries(this.#fields)) {
      if (state[name] !== undefined) values[name] = structuredClone(check(where, name, state[name]))
    }
    return { commit: () => { Object.assign(this, values) }, cancel() {} }
  }
}

addSpellingHints(Scheduler.prototype)

/** @param {string} where @param {string} name @param {unknown} value @returns {number} */
export const expectFinite = (where, name, value) => expectNumber(where, name, value, 'a finite number', Number.isFinite)

/** @type {Check} */
const expectPositive = (where, name, value) => expectInteger(where, name, value, 1)

/** @type {Check} */
const expectFraction = (where, name, value) => expectNumber(where, name, value, 'a number from 0 to 1', v => v >= 0 && v <= 1)

/** The initial rate times a function of the epoch: torch.optim.lr_scheduler.LambdaLR. */
export class LambdaLR extends Scheduler {
  /**
   * @param {Optimizer} optimizer
   * @param {((epoch: number) => number) | ((epoch: number) => number)[]} lrLambda one for all groups, or one for each
   */
  constructor(optimizer, lrLambda) {
    super(optimizer)
    const { length } = optimizer.paramGroups, list = Array.isArray(lrLambda) ? lrLambda : Array(length).fill(lrLambda)
    expect(list.length === length && list.every(fn => typeof fn === 'function'), 'type',
      () => `LambdaLR: lrLambda must be a function, or an array of ${length} functions, one for each group, ` +
        `got ${describe(lrLambda)}`)
    this.lrLambdas = list
    this.update()
  }

  /**
   * As in PyTorch, a group that was added later keeps its rate.
   * @param {ParamGroup} group @param {number} i @internal
   */
  rate({ lr }, i) {
    if (!this.lrLambdas[i]) return lr
    return this.baseLrs[i] * expectFinite('LambdaLR', 'the result of lrLambda', this.lrLambdas[i](this.lastEpoch))
  }
}

/** Multiplies the rate by gamma every stepSize epochs: torch.optim.lr_scheduler.StepLR. */
export class StepLR extends Scheduler {
  static fields = { stepSize: expectPositive, gamma: expectFinite }

  /** @param {Optimizer} optimizer @param {number} stepSize @param {{ gamma?: number }} [options] gamma: 0.1 */
  constructor(optimizer, stepSize, options) {
    super(optimizer)
    const { gamma = 0.1 } = expectOptions('StepLR', options, ['gamma'])
    this.stepSize = expectInteger('StepLR', 'stepSize', stepSize, 1)
    this.gamma = expectFinite('StepLR', 'gamma', gamma)
  }

  /** @param {ParamGroup} group @internal */
  rate({ lr }) {
    return this.lastEpoch > 0 && this.lastEpoch % this.stepSize === 0 ? lr * this.gamma : lr
  }
}

/**
 * A rate that falls along half a cosine in tMax epochs and rises again (Loshchilov and Hutter 2016):
 * torch.optim.lr_scheduler.CosineAnnealingLR.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.CosineAnnealingLR(optimizer, 10)
 * for (let step = 0; step < 5; step++) { optimizer.step(); scheduler.step() }
 * optimizer.lr                                    // 0.5
 */
export class CosineAnnealingLR extends Scheduler {
  static fields = { tMax: expectPositive, etaMin: expectFinite }

  /**
   * @param {Optimizer} optimizer @param {number} tMax epochs until the minimum
   * @param {{ etaMin?: number }} [options] etaMin: 0, the minimum
   */
  constructor(optimizer, tMax, options) {
    super(optimizer)
    const { etaMin = 0 } = expectOptions('CosineAnnealingLR', options, ['etaMin'])
    this.tMax = expectInteger('CosineAnnealingLR', 'tMax', tMax, 1)
    this.etaMin = expectFinite('CosineAnnealingLR', 'etaMin', etaMin)
  }

  /**
   * Computes the rate from the previous one, as PyTorch does, so that it takes into account a rate that the user sets
   * between two steps.
   * @param {ParamGroup} group @param {number} i @internal
   */
  rate({ lr }, i) {
    const { tMax, etaMin, lastEpoch: t } = this, cos = cosineOf(this.optimizer)
    if (t === 0) return lr
    if ((((t - 1 - tMax) % (2 * tMax)) + 2 * tMax) % (2 * tMax) === 0) {
      // A group that was added later has no initial rate: base = etaMin makes the change 0, so its rate stays, as in
      // PyTorch.
      const { [i]: base = etaMin } = this.baseLrs
      return lr + ((base - etaMin) * (1 - cos(Math.PI / tMax))) / 2
    }
    return ((1 + cos((Math.PI * t) / tMax)) / (1 + cos((Math.PI * (t - 1)) / tMax))) * (lr - etaMin) + etaMin
  }
}

/**
 * The kernels' cosine, which is the same on every machine.
 * @param {Optimizer} optimizer @returns {(x: number) => number}
 */
const cosineOf = ({ params: [{ engine }] }) => engine.c.gf_cos

/** A factor of the rate that changes linearly in totalIters epochs: torch.optim.lr_scheduler.LinearLR. */
export class LinearLR extends Scheduler {
  static fields = { startFactor: expectFraction, endFactor: expectFraction, totalIters: expectPositive }

  /**
   * @param {Optimizer} optimizer
   * @param {{ startFactor?: number, endFactor?: number, totalIters?: number }} [options] startFactor: 1/3; endFactor:
   *   1; totalIters: 5
   */
  constructor(optimizer, options) {
    super(optimizer)
    const { startFactor = 1 / 3, endFactor = 1, totalIters = 5 } =
      expectOptions('LinearLR', options, ['startFactor', 'endFactor', 'totalIters'])
    this.startFactor = expectNumber('LinearLR', 'startFactor', startFactor, 'a number above 0, up to 1',
      v => v > 0 && v <= 1)
    this.endFactor = expectNumber('LinearLR', 'endFactor', endFactor, 'a number from 0 to 1', v => v >= 0 && v <= 1)
    this.totalIters = expectInteger('LinearLR', 'totalIters', totalIters, 1)
    this.update()
  }

  /** @param {ParamGroup} group @internal */
  rate({ lr }) {
    const { startFactor: from, endFactor: to, totalIters: n, lastEpoch: t } = this
    if (t === 0) return lr * from
    return t > n ? lr : lr * (1 + (to - from) / (n * from + (t - 1) * (to - from)))
  }
}

const CYCLE_OPTIONS = [
  'totalSteps', 'epochs', 'stepsPerEpoch', 'pctStart', 'annealStrategy', 'cycleMomentum', 'baseMomentum', 'maxMomentum',
  'divFactor', 'finalDivFactor', 'threePhase'
]

/**
 * A rate that rises to maxLr and then falls to almost 0 (Smith and Topin 2017): torch.optim.lr_scheduler.OneCycleLR.
 */
export class OneCycleLR extends Scheduler {
  /**
   * @param {Optimizer} optimizer @param {number | readonly number[]} maxLr for all groups, or one for each
   * @param {{ totalSteps?: number, epochs?: number, stepsPerEpoch?: number, pctStart?: number,
   *   annealStrategy?: 'cos' | 'linear', cycleMomentum?: boolean, baseMomentum?: number, maxMomentum?: number,
   *   divFactor?: number, finalDivFactor?: number, threePhase?: boolean }} options totalSteps, or epochs and
   *   stepsPerEpoch; pctStart: 0.3, the fraction of steps with a rising rate; annealStrategy: 'cos'; cycleMomentum:
   *   true, momentum (Adam's first beta) changes inversely, from maxMomentum 0.95 to baseMomentum 0.85; divFactor: 25,
   *   the initial rate is maxLr / divFactor; finalDivFactor: 1e4, the last rate is the initial one / finalDivFactor;
   *   threePhase: false
   */
  constructor(optimizer, maxLr, options) {
    super(optimizer)
    const where = 'OneCycleLR', settings = expectOptions(where, options, CYCLE_OPTIONS), { paramGroups } = optimizer
    const { epochs, stepsPerEpoch, annealStrategy = 'cos', cycleMomentum = true, threePhase = false } = settings
    const { pctStart = 0.3, baseMomentum = 0.85, maxMomentum = 0.95, divFactor = 25, finalDivFactor = 1e4 } = settings
    expect(settings.totalSteps !== undefined || (epochs !== undefined && stepsPerEpoch !== undefined), 'type',
      () => `${where}: options must have totalSteps, or epochs and stepsPerEpoch: ` +
        `new OneCycleLR(optimizer, maxLr, { totalSteps: … }); got ${describe(options)}`)
    this.totalSteps = expectInteger(where, 'totalSteps', settings.totalSteps ?? epochs * stepsPerEpoch, 1)
    this.annealStrategy = expectOneOf(where, 'annealStrategy', annealStrategy, /** @type {const} */ (['cos', 'linear']))
    this.cycleMomentum = expectBoolean(where, 'cycleMomentum', cycleMomentum)
    expectNumber(where, 'pctStart', pctStart, 'a number from 0 to 1', v => v >= 0 && v <= 1)
    for (const [name, value] of Object.entries({ divFactor, finalDivFactor })) {
      expectNumber(where, name, value, 'a number > 0', v => v > 0)
    }
    const maxLrs = Array.isArray(maxLr) ? maxLr : paramGroups.map(() => maxLr)
    expect(maxLrs.length === paramGroups.length, 'shape',
      () => `${where}: maxLr must be ${paramGroups.length} numbers, got ${maxLrs.length}`)
    /** The rates between which the phases interpolate, for each group. */
    this.keyRates = maxLrs.map(max => {
      const initial = expectNumber(where, 'maxLr', max, 'a number >= 0', v => v >= 0) / divFactor
      return { initial, max, min: initial / finalDivFactor }
    })
    paramGroups.forEach((group, i) => { group.initialLr = this.keyRates[i].initial })
    expectBoolean(where, 'threePhase', threePhase)
    this.phases = createPhases(this.totalSteps, pctStart, threePhase, maxMomentum, baseMomentum)
    if (cycleMomentum) expect(paramGroups.every(group => 'betas' in group || group.momentum > 0), 'range',
      () => `${where}: cycleMomentum needs an optimizer with momentum or betas; set it to false`)
    this.update()
  }

  update() {
    const { lastEpoch: step, totalSteps, phases } = this
    expect(step <= totalSteps, 'state', () => `OneCycleLR: step ${step} is beyond all ${totalSteps} steps`)
    const at = phases.findIndex((phase, i) => step <= phase.end || i === phases.length - 1), phase = phases[at]
    expect(this.keyRates.length === this.optimizer.paramGroups.length, 'state', () => 'OneCycleLR: the optimizer has ' +
      `${this.optimizer.paramGroups.length} groups now but had ${this.keyRates.length} when the scheduler was created; ` +
      'add all groups before creating the scheduler')
    const start = at ? phases[at - 1].end : 0, fraction = (step - start) / (phase.end - start)
    this.optimizer.paramGroups.forEach((group, i) => {
      const rates = this.keyRates[i]
      group.lr = this.#interpolate(rates[phase.from], rates[phase.to], fraction)
      if (!this.cycleMomentum) return
      const momentum = this.#interpolate(...phase.momentum, fraction)
      if ('betas' in group) group.betas = [momentum, group.betas[1]]
      else group.momentum = momentum
    })
  }

  /** @param {number} from @param {number} to @param {number} fraction from 0 to 1 */
  #interpolate(from, to, fraction) {
    if (this.annealStrategy === 'linear') return (to - from) * fraction + from
    return to + ((from - to) / 2) * (1 + cosineOf(this.optimizer)(Math.PI * fraction))
  }
}

/**
 * The phases of OneCycleLR.
 * @param {number} total @param {number} fraction of rising steps @param {boolean} threePhase
 * @param {number} high momentum @param {number} low momentum
 * @returns {{ end: number, from: 'initial' | 'max', to: 'initial' | 'max' | 'min', momentum: [number, number] }[]}
 */
function createPhases(total, fraction, threePhase, high, low) {
  const up = /** @type {const} */ ({ end: fraction * total - 1, from: 'initial', to: 'max' })
  if (!threePhase) return [
    { ...up, momentum: [high, low] }, { end: total - 1, from: 'max', to: 'min', momentum: [low, high] }
  ]
  return [
    { ...up, momentum: [high, low] }, { end: 2 * fraction * total - 2, from: 'max', to: 'initial', momentum: [low, high] },
    { end: total - 1, from: 'initial', to: 'min', momentum: [high, high] }
  ]
}
