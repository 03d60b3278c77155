import { expect, expectBoolean, expectNumber, optionsOf } from '../errors.js'
import { Optimizer, changeSign, expectNoClosure } from './optimizer.js'

/**
 * @typedef {{ lr?: number, momentum?: number, dampening?: number, weightDecay?: number, nesterov?: boolean,
 *   maximize?: boolean }} SGDOptions lr: 0.001; the others 0 or false; maximize: true goes up along the gradient
 */

/** @param {any} options @returns {Required<SGDOptions>} */
function check(options) {
  const { lr = 1e-3, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false, maximize = false } =
    optionsOf('SGD', options, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov', 'maximize'])
  for (const [name, value] of Object.entries({ lr, momentum, weightDecay })) {
    expectNumber('SGD', name, value, 'a number >= 0', v => v >= 0)
  }
  expectNumber('SGD', 'dampening', dampening, 'a number', Number.isFinite)
  expectBoolean('SGD', 'nesterov', nesterov)
  expectBoolean('SGD', 'maximize', maximize)
  expect(!nesterov || (momentum > 0 && dampening === 0), 'range',
    () => 'SGD: nesterov needs a momentum above 0 and dampening 0')
  return { lr, momentum, dampening, weightDecay, nesterov, maximize }
}

/** Stochastic gradient descent: torch.optim.SGD. */
export class SGD extends Optimizer {
  /** What it keeps of a parameter. */ static remembers = ['momentumBuffer']

  /** @param {import('./optimizer.js').Params} params @param {SGDOptions} [options] */
  constructor(params, options) {
    super('SGD', params, options, check)
  }

  /** One step with the gradients as they are. @param {undefined[]} more */
  step(...more) {
    expectNoClosure(more)
    const { ready } = this, moving = ready.filter(({ group }) => group.momentum)
    const first = new Set(moving.map(({ param }) => param).filter(param => !this.state.has(param)))
    this.statesOf(moving, ({ param }) => ({ momentumBuffer: param.engine.zeros(param.shape) }))
    for (const { param, grad, group: { lr, momentum, dampening, weightDecay, nesterov, maximize } } of ready) {
      const buffer = momentum ? this.state.get(param).momentumBuffer.address : 0
      if (maximize) changeSign(grad)
      param.engine.c.gf_sgd_step(param.address, buffer, grad.address, param.size, lr, momentum, dampening, weightDecay,
        nesterov ? 1 : 0, first.has(param) ? 1 : 0)
      if (maximize) changeSign(grad)
      param.touch()
    }
  }
}
