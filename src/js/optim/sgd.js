import { expect, expectBoolean, expectNumber, expectOptions } from '../errors.js'
import { Optimizer, expectNoClosure } from './optimizer.js'

/**
 * @typedef {{ lr?: number, momentum?: number, dampening?: number, weightDecay?: number, nesterov?: boolean }}
 *   SGDOptions lr: 0.001; the others 0 or false
 */

/** @param {any} options @returns {Required<SGDOptions>} */
function check(options) {
  const { lr = 1e-3, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false } =
    expectOptions('SGD', options, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov'])
  for (const [name, value] of Object.entries({ lr, momentum, weightDecay })) {
    expectNumber('SGD', name, value, 'a number >= 0', v => v >= 0)
  }
  expectNumber('SGD', 'dampening', dampening, 'a number', Number.isFinite)
  expectBoolean('SGD', 'nesterov', nesterov)
  expect(!nesterov || (momentum > 0 && dampening === 0), 'range',
    () => 'SGD: nesterov needs a momentum above 0 and dampening 0')
  return { lr, momentum, dampening, weightDecay, nesterov }
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
    for (const { param, grad, group } of this.findTrainable()) {
      const { lr, momentum, dampening, weightDecay, nesterov } = group, isFirst = !this.state.has(param)
      const state = momentum ? this.stateOf(param, () => ({ momentumBuffer: param.engine.zeros(param.shape) })) : null
      param.engine.c.gf_sgd_step(param.dataPtr(), state?.momentumBuffer.dataPtr() ?? 0, grad.dataPtr(), param.numel(),
        lr, momentum, dampening, weightDecay, nesterov ? 1 : 0, isFirst ? 1 : 0)
      param.touch()
    }
  }
}
