import { describe, expect, expectInteger, isPlain, expectOptions } from '../errors.js'
import { grad } from '../autograd/autograd.js'
import { nextTask } from '../next_task.js'
import { Module, listModules } from '../nn/module.js'
import { Tensor } from '../tensor/tensor.js'
import { trace } from '../trace/record_trace.js'
import { findReusable } from '../trace/reuse.js'
import { Tasks } from './tasks.js'

/**
 * Runs of a model, or of a function, that are measured by one number.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('../trace/edits.js').Edit} Edit
 *
 * One number of a run: a function of the logits (or of whatever the model returns if it has none) and of the trace, if
 * it declares a second parameter, which returns a number or a tensor of one value; or the logit of a token at a
 * position of the first text, by default the last, minus that of another token, if one is given.
 * @typedef {((logits: any, trace: Trace) => number | Tensor)
 *   | { token: number, against?: number, position?: number }} Metric
 *
 * @typedef {Module | ((input: any) => any)} Model
 */

/** @param {string} where @param {Record<string, any>} options @param {string} name */
export function expectGiven(where, options, name) {
  expect(options[name] !== undefined, 'type', () => `${where}: ${name} must be given`)
  return options[name]
}

/**
 * The function that runs a model on an input.
 * @param {string} where @param {unknown} model @returns {(input: any) => any}
 */
function runnerOf(where, model) {
  if (model instanceof Module) return input => model.forward(input)
  expect(typeof model === 'function', 'type',
    () => `${where}: model must be a module, or a function of the input, got ${describe(model)}`)
  return /** @type {(input: any) => any} */ (model)
}

/** The logits of what a model returns, or all of it. @param {any} output */
const logitsOf = output => (isPlain(output) && 'logits' in output ? output.logits : output)

/**
 * A metric as a function to a tensor or number.
 * @param {string} where @param {unknown} metric @returns {(output: any, trace: Trace) => number | Tensor}
 */
function readMetric(where, metric) {
  if (typeof metric === 'function') return (output, recording) => metric(logitsOf(output), recording)
  expect(isPlain(metric), 'type', () => `${where}: metric must be a function of the logits, or { token, against, position }, ` +
    `got ${describe(metric)}`)
  const { token, against, position } = expectOptions(where, metric, ['token', 'against', 'position'])
  return output => {
    const logits = logitsOf(output)
    expect(logits instanceof Tensor && [2, 3].includes(logits.shape.length), 'shape',
      () => `${where}: metric.token needs logits of shape [B, T, V] or [T, V], got ${describe(logits)}`)
    const [T, V] = logits.shape.slice(-2)
    const at = position === undefined ? T - 1 : expectInteger(where, 'metric.position', position, 0, T - 1)
    const row = logits.shape.length === 3 ? logits.index(0, at) : logits.index(at)
    const own = row.index(expectInteger(where, 'metric.token', token, 0, V - 1))
    return against === undefined ? own : own.sub(row.index(expectInteger(where, 'metric.against', against, 0, V - 1)))
  }
}

/** @param {string} where @param {unknown} value what a metric returned */
function toNumber(where, value) {
  const number = value instanceof Tensor && value.numel() === 1 ? value.item() : value
  expect(typeof number === 'number', 'type',
    () => `${where}: metric must return a number or a tensor of one value, got ${describe(value)}`)
  return number
}

/** Runs of one model under one metric. */
export class Measurements extends Tasks {
  /** @type {WeakMap<Trace, import('../trace/reuse.js').Reusable>} */ #reusable = new WeakMap()

  /**
   * @param {string} where the function, for messages @param {Engine} engine
   * @param {{ model: unknown, metric?: unknown, modules?: Record<string, Module>, keepAttention?: readonly string[],
   *   onProgress?: unknown, signal?: any }} options
   */
  constructor(where, engine, { model, metric, modules = {}, keepAttention, onProgress, signal }) {
    super(where, engine, { onProgress, signal })
    this.run = runnerOf(where, model)
    this.metric = metric === undefined ? undefined : readMetric(where, metric)
    this.readsTrace = typeof metric === 'function' && metric.length > 1
    this.readsLogits = isPlain(metric)
    this.options = { modules, keepAttention }
    this.modules = [model, ...Object.values(modules)].filter(module => module instanceof Module)
  }

