/** Stochastic gradient descent, with or without momentum. */

/** @import { Optimizer } from './index.js' */

/** @type {Optimizer} */
export const sgd = {
  usesMomentum: true,
  stateNames: ({ momentum }) => /** @type {Record<string, string>} */ (momentum ? { b: 'momentumBuffer' } : {}),
  create: (gf, parameters, { decay, momentum }) => new gf.optim.SGD(parameters, { momentum, weightDecay: decay }),
  createState: (zeros, { momentum }) => (momentum ? { momentumBuffer: zeros() } : {})
}
