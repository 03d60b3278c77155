import { describe, expect } from '../errors.js'
import { Module } from '../nn/module.js'
import { Tensor } from '../tensor.js'
import { Trace } from '../trace.js'

/**
 * One run of a model written down, for what goes on with it elsewhere.
 *
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('./inputs.js').Fed} Fed
 *
 * @typedef {{ name: string, tensor: Tensor }} Named
 *
 * One call of a module: what it was given and gave, and what happened in it directly: operations and calls of others.
 * @typedef {{ module: Module, path: { name: string, module: unknown }[], inputs: unknown[], output: unknown,
 *   events: (Node | Called)[] }} Called
 *
 * @typedef {object} Recorded
 * @property {Node[]} nodes what was computed, in order
 * @property {Named[]} inputs those that outputs depend on @property {Named[]} outputs
 * @property {Map<Tensor, string>} state parameters and buffers by their first keys
 * @property {Called} called the call of the model itself
 * @property {(tensor: Tensor) => string | undefined} nameOf what a trace calls it
 */

/** What gives the values of a tensor to JavaScript. */
const READERS = /** @type {const} */ (['values', 'bytes', 'at', 'item'])

/** A trace whose operations can be asked afterwards for all they saved, and modules for what they were called with. */
class Recording extends Trace {
  isExport = true
  /** Tensors whose values JavaScript read; operations read them without it. @type {Set<Tensor>} */ read = new Set()
  /** @type {Tensor[]} */ #watched = []
  /** Calls that are running, the innermost last. @type {Called[]} */ #running = []
  /** @type {Called | null} */ first = null

  /** @param {Module} module @param {Module | undefined} parent @param {unknown[]} inputs */
  enter(module, parent, inputs) {
    super.enter(module, parent, inputs)
    const { way } = this.calls[this.calls.length - 1]
    /** @type {Called} */ const called = { module, path: way, inputs, output: undefined, events: [] }
    this.#running.at(-1)?.events.push(called)
    this.#running.push(called)
    this.first ??= called
  }

  /** Notes from now on when the values of a tensor are read. @param {Tensor} tensor */
  watch(tensor) {
    const { read } = this
    this.#watched.push(tensor)
    for (const name of READERS) Object.defineProperty(tensor, name, {
      configurable: true,
      get() {
        read.add(tensor)
        return Reflect.get(Tensor.prototype, name, tensor)
      }
    })
  }

