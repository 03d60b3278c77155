/** What the training scripts of the page's models have in common. */

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * The options --steps, --seed, --out and --tests (the number of test examples) of a training script; --variant where it
 * has several, each with a file of its own.
 * @param {{ steps: number, out: string | ((variant: string) => string), tests: number, variant?: string,
 *   variants?: Record<string, object> }} defaults
 */
export function trainingOptions({ steps, out, tests, variant = '', variants }) {
  const text = (/** @type {string} */ value) => ({ type: /** @type {const} */ ('string'), default: value })
  const { values } = parseArgs({
    options: { steps: text(String(steps)), seed: text('42'), out: text(''), tests: text(String(tests)),
      ...(variants && { variant: text(variant) }) }
  })
  const chosen = String(values.variant ?? variant)
  if (variants && !Object.hasOwn(variants, chosen)) {
    throw new Error(`--variant must be one of ${Object.keys(variants).join(', ')}, got ${chosen}`)
  }
  const usual = typeof out === 'function' ? out(chosen) : out
  return {
    steps: Number(values.steps), seed: Number(values.seed), out: values.out || usual, tests: Number(values.tests),
    variant: chosen
  }
}

/**
 * Adam for a number of steps with a linear warm-up and a linear decay to zero.
 * @param {any} gf @param {any} model
 * @param {{
 *   steps: number, peak: number, warmUp: number, every: number, loss(step: number): any, report(): string
 *   }} plan loss: that of a step, from 1; report: a line on how good the model is, every so many steps
 */
export function train(gf, model, { steps, peak, warmUp, every, loss, report }) {
  const optimizer = new gf.optim.Adam(model.parameters(), { betas: [0.9, 0.98], eps: 1e-9 }), started = Date.now()
  model.train()
  for (let step = 1; step <= steps; step++) {
    const value = gf.tidy(() => {
      const result = loss(step)
      optimizer.zeroGrad()
      result.backward()
      gf.optim.clipGradNorm(optimizer.params, 1)
      optimizer.lr = peak * Math.min(step / warmUp, (steps - step) / Math.max(1, steps - warmUp))
      optimizer.step()
      return result.item()
    })
    if (step % every && step !== steps) continue
    const at = String(step).padStart(5), seconds = Math.round((Date.now() - started) / 1000)
    model.eval()
    console.log(`step ${at} of ${steps}   loss ${value.toFixed(4)}   ${report()}   ${seconds} s`)
    model.train()
  }
  return model.eval()
}

/** @param {any} gf @param {any} model @param {string} file @param {Record<string, string>} metadata */
export function save(gf, model, file, metadata) {
  const bytes = gf.saveSafetensors(model.stateDict(), metadata)
  writeFileSync(file, bytes)
  console.log(`${file}: ${bytes.length} bytes`)
}
