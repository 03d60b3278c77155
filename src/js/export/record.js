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
 * @typedef {object} Recorded
 * @property {Node[]} nodes what was computed, in order
 * @property {Named[]} inputs @property {Named[]} outputs
 * @property {Map<Tensor, string>} state parameters and buffers by their first keys
 * @property {(tensor: Tensor) => string | undefined} nameOf what a trace calls it
 */

/** A trace whose operations can be asked afterwards for all they saved. */
class Recording extends Trace {
  /** @param {Node} node */
  add(node) {
    for (const held of [...Object.values(node.saved), ...givenTo(node)]) {
      if (held instanceof Tensor) this.engine.keep(held)
    }
    super.add(node)
  }
}

/** Ids and masks that an operation was given as tensors: no inputs, as no gradient goes there. @param {Node} node */
export const givenTo = node => Object.values(/** @type {Record<string, Tensor>} */ (node.saved.origin ?? {}))

/** What an operation's result depends on. @param {Node} node @returns {Tensor[]} */
export const sourcesOf = node => [...Object.values(node.inputs), ...givenTo(node)].filter(t => t instanceof Tensor)

/**
 * Every tensor that a model makes while `fn` runs is disposed after it, but for those that modules hold.
 * @template T @param {Engine} engine @param {Module} model @param {() => T} fn @returns {T}
 */
function withoutTraces(engine, model, fn) {
  const before = engine.made, made = engine.made = new Set()
  try {
    return fn()
  } finally {
    engine.made = before
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
  return withoutTraces(engine, model, () => evaluating(model, () => {
    const { inputs, args } = prepare(engine, model), trace = engine.trace = new Recording(engine)
    try {
      // With gradients, so that no weight is packed for quick products.
      const outputs = outputsOf(where, engine.enableGrad(() => model.forward(...args)))
      /** @type {Map<Tensor, string>} */ const state = new Map()
      for (const [key, tensor] of Object.entries(model.stateDict())) if (!state.has(tensor)) state.set(tensor, key)
      return use({ nodes: trace.nodes, inputs, outputs, state, nameOf: tensor => trace.nameOf(tensor) })
    } finally {
      engine.trace = null
    }
  }))
}
