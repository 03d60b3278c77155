/** Shared code of the training scripts of the page's models. */

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createSession } from '../../src/training/session.js'

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
  const defaultOut = typeof out === 'function' ? out(chosen) : out
  return {
    steps: Number(values.steps), seed: Number(values.seed), out: values.out || defaultOut, tests: Number(values.tests),
    variant: chosen
  }
}

/**
 * All steps of a training, as on the training page.
 * @param {any} gf @param {import('../../src/training/settings.js').TrainingState} settings
 * @param {number} every steps between two lines about it, a multiple of the session's interval between evaluations
 * @returns {any} the model, in eval mode
 */
export function trainModel(gf, settings, every) {
  const session = createSession(gf, settings), started = Date.now(), { steps } = settings
  for (let n = 1; n <= steps; n++) {
    const { loss, broken } = session.step()
    if (broken) throw new Error(`step ${n}: loss or gradients are not finite`)
    if (n % every && n !== steps) continue
    const at = String(n).padStart(5), seconds = Math.round((Date.now() - started) / 1000)
    const right = session.history.evaluations.at(-1)?.right
    console.log(`step ${at} of ${steps}   loss ${loss.toFixed(4)}   right ${right?.toFixed(4)}   ${seconds} s`)
  }
  return session.model.eval()
}

/**
 * Rounds the parameters of a trained model to float16, so that a file in float16 has them exactly.
 * @param {any} gf @param {any} model
 */
export function roundToFloat16(gf, model) {
  const { tensors } = gf.loadSafetensors(gf.saveSafetensors(model.stateDict(), {}, { dtypes: 'F16' }))
  model.loadStateDict(tensors)
}

/**
 * @param {any} gf @param {any} model @param {string} file @param {Record<string, string>} metadata
 * @param {string} [dtypes] the dtype of the file, 'F32' by default
 */
export function save(gf, model, file, metadata, dtypes = 'F32') {
  const bytes = gf.saveSafetensors(model.stateDict(), metadata, { dtypes })
  writeFileSync(file, bytes)
  console.log(`${file}: ${bytes.length} bytes`)
}
