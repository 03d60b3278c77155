/**
 * A training that can be interrupted anywhere. Every step samples from the seed and its own number, so weights and
 * moments are its complete state: restored, it continues identically, bit for bit, here as in Node.
 */

import { findNonFinite } from './non_finite.js'
import { offsetOf } from './cells.js'
import { groupParameters, totalNorm, updateRatios } from './norms.js'
import { OPTIMIZERS } from './optimizers/index.js'
import { rateAt } from './schedule.js'
import { loadInitialWeights } from './initial_weights.js'
import { TASKS } from './tasks/index.js'
import { writeTraining } from './training_file.js'

/** @import { TrainingState } from './settings.js' */
/** @import { Seen } from './training_record.js' */
/** @import { Batch } from './tasks/index.js' */

/** Steps between two evaluations of held-out examples. */
export const EVALUATION_INTERVAL = 25
/** The distance between the random streams of two seeds. */
const SEED_STRIDE = 1_000_003

/** Quantities with one number per step. */
const STEP_QUANTITIES = /** @type {const} */ (['loss', 'rate', 'norm'])

/**
 * @typedef {{ step: number, values: Float32Array }} Snapshot
 * @typedef {ReturnType<typeof createSession>} Session
 * @typedef {[string, any]} Named a parameter
 * @typedef {Pick<Seen, 'loss' | 'rate' | 'norm' | 'norms' | 'evaluations'>} History of every step
 */

/**
 * @param {any} gf the library
 * @param {TrainingState} settings
 * @param {string} [text] of the task that learns the reader's own text
 * @param {Uint8Array} [start] initial weights, unless they come from the seed
 */
