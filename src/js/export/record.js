import { describe, expect } from '../errors.js'
import { Module } from '../nn/module.js'
import { Tensor } from '../tensor/tensor.js'
import { Trace } from '../trace/trace.js'

/**
 * Records one run of a model for an export.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./inputs.js').GraphInput} GraphInput
 *
 * @typedef {{ name: string, tensor: Tensor }} Named
 *
 * One call of a module: its inputs, its output, and the operations and calls of submodules directly in it.
 * @typedef {{ module: Module, path: { name: string, module: unknown }[], inputs: unknown[], output: unknown,
 *   events: (Node | ModuleCall)[] }} ModuleCall
 *
 * @typedef {object} Recorded
 * @property {Node[]} nodes operations in order
 * @property {Named[]} inputs inputs that outputs depend on @property {Named[]} outputs
 * @property {Map<Tensor, string>} state the first keys of parameters and buffers
 * @property {ModuleCall} call the call of the model itself
 * @property {(tensor: Tensor) => string | undefined} nameOf the name of a tensor in a trace
 */

/** Properties that give JavaScript the values of a tensor. */
const VALUE_ACCESSORS = /** @type {const} */ (['values', 'bytes', 'at', 'item'])

/** A trace that retains all tensors that operations saved, and the arguments and the result of every module call. */
class ExportTrace extends Trace {
  isExport = true
  /** Tensors whose values JavaScript read. @type {Set<Tensor>} */ read = new Set()
  /** @type {Tensor[]} */ #watched = []
  /** The call stack, innermost last. @type {ModuleCall[]} */ #stack = []
  /** @type {ModuleCall | null} */ root = null

  /** @param {Module} module @param {Module | undefined} parent @param {unknown[]} inputs */
  enter(module, parent, inputs) {
    super.enter(module, parent, inputs)
    const { way } = this.calls[this.calls.length - 1]
    /** @type {ModuleCall} */ const call = { module, path: way, inputs, output: undefined, events: [] }
    this.#stack.at(-1)?.events.push(call)
    this.#stack.push(call)
    this.root ??= call
  }

  /** Records from now on if the values of a tensor are read. @param {Tensor} tensor */
  watch(tensor) {
    const { read } = this
    this.#watched.push(tensor)
    for (const name of VALUE_ACCESSORS) Object.defineProperty(tensor, name, {
      configurable: true,
      get() {
        read.add(tensor)
        return Reflect.get(Tensor.prototype, name, tensor)
      }
    })
  }

