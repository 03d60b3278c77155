/** Stochastic gradient descent, with or without momentum. */

import { line, format } from './formula_line.js'

/** @import { Optimizer } from './index.js' */

/** @type {Optimizer} */
export const sgd = {
  kept: ({ momentum }) => /** @type {Record<string, string>} */ (momentum ? { b: 'momentumBuffer' } : {}),
  create: (gf, parameters, { decay, momentum }) => new gf.optim.SGD(parameters, { momentum, weightDecay: decay }),
  fresh: (zeros, { momentum }) => (momentum ? { momentumBuffer: zeros() } : {}),
  terms({ momentum, weightDecay: decay }, { g, rate, before, after }) {
    const pull = g + decay * before.w
    return { momentum, decay, pull, change: -rate * (momentum ? after.b : pull) }
  },
  lines({ g, before, after, rate, momentum, decay, pull }) {
    const n = format
    return [
      ...(decay ? [line('pull', 'g ← g + λ w', `${n(g)} + ${n(decay)} × ${n(before.w)}`, pull)] : []),
      ...(momentum ? [line('buffer', 'b ← μ b + g', `${n(momentum)} × ${n(before.b)} + ${n(pull)}`, after.b)] : []),
      line('weight', `w ← w − η ${momentum ? 'b' : 'g'}`, `${n(before.w)} − ${n(rate)} × ${n(momentum ? after.b : pull)}`,
        after.w)
    ]
  }
}
