import { computeCosts } from './costs.js'
import { describe, expect, optionsOf, outside, runSync, findSimilar } from './errors.js'
import { AttentionSelection } from './attention_selection.js'
import { offsetOf } from './shape.js'
import { Tensor } from './tensor.js'
import { Calls } from './trace_calls.js'
import { AppliedEdits } from './trace_edits.js'
import { explain, explainGradient } from './trace_explain.js'

/**
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {import('./nn/module.js').Module} Module
 * @typedef {import('./errors.js').GlassformerError} GlassformerError
 *
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {import('./edits.js').Edit} Edit
 * @typedef {{ modules?: Record<string, Module>, edits?: readonly Edit[], allowMissing?: boolean,
 *   keepAttention?: readonly string[] }} TraceOptions
 */

const OPTIONS = ['modules', 'edits', 'allowMissing', 'keepAttention']

/** Inputs that keep their own names where no module names them. */
const OWN_NAMES = ['weight', 'bias', 'cos', 'sin']

/** @param {readonly number[]} shape @param {readonly number[]} index */
const isInside = (shape, index) => shape.length === index.length &&
  index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < shape[axis])

/**
 * The record of one `gf.trace`: every tensor by name, how each cell was computed, and what it depends on.
 */
export class Trace {
  /** @type {Node[]} */ nodes = []
  /** Whether it is recorded for export, to be run with other values of the inputs. @internal */ isExport = false
  /** @type {Map<string, Tensor>} */ #byName = new Map()
  /** Further names, which `get` finds but `names` does not list. @type {Map<string, Tensor>} */ #aliases = new Map()
  /** Names given by a module with `tag`. @type {Set<string>} */ #tags = new Set()
  /** @type {Map<Tensor, string>} */ #nameOf = new Map()
  /** @type {Map<Tensor, Node>} */ #madeBy = new Map()
  /** How inputs were computed before this trace. @type {Map<Tensor, Node>} */ #origins = new Map()
  /** @type {Map<Tensor, { node: Node, input: string }[]>} */ #usedBy = new Map()
  /** @type {Map<Tensor, Tensor>} */ #gradients = new Map()
  /** Inputs that are kept alive by this trace, with the scopes they came from. @type {Map<Tensor, Set<Tensor>>} */
  #borrowed = new Map()
  /** Internal tensors of operations: ids, statistics, tables. @type {Tensor[]} @internal */ auxiliary = []
  #calls
  #edits
  #attention

  /**
   * @param {import('./engine.js').Engine} engine
   * @param {TraceOptions} [options]
   */
  constructor(engine, options) {
    const { modules = {}, edits = [], allowMissing = false, keepAttention } = optionsOf('trace', options, OPTIONS)
    this.engine = engine
    this.#calls = new Calls('trace', modules)
    this.#edits = new AppliedEdits(edits, allowMissing)
    this.#attention = new AttentionSelection('trace', keepAttention)
  }

  /** Calls of modules, in the order in which they began. */
  get calls() {
    return this.#calls.all
  }

  /** Names of all tensors, in the order in which they were named. */
  get names() {
    return [...this.#byName.keys()]
  }

  /** @param {string} name */
  #find(name) {
    return this.#byName.get(name) ?? this.#aliases.get(name)
  }

