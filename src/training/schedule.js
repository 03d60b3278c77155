/** The learning rate of a step: linear warm-up, then a schedule. */

/**
 * The fraction of the peak rate after the warm-up, by the number of steps since then and in total.
 * @type {Record<string, (at: { gf: any, at: number, of: number, warmUp: number, step: number }) => number>}
 */
const SCHEDULES = {
  constant: () => 1,
  cosine: ({ gf, at, of }) => (1 + gf.engine.c.gf_cos(Math.PI * at / of)) / 2,
  linear: ({ at, of }) => (of - at) / of,
  root: ({ warmUp, step }) => Math.sqrt(Math.max(1, warmUp) / step)
}

/**
 * The learning rate of a step, from 1.
 * @param {any} gf @param {{ rate: number, warmUp: number, steps: number, schedule: string }} settings
 * @param {number} step
 */
export function rateAt(gf, { rate, warmUp, steps, schedule }, step) {
  if (step < warmUp) return rate * step / warmUp
  const decaySteps = Math.max(1, steps - warmUp)
  return rate * SCHEDULES[schedule]({ gf, at: Math.min(step - warmUp, decaySteps), of: decaySteps, warmUp, step })
}