export function createSession(gf, settings, text, start) {
  const task = TASKS[settings.task]
  const { seed, clip, smoothing } = settings
  const data = task.prepare(gf, settings, text)
  gf.manualSeed(seed)
  const model = withoutScaling(task.create(gf, settings, data).train(), settings)
  /** @type {Named[]} */ const named = model.namedParameters()
  if (settings.start !== 'seed') loadInitialWeights(gf, named, start)
  /** The initial weights, saved in files where no seed reproduces them. */
  const initialWeights = settings.start === 'given' ? named.map(([, parameter]) => parameter.detach().clone()) : []
  const parameters = named.map(([, parameter]) => parameter)
  const groups = groupParameters(named)
  const optimizerKind = OPTIMIZERS[settings.optimizer],
    stateSymbols = Object.entries(optimizerKind.stateNames(settings))
  const optimizerStates = stateSymbols.length === 0 ? [] : parameters.map(parameter => (
    optimizerKind.createState(() => parameter.engine.zeros(parameter.shape), settings)))
  /** @type {any} */ let optimizer
  /** The optimizer, created for the first step: the worker of an element fetches its code then. */
  function getOptimizer() {
    if (optimizer) return optimizer
    optimizer = optimizerKind.create(gf, parameters, settings)
    optimizerStates.forEach((state, i) => optimizer.stateOf(parameters[i], () => state))
    return optimizer
  }
  const savedTensors = parameters.flatMap((parameter, i) => [parameter,
    ...stateSymbols.map(([, name]) => optimizerStates[i][name])])
  const heldOutBatch = task.heldOut(gf, settings, data)
  /** The record of every step and every evaluation. @type {History} */
  const history = { loss: [], rate: [], norm: [], norms: [], evaluations: [] }
  let done = 0

  /** @param {Batch} batch @param {number} labelSmoothing */
  const computeLoss = ({ inputs, target, ignoreIndex }, labelSmoothing) => {
    const logits = model.forward(...inputs)
    const flat = logits.reshape(-1, logits.shape.at(-1))
    return gf.functional.crossEntropy(flat, target, { ignoreIndex, labelSmoothing })
  }

  /** @param {number} step @returns {Batch} */
  function createBatch(step) {
    const batchNumber = settings.repeat ? 1 : step
    gf.manualSeed(seed * SEED_STRIDE + batchNumber)
    const batch = task.batch(gf, settings, data, batchNumber)
    if (settings.repeat) gf.manualSeed(seed * SEED_STRIDE + step)
    return batch
  }

  /**
   * Computes loss and clipped gradients of a step without updating the weights.
   * @param {number} step @param {() => void} [beforeClip] reads the gradients before they are clipped
   */
  function backward(step, beforeClip) {
    const batch = createBatch(step)
    const loss = computeLoss(batch, smoothing)
    getOptimizer().zeroGrad()
    loss.backward()
    beforeClip?.()
    const norms = groups.map(group => totalNorm(gf, group.parameters.map(({ grad }) => grad)))
    const norm = clip ? gf.optim.clipGradNorm(parameters, clip) : totalNorm(gf, parameters.map(({ grad }) => grad))
    return { batch, loss: loss.item(), norm, norms, rate: rateAt(gf, settings, step) }
  }

  /** Evaluates held-out examples. */
  function evaluateHeldOut() {
    model.eval()
    const loss = gf.tidy(() => gf.noGrad(() => computeLoss(heldOutBatch, 0).item()))
    const right = task.measureAccuracy(gf, model, data, heldOutBatch)
    const heads = task.measureHeads?.(gf, model, settings), waves = task.measureWaves?.(gf, model)
    model.train()
    return { step: done, loss, right, ...(heads && { heads }), ...(waves && { waves }) }
  }

  /**
   * @param {{ loss: number, rate: number, norm: number, norms: number[] }} seen
   * @param {any[] | false | undefined} before
   */
  function record(seen, before) {
    const at = done - 1
    // A training resumed from a file has no record of earlier steps; they are recorded when they are repeated.
    if (at < history.loss.length && Number.isNaN(history.loss[at])) {
      for (const name of STEP_QUANTITIES) history[name][at] = seen[name]
      history.norms[at] = seen.norms
      return
    }
    if (at < history.loss.length) {
      if (!Object.is(history.loss[at], seen.loss)) throw new Error(`step ${done} is not what it was`)
      return
    }
    for (const name of STEP_QUANTITIES) history[name].push(seen[name])
    history.norms.push(seen.norms)
    if (before) history.evaluations.push({ ...evaluateHeldOut(), ratios: updateRatios(gf, groups, before) })
  }

  /**
   * The next step. With non-finite values nothing is updated, and `broken` says where they started.
   * @returns {{ step: number, loss: number, broken?: ReturnType<typeof findNonFinite> }}
   */
  function step() {
    const next = done + 1
    const isNew = done >= history.loss.length
    const before = isNew && (next % EVALUATION_INTERVAL === 0 || next === settings.steps)
    return gf.tidy(() => {
      const seen = backward(next)
      if (!Number.isFinite(seen.loss) || !Number.isFinite(seen.norm)) {
        optimizer.zeroGrad()
        const broken = findNonFinite(gf, named, () => computeLoss(createBatch(next), smoothing))
        return { step: next, loss: seen.loss, broken }
      }
      const weightsBefore = before && parameters.map(parameter => parameter.detach().clone())
      optimizer.lr = seen.rate
      optimizer.step()
      done = next
      record(seen, weightsBefore)
      return { step: done, loss: seen.loss }
    })
  }

  history.evaluations.push({ ...evaluateHeldOut(), ratios: null })

  return {
    gf, task, data, model, settings, history, groups, named, tests: heldOutBatch,
    get optimizer() {
      return getOptimizer()
    },
    /** The optimizer state of a weight, by the symbols of its formula. */
    letters: stateSymbols.map(([letter]) => letter),
    step, look: evaluateHeldOut, backward, batchAt: createBatch, lossOf: computeLoss,
    get done() {
      return done
    },
    /** The size of a snapshot in bytes. */
    bytes: savedTensors.reduce((sum, tensor) => sum + 4 * tensor.numel(), 0),
    /** @returns {Snapshot} */
    snapshot() {
      const values = new Float32Array(savedTensors.reduce((sum, tensor) => sum + tensor.numel(), 0))
      let at = 0
      for (const tensor of savedTensors) {
        values.set(tensor.values, at)
        at += tensor.numel()
      }
      return { step: done, values }
    },
    /** @param {Snapshot} snapshot */
    restore({ step: at, values }) {
      let from = 0
      for (const tensor of savedTensors) {
        tensor.data.set(values.subarray(from, from + tensor.numel()))
        from += tensor.numel()
      }
      for (const state of optimizerStates) if ('step' in state) state.step = at
      done = at
    },
    /**
     * Resumes from another session's state.
     * @param {Snapshot & { history?: History }} kept with its record, unless it comes from a file
     */
    resume({ history: known, ...snapshot }) {
      const { step: at } = snapshot
      const unknown = () => Array(at).fill(NaN)
      Object.assign(history, structuredClone(known) ?? {
        loss: unknown(), rate: unknown(), norm: unknown(),
        norms: Array.from({ length: at }, () => groups.map(() => NaN))
      })
      this.restore(snapshot)
      if (!known) history.evaluations.push({ ...evaluateHeldOut(), ratios: null })
    },
    /**
     * The weights as a file, with moments also everything needed to resume.
     * @param {boolean} [withMoments]
     */
    file: withMoments => writeTraining({
      gf, settings, step: done, task, data, model, named, initialWeights, stateSymbols, optimizerStates
    }, withMoments),
    /** The model's answer and its attention. @param {string} sentence @param {string} [selectedName] */
    answer(sentence, selectedName) {
      model.eval()
      const answer = task.answer(gf, model, data, sentence)
      const seen = gf.tidy(() => attention(gf, model, answer, selectedName))
      model.train()
      return { text: answer.text, ...seen }
    },
    /** The model's inputs for an answer. @param {string} sentence */
    inputsOf(sentence) {
      model.eval()
      const { inputs } = task.answer(gf, model, data, sentence)
      model.train()
      return inputs
    },
    /**
     * One cell of a weight with its optimizer state, by the symbols of the formula.
     * @param {number} at the weight's number @param {number} offset
     */
    cell: (at, offset) => Object.fromEntries([
      ['w', named[at][1].values[offset]], ...stateSymbols.map(([letter, own]) => [letter, optimizerStates[at][own].values[offset]])]),
    /** A weight at a snapshot. @param {Snapshot} snapshot @param {{ name: string, index: number[] }} cell */
    weightIn({ values }, { name, index }) {
      const at = named.findIndex(([one]) => one === name)
      const before = named.slice(0, at).reduce((sum, [, tensor]) => sum + (1 + stateSymbols.length) * tensor.numel(), 0)
      return values[before + offsetOf(named[at][1].shape, index)]
    },
    dispose() {
      for (const table of initialWeights) table.dispose()
      for (const tensor of savedTensors) tensor.dispose()
      model.dispose()
    }
  }
}

