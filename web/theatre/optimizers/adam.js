/** Adam, and AdamW with weight decay. */

import { line, format } from './formula_line.js'

/** @import { Optimizer } from './index.js' */

/** @type {Optimizer} */
export const adam = {
  kept: () => ({ m: 'expAvg', v: 'expAvgSq' }),
  create(gf, parameters, { decay }) {
    const Kind = decay > 0 ? gf.optim.AdamW : gf.optim.Adam
    return new Kind(parameters, { betas: [0.9, 0.98], eps: 1e-9, weightDecay: decay })
  },
  fresh: zeros => ({ step: 0, expAvg: zeros(), expAvgSq: zeros() }),
  terms({ betas: [beta1, beta2], eps, weightDecay: decay }, { t, rate, before, after }) {
    const fill1 = 1 - beta1 ** t, fill2 = 1 - beta2 ** t
    const mHat = after.m / fill1, vHat = after.v / fill2
    const shrunk = before.w * (1 - rate * decay)
    return {
      beta1, beta2, eps, decay, fill1, fill2, mHat, vHat, shrunk, change: -rate * mHat / (Math.sqrt(vHat) + eps)
    }
  },
  lines({ g, before, after, t, rate, beta1, beta2, eps, decay, fill1, fill2, mHat, vHat, shrunk }) {
    const n = format
    const shrinking = line('decay', 'w ← w · (1 − η λ)', `${n(before.w)} × (1 − ${n(rate)} × ${n(decay)})`, shrunk)
    return [
      line('first', 'm ← β₁ m + (1 − β₁) g', `${n(beta1)} × ${n(before.m)} + ${n(1 - beta1)} × ${n(g)}`, after.m),
      line('second', 'v ← β₂ v + (1 − β₂) g²', `${n(beta2)} × ${n(before.v)} + ${n(1 - beta2)} × (${n(g)})²`, after.v),
      line('mHat', `m̂ = m ∕ (1 − β₁ᵗ),  t = ${t}`, `${n(after.m)} ∕ ${n(fill1)}`, mHat),
      line('vHat', 'v̂ = v ∕ (1 − β₂ᵗ)', `${n(after.v)} ∕ ${n(fill2)}`, vHat),
      ...(decay ? [shrinking] : []),
      line('weight', 'w ← w − η m̂ ∕ (√v̂ + ε)',
        `${n(shrunk)} − ${n(rate)} × ${n(mHat)} ∕ (√${n(vHat)} + ${n(eps)})`, after.w)
    ]
  }
}
