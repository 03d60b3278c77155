import { describe, expect, expectBoolean, isPlain, expectNumber, expectOneOf, optionsOf, expectInteger } from '../errors.js'
import { Optimizer } from './optimizer.js'
import { addSpellingHints } from '../name_hints.js'

/**
 * Learning rates that change from step to step, as torch.optim.lr_scheduler has them: made with an optimiser, whose
 * rate they set at once, and told of every step by step().
 *
 * @typedef {import('./optimizer.js').ParamGroup} ParamGroup
 * @typedef {(where: string, name: string, value: any) => any} Check gives the value, or throws
 */

/** What every schedule has: how often it stepped, and the rates that its groups began with. */
export class Scheduler {
  /** What a state holds of it besides lastEpoch, and how that is checked. @type {Record<string, Check>} @internal */
  static fields = {}

  #where
  /** How often step() was called. */ lastEpoch = 0

  /** @param {Optimizer} optimizer @param {boolean} [setsInitial] whether the rates of now are those to begin with */
  constructor(optimizer, setsInitial = true) {
    this.#where = new.target.name
    expect(optimizer instanceof Optimizer, 'type',
      () => `${this.#where}: optimizer must be an optimiser, got ${describe(optimizer)}`)
    this.optimizer = optimizer
    if (setsInitial) for (const group of optimizer.paramGroups) group.initialLr ??= group.lr
  }

  /** The rates to begin with. @returns {number[]} */
  get baseLrs() {
    return this.optimizer.paramGroups.map(group => /** @type {number} */ (group.initialLr))
  }

  /** @returns {number} of one group for this epoch @param {ParamGroup} group @param {number} _i */
  rate(group, _i) {
    return group.lr
  }

  /** Sets the rates of this epoch. */
  update() {
    this.optimizer.paramGroups.forEach((group, i) => { group.lr = this.rate(group, i) })
  }

  /** The next epoch. */
  step() {
    this.lastEpoch++
    this.update()
  }

  /** The rates as they are set, one for each group. @returns {number[]} */
  getLastLr() {
    return this.optimizer.paramGroups.map(group => group.lr)
  }

  /** @returns {Record<string, Check>} */
  get #fields() {
    return /** @type {any} */ (this.constructor).fields
  }

  /** Begins anew from the first rates, as a schedule does whose turn it is in SequentialLR. @internal */
  restart() {
    this.lastEpoch = 0
    for (const group of this.optimizer.paramGroups) group.lr = group.initialLr ?? group.lr
    this.update()
  }

  /** Where it is, and how it is set: torch.optim.lr_scheduler's state_dict. @returns {Record<string, any>} */
  stateDict() {
    const own = /** @type {Record<string, any>} */ (this), names = Object.keys(this.#fields)
    return { lastEpoch: this.lastEpoch, ...Object.fromEntries(names.map(name => [name, structuredClone(own[name])])) }
  }

  /**
   * Goes on at an epoch; the rate comes with the optimiser's own state.
   * @param {Record<string, any>} state what stateDict gave; settings that it lacks stay as they are
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
    /** @type {Record<string, any>} */ const found = { lastEpoch: expectInteger(where, 'lastEpoch', state.lastEpoch) }
    for (const [name, check] of Object.entries(this.#fields)) {
      if (state[name] !== undefined) found[name] = structuredClone(check(where, name, state[name]))
    }
    return { commit: () => { Object.assign(this, found) }, cancel() {} }
  }
}

addSpellingHints(Scheduler.prototype)

/** @param {string} where @param {string} name @param {unknown} value @returns {number} */
export const finite = (where, name, value) => expectNumber(where, name, value, 'a finite number', Number.isFinite)

/** @type {Check} */
const positive = (where, name, value) => expectInteger(where, name, value, 1)

/** @type {Check} */
const factor = (where, name, value) => expectNumber(where, name, value, 'a number from 0 to 1', v => v >= 0 && v <= 1)

/** The first rate times what a function makes of the epoch: torch.optim.lr_scheduler.LambdaLR. */
export class LambdaLR extends Scheduler {
  /**
   * @param {Optimizer} optimizer
   * @param {((epoch: number) => number) | ((epoch: number) => number)[]} lrLambda one for all groups, or for each
   */
  constructor(optimizer, lrLambda) {
    super(optimizer)
    const { length } = optimizer.paramGroups, list = Array.isArray(lrLambda) ? lrLambda : Array(length).fill(lrLambda)
    expect(list.length === length && list.every(fn => typeof fn === 'function'), 'type',
      () => `LambdaLR: lrLambda must be a function, or ${length} of them for as many groups, got ${describe(lrLambda)}`)
    this.lrLambdas = list
    this.update()
  }

  /** A group that came later keeps its rate, as in PyTorch. @param {ParamGroup} group @param {number} i */
  rate({ lr }, i) {
    if (!this.lrLambdas[i]) return lr
    return this.baseLrs[i] * finite('LambdaLR', 'what lrLambda gives', this.lrLambdas[i](this.lastEpoch))
  }
}