/**
 * Optionally leaves scores unscaled, not divided by √d.
 * @param {any} model @param {TrainingState} settings
 */
export function withoutScaling(model, { scale }) {
  if (!scale) for (const [, module] of model.namedModules()) if ('scale' in module) module.scale = 1
  return model
}

/** The attribute of the cross-attention of nn.TransformerDecoderLayer. */
const CROSS = 'multihead_attn'

/**
 * The attention of one module of a model, head by head.
 * @param {any} gf @param {any} model @param {{ inputs: any[], tokens: Record<string, string[]> }} answer
 * @param {string} [selectedName]
 */
function attention(gf, model, { inputs, tokens }, selectedName) {
  const { trace } = gf.trace(() => gf.noGrad(() => model.forward(...inputs)))
  /** @type {string[]} */
  const names = trace.names.filter((/** @type {string} */ name) => name.endsWith('attn.weights'))
  const last = names.findLast(name => name.includes(CROSS)) ?? names[names.length - 1]
  const name = selectedName !== undefined && names.includes(selectedName) ? selectedName : last
  const { shape: [, heads, rows, cols], values } = trace.get(name)
  const result = { names, name, heads, rows, cols, values: values.slice() }
  trace.dispose()
  const isOfSource = name.includes('encoder')
  const own = tokens.text ?? (isOfSource ? tokens.source : tokens.target)
  return { attention: result, rowTokens: own, colTokens: name.includes(CROSS) ? tokens.source : own }
}
