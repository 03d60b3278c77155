/**
 * A training that can be interrupted anywhere. Every step samples from the seed and its own number, so weights and
 * moments are its complete state: restored, it continues identically, bit for bit, here as in Node.
 */

import { CROSS } from '../rooms/roles.js'
import { findBroken } from './non_finite.js'
import { offsetOf } from './cells.js'
import { groupsOf, normOf, ratiosOf } from './norms.js'
import { OPTIMIZERS } from './optimizers/index.js'
import { principalAxes, projectRows } from './pca.js'
import { rateAt } from './schedule.js'
import { write } from './settings.js'
import { PREFIX, startFrom } from './initial_weights.js'
import { TASKS } from './tasks/index.js'
import { shapeOf } from './tasks/model_options.js'

/** @import { TrainingState } from './settings.js' */
/** @import { Seen } from './training_record.js' */
/** @import { Batch } from './tasks/index.js' */

/** Steps between two evaluations of held-out examples. */
export const EVERY = 25
/** The distance between the random streams of two seeds. */
const STRIDE = 1_000_003

/** Quantities with one number per step. */
const NUMBERS = /** @type {const} */ (['loss', 'rate', 'norm'])

/**
 * @typedef {{ step: number, values: Float32Array }} Snapshot
 * @typedef {ReturnType<typeof createSession>} Session
 * @typedef {[string, any]} Named a parameter
 * @typedef {Pick<Seen, 'loss' | 'rate' | 'norm' | 'norms' | 'looks'>} History of every step
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
  const model = unscaled(task.create(gf, settings, data).train(), settings)
  /** @type {Named[]} */ const named = model.namedParameters()
  if (settings.start !== 'seed') startFrom(gf, named, start)
  /** The initial weights, saved in files where no seed reproduces them. */
  const begun = settings.start === 'given' ? named.map(([, parameter]) => parameter.detach().clone()) : []
  const parameters = named.map(([, parameter]) => parameter)
  const groups = groupsOf(named)
  const kind = OPTIMIZERS[settings.optimizer], letters = Object.entries(kind.kept(settings))
  const optimizer = kind.create(gf, parameters, settings)
  const held = letters.length === 0 ? [] : parameters.map(parameter => (
    optimizer.stateOf(parameter, () => kind.fresh(() => parameter.engine.zeros(parameter.shape), settings))))
  const kept = parameters.flatMap((parameter, i) => [parameter, ...letters.map(([, name]) => held[i][name])])
  const tests = task.heldOut(gf, settings, data)
  /** The record of every step and every evaluation. @type {History} */
  const history = { loss: [], rate: [], norm: [], norms: [], looks: [] }
  /** The embedding tables with the tokens of their rows, and their initial coordinates. */
  const tables = Object.entries(task.tables(data)).map(([name, words]) => {
    const table = parameterOf(name), axes = principalAxes(gf, table), { x, y } = projectRows(gf, table, axes)
    return { name, words, table, begun: [x, y], axes }
  })
  let done = 0, furthest = -1

  /** @param {string} name @returns {any} */
  function parameterOf(name) {
    return /** @type {Named} */ (named.find(([one]) => one === name))[1]
  }

  /** @param {Batch} batch @param {number} labelSmoothing */
  const lossOf = ({ inputs, target, ignoreIndex }, labelSmoothing) => {
    const logits = model.forward(...inputs)
    const flat = logits.reshape(-1, logits.shape.at(-1))
    return gf.functional.crossEntropy(flat, target, { ignoreIndex, labelSmoothing })
  }

  /** @param {number} step @returns {Batch} */
  function batchAt(step) {
    const drawn = settings.repeat ? 1 : step
    gf.manualSeed(seed * STRIDE + drawn)
    const batch = task.batch(gf, settings, data, drawn)
    if (settings.repeat) gf.manualSeed(seed * STRIDE + step)
    return batch
  }

  /**
   * Computes loss and clipped gradients of a step without updating the weights.
   * @param {number} step @param {() => void} [beforeClip] looks at the gradients as they came
   */
  function backward(step, beforeClip) {
    const batch = batchAt(step)
    const loss = lossOf(batch, smoothing)
    optimizer.zeroGrad()
    loss.backward()
    beforeClip?.()
    const norms = groups.map(group => normOf(gf, group.parameters.map(({ grad }) => grad)))
    const norm = clip ? gf.optim.clipGradNorm(parameters, clip) : normOf(gf, parameters.map(({ grad }) => grad))
    return { batch, loss: loss.item(), norm, norms, rate: rateAt(gf, settings, step) }
  }

  /** Evaluates held-out examples. */
  function look() {
    model.eval()
    const loss = gf.tidy(() => gf.noGrad(() => lossOf(tests, 0).item()))
    const right = task.right(gf, model, data, tests)
    model.train()
    return { step: done, loss, right }
  }

  /**
   * @param {{ loss: number, rate: number, norm: number, norms: number[] }} seen
   * @param {any[] | false | undefined} before
   */
  function record(seen, before) {
    const at = done - 1
    // A training resumed from a file has no record of earlier steps; they are recorded when they are repeated.
    if (at < history.loss.length && Number.isNaN(history.loss[at])) {
      for (const name of NUMBERS) history[name][at] = seen[name]
      history.norms[at] = seen.norms
      return
    }
    if (at < history.loss.length) {
      if (!Object.is(history.loss[at], seen.loss)) throw new Error(`step ${done} is not what it was`)
      return
    }
    for (const name of NUMBERS) history[name].push(seen[name])
    history.norms.push(seen.norms)
    if (before) history.looks.push({ ...look(), ratios: ratiosOf(gf, groups, before) })
  }

  /**
   * The next step. With non-finite values nothing is updated, and `broken` says where they started.
   * @returns {{ step: number, loss: number, broken?: ReturnType<typeof findBroken> }}
   */
  function step() {
    const next = done + 1
    const isNew = done >= history.loss.length
    const before = isNew && (next % EVERY === 0 || next === settings.steps)
    return gf.tidy(() => {
      const seen = backward(next)
      if (!Number.isFinite(seen.loss) || !Number.isFinite(seen.norm)) {
        optimizer.zeroGrad()
        const broken = findBroken(gf, named, () => lossOf(batchAt(next), smoothing))
        return { step: next, loss: seen.loss, broken }
      }
      const old = before && parameters.map(parameter => parameter.detach().clone())
      optimizer.lr = seen.rate
      optimizer.step()
      done = next
      record(seen, old)
      return { step: done, loss: seen.loss }
    })
  }

  history.looks.push({ ...look(), ratios: null })

  return {
    gf, task, data, model, settings, history, groups, named, optimizer, kind, tests,
    /** The optimizer state of a weight, by the symbols of its formula. */
    letters: letters.map(([letter]) => letter),
    step, look, backward, batchAt, lossOf,
    get done() {
      return done
    },
    /** The size of a snapshot in bytes. */
    bytes: kept.reduce((sum, tensor) => sum + 4 * tensor.numel(), 0),
    /** @returns {Snapshot} */
    snapshot() {
      const values = new Float32Array(kept.reduce((sum, tensor) => sum + tensor.numel(), 0))
      let at = 0
      for (const tensor of kept) {
        values.set(tensor.values, at)
        at += tensor.numel()
      }
      return { step: done, values }
    },
    /** @param {Snapshot} snapshot */
    restore({ step: at, values }) {
      let from = 0
      for (const tensor of kept) {
        tensor.data.set(values.subarray(from, from + tensor.numel()))
        from += tensor.numel()
      }
      for (const one of held) if ('step' in one) one.step = at
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
      if (!known) history.looks.push({ ...look(), ratios: null })
    },
    /**
     * The weights as a file, with moments also everything needed to resume.
     * @param {boolean} [withMoments]
     */
    file(withMoments) {
      const moments = withMoments ? named.flatMap(([name], i) => [
        ...letters.map(([letter, own]) => [`${letter}.${name}`, held[i][own]]),
        ...(begun[i] ? [[PREFIX + name, begun[i]]] : [])]) : []
      const { shape, ...more } = task.inFile?.(data) ?? {}
      return gf.saveSafetensors({ ...model.stateDict(), ...Object.fromEntries(moments) }, {
        training: write(settings), step: String(done), ...more,
        shape: JSON.stringify({ ...shapeOf(settings), ...shape })
      })
    },
    /** The model's answer and its attention. @param {string} said @param {string} [wanted] */
    answer(said, wanted) {
      model.eval()
      const answer = task.answer(gf, model, data, said)
      const seen = gf.tidy(() => attention(gf, model, answer, wanted))
      model.train()
      return { text: answer.text, ...seen }
    },
    /** The model's inputs for an answer. @param {string} said */
    inputsOf(said) {
      model.eval()
      const { inputs } = task.answer(gf, model, data, said)
      model.train()
      return inputs
    },
    /**
     * The PCA of an embedding table, the first one by default.
     * @param {string} [wanted] @returns {import('./pca.js').Plane & { names: string[] }}
     */
    plane(wanted) {
      if (done > furthest) {
        furthest = done
        for (const one of tables) one.axes = principalAxes(gf, one.table, one.begun)
      }
      const { name, words, table, axes } = tables.find(one => one.name === wanted) ?? tables[0]
      return {
        name, names: tables.map(one => one.name), words: [...words], from: furthest, ...projectRows(gf, table, axes)
      }
    },
    /**
     * One cell of a weight with its optimizer state, by the symbols of the formula.
     * @param {number} at the weight's number @param {number} offset
     */
    cell: (at, offset) => Object.fromEntries([
      ['w', named[at][1].values[offset]], ...letters.map(([letter, own]) => [letter, held[at][own].values[offset]])]),
    /** A weight at a snapshot. @param {Snapshot} snapshot @param {{ name: string, index: number[] }} cell */
    weightIn({ values }, { name, index }) {
      const at = named.findIndex(([one]) => one === name)
      const before = named.slice(0, at).reduce((sum, [, tensor]) => sum + (1 + letters.length) * tensor.numel(), 0)
      return values[before + offsetOf(named[at][1].shape, index)]
    },
    dispose() {
      for (const table of begun) table.dispose()
      optimizer.dispose()
      model.dispose()
    }
  }
}

