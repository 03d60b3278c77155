import { describe, expect, numberWhere, optionsOf } from '../errors.js'
import { Optimizer } from './optimizer.js'

/**
 * @typedef {{ lr?: number, betas?: [number, number], eps?: number, weightDecay?: number }} AdamOptions
 *   lr: 0.001; betas: [0.9, 0.999]; eps: 1e-8; weightDecay: 0 for Adam, 0.01 for AdamW
 */

/** Adam (Kingma and Ba 2014): torch.optim.Adam. */
export class Adam extends Optimizer {
  /** By default. */ static weightDecay = 0
  /** Weight decay apart from the gradient, as in AdamW. */ decoupled = false

  /** @param {Iterable<import('../tensor.js').Tensor>} params @param {AdamOptions} [options] */
  constructor(params, options) {
    const where = new.target.name
    const { lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weightDecay = new.target.weightDecay } =
      /** @type {AdamOptions} */ (optionsOf(where, options, ['lr', 'betas', 'eps', 'weightDecay']))
    super(where, params, lr)
    expect(Array.isArray(betas) && betas.length === 2, 'type',
      () => `${where}: betas must be two numbers, got ${describe(betas)}`)
    this.betas = betas.map((beta, i) =>
      numberWhere(where, `betas[${i}]`, beta, 'a number from 0 up to 1', v => v >= 0 && v < 1))
    this.eps = numberWhere(where, 'eps', eps, 'a number >= 0', v => v >= 0)
    this.weightDecay = numberWhere(where, 'weightDecay', weightDecay, 'a number >= 0', v => v >= 0)
  }

  /** One step with the gradients as they are. */
  step() {
    const [beta1, beta2] = this.betas
    for (const param of this.ready) {
      const fresh = () => ({ step: 0, expAvg: this.zerosLike(param), expAvgSq: this.zerosLike(param) })
      const held = this.stateOf(param, fresh), grad = /** @type {import('../tensor.js').Tensor} */ (param.grad)
      held.step++
      param.engine.c.gf_adam_step(param.address, held.expAvg.address, held.expAvgSq.address, grad.address, param.size,
        held.step, this.lr, beta1, beta2, this.eps, this.weightDecay, this.decoupled ? 1 : 0)
      param.version++
    }
  }
}

/** Adam with weight decay that does not pass through the moments (Loshchilov and Hutter 2017): torch.optim.AdamW. */
export class AdamW extends Adam {
  /** By default. */ static weightDecay = 0.01
  decoupled = true
}
