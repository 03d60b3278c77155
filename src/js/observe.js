import { describe, expect, optionsOf } from './errors.js'
import { axesOf } from './axes.js'
import { DTYPES } from './dtype.js'
import { buildGraph, keyOf } from './graph.js'
import { Tensor } from './tensor.js'
import { trace } from './trace.js'

/**
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {import('./nn/module.js').Module} Module
 *
 * What is known of a tensor without its values.
 * @typedef {object} Described
 * @property {string} name
 * @property {number[]} shape
 * @property {import('./tensor.js').DType} dtype
 * @property {import('./axes.js').Axes} axes what runs along each of its axes
 * @property {string} role what it is in the model: 'scores', 'weights', 'heads', 'linear', 'layer_norm', ...;
 *   'parameter' for what is trained, 'buffer' for what a module holds besides, 'given' for what else nothing made
 * @property {string | null} op the operation that made it
 * @property {{ op: string, parameters: Record<string, unknown> } | null} origin how it was made before the run, if so
 * @property {Record<string, string>} inputs names of what it was computed from directly, by the symbols of the formula
 * @property {boolean} isKept whether its values are there: `keepAttention` may leave them out
 * @property {boolean} affectsLoss the loss was computed from it, so that it has a gradient and an edit of it has an
 *   effect
 *
 * One use of an operation, with names for tensors.
 * @typedef {{ op: string, call: number, inputs: Record<string, string>, outputs: Record<string, string>,
 *   isView: boolean, parameters: Record<string, unknown> }} Step
 *
 * One call of a module: the classes it is of, its own first; and of every attribute on the way to it from the call
 * around it the name and the classes.
 * @typedef {{ path: string, types: string[], way: { name: string, types: string[] }[], parent: number }} Called
 *
 * A part of a run that came in time after another: what was read at once, a token, a step of training.
 * @typedef {{ kind: string, [fact: string]: unknown }} Pass
 */

/** The names of a module's classes, its own first; 'list' for what is no module. @param {any} module */
function typesOf(module) {
  const types = []
  for (let at = Object.getPrototypeOf(module ?? {}); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const { name } = at.constructor
    if (name && name !== types.at(-1)) types.push(name)
  }
  return types
}

/** What modules say of the axes and the roles of their own tensors. @param {Trace} trace */
function saidByModules({ calls }) {
  /** @type {Map<Tensor, import('./axes.js').Axes>} */ const axes = new Map()
  /** @type {Map<Tensor, string>} */ const roles = new Map()
  for (const { module } of calls) {
    const own = /** @type {typeof import('./nn/module.js').Module} */ (module.constructor)
    for (const [name, tensor] of module.ownTensors()) {
      if (own.axes[name]) axes.set(tensor, own.axes[name])
      roles.set(tensor, own.roles[name] ?? (module.bufferNames.has(name) ? 'buffer' : 'parameter'))
    }
  }
  return { axes, roles }
}

/** One run of a model, every number of which can be asked for: by `observe`. */
export class Run {
  #trace
  #graph
  #axesSaid
  /** @type {{ axes: ReturnType<typeof axesOf>, roles: Map<Tensor, string>, onTheWay: Set<Tensor> } | null} */
  #kinds = null
  /** @type {Map<string, string>} */ #aliases = new Map()
  /** @type {Map<Tensor, string>} */ #names = new Map()
  #output
  #isBackwardDone = false
  #free

