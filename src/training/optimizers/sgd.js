/** Stochastic gradient descent, with or without momentum. */

import { createLine } from './formula_line.js'

/** @import { Optimizer } from './index.js' */

/** @type {Optimizer} */
export const sgd = {
  usesMomentum: true,
  stateNames: ({ momentum }) => /** @type {Record<string, string>} */ (momentum ? { b: 'momentumBuffer' } : {}),
  create: (gf, parameters, { decay, momentum }) => new gf.optim.SGD(parameters, { momentum, weightDecay: decay }),
  createState: (zeros, { momentum }) => (momentum ? { momentumBuffer: zeros() } : {}),
  terms({ momentum, weightDecay: decay }, { g, rate, before, after }) {
    const gradient = g + decay * before.w
    return { momentum, decay, gradient, change: -rate * (momentum ? after.b : gradient) }
  },
  lines({ g, before, after, rate, momentum, decay, gradient }, format) {
    return [
      ...(decay ? [createLine('decay', 'g ← g + λ w', `${format(g)} + ${format(decay)} × ${format(before.w)}`, gradient)] : []),
      ...(momentum ? [createLine('buffer', 'b ← μ b + g', `${format(momentum)} × ${format(before.b)} + ${format(gradient)}`, after.b)] : []),
      createLine('weight', `w ← w − η ${momentum ? 'b' : 'g'}`, `${format(before.w)} − ${format(rate)} × ${format(momentum ? after.b : gradient)}`,
        after.w)
    ]
  }
}
