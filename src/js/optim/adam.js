import { describe, expect, expectBoolean, expectNumber, expectOptions } from '../errors.js'
import { Optimizer, expectNoClosure, negate } from './optimizer.js'

/**
 * @typedef {{ lr?: number, betas?: [number, number], eps?: number, weightDecay?: number, amsgrad?: boolean,
 *   maximize?: boolean }} AdamOptions
 *   lr: 0.001; betas: [0.9, 0.999]; eps: 1e-8; weightDecay: 0 for Adam, 0.01 for AdamW; amsgrad: false, true divides by
 *   the largest second moment so far (Reddi et al. 2018); maximize: false, true goes up along the gradient
 */

/** @param {string} where @param {number} decay the default @returns {(options: any) => Required<AdamOptions>} */
const createCheck = (where, decay) => options => {
  const { lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weightDecay = decay, amsgrad = false, maximize = false } =
    /** @type {AdamOptions} */ (expectOptions(where, options, ['lr', 'betas', 'eps', 'weightDecay', 'amsgrad', 'maximize']))
  expect(Array.isArray(betas) && betas.length === 2, 'type',
    () => `${where}: betas must be two numbers, got ${describe(betas)}`)
  betas.forEach((beta, i) => expectNumber(where, `betas[${i}]`, beta, 'a number from 0 up to 1', v => v >= 0 && v < 1))
  for (const [name, value] of Object.entries({ lr, eps, weightDecay })) {
    expectNumber(where, name, value, 'a number >= 0', v => v >= 0)
  }
  expectBoolean(where, 'amsgrad', amsgrad)
  expectBoolean(where, 'maximize', maximize)
  return { lr, betas: [betas[0], betas[1]], eps, weightDecay, amsgrad, maximize }
}

/** Adam (Kingma and Ba 2014): torch.optim.Adam. */
export class Adam extends Optimizer {
  /** Names of the state of a parameter. */ static stateNames = ['step', 'expAvg', 'expAvgSq']
  /** The default. */ static weightDecay = 0
  /** Whether weight decay is separate from the gradient, as in AdamW. */ decoupled = false

  /** @param {import('./optimizer.js').Params} params @param {AdamOptions} [options] */
  constructor(params, options) {
    super(new.target.name, params, options, createCheck(new.target.name, new.target.weightDecay))
  }

  /** @param {Record<string, any> | undefined} group @returns {readonly string[]} @internal */
  getStateNames(group) {
    return group?.amsgrad ? [...Adam.stateNames, 'maxExpAvgSq'] : Adam.stateNames
  }

  /** Updates all parameters that have a gradient. @param {undefined[]} more */
  step(...more) {
    expectNoClosure(more)
    const trainable = this.findTrainable()
    const states = this.statesOf(trainable, ({ param, group }) => {
      const zeros = () => param.engine.zeros(param.shape)
      return { step: 0, expAvg: zeros(), expAvgSq: zeros(), ...(group.amsgrad ? { maxExpAvgSq: zeros() } : {}) }
    })
    trainable.forEach(({ param, grad, group: { lr, betas, eps, weightDecay, amsgrad, maximize } }, i) => {
      const { expAvg, expAvgSq, maxExpAvgSq } = states[i], step = ++states[i].step
      if (maximize) negate(grad)
      param.engine.c.gf_adam_step(param.dataPtr(), expAvg.dataPtr(), expAvgSq.dataPtr(),
        amsgrad ? maxExpAvgSq.dataPtr() : 0, grad.dataPtr(), param.numel(), step, lr, ...betas, eps, weightDecay,
        this.decoupled ? 1 : 0)
      if (maximize) negate(grad)
      param.touch()
    })
  }
}

/**
 * Adam with weight decay separate from the gradient (Loshchilov and Hutter 2017): torch.optim.AdamW.
 * @example
 * const net = new gf.nn.Linear(1, 1), optimizer = new gf.optim.AdamW(net.parameters(), { lr: 0.1 })
 * const x = gf.tensor([[1], [2]]), y = gf.tensor([[3], [5]])
 * for (let step = 0; step < 300; step++) gf.tidy(() => {
 *   optimizer.zeroGrad()
 *   F.mseLoss(net.forward(x), y).backward()
 *   optimizer.step()
 * })
 * F.mseLoss(net.forward(x), y).item() < 0.01      // true
 */
export class AdamW extends Adam {
  /** The default. */ static weightDecay = 0.01
  decoupled = true
}