/**
 * Optionally leaves scores unscaled, not divided by √d.
 * @param {any} model @param {TrainingState} settings
 */
export function unscaled(model, { scale }) {
  if (!scale) for (const [, module] of model.namedModules()) if ('scale' in module) module.scale = 1
  return model
}

/**
 * The attention of one module of a model, head by head.
 * @param {any} gf @param {any} model @param {{ inputs: any[], tokens: Record<string, string[]> }} answer
 * @param {string} [wanted]
 */
function attention(gf, model, { inputs, tokens }, wanted) {
  const { trace } = gf.trace(() => gf.noGrad(() => model.forward(...inputs)))
  /** @type {string[]} */
  const names = trace.names.filter((/** @type {string} */ name) => name.endsWith('attn.weights'))
  const last = names.findLast(one => one.includes(CROSS)) ?? names[names.length - 1]
  const name = wanted !== undefined && names.includes(wanted) ? wanted : last
  const { shape: [, heads, rows, cols], values } = trace.get(name)
  const result = { names, name, heads, rows, cols, values: values.slice() }
  trace.dispose()
  const isOfSource = name.includes('encoder')
  const own = tokens.text ?? (isOfSource ? tokens.source : tokens.target)
  return { attention: result, rowTokens: own, colTokens: name.includes(CROSS) ? tokens.source : own }
}
