import { expect, expectBoolean, expectNumber, expectOptions } from '../errors.js'
import { Optimizer, expectNoClosure, negate } from './optimizer.js'

/**
 * @typedef {{ lr?: number, momentum?: number, dampening?: number, weightDecay?: number, nesterov?: boolean,
 *   maximize?: boolean }} SGDOptions lr: 0.001; the others 0 or false; maximize: true goes up along the gradient
 */

/** @param {any} options @returns {Required<SGDOptions>} */
function check(options) {
  const { lr = 1e-3, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false, maximize = false } =
    expectOptions('SGD', options, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov', 'maximize'])
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

/** Stochastic gradient descent, with optional momentum: torch.optim.SGD. */
export class SGD extends Optimizer {
  /** Names of the state of a parameter. */ static stateNames = ['momentumBuffer']

  /** @param {import('./optimizer.js').Params} params @param {SGDOptions} [options] */
  constructor(params, options) {
    super('SGD', params, options, check)
  }

  /** Updates all parameters that have a gradient. @param {undefined[]} more */
  step(...more) {
    expectNoClosure(more)
    const trainable = this.findTrainable(), withMomentum = trainable.filter(({ group }) => group.momentum)
    const firstSteps = new Set(withMomentum.map(({ param }) => param).filter(param => !this.state.has(param)))
    this.statesOf(withMomentum, ({ param }) => ({ momentumBuffer: param.engine.zeros(param.shape) }))
    for (const { param, grad, group: { lr, momentum, dampening, weightDecay, nesterov, maximize } } of trainable) {
      const buffer = momentum ? this.state.get(param).momentumBuffer.dataPtr() : 0
      if (maximize) negate(grad)
      param.engine.c.gf_sgd_step(param.dataPtr(), buffer, grad.dataPtr(), param.numel(), lr, momentum,
        dampening, weightDecay, nesterov ? 1 : 0, firstSteps.has(param) ? 1 : 0)
      if (maximize) negate(grad)
      param.touch()
    }
  }
}