  unwatch() {
    for (const tensor of this.#watched) for (const name of READERS) Reflect.deleteProperty(tensor, name)
  }

  /** @param {unknown} output */
  returns(output) {
    this.#running[this.#running.length - 1].output = output
  }

  leave() {
    super.leave()
    this.#running.pop()
  }

  /** @param {Node} node */
  add(node) {
    for (const held of [...Object.values(node.saved), ...givenTo(node)]) {
      if (held instanceof Tensor) this.engine.keep(held)
    }
    this.#running.at(-1)?.events.push(node)
    super.add(node)
    for (const made of Object.values(node.outputs)) this.watch(made)
  }
}

/** Ids and masks that an operation was given as tensors: no inputs, as no gradient goes there. @param {Node} node */
export const givenTo = node => Object.values(/** @type {Record<string, Tensor>} */ (node.saved.origin ?? {}))

/** What an operation's result depends on. @param {Node} node @returns {Tensor[]} */
export const sourcesOf = node => [...Object.values(node.inputs), ...givenTo(node)].filter(t => t instanceof Tensor)

/**
 * The operations that the outputs come from and that inputs or weights go into; what the others make is the same in
 * every run.
 * @param {Recorded} recorded @returns {Set<Node>} in order
 */
export function liveNodes({ nodes, inputs, outputs, state }) {
  const wanted = new Set(outputs.map(({ tensor }) => tensor)), needed = new Set()
  for (const node of [...nodes].reverse()) {
    if (!Object.values(node.outputs).some(t => wanted.has(t))) continue
    needed.add(node)
    for (const tensor of sourcesOf(node)) wanted.add(tensor)
  }
  const alive = new Set([...state.keys(), ...inputs.map(({ tensor }) => tensor)])
  return new Set(nodes.filter(node => {
    const isLive = needed.has(node) && sourcesOf(node).some(t => alive.has(t))
    if (isLive) for (const tensor of Object.values(node.outputs)) alive.add(tensor)
    return isLive
  }))
}

/**
 * The inputs that outputs depend on. Where none depends on an input, and JavaScript read its values or what was
 * computed of them, the values of the example have become a part of the graph that no other value can change.
 * @param {string} where @param {Recorded} recorded @param {Set<Tensor>} read @returns {Fed[]}
 */
function usedInputs(where, recorded, read) {
  const { nodes, inputs, outputs } = recorded
  const used = new Set([...[...liveNodes(recorded)].flatMap(sourcesOf), ...outputs.map(({ tensor }) => tensor)])
  const isRead = (/** @type {Tensor} */ tensor) => {
    const derived = new Set([tensor])
    for (const node of nodes) if (sourcesOf(node).some(t => derived.has(t))) {
      for (const made of Object.values(node.outputs)) derived.add(made)
    }
    return [...derived].some(t => read.has(t))
  }
  return inputs.filter(({ name, tensor }) => {
    expect(used.has(tensor) || !isRead(tensor), 'type', () => `${where}: JavaScript reads the values of ${name}, and ` +
      'no operation that counts depends on it, so the values of the example would stay for good; use it in operations, ' +
      'or leave it out')
    return used.has(tensor)
  })
}

/**
 * Every tensor that a model makes while `fn` runs is disposed after it, but for those that modules hold.
 * @template T @param {Engine} engine @param {Module} model @param {() => T} fn @returns {T}
 */
function withoutTraces(engine, model, fn) {
  const before = engine.newTensors, made = engine.newTensors = new Set()
  try {
    return fn()
  } finally {
    engine.newTensors = before
    const held = new Set(model.namedModules().flatMap(([, module]) => Object.values(module)))
    for (const tensor of made) if (!held.has(tensor)) tensor.dispose()
  }
}

/** Runs fn with dropout switched off. @template T @param {Module} model @param {() => T} fn @returns {T} */
function evaluating(model, fn) {
  const modes = model.namedModules().map(([, module]) => ({ module, training: module.training }))
  model.eval()
  try {
    return fn()
  } finally {
    for (const { module, training } of modes) module.training = training
  }
}

/**
 * Lets modules that give what they are given, as dropout does here, give a tensor of its own, so that before and after
 * can be told apart.
 * @template T @param {Module} model @param {() => T} fn @returns {T}
 */
function apart(model, fn) {
  const set = model.namedModules().map(([, module]) => module.registerForwardHook((_, inputs, output) =>
    (output instanceof Tensor && inputs.includes(output) ? output.reshape(output.shape) : output)))
  try {
    return fn()
  } finally {
    for (const hook of set) hook.remove()
  }
}

/** @param {string} where @param {unknown} made @returns {Named[]} */
function outputsOf(where, made) {
  const entries = made instanceof Tensor ? [['output', made]]
    : Array.isArray(made) ? made.map((value, i) => [`output_${i}`, value])
      : Object.entries(/** @type {any} */ (made ?? {}))
  const outputs = entries.flatMap(([name, tensor]) => (tensor instanceof Tensor ? [{ name, tensor }] : []))
  expect(outputs.length > 0, 'type',
    () => `${where}: forward must return a tensor, a list or an object of them, got ${describe(made)}`)
  return outputs
}

/**
 * Runs a model in eval mode and gives what was computed to `use`; afterwards memory holds what it held before.
 * @template T
 * @param {string} where @param {unknown} model
 * @param {(engine: Engine, model: Module) => { inputs: Fed[], args: any[] }} prepare what forward is called with
 * @param {(recorded: Recorded) => T} use
 * @returns {T}
 */
export function recording(where, model, prepare, use) {
  expect(model instanceof Module, 'type', () => `${where}: model must be a module, got ${describe(model)}`)
  const { engine } = model
  expect(engine.trace === null, 'state', () => `${where}: a trace is being recorded; they cannot be nested`)
  const [name, stored] = model.namedParameters().find(([, p]) => p.dtype !== 'float32') ?? []
  expect(!stored, 'type',
    () => `${where}: ${name} is stored as ${stored?.dtype}; load the model in float32 to take it elsewhere`)
  return withoutTraces(engine, model, () => evaluating(model, () => {
    const { inputs, args } = prepare(engine, model), trace = engine.trace = new Recording(engine)
    try {
      // With gradients, so that no weight is packed for quick products.
      for (const { tensor } of inputs) trace.watch(tensor)
      const outputs = outputsOf(where, engine.enableGrad(() => apart(model, () => model.forward(...args))))
      trace.unwatch()
      /** @type {Map<Tensor, string>} */ const state = new Map()
      for (const [key, tensor] of Object.entries(model.stateDict())) if (!state.has(tensor)) state.set(tensor, key)
      const called = /** @type {Called} */ (trace.first)
      /** @type {Recorded} */ const recorded = {
        nodes: trace.nodes, inputs, outputs, state, called, nameOf: tensor => trace.nameOf(tensor)
      }
      return use({ ...recorded, inputs: usedInputs(where, recorded, trace.read) })
    } finally {
      trace.unwatch()
      engine.trace = null
    }
  }))
}