  /** The most similar names, for a message. @param {string} name */
  #describeSimilar(name) {
    const like = findSimilar(name, this.names)
    return `${like.length < this.names.length ? `of ${this.names.length} the most findSimilar` : 'there'} are ${like.join(', ')}`
  }

  /**
   * The tensor with a name.
   * @param {string} name @returns {Tensor} @throws {GlassformerError} 'index' when there is none
   */
  get(name) {
    const tensor = this.#find(name)
    expect(tensor !== undefined, 'index',
      () => `trace: no tensor is called ${describe(name)}; ${this.#describeSimilar(name)}`)
    return tensor
  }

  /**
   * The gradient that `backward` stored for a tensor of this trace.
   * @param {string} name @returns {Tensor} @throws {GlassformerError} 'state' when there is none
   */
  gradient(name) {
    return this.gradientOf(this.get(name), name)
  }

  /** The gradient of a tensor; the name is for messages. @param {Tensor} tensor @param {string} name */
  gradientOf(tensor, name) {
    const gradient = this.#gradients.get(tensor) ?? tensor.grad
    expect(!tensor.isLeftOut, 'state', () => `trace: ${name} was left out, and so was its gradient; keepAttention keeps ` +
      'the matrices of the attentions that it names')
    expect(gradient !== null, 'state', () => `trace: ${name} has no gradient; ` +
      'call backward() on the loss first, and see that it depends on a tensor with requiresGrad')
    return gradient
  }

  /* Recording ------------------------------------------------------------------------------------------------------ */

  /**
   * Notes that a module's forward begins: names get its path as prefix until `leave`.
   * @param {Module} module @param {Module | undefined} parent @param {unknown[]} inputs
   * @internal
   */
  enter(module, parent, inputs) {
    this.#calls.begin(module, parent)
    const prefix = this.#prefix
    for (const [name, parameter] of module.ownTensors()) this.#setName(prefix + name, parameter)
    const { inputNames } = /** @type {typeof import('./nn/module.js').Module} */ (module.constructor)
    inputNames.forEach((name, i) => {
      if (inputs[i] instanceof Tensor) this.#setName(prefix + name, inputs[i])
    })
  }

  /** Notes that a module's forward has ended. @internal */
  leave() {
    this.#calls.end()
  }

  /** Called with a forward's output; for subclasses. @param {unknown} _output @internal */
  returns(_output) {}

  /** Records one call of an operation and names its tensors. @param {Node} node @internal */
  add(node) {
    node.call = this.#calls.current
    this.nodes.push(node)
    for (const [key, tensor] of Object.entries(node.inputs)) if (tensor) this.#addUse(node, key, tensor)
    if (node.op.name === 'dropout') this.#reapplyDropout(node)
    if (node.saved.dropoutMask) {
      this.auxiliary.push(this.engine.keep(node.saved.dropoutMask))
      this.#setName(`${this.#prefix}dropout.mask`, node.saved.dropoutMask)
    }
    for (const [key, tensor] of Object.entries(node.outputs)) {
      this.engine.keep(tensor)
      this.#madeBy.set(tensor, node)
      this.#setName(this.#prefix + (key === 'out' ? node.op.name : key), tensor)
    }
  }

  /**
   * Records how a tensor that this trace did not compute, such as a buffer, was computed before it.
   * @param {Node} node
   * @internal
   */
  addOrigin(node) {
    for (const tensor of Object.values(node.outputs)) if (!this.#madeBy.has(tensor)) this.#origins.set(tensor, node)
  }

  /** If dropout's mask is edited, applies the edited mask to the output. @param {Node} node */
  #reapplyDropout({ inputs: { x }, outputs: { out, mask } }) {
    const name = this.#toUnusedName(`${this.#prefix}mask`)
    if (!this.#edits.of(name).length) return
    this.#applyEdits(name, mask)
    mask.values.forEach((factor, i) => { out.values[i] = x.values[i] * factor })
  }

  /**
   * Takes a tensor out of its scope until this trace is disposed; what the trace has made itself ends with it.
   * @param {Tensor} tensor
   * @internal
   */
  borrow(tensor) {
    const scope = this.engine.borrow(tensor)
    if (scope && !this.#madeBy.has(tensor)) this.#borrowed.set(tensor, scope)
  }

  /** @param {Node} node @param {string} key @param {Tensor} tensor */
  #addUse(node, key, tensor) {
    const uses = this.#usedBy.get(tensor) ?? []
    if (!uses.some(use => use.node === node && use.input === key)) uses.push({ node, input: key })
    this.#usedBy.set(tensor, uses)
    this.borrow(tensor)
    if (this.#nameOf.has(tensor)) return
    const { isView, name } = node.op, own = OWN_NAMES.includes(key) ? `${name}.${key}` : 'input'
    this.#setName(this.#prefix + own, tensor, false, isView ? undefined : name)
  }

  get #prefix() {
    return this.#calls.prefix
  }

  /**
   * Gives a tensor computed in this trace a descriptive name.
   * @param {string} name
   * @param {Tensor} tensor
   * @internal
   */
  tag(name, tensor) {
    if (!this.#madeBy.has(tensor)) return
    this.#setName(this.#prefix + name, tensor, true)
    this.#tags.add(this.#nameOf.get(tensor) ?? '')
  }

  /**
   * Gives a tensor a further name: for a module that returns its input unchanged.
   * @param {string} name @param {Tensor} tensor
   * @internal
   */
  alias(name, tensor) {
    const own = this.#toUnusedName(this.#prefix + name)
    this.#aliases.set(own, tensor)
    this.#applyEdits(own, tensor)
  }

  /**
   * @param {string} wanted @param {Tensor} tensor @param {boolean} [replace] also if it has a name already
   * @param {string} [reader] the operation that has read it already
   */
  #setName(wanted, tensor, replace = false, reader = undefined) {
    const old = this.#nameOf.get(tensor)
    if (old !== undefined && (!replace || old === wanted)) return
    const name = this.#toUnusedName(wanted)
    if (old !== undefined && !old.endsWith('output')) {
      this.#byName.delete(old)
      if (this.#tags.has(old)) this.#aliases.set(old, tensor)
    }
    this.#byName.set(name, tensor)
    this.#nameOf.set(tensor, name)
    this.#applyEdits(name, tensor, reader)
  }

  /** The name, or the next numbered one where a module is called again. @param {string} wanted */
  #toUnusedName(wanted) {
    let name = wanted
    for (let n = 2; this.#find(name); n++) name = `${wanted}:${n}`
    return name
  }

  /** @param {string} name @param {Tensor} tensor @param {string} [reader] */
  #applyEdits(name, tensor, reader) {
    const node = this.#madeBy.get(tensor)
    if (node && this.#edits.of(name).length) this.#prepareEdit(node, tensor)
    this.#edits.apply(name, tensor, from => this.#find(from), !this.#madeBy.has(tensor), reader)
  }

  /**
   * Prepares an output for an edit: a view gets its own memory, so that its base stays unchanged, and an output from
   * which the derivative is computed is copied.
   * @param {Node} node @param {Tensor} tensor
   */
  #prepareEdit(node, tensor) {
    if (node.op.isView) this.engine.separate(tensor)
    if (!node.op.usesOutput || node.computed) return
    node.computed = this.engine.keep(this.engine.empty(tensor.shape, tensor.dtype))
    node.computed.copyFrom(tensor)
    this.auxiliary.push(node.computed)
  }

  /**
   * For operations that compute several tensors one from the other: applies edits to one before the next is computed.
   * @param {string} key its name inside the running module @param {Tensor} tensor
   * @internal
   */
  patch(key, tensor) {
    const name = this.#toUnusedName(this.#prefix + key)
    this.#edits.registerIntermediate(name, tensor)
    this.#applyEdits(name, tensor)
    return tensor
  }

  /** Whether any of these tensors will be edited. @param {...string} keys names inside the running module @internal */
  willEdit(...keys) {
    return keys.some(key => this.#edits.of(this.#toUnusedName(this.#prefix + key)).length > 0)
  }

  /**
   * Whether the running attention stores the matrices of these names: it was selected, or an edit needs one.
   * @param {...string} keys @internal
   */
  keepsAttention(...keys) {
    const isSource = () => keys.some(key => this.#edits.copiesFrom(this.#toUnusedName(this.#prefix + key)))
    return this.#attention.has(this.#calls.current?.path ?? '') || this.willEdit(...keys) || isSource()
  }

  /** Edits that matched no cell, where allowMissing permits that. */
  get unusedEdits() {
    return this.#edits.unused
  }

  /** Names in edits that no tensor has. */
  get missingNames() {
    return this.#edits.names.filter(name => !this.#find(name))
  }

  /** After a failed run: frees its tensors and undoes its edits. @internal */
  discard() {
    this.#edits.undo()
    this.dispose()
  }

  /** At the end of the run: edits of missing tensors are an error, or unused if that is allowed. @internal */
  finishEdits() {
    this.#edits.finish(this.missingNames, name => this.#describeSimilar(name))
    this.#attention.expectAllFound()
  }

  /**
   * Stores a gradient from `backward`; a second one is added, as for leaves.
   * @param {Tensor} tensor @param {Tensor} gradient
   * @internal
   */
  keepGradient(tensor, gradient) {
    const held = this.#gradients.get(tensor)
    if (!held) {
      this.#gradients.set(tensor, gradient)
      return
    }
    this.engine.c.gf_accumulate(held.dataPtr(), gradient.dataPtr(), held.size)
    gradient.dispose()
  }

  /* Reading -------------------------------------------------------------------------------------------------------- */

  /** The name of a tensor, or undefined. @param {Tensor} tensor */
  nameOf(tensor) {
    return this.#nameOf.get(tensor)
  }

  /**
   * The operation that computed a tensor before this trace, if known.
   * @param {Tensor} tensor @returns {Node | undefined}
   */
  originOf(tensor) {
    return this.#madeBy.has(tensor) ? undefined : this.#origins.get(tensor)
  }

  /**
   * The operation that computed a tensor, in this trace or before it.
   * @param {Tensor} tensor @returns {Node | undefined}
   */
  makerOf(tensor) {
    return this.#madeBy.get(tensor) ?? this.#origins.get(tensor)
  }

  /** The tensors that were computed from this one. @param {string} name @returns {string[]} */
  feeds(name) {
    const tensor = this.get(name)
    const outputs = this.usesOf(tensor).flatMap(({ node }) => Object.values(node.outputs))
    const [main] = Object.values(this.#madeBy.get(tensor)?.outputs ?? {})
    if (main && main !== tensor) outputs.push(main)
    return [...new Set(outputs)].map(t => this.#nameOf.get(t) ?? '')
  }

  /** The name of the operation that computed a tensor; undefined for inputs and parameters. @param {string} name */
  operation(name) {
    return this.makerOf(this.get(name))?.op.name
  }

  /** The cost of every operation, in order. */
  stages() {
    return computeCosts(this)
  }

  /**
   * How a cell was computed.
   * @param {string} name @param {readonly number[]} index
   * @returns {Explanation}
   * @throws {GlassformerError} 'index' for an unknown name or an index outside the shape
   */
  explain(name, index) {
    return explain(this, name, this.checkIndex('explain', name, this.get(name), index))
  }

  /**
   * How the derivative of the loss with respect to a cell was computed: one step of the chain rule, summed over all
   * uses.
   * @param {string} name @param {readonly number[]} index
   * @returns {Explanation}
   * @throws {GlassformerError} 'state' before `backward`, 'index' for an unknown name or an index outside the shape
   */
  explainGradient(name, index) {
    return explainGradient(this, name, this.checkIndex('explainGradient', name, this.get(name), index))
  }

  /** The operations of this trace that used a tensor, and as which input. @param {Tensor} tensor */
  usesOf(tensor) {
    return this.#usedBy.get(tensor) ?? []
  }

  /**
   * The value that an edit replaced in an input, or undefined.
   * @param {string} name @param {readonly number[]} place
   */
  valueBefore(name, place) {
    return this.#edits.before(name, offsetOf(this.get(name).shape, place))
  }

  /**
   * Whether a cell is edited, under any name of its tensor.
   * @param {string} name @param {readonly number[]} place
   */
  isEdited(name, place) {
    if (this.#edits.list.length === 0) return false
    const tensor = this.get(name)
    return this.#edits.names.some(other => this.#find(other) === tensor && this.#edits.has(other, place))
  }

  /** The operation that computed a tensor in this trace; origins do not count. @param {Tensor} tensor */
  madeHere(tensor) {
    return this.#madeBy.get(tensor)
  }

  /**
   * An index checked to be inside a tensor.
   * @param {string} where @param {string} name @param {Tensor} tensor @param {readonly number[]} index
   */
  checkIndex(where, name, tensor, index) {
    const { shape } = tensor
    expect(Array.isArray(index) && isInside(shape, index), 'index', () => outside(where, shape, name, index))
    return [...index]
  }

  /** Frees every tensor that only this trace keeps. Inputs go back to the scope of their gf.tidy. */
  dispose() {
    for (const [tensor, scope] of this.#borrowed) if (!tensor.disposed) this.engine.giveBack(tensor, scope)
    this.#borrowed.clear()
    for (const gradient of this.#gradients.values()) gradient.dispose()
    for (const tensor of this.#madeBy.keys()) tensor.dispose()
    for (const tensor of this.auxiliary) tensor.dispose()
    this.#gradients.clear()
    this.auxiliary = []
    this.nodes = []
  }
}

/**
 * Runs `fn` and records every intermediate tensor.
 * @template T
 * @param {import('./engine.js').Engine} engine
 * @param {() => T} fn
 * @param {TraceOptions} [options]
 *   modules: names of the modules that fn calls directly; edits: values that replace computed ones before anything is
 *   computed from them. An edited parameter stays changed after the trace, unless fn or an edit fails; allowMissing:
 *   false; true: edits of missing tensors are `unusedEdits` of the trace and no error; keepAttention: default: all;
 *   paths of modules: for other attentions dots, scores, masked_scores and weights, which have a number for every query
 *   and key, are not stored. Their tensors have a name and a shape but no values (`isLeftOut`); all other numbers have
 *   the same bits
 * @returns {{ output: T, trace: Trace }}
 * @throws {GlassformerError} 'state' inside another trace, 'index' for edits of missing tensors and for a path in
 *   keepAttention where no attention was computed
 * @example
 * const layer = new gf.nn.Linear(2, 1)
 * const { trace } = gf.trace(() => layer.forward(gf.ones([1, 2])), { modules: { layer } })
 * trace.names                                     // ['layer.weight', 'layer.bias', 'layer.input', 'layer.output']
 * trace.explain('layer.output', [0, 0]).terms.length   // 3
 * trace.dispose()
 */
export function trace(engine, fn, options) {
  expect(engine.trace === null, 'state', () => 'trace: a trace is already being recorded; they cannot be nested')
  const recording = new Trace(engine, options)
  engine.trace = recording
  try {
    const output = runSync('trace', fn)
    recording.finishEdits()
    for (const value of [output].flat()) if (value instanceof Tensor) recording.borrow(value)
    return { output, trace: recording }
  } catch (error) {
    recording.discard()
    throw error
  } finally {
    engine.trace = null
  }
}
