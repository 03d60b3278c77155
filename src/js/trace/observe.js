import { backwardInto } from '../autograd/autograd.js'
import { describe, expect, expectOptions, isPlain } from '../errors.js'
import { deriveAxes } from './axes.js'
import { TensorSource } from './edits.js'
import { DTYPES } from '../tensor/dtype.js'
import { buildGraph, keyOf } from '../autograd/graph.js'
import { expectSameEngine, expectShape, expectTensor } from '../ops/checks.js'
import { Tensor } from '../tensor/tensor.js'
import { trace } from './record_trace.js'

/**
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {import('../nn/module.js').Module} Module
 *
 * The description of a tensor without its values.
 * @typedef {object} Described
 * @property {string} name
 * @property {number[]} shape
 * @property {import('../tensor/tensor.js').DType} dtype
 * @property {import('./axes.js').Axes} axes the meaning of each axis
 * @property {string} role in the model: 'scores', 'weights', 'heads', 'linear', 'layer_norm', ...;
 *   'parameter' for trained tensors, 'buffer' for a module's other tensors, 'given' for other inputs
 * @property {string | null} op the operation that computed it
 * @property {{ op: string, parameters: Record<string, unknown> } | null} origin how it was computed before the run, if
 *   known
 * @property {Record<string, string>} inputs names of its direct inputs, by their symbols in the formula
 * @property {boolean} isKept whether its values are stored; with `keepAttention` those of attentions may not be
 * @property {boolean} affectsLoss whether the loss was computed from it: then it has a gradient, and editing it has an
 *   effect
 *
 * One call of an operation, with tensors by name.
 * kind: 'norm', 'activation' and others that a display depends on; isRowwise: each row is computed by itself, so that
 * `recompute` can be asked for some.
 * @typedef {{ op: string, kind?: string, call: number, inputs: Record<string, string>, outputs: Record<string, string>,
 *   isView: boolean, isRowwise: boolean, parameters: Record<string, unknown> }} Step
 *
 * One call of a module: the names of its class and superclasses; and for every attribute on the path to it from the
 * calling module, the name and classes.
 * @typedef {{ path: string, types: string[], way: { name: string, types: string[] }[], parent: number }} Called
 *
 * What observe was called with, to run again.
 * @typedef {{ fn: () => Tensor | { output?: Tensor, logits?: Tensor, loss?: Tensor | null, free?: () => void },
 *   options: { modules: Record<string, Module>, edits: readonly import('./edits.js').Edit[] } }} Source
 *
 * A pass of a run in time order: reading a prompt, generating a token, a training step.
 * @typedef {{ kind: string, [fact: string]: unknown }} Pass
 */

/** The names of a value's class and superclasses. @param {any} module */
function getClassNames(module) {
  const types = []
  for (let at = Object.getPrototypeOf(module ?? {}); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const { name } = at.constructor
    if (name && name !== types.at(-1)) types.push(name)
  }
  return types
}

/** The axes and roles that modules declare for their own tensors. @param {Trace} trace */
function getDeclarations({ calls }) {
  /** @type {Map<Tensor, import('./axes.js').Axes>} */ const axes = new Map()
  /** @type {Map<Tensor, string>} */ const roles = new Map()
  for (const { module } of calls) {
    const own = /** @type {typeof import('../nn/module.js').Module} */ (module.constructor)
    for (const [name, tensor] of module.ownTensors()) {
      if (own.axes[name]) axes.set(tensor, own.axes[name])
      roles.set(tensor, own.roles[name] ?? (module.bufferNames.has(name) ? 'buffer' : 'parameter'))
    }
  }
  return { axes, roles }
}

/** One run of a model, in which every number can be read and explained; `observe` returns it. */
export class Run extends TensorSource {
  #trace
  #graph
  #declaredAxes
  /** @type {{ axes: ReturnType<typeof deriveAxes>, roles: Map<Tensor, string>, affectsLoss: Set<Tensor> } | null} */
  #analysis = null
  /** @type {Map<string, string>} */ #aliases = new Map()
  /** @type {Map<Tensor, string>} */ #names = new Map()
  #result
  #source
  #output
  #isBackwardDone = false
  #free