/** Times gamma every so many epochs: torch.optim.lr_scheduler.StepLR. */
export class StepLR extends Scheduler {
  static fields = { stepSize: positive, gamma: finite }

  /** @param {Optimizer} optimizer @param {number} stepSize @param {{ gamma?: number }} [options] gamma: 0.1 */
  constructor(optimizer, stepSize, options) {
    super(optimizer)
    const { gamma = 0.1 } = optionsOf('StepLR', options, ['gamma'])
    this.stepSize = expectInteger('StepLR', 'stepSize', stepSize, 1)
    this.gamma = finite('StepLR', 'gamma', gamma)
  }

  /** @param {ParamGroup} group */
  rate({ lr }) {
    return this.lastEpoch > 0 && this.lastEpoch % this.stepSize === 0 ? lr * this.gamma : lr
  }
}

/**
 * Down along half a cosine (Loshchilov and Hutter 2016), and up again: torch.optim.lr_scheduler.CosineAnnealingLR.
 * @example
 * const optimizer = new gf.optim.SGD(new gf.nn.Linear(1, 1).parameters(), { lr: 1 })
 * const scheduler = new gf.optim.lrScheduler.CosineAnnealingLR(optimizer, 10)
 * for (let step = 0; step < 5; step++) { optimizer.step(); scheduler.step() }
 * optimizer.lr                                    // 0.5
 */
export class CosineAnnealingLR extends Scheduler {
  static fields = { tMax: positive, etaMin: finite }

  /** @param {Optimizer} optimizer @param {number} tMax epochs down @param {{ etaMin?: number }} [options] etaMin: 0 */
  constructor(optimizer, tMax, options) {
    super(optimizer)
    const { etaMin = 0 } = optionsOf('CosineAnnealingLR', options, ['etaMin'])
    this.tMax = expectInteger('CosineAnnealingLR', 'tMax', tMax, 1)
    this.etaMin = finite('CosineAnnealingLR', 'etaMin', etaMin)
  }

  /**
   * From the rate before, as PyTorch does, so that a rate set in between counts. @param {ParamGroup} group
   * @param {number} i
   */
  rate({ lr }, i) {
    const { tMax, etaMin, lastEpoch: t } = this, cos = cosineOf(this.optimizer)
    if (t === 0) return lr
    if ((((t - 1 - tMax) % (2 * tMax)) + 2 * tMax) % (2 * tMax) === 0) {
      // A group that came later has no rate to begin with, and keeps its own at the turn, as in PyTorch.
      const { [i]: base = etaMin } = this.baseLrs
      return lr + ((base - etaMin) * (1 - cos(Math.PI / tMax))) / 2
    }
    return ((1 + cos((Math.PI * t) / tMax)) / (1 + cos((Math.PI * (t - 1)) / tMax))) * (lr - etaMin) + etaMin
  }
}

/** The kernels' cosine: the same everywhere. @param {Optimizer} optimizer @returns {(x: number) => number} */
const cosineOf = ({ params: [{ engine }] }) => engine.c.gf_cos

/** A factor that goes evenly from one value to another: torch.optim.lr_scheduler.LinearLR. */
export class LinearLR extends Scheduler {
  static fields = { startFactor: factor, endFactor: factor, totalIters: positive }

  /**
   * @param {Optimizer} optimizer
   * @param {{ startFactor?: number, endFactor?: number, totalIters?: number }} [options] startFactor: 1/3; endFactor:
   *   1; totalIters: 5
   */
  constructor(optimizer, options) {
    super(optimizer)
    const { startFactor = 1 / 3, endFactor = 1, totalIters = 5 } =
      optionsOf('LinearLR', options, ['startFactor', 'endFactor', 'totalIters'])
    this.startFactor = expectNumber('LinearLR', 'startFactor', startFactor, 'a number above 0, up to 1',
      v => v > 0 && v <= 1)
    this.endFactor = expectNumber('LinearLR', 'endFactor', endFactor, 'a number from 0 to 1', v => v >= 0 && v <= 1)
    this.totalIters = expectInteger('LinearLR', 'totalIters', totalIters, 1)
    this.update()
  }