  /**
   * @param {Trace} trace @param {{ output: Tensor, loss: Tensor | null, free?: () => void }} made
   * @param {{ axes: Record<string, import('./axes.js').Axes>, streams: Record<string, unknown>, passes: Pass[] }} said
   */
  constructor(trace, { output, loss, free = () => {} }, { axes, streams, passes }) {
    this.#trace = trace
    this.#output = loss ?? output
    this.#free = free
    /** Text that goes in or comes out, as the caller described it. */ this.streams = streams
    /** What came one after the other. */ this.passes = passes
    /** Whether gradients are those of a loss; else of the sum of the output. */ this.hasLoss = Boolean(loss)
    for (const name of trace.names) this.#names.set(trace.get(name), name)
    for (const name of trace.names) {
      const known = /** @type {string} */ (this.#names.get(trace.get(name)))
      if (known !== name) this.#aliases.set(name, known)
    }
    this.#axesSaid = axes
    this.#graph = buildGraph(trace.nodes)
  }

  /** What its tensors are: their axes and roles, and which led to the output. Nobody may ask of a run like the last. */
  #learn() {
    const said = saidByModules(this.#trace)
    for (const [tensor, name] of this.#names) {
      if (this.#axesSaid[name]) said.axes.set(tensor, this.#axesSaid[name])
    }
    const axes = axesOf(this.#trace.nodes, tensor => said.axes.get(tensor))
    return { axes, roles: said.roles, onTheWay: this.#whatLedTo(this.#output) }
  }

  /** Edits that this run has no cell for. */
  get unusedEdits() {
    return this.#trace.unusedEdits
  }

  /** Other names that tensors go by. @returns {ReadonlyMap<string, string>} */
  get aliases() {
    return this.#aliases
  }

  /** Names of all tensors, those that only show another's cells left out. @returns {string[]} */
  get names() {
    const views = new Set(this.#trace.nodes.filter(({ op }) => op.isView).flatMap(
      ({ outputs }) => Object.values(outputs)))
    return [...this.#names].filter(([tensor]) => tensor.dtype !== 'int32' && !views.has(tensor)).map(([, name]) => name)
  }

  /** The loss, or in its place the sum of the output's cells. */
  get loss() {
    return Array.from(this.#output.values).reduce((sum, v) => sum + v, 0)
  }

  /** The name of what gradients begin at: the loss, or the output. */
  get end() {
    return this.#names.get(this.#output) ?? null
  }

  /** The library's tensor of a name. @param {string} name @returns {Tensor} */
  tensor(name) {
    return this.#trace.get(this.#known(name))
  }

  /** @param {string} name */
  #known(name) {
    return this.#aliases.get(name) ?? name
  }

  /** @param {Tensor} end @returns {Set<Tensor>} */
  #whatLedTo(end) {
    const seen = new Set([end]), open = [end]
    for (let tensor = open.pop(); tensor; tensor = open.pop()) {
      const node = this.#trace.makerOf(tensor)
      const inputs = [...Object.values(this.#graph.get(tensor) ?? {}), ...(node ? Object.values(node.inputs) : [])]
      for (const input of inputs) if (input && !seen.has(input)) open.push(input) && seen.add(input)
    }
    return seen
  }

  /** What is known of a tensor without its values. @param {string} name @returns {Described} */
  describe(name) {
    const tensor = this.tensor(name), node = this.#trace.makerOf(tensor)
    const { axes, roles, onTheWay } = this.#kinds ??= this.#learn()
    const key = node && keyOf(node, tensor), made = key === 'out' ? node?.op.name : key
    const inputs = Object.entries(this.#graph.get(tensor) ?? {}).map(
      ([symbol, t]) => [symbol, this.#names.get(t) ?? ''])
    return {
      name: this.#known(name), shape: [...tensor.shape], dtype: tensor.dtype, axes: axes(tensor),
      role: roles.get(tensor) ?? (key && node?.op.roles?.[key]) ?? made ??
        (tensor.requiresGrad ? 'parameter' : 'given'),
      op: node?.op.name ?? null, origin: this.#originOf(tensor), inputs: Object.fromEntries(inputs),
      isKept: !tensor.isLeftOut, affectsLoss: onTheWay.has(tensor)
    }
  }

  /** What made a tensor before the run began, where that is known. @param {Tensor} tensor */
  #originOf(tensor) {
    const node = this.#trace.originOf(tensor)
    return node ? { op: node.op.name, parameters: node.op.parameters?.(node) ?? {} } : null
  }

  /** A copy of a tensor's values. @param {string} name @returns {import('./tensor.js').Data} */
  read(name) {
    const { values, dtype } = this.tensor(name), { read } = DTYPES[dtype]
    return read && dtype !== 'bool' ? Float32Array.from(values, read) : values.slice()
  }

  /**
   * What sets this run apart from others of the same building: names, shapes and every number and word that operations
   * were called with, long lists left out.
   */
  get signature() {
    const known = (/** @type {Tensor} */ tensor) =>
      `${this.#names.get(tensor)}${tensor.shape}${tensor.isLeftOut ? ' left out' : ''}`
    const short = (/** @type {string} */ _, /** @type {unknown} */ value) =>
      (Array.isArray(value) ? value.length : value)
    const made = this.#trace.nodes.map(node => {
      const outputs = Object.values(node.outputs).map(known)
      return `${node.op.name} ${outputs} ${JSON.stringify(node.op.parameters?.(node) ?? {}, short)}`
    })
    const given = [...this.#names].filter(([tensor]) => !this.#graph.has(tensor)).map(([tensor]) => known(tensor))
    return [...made, ...given].join('\n')
  }

  /** Everything that was computed, in order. @returns {Step[]} */
  get steps() {
    const named = (/** @type {Record<string, Tensor | null>} */ tensors) => Object.fromEntries(
      Object.entries(tensors).flatMap(([key, t]) => (t ? [[key, this.#names.get(t) ?? '']] : [])))
    const { nodes, calls } = this.#trace, places = new Map(calls.map((call, i) => [call, i]))
    return nodes.map(node => ({
      op: node.op.name, call: node.call ? places.get(node.call) ?? -1 : -1, inputs: named(node.inputs),
      outputs: named(node.outputs), isView: Boolean(node.op.isView), parameters: node.op.parameters?.(node) ?? {}
    }))
  }

  /** The calls of modules it was computed in. @returns {Called[]} */
  get calls() {
    const { calls } = this.#trace, places = new Map(calls.map((call, i) => [call, i]))
    return calls.map(({ path, module, way, parent }) => ({
      path, types: typesOf(module), parent: parent ? places.get(parent) ?? -1 : -1,
      way: way.map(({ name, module: at }) => ({ name, types: typesOf(at) }))
    }))
  }

  /** What every operation cost; see `Trace.stages`. */
  get costs() {
    return this.#trace.stages()
  }

  /** How a cell was made. @param {string} name @param {readonly number[]} index @returns {Explanation} */
  explain(name, index) {
    return this.#trace.explain(this.#known(name), index)
  }

  #withGradients() {
    if (this.#isBackwardDone) return
    const { engine, shape, size } = this.#output, ones = size === 1 ? null : engine.empty(shape)
    ones?.values.fill(1)
    this.#output.backward(ones ?? undefined)
    ones?.dispose()
    this.#isBackwardDone = true
  }

  /**
   * How the derivative of the loss by a cell came about.
   * @param {string} name @param {readonly number[]} index @returns {Explanation}
   */
  explainGradient(name, index) {
    this.#withGradients()
    return this.#trace.explainGradient(this.#known(name), index)
  }

  /**
   * A copy of the derivative of the loss by a whole tensor.
   * @param {string} name @returns {import('./dtype.js').Data}
   */
  gradient(name) {
    this.#withGradients()
    return this.#trace.gradient(this.#known(name)).values.slice()
  }

  /** Frees what was computed; nothing can be asked any more. */
  dispose() {
    this.#trace.dispose()
    this.#free()
  }
}

const OPTIONS = ['modules', 'edits', 'axes', 'streams', 'passes', 'keepAttention']

/**
 * Runs a model and keeps every number of the run where it is, to be read, explained and differentiated on demand.
 * @param {import('./engine.js').Engine} engine
 * @param {() => Tensor | { output: Tensor, loss?: Tensor | null, free?: () => void }} fn the forward pass: its output,
 *   or that with a scalar loss, whose gradients can then be asked for (else those of the output's sum), and what to do
 *   when the run is let go
 * @param {object} [options]
 * @param {Record<string, Module>} [options.modules] names for modules that fn calls directly
 * @param {readonly import('./edits.js').Edit[]} [options.edits] values to put in place of computed ones; those that
 *   find no cell are `unusedEdits`. An edited parameter stays changed
 * @param {Record<string, import('./axes.js').Axes>} [options.axes] what runs along the axes of tensors, by name, where
 *   operations cannot know it: whose words the rows of an embedding are
 * @param {Record<string, unknown>} [options.streams] the text that runs along them: tokens, vocabulary
 * @param {Pass[]} [options.passes] what came before and after in time
 * @param {readonly string[]} [options.keepAttention] all; paths of modules: attentions elsewhere store no matrix of
 *   queries and keys, see `trace`
 * @returns {Run}
 * @example
 * const layer = new gf.nn.Linear(2, 1)
 * const run = gf.observe(() => layer.forward(gf.ones([1, 2])), { modules: { layer } })
 * run.describe('layer.output').shape              // [1, 1]
 * run.gradient('layer.weight')                    // [1, 1]
 * run.dispose()
 */
export function observe(engine, fn, options) {
  const { modules = {}, edits = [], axes = {}, streams = {}, passes = [], keepAttention } =
    optionsOf('observe', options, OPTIONS)
  const { output: made, trace: recording } = trace(engine, fn, { modules, edits, allowMissing: true, keepAttention })
  const parts = made instanceof Tensor ? { output: made, loss: null } : { loss: null, ...(made) }
  try {
    expect(parts.output instanceof Tensor, 'type',
      () => `observe: fn must return a tensor, or an object with one as output, got ${describe(parts.output)}`)
    expect(parts.loss === null || (parts.loss instanceof Tensor && parts.loss.size === 1), 'shape',
      () => `observe: loss must be a tensor of one value, got ${describe(parts.loss)}`)
    return new Run(recording, parts, { axes, streams, passes })
  } catch (error) {
    recording.discard()
    throw error
  }
}
