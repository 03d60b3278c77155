/** Adam, and AdamW with weight decay. */

/** @import { Optimizer } from './index.js' */

/** @type {Optimizer} */
export const adam = {
  usesMomentum: false,
  stateNames: () => ({ m: 'expAvg', v: 'expAvgSq' }),
  create(gf, parameters, { decay }) {
    const Kind = decay > 0 ? gf.optim.AdamW : gf.optim.Adam
    return new Kind(parameters, { betas: [0.9, 0.98], eps: 1e-9, weightDecay: decay })
  },
  createState: zeros => ({ step: 0, expAvg: zeros(), expAvgSq: zeros() })
}
