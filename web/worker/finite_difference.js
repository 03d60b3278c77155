/** Central finite difference: the loss with a cell slightly higher and slightly lower, and the slope between. */

import { withEdit } from '../lib/edits.js'

/** @import { LibraryRun, ModelRun, Settings, Step } from '../types.d.ts' */

/**
 * The cross entropy recomputed in double, so that only the float32 logits limit the slope.
 * @param {LibraryRun} run
 */
function lossOf(run) {
  const { inputs, parameters } = /** @type {Step} */ (run.steps.find(({ op }) => op === 'cross_entropy'))
  const { shape, values } = run.tensor(inputs.logits)
  const words = shape[shape.length - 1]
  const target = /** @type {number[]} */ (parameters.target)
  const targets = [...target.entries()].filter(([, id]) => id !== parameters.ignoreIndex)
  const losses = targets.map(([row, id]) => {
    const logits = /** @type {Float32Array} */ (values).subarray(row * words, (row + 1) * words)
    const max = logits.reduce((a, b) => Math.max(a, b))
    return max + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - max), 0)) - logits[id]
  })
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length
}

/**
 * Computes both runs and the slope. The decoder keeps reading the same tokens, whatever the changed model
 * would generate.
 * @param {(settings: Settings) => Promise<ModelRun>} compute
 * @param {Settings} settings including the edits that exist already
 * @param {{ name: string, index: number[] }} cell
 * @param {number} value the current value of the cell @param {number} step by which it is raised and lowered
 */
export async function finiteDifference(compute, settings, { name, index }, value, step) {
  const [up, down] = [1, -1].map(sign => Math.fround(value + sign * step))
  /** @type {number[]} */ const losses = []
  for (const cellValue of [up, down]) {
    const { run } = await compute({ ...settings, edits: withEdit(settings.edits, { name, index, value: cellValue }) })
    losses.push(run.hasLoss ? lossOf(run) : run.loss)
    run.dispose()
  }
  const [high, low] = losses
  return { high, low, slope: (high - low) / (up - down) }
}
