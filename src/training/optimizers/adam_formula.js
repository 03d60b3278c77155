/** A step of Adam and AdamW. */

import { createLine } from './formula_line.js'

/** @import { Formula } from './formulas.js' */

/** @type {Formula} */
export const adam = {
  terms({ betas: [beta1, beta2], eps, weightDecay: decay }, { t, rate, before, after }) {
    const biasCorrection1 = 1 - beta1 ** t, biasCorrection2 = 1 - beta2 ** t
    const mHat = after.m / biasCorrection1, vHat = after.v / biasCorrection2
    const decayed = before.w * (1 - rate * decay)
    return {
      beta1, beta2, eps, decay, biasCorrection1, biasCorrection2, mHat, vHat, decayed,
      change: -rate * mHat / (Math.sqrt(vHat) + eps)
    }
  },
  lines({ g, before, after, t, rate, beta1, beta2, eps, decay, biasCorrection1, biasCorrection2, mHat, vHat,
    decayed }, format) {
    const decayLine = createLine('decay', 'w ← w · (1 − η λ)', `${format(before.w)} × (1 − ${format(rate)} × ${format(decay)})`, decayed)
    return [
      createLine('first', 'm ← β₁ m + (1 − β₁) g', `${format(beta1)} × ${format(before.m)} + ${format(1 - beta1)} × ${format(g)}`, after.m),
      createLine('second', 'v ← β₂ v + (1 − β₂) g²', `${format(beta2)} × ${format(before.v)} + ${format(1 - beta2)} × (${format(g)})²`, after.v),
      createLine('mHat', `m̂ = m ∕ (1 − β₁ᵗ),  t = ${t}`, `${format(after.m)} ∕ ${format(biasCorrection1)}`, mHat),
      createLine('vHat', 'v̂ = v ∕ (1 − β₂ᵗ)', `${format(after.v)} ∕ ${format(biasCorrection2)}`, vHat),
      ...(decay ? [decayLine] : []),
      createLine('weight', 'w ← w − η m̂ ∕ (√v̂ + ε)',
        `${format(decayed)} − ${format(rate)} × ${format(mHat)} ∕ (√${format(vHat)} + ${format(eps)})`, after.w)
    ]
  }
}
