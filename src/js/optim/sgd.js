import { expect, flag, numberWhere, optionsOf } from '../errors.js'
import { Optimizer } from './optimizer.js'

/** Stochastic gradient descent: torch.optim.SGD. */
export class SGD extends Optimizer {
  /**
   * @param {Iterable<import('../tensor.js').Tensor>} params
   * @param {{ lr?: number, momentum?: number, dampening?: number, weightDecay?: number, nesterov?: boolean }} [options]
   *   lr: 0.001; the others 0 or false
   */
  constructor(params, options) {
    const { lr = 1e-3, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false } =
      optionsOf('SGD', options, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov'])
    super('SGD', params, lr)
    this.momentum = numberWhere('SGD', 'momentum', momentum, 'a number >= 0', v => v >= 0)
    this.dampening = numberWhere('SGD', 'dampening', dampening, 'a number', Number.isFinite)
    this.weightDecay = numberWhere('SGD', 'weightDecay', weightDecay, 'a number >= 0', v => v >= 0)
    this.nesterov = flag('SGD', 'nesterov', nesterov)
    expect(!nesterov || (momentum > 0 && dampening === 0), 'range',
      () => 'SGD: nesterov needs a momentum above 0 and dampening 0')
  }

  /** One step with the gradients as they are. */
  step() {
    for (const param of this.ready) {
      const isFirst = !this.state.has(param), grad = /** @type {import('../tensor.js').Tensor} */ (param.grad)
      const buffer = this.momentum ? this.stateOf(param, () => ({ buffer: this.zerosLike(param) })).buffer : null
      param.engine.c.gf_sgd_step(param.address, buffer?.address ?? 0, grad.address, param.size, this.lr, this.momentum,
        this.dampening, this.weightDecay, this.nesterov ? 1 : 0, isFirst ? 1 : 0)
      param.version++
    }
  }
}
