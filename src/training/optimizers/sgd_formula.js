/** A step of stochastic gradient descent. */

import { createLine } from './formula_line.js'

/** @import { Formula } from './formulas.js' */

/** @type {Formula} */
export const sgd = {
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