  /**
   * @param {Trace} trace @param {{ output: Tensor, loss: Tensor | null, free?: () => void }} result
   * @param {{ axes: Record<string, import('./axes.js').Axes>, streams: Record<string, unknown>, passes: Pass[],
   *   source: Source }} context
   */
  constructor(trace, { output, loss, free = () => {} }, { axes, streams, passes, source }) {
    super()
    this.#trace = trace
    this.#result = output
    this.#source = source
    this.#output = loss ?? output
    this.#free = free
    /** The text streams, as the caller described them. */ this.streams = streams
    /** The passes in time order. */ this.passes = passes
    /** Whether gradients are of a loss; else of the sum of the output. */ this.hasLoss = Boolean(loss)
    for (const name of trace.names) this.#names.set(trace.get(name), name)
    for (const name of trace.names) {
      const primary = /** @type {string} */ (this.#names.get(trace.get(name)))
      if (primary !== name) this.#aliases.set(name, primary)
    }
    this.#declaredAxes = axes
    this.#graph = buildGraph(trace.nodes)
  }

  /** The axes and roles of all tensors, and which of them affect the loss; computed on first use. */
  #analyze() {
    const declared = getDeclarations(this.#trace)
    for (const [tensor, name] of this.#names) {
      if (this.#declaredAxes[name]) declared.axes.set(tensor, this.#declaredAxes[name])
    }
    const axes = deriveAxes(this.#trace.nodes, tensor => declared.axes.get(tensor))
    return { axes, roles: declared.roles, affectsLoss: this.#findAncestors(this.#output) }
  }

  /** The trace, the output of the forward pass, and what observe was called with, for gf.interpret. @internal */
  get observation() {
    return { trace: this.#trace, output: this.#result, source: this.#source }
  }

  /** Edits that matched no cell of this run. */
  get unusedEdits() {
    return this.#trace.unusedEdits
  }

  /** Further names of tensors. @returns {ReadonlyMap<string, string>} */
  get aliases() {
    return this.#aliases
  }

  /** Names of all tensors except views. @returns {string[]} */
  get names() {
    const views = new Set(this.#trace.nodes.filter(({ op }) => op.isView).flatMap(
      ({ outputs }) => Object.values(outputs)))
    return [...this.#names].filter(([tensor]) => tensor.dtype !== 'int32' && !views.has(tensor)).map(([, name]) => name)
  }

  /** The loss, or without one the sum of the output's cells. */
  get loss() {
    return Array.from(this.#output.values).reduce((sum, v) => sum + v, 0)
  }

  /** The name of the tensor where backward starts: the loss, or the output. */
  get end() {
    return this.#names.get(this.#output) ?? null
  }

  /** The tensor with a name. @param {string} name @returns {Tensor} */
  tensor(name) {
    return this.#trace.get(this.#resolveName(name))
  }

  /** @param {string} name */
  #resolveName(name) {
    return this.#aliases.get(name) ?? name
  }

  /** @param {Tensor} end @returns {Set<Tensor>} */
  #findAncestors(end) {
    const ancestors = new Set([end]), pending = [end]
    for (let tensor = pending.pop(); tensor; tensor = pending.pop()) {
      const node = this.#trace.producerOf(tensor)
      const inputs = [...Object.values(this.#graph.get(tensor) ?? {}), ...(node ? Object.values(node.inputs) : [])]
      for (const input of inputs) if (input && !ancestors.has(input)) pending.push(input) && ancestors.add(input)
    }
    return ancestors
  }

  /** The description of a tensor without its values. @param {string} name @returns {Described} */
  describe(name) {
    const tensor = this.tensor(name), node = this.#trace.producerOf(tensor)
    const { axes, roles, affectsLoss } = this.#analysis ??= this.#analyze()
    const key = node && keyOf(node, tensor), outputRole = key === 'out' ? node?.op.name : key
    const inputs = Object.entries(this.#graph.get(tensor) ?? {}).map(
      ([symbol, t]) => [symbol, this.#names.get(t) ?? ''])
    return {
      name: this.#resolveName(name), shape: [...tensor.shape], dtype: tensor.dtype, axes: axes(tensor),
      role: roles.get(tensor) ?? (key && node?.op.roles?.[key]) ?? outputRole ??
        (tensor.requiresGrad ? 'parameter' : 'given'),
      op: node?.op.name ?? null, origin: this.#originOf(tensor), inputs: Object.fromEntries(inputs),
      isKept: !tensor.isLeftOut, affectsLoss: affectsLoss.has(tensor)
    }
  }

  /** How a tensor was computed before the run began, if known. @param {Tensor} tensor */
  #originOf(tensor) {
    const node = this.#trace.originOf(tensor)
    return node ? { op: node.op.name, parameters: node.op.parameters?.(node) ?? {} } : null
  }

  /** A copy of a tensor's values. @param {string} name @returns {import('../tensor/tensor.js').Data} */
  read(name) {
    const { values, dtype } = this.tensor(name), { read } = DTYPES[dtype]
    return read && dtype !== 'bool' ? Float32Array.from(values, read) : values.slice()
  }

  /**
   * Identifies the structure of this run: names, shapes and the options of all operations (of arrays the length).
   */
  get signature() {
    const describeShape = (/** @type {Tensor} */ tensor) =>
      `${this.#names.get(tensor)}${tensor.shape}${tensor.isLeftOut ? ' left out' : ''}`
    const short = (/** @type {string} */ _, /** @type {unknown} */ value) =>
      (Array.isArray(value) ? value.length : value)
    const computed = this.#trace.nodes.map(node => {
      const outputs = Object.values(node.outputs).map(describeShape)
      // Which cells were selected changes the meaning of axes.
      const parameters = JSON.stringify(node.op.parameters?.(node) ?? {}, node.op.isSelection ? undefined : short)
      return `${node.op.name} ${outputs} ${parameters}`
    })
    const inputs = [...this.#names.keys()].filter(tensor => !this.#graph.has(tensor)).map(describeShape)
    return [...computed, ...inputs].join('\n')
  }

  /** All operations, in order. @returns {Step[]} */
  get steps() {
    const nameAll = (/** @type {Record<string, Tensor | null>} */ tensors) => Object.fromEntries(
      Object.entries(tensors).flatMap(([key, t]) => (t ? [[key, this.#names.get(t) ?? '']] : [])))
    const { nodes, calls } = this.#trace, callIndices = new Map(calls.map((call, i) => [call, i]))
    return nodes.map(node => ({
      op: node.op.name, ...(node.op.kind && { kind: node.op.kind }),
      call: node.call ? callIndices.get(node.call) ?? -1 : -1,
      inputs: nameAll(node.inputs), outputs: nameAll(node.outputs), isView: Boolean(node.op.isView),
      isRowwise: node.op.recompute !== undefined, parameters: node.op.parameters?.(node) ?? {}
    }))
  }

  /**
   * Computes the operation that made a tensor again with other inputs, such as some rows of another layer.
   * @param {string} name
   * @param {Record<string, Tensor>} inputs by their symbols in the formula, with the run's dtypes, parameters also with
   *   the run's shapes; the run's own where left out
   * @returns {Tensor}
   * @throws {GlassformerError} 'index' for an unknown name, 'type' for an operation that mixes rows or another dtype,
   *   'shape'
   */
  recompute(name, inputs) {
    const node = this.#trace.tracedProducerOf(this.tensor(name))
    expect(node?.op.recompute !== undefined, 'type',
      () => `run.recompute: '${name}' must be the output of an operation on rows, such as a norm or a linear layer, got that of ${node?.op.name ?? 'none'}`)
    expectInputs(`run.recompute of '${name}'`, node.inputs, inputs)
    return node.op.recompute({ ...node.inputs, ...inputs }, node.op.parameters?.(node) ?? {})
  }

  /** The calls of modules, in order. @returns {Called[]} */
  get calls() {
    const { calls } = this.#trace, callIndices = new Map(calls.map((call, i) => [call, i]))
    return calls.map(({ path, module, way, parent }) => ({
      path, types: getClassNames(module), parent: parent ? callIndices.get(parent) ?? -1 : -1,
      way: way.map(({ name, module: at }) => ({ name, types: getClassNames(at) }))
    }))
  }

  /** The cost of every operation; see `Trace.stages`. */
  get costs() {
    return this.#trace.stages()
  }

  /** How a cell was computed. @param {string} name @param {readonly number[]} index @returns {Explanation} */
  explain(name, index) {
    return this.#trace.explain(this.#resolveName(name), index)
  }

  #ensureGradients() {
    if (this.#isBackwardDone) return
    const { engine, shape } = this.#output, ones = engine.empty(shape)
    ones.values.fill(1)
    backwardInto(this.#output, ones, this.#trace)
    ones.dispose()
    this.#isBackwardDone = true
  }

  /**
   * How the derivative of the loss with respect to a cell was computed.
   * @param {string} name @param {readonly number[]} index @returns {Explanation}
   */
  explainGradient(name, index) {
    this.#ensureGradients()
    return this.#trace.explainGradient(this.#resolveName(name), index)
  }

  /**
   * A copy of the gradient of the loss with respect to a tensor.
   * @param {string} name @returns {import('../tensor/dtype.js').Data}
   */
  gradient(name) {
    this.#ensureGradients()
    return this.#trace.gradient(this.#resolveName(name)).values.slice()
  }

  /** @internal */
  get recording() {
    return this.#trace
  }

  /** Frees all tensors of the run, which cannot be read afterwards. */
  dispose() {
    this.#trace.dispose()
    this.#free()
  }
}

const OPTIONS = ['modules', 'edits', 'axes', 'streams', 'passes', 'keepAttention']

/**
 * Runs a model and stores every intermediate tensor, to be read, explained and differentiated on demand.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {() => Tensor | { output?: Tensor, logits?: Tensor, loss?: Tensor | null, free?: () => void }} fn the forward
 *   pass: returns the output, or what a model of gf.models.load returns, or { output, loss, free }: a scalar loss to
 *   differentiate (default: the output's sum), and a function that is called when the run is disposed
 * @param {object} [options]
 * @param {Record<string, Module>} [options.modules] names of the modules that fn calls directly
 * @param {readonly import('./edits.js').Edit[]} [options.edits] values that replace computed ones, as an
 *   ablation does; edits that match no cell are `unusedEdits`. An edit `from` another run throws if that run lacks the
 *   values. An edited parameter stays changed
 * @param {Record<string, import('./axes.js').Axes>} [options.axes] axes of tensors by name, where operations cannot
 *   derive them, such as the vocabulary of an embedding
 * @param {Record<string, unknown>} [options.streams] the text streams: tokens, vocabulary
 * @param {Pass[]} [options.passes] the passes in time order
 * @param {readonly string[]} [options.keepAttention] paths of modules whose attentions store all matrices, see `trace`;
 *   default: all
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
    expectOptions('observe', options, OPTIONS)
  const { output: result, trace: recording } = trace(engine, fn, { modules, edits, allowMissing: true, keepAttention }, 'observe')
  // Models of gf.models.load return { logits, … }.
  const { logits, ...own } = /** @type {any} */ (result instanceof Tensor ? { output: result } : result ?? {})
  const parts = { loss: null, output: logits, ...own }
  try {
    expect(parts.output instanceof Tensor, 'type',
      () => `observe: fn must return a tensor, or an object with one as output or logits, got ${describe(parts.output)}`)
    expect(parts.loss === null || (parts.loss instanceof Tensor && parts.loss.numel() === 1), 'shape',
      () => `observe: loss must be a tensor of one value, got ${describe(parts.loss)}`)
    return new Run(recording, parts, { axes, streams, passes, source: { fn, options: { modules, edits } } })
  } catch (error) {
    recording.discard()
    throw error
  }
}

/** Inputs whose rows are independent, so that there may be more or fewer of them. */
const ROW_INPUTS = ['x', 'a', 'b']

/**
 * Throws unless the given inputs can take the place of those of an operation.
 * @param {string} where @param {Record<string, Tensor | null>} own @param {Record<string, Tensor>} given
 */
function expectInputs(where, own, given) {
  const names = Object.keys(own).filter(name => own[name])
  expect(isPlain(given), 'type', () => `${where}: inputs must be an object such as { ${names[0]} }, got ${describe(given)}`)
  for (const [name, value] of Object.entries(given)) {
    expect(names.includes(name), 'index', () => `${where}: inputs.${name} is none of its inputs, which are ${names.join(', ')}`)
    const tensor = /** @type {Tensor} */ (own[name])
    expectSameEngine(where, tensor, expectTensor(where, `inputs.${name}`, value))
    expect(value.dtype === tensor.dtype, 'type',
      () => `${where}: inputs.${name} must be ${tensor.dtype} as in the run, got ${describe(value)}`)
    if (!ROW_INPUTS.includes(name)) expectShape(where, `inputs.${name}`, value, tensor.shape, 'as in the run')
  }
}
