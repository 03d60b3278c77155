/** A breakdown of the next step: layers, token losses, one weight's gradient, and the optimizer's update. */

import { indexAtOffset, isInside, offsetOf } from '../../src/training/cells.js'
import { FORMULAS } from '../../src/training/optimizers/formulas.js'
import { measureLayers, measureOutputs } from './layers.js'

/** @import { TrainingState } from '../../src/training/settings.js' */
/** @import { Named, Session } from '../../src/training/session.js' */
/** @import { Batch } from '../../src/training/tasks/index.js' */

/** The maximum number of rows of a batch that are listed. */
const MAX_LISTED_ROWS = 3

/**
 * The step of the finite difference, at which float32 approximates the gradient best.
 */
export const STEP = 2 ** -7

/** The factor by which clipping scales gradients. @param {TrainingState} settings @param {number} norm */
const clipFactor = ({ clip }, norm) => (clip ? Math.min(1, clip / (norm + 1e-6)) : 1)

/** The index of the value with the largest magnitude. @param {Float32Array} values */
const largestIndex = values =>
  values.reduce((best, value, i) => (Math.abs(value) > Math.abs(values[best]) ? i : best), 0)

/**
 * The loss of every token, and the probability of its target, computed by the kernels.
 * @param {Session} session @param {Batch} batch
 */
function computeTokenLosses({ gf, model, settings }, { inputs, target, ignoreIndex, words }) {
  const logits = model.forward(...inputs)
  const V = logits.shape.at(-1), perRow = logits.shape[1]
  const flat = logits.reshape(-1, V)
  const losses = gf.functional.crossEntropy(flat, target, {
    ignoreIndex, labelSmoothing: settings.smoothing, reduction: 'none'
  }).values
  const logs = gf.functional.logSoftmax(flat)
  const [logValues, probabilities] = [logs.values, logs.exp().values]
  const targets = [...target.keys()].filter(n => target[n] !== ignoreIndex)
  const tokens = targets.map(n => ({
    row: Math.floor(n / perRow), word: words[target[n]], share: probabilities[n * V + target[n]],
    surprise: -logValues[n * V + target[n]], loss: losses[n]
  }))
  return { tokens, sum: tokens.reduce((all, { loss }) => all + loss, 0), count: targets.length }
}

/**
 * @param {Session} session
 * @param {string} [name] of the weight; by default an influential one
 * @param {number[]} [index] of the cell; by default the one with the largest gradient
 */
export function breakDown(session, name, index) {
  const { gf, named, settings } = session
  const at = Math.max(0, named.findIndex(([one]) => one === name))
  const [weightName, weight] = named[at]
  const snapshot = session.snapshot(), step = session.done + 1
  try {
    return gf.tidy(() => {
      let raw = /** @type {Float32Array} */ (/** @type {unknown} */ (null))
      const { batch, loss, norm, norms, rate } = session.backward(step, () => { raw = weight.grad.values.slice() })
      const offset = isInside(weight.shape, index) ? offsetOf(weight.shape, index) : largestIndex(raw)
      const g = weight.grad.values[offset]
      const before = session.cell(at, offset)
      const old = named.map(([, parameter]) => parameter.detach().clone())
      const { output, trace } = gf.trace(() => gf.noGrad(() => computeTokenLosses(session, session.batchAt(step))))
      const { tokens, sum, count } = /** @type {ReturnType<typeof computeTokenLosses>} */ (output)
      const outputs = measureOutputs(session, trace)
      trace.dispose()
      session.optimizer.lr = rate
      session.optimizer.step()
      const after = session.cell(at, offset), update = { t: step, rate, g, before, after }
      return {
        step, layers: measureLayers(session, outputs, norms, old), names: named.map(([one]) => one),
        name: weightName, shape: weight.shape, index: indexAtOffset(weight.shape, offset),
        tokens: tokens.filter(({ row }) => row < MAX_LISTED_ROWS), count, mean: sum / count, loss,
        rows: batch.inputs[0].length,
        raw: raw[offset], norm, clip: settings.clip, factor: clipFactor(settings, norm), optimizer: settings.optimizer,
        ...update, ...FORMULAS[settings.optimizer].terms(session.optimizer.paramGroups[0], update)
      }
    })
  } finally {
    session.restore(snapshot)
  }
}

/**
 * The same gradient by finite differences: the loss of the next step with the weight slightly higher and
 * slightly lower.
 * @param {Session} session @param {string} name @param {number[]} index
 */
export function finiteDifference(session, name, index) {
  const { gf } = session
  const [, weight] = /** @type {Named} */ (session.named.find(([one]) => one === name))
  const offset = offsetOf(weight.shape, index), value = weight.values[offset]
  const losses = [1, -1].map(sign => {
    const changedWeight = Math.fround(value + sign * STEP)
    weight.data[offset] = changedWeight
    const { sum, count } =
      gf.tidy(() => gf.noGrad(() => computeTokenLosses(session, session.batchAt(session.done + 1))))
    weight.data[offset] = value
    return { nudged: changedWeight, loss: sum / count }
  })
  const [high, low] = losses
  return { high: high.loss, low: low.loss, slope: (high.loss - low.loss) / (high.nudged - low.nudged), step: STEP }
}