  unwatch() {
    for (const tensor of this.#watched) for (const name of VALUE_ACCESSORS) Reflect.deleteProperty(tensor, name)
  }

  /** @param {unknown} output */
  returns(output) {
    this.#stack[this.#stack.length - 1].output = output
  }

  leave() {
    super.leave()
    this.#stack.pop()
  }

  /** @param {Node} node */
  add(node) {
    for (const saved of [...Object.values(node.saved), ...idsAndMasksOf(node)]) {
      if (saved instanceof Tensor) this.engine.keep(saved)
    }
    this.#stack.at(-1)?.events.push(node)
    super.add(node)
    for (const output of Object.values(node.outputs)) this.watch(output)
  }
}

/** The ids and masks of an operation, which are not among its inputs since they have no gradient. @param {Node} node */
export const idsAndMasksOf = node => Object.values(/** @type {Record<string, Tensor>} */ (node.saved.origin ?? {}))

/** The tensors that the result of an operation depends on. @param {Node} node @returns {Tensor[]} */
export const dependenciesOf = node =>
  [...Object.values(node.inputs), ...idsAndMasksOf(node)].filter(t => t instanceof Tensor)

/** Operations that take rows of a table, and the name of the table. */
const TABLES = new Map([['narrow', 'x'], ['slice', 'x'], ['embedding', 'weight']])

/**
 * Tensors from before the run from which it takes as many rows as there are tokens, such as tables of positions.
 * @param {Node[]} nodes @returns {Tensor[]}
 */
function findTables(nodes) {
  const computed = new Set(nodes.flatMap(({ outputs }) => Object.values(outputs)))
  return nodes.map(({ op, inputs }) => inputs[TABLES.get(op.name) ?? '']).filter(x => x && !computed.has(x))
}

/**
 * The operations between inputs or weights and outputs; the results of all others are constants.
 * @param {Recorded} recorded @param {boolean} [readsTables] whether rows of tables are taken in the graph
 * @returns {Set<Node>} in order
 */
export function liveNodes({ nodes, inputs, outputs, state }, readsTables = false) {
  const requiredTensors = new Set(outputs.map(({ tensor }) => tensor)), needed = new Set()
  for (const node of [...nodes].reverse()) {
    if (!Object.values(node.outputs).some(t => requiredTensors.has(t))) continue
    needed.add(node)
    for (const tensor of dependenciesOf(node)) requiredTensors.add(tensor)
  }
  const given = inputs.map(({ tensor }) => tensor)
  const live = new Set([...state.keys(), ...given, ...readsTables ? findTables(nodes) : []])
  return new Set(nodes.filter(node => {
    const isLive = needed.has(node) && dependenciesOf(node).some(t => live.has(t))
    if (isLive) for (const tensor of Object.values(node.outputs)) live.add(tensor)
    return isLive
  }))
}

/**
 * The inputs that outputs depend on. If no output depends on an input and JavaScript read its values or values computed
 * from it, the values of the example would become constants of the graph, which is an error.
 * @param {string} where @param {Recorded} recorded @param {Set<Tensor>} read @returns {GraphInput[]}
 */
function usedInputs(where, recorded, read) {
  const { nodes, inputs, outputs } = recorded
  const used = new Set([...[...liveNodes(recorded)].flatMap(dependenciesOf), ...outputs.map(({ tensor }) => tensor)])
  const isRead = (/** @type {Tensor} */ tensor) => {
    const derived = new Set([tensor])
    for (const node of nodes) if (dependenciesOf(node).some(t => derived.has(t))) {
      for (const output of Object.values(node.outputs)) derived.add(output)
    }
    return [...derived].some(t => read.has(t))
  }
  return inputs.filter(({ name, tensor }) => {
    expect(used.has(tensor) || !isRead(tensor), 'type', () => `${where}: JavaScript reads the values of ${name}, and ` +
      'no operation of the graph depends on it, so the values of the example would become constants; use it in ' +
      'operations, or leave it out')
    return used.has(tensor)
  })
}

/**
 * Runs `fn` and disposes every tensor that it creates, except those that modules hold as properties.
 * @template T @param {Engine} engine @param {Module} model @param {() => T} fn @returns {T}
 */
function disposeTensors(engine, model, fn) {
  const outer = engine.newTensors, created = engine.newTensors = new Set()
  try {
    return fn()
  } finally {
    engine.newTensors = outer
    const retained = new Set(model.namedModules().flatMap(([, module]) => Object.values(module)))
    for (const tensor of created) if (!retained.has(tensor)) tensor.dispose()
  }
}

/** Runs fn in eval mode. @template T @param {Module} model @param {() => T} fn @returns {T} */
function inEvalMode(model, fn) {
  const modes = model.namedModules().map(([, module]) => ({ module, training: module.training }))
  model.eval()
  try {
    return fn()
  } finally {
    for (const { module, training } of modes) module.training = training
  }
}

/**
 * Gives modules that return their input, such as dropout in eval mode, a distinct output tensor, so that input and
 * output can be distinguished.
 * @template T @param {Module} model @param {() => T} fn @returns {T}
 */
function withDistinctOutputs(model, fn) {
  const hooks = model.namedModules().map(([, module]) => module.registerForwardHook((_, inputs, output) =>
    (output instanceof Tensor && inputs.includes(output) ? output.reshape(output.shape) : output)))
  try {
    return fn()
  } finally {
    for (const hook of hooks) hook.remove()
  }
}

/**
 * The tensors of the result of forward, with names.
 * @param {string} where @param {unknown} result @returns {Named[]}
 */
function namedOutputs(where, result) {
  const entries = result instanceof Tensor ? [['output', result]]
    : Array.isArray(result) ? result.map((value, i) => [`output_${i}`, value])
      : Object.entries(/** @type {any} */ (result ?? {}))
  const outputs = entries.flatMap(([name, tensor]) => (tensor instanceof Tensor ? [{ name, tensor }] : []))
  expect(outputs.length > 0, 'type',
    () => `${where}: forward must return a tensor, a list or an object of them, got ${describe(result)}`)
  return outputs
}

/**
 * Runs a model in eval mode and passes the recording to `use`; afterwards all temporary tensors are disposed.
 * @template T
 * @param {string} where @param {unknown} model
 * @param {(engine: Engine, model: Module) => { inputs: GraphInput[], args: any[] }} prepare the arguments of forward
 * @param {(recorded: Recorded) => T} use
 * @returns {T}
 */
export function recordRun(where, model, prepare, use) {
  expect(model instanceof Module, 'type', () => `${where}: model must be a module, got ${describe(model)}`)
  const { engine } = model
  expect(engine.trace === null, 'state', () => `${where}: a trace is being recorded, and traces cannot be nested`)
  const [name, parameter] = model.namedParameters().find(([, p]) => p.dtype !== 'float32') ?? []
  expect(!parameter, 'type',
    () => `${where}: ${name} is stored as ${parameter?.dtype}; load the model in float32, models.load(files, { dtype: 'float32' }), to export it`)
  return disposeTensors(engine, model, () => inEvalMode(model, () => {
    const { inputs, args } = prepare(engine, model), trace = engine.trace = new ExportTrace(engine)
    try {
      // With gradients, so that no weight is packed for fast matrix products.
      for (const { tensor } of inputs) trace.watch(tensor)
      const run = () => withDistinctOutputs(model, () => model.forward(...args))
      const outputs = namedOutputs(where, engine.enableGrad(run))
      trace.unwatch()
      /** @type {Map<Tensor, string>} */ const state = new Map()
      for (const [key, tensor] of Object.entries(model.stateDict())) if (!state.has(tensor)) state.set(tensor, key)
      const call = /** @type {ModuleCall} */ (trace.root)
      /** @type {Recorded} */ const recorded = {
        nodes: trace.nodes, inputs, outputs, state, call, nameOf: tensor => trace.nameOf(tensor)
      }
      return use({ ...recorded, inputs: usedInputs(where, recorded, trace.read) })
    } finally {
      trace.unwatch()
      engine.trace = null
    }
  }))
}