  /**
   * Calls fn without dropout and frees its tensors, except those of a trace.
   * @param {() => void} fn
   */
  #evaluate(fn) {
    const modules = this.modules.flatMap(module => listModules(module).map(([, inner]) => inner))
    const before = modules.map(({ training }) => training)
    for (const module of modules) module.training = false
    try {
      this.engine.tidy(fn)
    } finally {
      modules.forEach((module, i) => { module.training = before[i] })
    }
  }

  /**
   * Runs the model without gradients.
   * @param {any} input @param {readonly Edit[]} [edits] @param {import('../trace/trace.js').Reuse} [reuse]
   * @returns {{ output: any, trace: Trace }} the caller discards the trace
   */
  trace(input, edits = [], reuse) {
    const { engine, run, options } = this
    /** @type {any} */ let found = null
    this.#evaluate(() => { found = trace(engine, () => engine.noGrad(() => run(input)), { ...options, edits, reuse }) })
    return found
  }

  /**
   * Runs the model on some inputs and frees the traces in the end.
   * @template T @param {readonly any[]} inputs
   * @param {(...runs: { output: any, trace: Trace }[]) => Promise<T>} use @returns {Promise<T>}
   */
  async withRuns(inputs, use) {
    /** @type {{ output: any, trace: Trace }[]} */ const all = []
    try {
      for (const input of inputs) {
        all.push(this.trace(input))
        await nextTask()
      }
      return await use(...all)
    } finally {
      for (const run of all) run.trace.discard()
    }
  }

  /**
   * What a run with edits can take over from the one without: outputs of modules that end before the edited tensors.
   * Nothing if the metric may read other tensors of the run.
   * @param {Trace} base @param {readonly Edit[]} edits @returns {import('../trace/trace.js').Reuse | undefined}
   */
  #findReuse(base, edits) {
    if (this.readsTrace) return undefined
    const modules = this.#reusable.get(base) ?? findReusable(base)
    this.#reusable.set(base, modules)
    const edited = edits.map(({ name }) => base.get(name))
    const before = base.nodes.findIndex(({ outputs }) => Object.values(outputs).some(tensor => edited.includes(tensor)))
    return { modules, before }
  }

  /** The metric of a run. @param {{ output: any, trace: Trace }} run @returns {number} */
  measure({ output, trace: recording }) {
    const { engine, where, metric } = this
    return engine.tidy(() => engine.noGrad(() => toNumber(where, metric?.(output, recording))))
  }

  /**
   * The largest logit in size, of which a metric { token, against, position } is a small difference; 0 for functions.
   * @type {(run: { output: any }) => number}
   */
  sizeOf = ({ output }) => (this.readsLogits ? /** @type {Float32Array} */ (logitsOf(output).values)
    .reduce((max, logit) => Math.max(max, Math.abs(logit)), 0) : 0)

  /**
   * Runs the model without gradients and reads from the trace before anything is freed.
   * @template T @param {any} input @param {(trace: Trace) => T} read @returns {T}
   */
  inspect(input, read) {
    const { engine, run, options } = this
    /** @type {any} */ let found
    this.#evaluate(() => {
      const { trace: recording } = trace(engine, () => engine.noGrad(() => run(input)), options)
      try {
        found = read(recording)
      } finally {
        recording.discard()
      }
    })
    return found
  }

  /**
   * Runs the model and differentiates the metric with respect to tensors of the run.
   * @param {any} input @param {readonly string[]} names
   * @returns {Map<string, { values: Float32Array, gradient: Float32Array | null }>} null if it does not depend on one
   */
  differentiate(input, names) {
    const { engine, where, metric, run, options } = this
    /** @type {Map<string, { values: Float32Array, gradient: Float32Array | null }>} */ const found = new Map()
    this.#evaluate(() => {
      const { output, trace: recording } = trace(engine, () => run(input), { ...options, gradientsOf: names })
      try {
        const value = metric?.(output, recording)
        expect(value instanceof Tensor && value.numel() === 1, 'type', () => `${where}: metric must return a tensor ` +
          `of one value to be differentiated, got ${describe(value)}; logits.index(0, -1, token) is one, logits.at(…) is not`)
        const tensors = names.map(name => recording.get(name))
        const gradients = value.requiresGrad ? grad(value, tensors, { allowUnused: true }) : []
        names.forEach((name, i) => found.set(name, {
          values: /** @type {Float32Array} */ (tensors[i].values.slice()),
          gradient: /** @type {Float32Array | null} */ (gradients[i]?.values.slice() ?? null)
        }))
      } finally {
        recording.discard()
      }
    })
    return found
  }

  /**
   * The metric of a run with edits, which is freed and leaves no input changed.
   * @param {any} input @param {readonly Edit[]} edits
   * @param {{ trace: Trace }} [base] the run on the same input without edits
   */
  measureEdited(input, edits, base) {
    const run = this.trace(input, edits, base && this.#findReuse(base.trace, edits))
    try {
      return this.measure(run)
    } finally {
      run.trace.discard()
    }
  }
}
