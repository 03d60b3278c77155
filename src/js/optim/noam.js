import { expectNumber, expectInteger } from '../errors.js'

/**
 * The learning rate of "Attention Is All You Need" (Vaswani et al. 2017, equation 3), as a function of the step: it
 * rises linearly for `warmup` steps, then falls with 1/√step.
 * @param {number} dModel
 * @param {number} [warmup] 4000
 * @param {number} [factor] 1
 * @returns {(step: number) => number} the rate of a step, counted from 1
 */
export function noam(dModel, warmup = 4000, factor = 1) {
  expectInteger('noam', 'dModel', dModel, 1)
  expectInteger('noam', 'warmup', warmup, 1)
  expectNumber('noam', 'factor', factor, 'a number > 0', v => v > 0)
  return step => factor * dModel ** -0.5 * Math.min(expectInteger('noam', 'step', step, 1) ** -0.5, step * warmup ** -1.5)
}