  /** @param {ParamGroup} group */
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

/** Up to a largest rate and down to almost nothing (Smith and Topin 2017): torch.optim.lr_scheduler.OneCycleLR. */
export class OneCycleLR extends Scheduler {
  /**
   * @param {Optimizer} optimizer @param {number | readonly number[]} maxLr for all groups, or for each
   * @param {{ totalSteps?: number, epochs?: number, stepsPerEpoch?: number, pctStart?: number,
   *   annealStrategy?: 'cos' | 'linear', cycleMomentum?: boolean, baseMomentum?: number, maxMomentum?: number,
   *   divFactor?: number, finalDivFactor?: number, threePhase?: boolean }} options totalSteps, or epochs and
   *   stepsPerEpoch; pctStart: 0.3, the share of steps that go up; annealStrategy: 'cos'; cycleMomentum: true, momentum
   *   (Adam's first beta) goes the other way, from maxMomentum 0.95 to baseMomentum 0.85; divFactor: 25, the first rate
   *   is maxLr through it; finalDivFactor: 1e4, the last is the first through it; threePhase: false
   */
  constructor(optimizer, maxLr, options) {
    super(optimizer)
    const where = 'OneCycleLR', given = optionsOf(where, options, CYCLE_OPTIONS), { paramGroups } = optimizer
    const { epochs, stepsPerEpoch, annealStrategy = 'cos', cycleMomentum = true, threePhase = false } = given
    const { pctStart = 0.3, baseMomentum = 0.85, maxMomentum = 0.95, divFactor = 25, finalDivFactor = 1e4 } = given
    expect(given.totalSteps !== undefined || (epochs !== undefined && stepsPerEpoch !== undefined), 'type',
      () => `${where}: options must have totalSteps, or epochs and stepsPerEpoch: ` +
        `new OneCycleLR(optimizer, maxLr, { totalSteps: … }); got ${describe(options)}`)
    this.totalSteps = expectInteger(where, 'totalSteps', given.totalSteps ?? epochs * stepsPerEpoch, 1)
    this.annealStrategy = expectOneOf(where, 'annealStrategy', annealStrategy, /** @type {const} */ (['cos', 'linear']))
    this.cycleMomentum = expectBoolean(where, 'cycleMomentum', cycleMomentum)
    expectNumber(where, 'pctStart', pctStart, 'a number from 0 to 1', v => v >= 0 && v <= 1)
    for (const [name, value] of Object.entries({ divFactor, finalDivFactor })) {
      expectNumber(where, name, value, 'a number > 0', v => v > 0)
    }
    const most = Array.isArray(maxLr) ? maxLr : paramGroups.map(() => maxLr)
    expect(most.length === paramGroups.length, 'shape',
      () => `${where}: maxLr must be ${paramGroups.length} numbers, got ${most.length}`)
    this.ends = most.map(max => {
      const initial = expectNumber(where, 'maxLr', max, 'a number >= 0', v => v >= 0) / divFactor
      return { initial, max, min: initial / finalDivFactor }
    })
    paramGroups.forEach((group, i) => { group.initialLr = this.ends[i].initial })
    this.phases = phasesOf(this.totalSteps, pctStart, expectBoolean(where, 'threePhase', threePhase), maxMomentum, baseMomentum)
    if (cycleMomentum) expect(paramGroups.every(group => 'betas' in group || group.momentum > 0), 'range',
      () => `${where}: cycleMomentum needs an optimiser with momentum or betas; set it to false`)
    this.update()
  }

  update() {
    const { lastEpoch: step, totalSteps, phases } = this
    expect(step <= totalSteps, 'state', () => `OneCycleLR: step ${step} is beyond all ${totalSteps} steps`)
    const at = phases.findIndex((phase, i) => step <= phase.end || i === phases.length - 1), phase = phases[at]
    expect(this.ends.length === this.optimizer.paramGroups.length, 'state', () => 'OneCycleLR: the optimiser has ' +
      `${this.optimizer.paramGroups.length} groups, and had ${this.ends.length}; make the schedule after the last of them`)
    const start = at ? phases[at - 1].end : 0, share = (step - start) / (phase.end - start)
    this.optimizer.paramGroups.forEach((group, i) => {
      const ends = this.ends[i]
      group.lr = this.#between(ends[phase.from], ends[phase.to], share)
      if (!this.cycleMomentum) return
      const momentum = this.#between(...phase.momentum, share)
      if ('betas' in group) group.betas = [momentum, group.betas[1]]
      else group.momentum = momentum
    })
  }

  /** @param {number} from @param {number} to @param {number} share of the way */
  #between(from, to, share) {
    if (this.annealStrategy === 'linear') return (to - from) * share + from
    return to + ((from - to) / 2) * (1 + cosineOf(this.optimizer)(Math.PI * share))
  }
}

/**
 * @param {number} total @param {number} share @param {boolean} three @param {number} high momentum @param {number} low
 * @returns {{ end: number, from: 'initial' | 'max', to: 'initial' | 'max' | 'min', momentum: [number, number] }[]}
 */
function phasesOf(total, share, three, high, low) {
  const up = /** @type {const} */ ({ end: share * total - 1, from: 'initial', to: 'max' })
  if (!three) return [
    { ...up, momentum: [high, low] }, { end: total - 1, from: 'max', to: 'min', momentum: [low, high] }
  ]
  return [
    { ...up, momentum: [high, low] }, { end: 2 * share * total - 2, from: 'max', to: 'initial', momentum: [low, high] },
    { end: total - 1, from: 'initial', to: 'min', momentum: [high, high] }
  ]
}
