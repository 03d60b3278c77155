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

/** Inputs that are known by their own names where nobody has named them. */
const OWN_NAMES = ['weight', 'bias', 'cos', 'sin']

/** @param {readonly number[]} shape @param {readonly number[]} index */
const isInside = (shape, index) => shape.length === index.length &&
  index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < shape[axis])

/**
 * Everything that happened inside one `gf.trace`: every tensor by name, how each cell was made, what each depends on.
 */
export class Trace {
  /** @type {Node[]} */ nodes = []
  /** Whether it is recorded to be run elsewhere, on other values of the inputs. @internal */ isExport = false
  /** @type {Map<string, Tensor>} */ #byName = new Map()
  /** Further names, which are found but not listed. @type {Map<string, Tensor>} */ #aliases = new Map()
  /** Names that a module has given with `tag`. @type {Set<string>} */ #tags = new Set()
  /** @type {Map<Tensor, string>} */ #nameOf = new Map()
  /** @type {Map<Tensor, Node>} */ #madeBy = new Map()
  /** How inputs were made before. @type {Map<Tensor, Node>} */ #origins = new Map()
  /** @type {Map<Tensor, { node: Node, input: string }[]>} */ #usedBy = new Map()
  /** @type {Map<Tensor, Tensor>} */ #gradients = new Map()
  /** Inputs that outlive their scopes for as long as this trace. @type {Map<Tensor, Set<Tensor>>} */
  #borrowed = new Map()
  /** What operations made for themselves: ids, statistics, tables. @type {Tensor[]} @internal */ auxiliary = []
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

  /** Names of all tensors, in the order they came to be known. */
  get names() {
    return [...this.#byName.keys()]
  }

  /** @param {string} name */
  #find(name) {
    return this.#byName.get(name) ?? this.#aliases.get(name)
  }

  /** The names that are most like one, for a message. @param {string} name */
  #like(name) {
    const like = findSimilar(name, this.names)
    return `${like.length < this.names.length ? `of ${this.names.length} the most findSimilar` : 'there'} are ${like.join(', ')}`
  }

  /**
   * The tensor of a name.
   * @param {string} name @returns {Tensor} @throws {GlassformerError} 'index' when there is none
   */
  get(name) {
    const tensor = this.#find(name)
    expect(tensor !== undefined, 'index',
      () => `trace: no tensor is called ${describe(name)}; ${this.#like(name)}`)
    return tensor
  }

  /**
   * The gradient kept by `backward` for a tensor of this trace.
   * @param {string} name @returns {Tensor} @throws {GlassformerError} 'state' when there is none
   */
  gradient(name) {
    return this.gradientOf(this.get(name), name)
  }

  /** The gradient of a tensor, by its name in messages. @param {Tensor} tensor @param {string} name */
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
   * A module's forward begins: names are inside it until `leave`.
   * @param {Module} module @param {Module | undefined} parent @param {unknown[]} inputs
   * @internal
   */
  enter(module, parent, inputs) {
    this.#calls.begin(module, parent)
    const prefix = this.#prefix
    for (const [name, parameter] of module.ownTensors()) this.#name(prefix + name, parameter)
    const { inputNames } = /** @type {typeof import('./nn/module.js').Module} */ (module.constructor)
    inputNames.forEach((name, i) => {
      if (inputs[i] instanceof Tensor) this.#name(prefix + name, inputs[i])
    })
  }

  /** A module's forward is over. @internal */
  leave() {
    this.#calls.end()
  }

  /** What the forward that is running gives, for who wants to know. @param {unknown} _output @internal */
  returns(_output) {}

  /** Notes one use of an operation and names its tensors. @param {Node} node @internal */
  add(node) {
    node.call = this.#calls.current
    this.nodes.push(node)
    for (const [key, tensor] of Object.entries(node.inputs)) if (tensor) this.#addUse(node, key, tensor)
    if (node.op.name === 'dropout') this.#dropAgain(node)
    if (node.saved.dropoutMask) {
      this.auxiliary.push(this.engine.keep(node.saved.dropoutMask))
      this.#name(`${this.#prefix}dropout.mask`, node.saved.dropoutMask)
    }
    for (const [key, tensor] of Object.entries(node.outputs)) {
      this.engine.keep(tensor)
      this.#madeBy.set(tensor, node)
      this.#name(this.#prefix + (key === 'out' ? node.op.name : key), tensor)
    }
  }

  /**
   * Tells how a tensor that this trace has not made, such as a buffer, was made before it.
   * @param {Node} node
   * @internal
   */
  addOrigin(node) {
    for (const tensor of Object.values(node.outputs)) if (!this.#madeBy.has(tensor)) this.#origins.set(tensor, node)
  }

  /** Where the mask that was drawn will be edited, what it drops is dropped by the edited one. @param {Node} node */
  #dropAgain({ inputs: { x }, outputs: { out, mask } }) {
    const name = this.#unused(`${this.#prefix}mask`)
    if (!this.#edits.of(name).length) return
    this.#applyEdits(name, mask)
    mask.values.forEach((factor, i) => { out.values[i] = x.values[i] * factor })
  }

  /** @param {Node} node @param {string} key @param {Tensor} tensor */
  #addUse(node, key, tensor) {
    const uses = this.#usedBy.get(tensor) ?? []
    if (!uses.some(use => use.node === node && use.input === key)) uses.push({ node, input: key })
    this.#usedBy.set(tensor, uses)
    const scope = this.engine.borrow(tensor)
    if (scope) this.#borrowed.set(tensor, scope)
    if (this.#nameOf.has(tensor)) return
    this.#name(this.#prefix + (OWN_NAMES.includes(key) ? `${node.op.name}.${key}` : 'input'), tensor)
  }

  get #prefix() {
    return this.#calls.prefix
  }

  /**
   * Gives a tensor made in this trace the name that readers know it by.
   * @param {string} name
   * @param {Tensor} tensor
   * @internal
   */
  tag(name, tensor) {
    if (!this.#madeBy.has(tensor)) return
    this.#name(this.#prefix + name, tensor, true)
    this.#tags.add(this.#nameOf.get(tensor) ?? '')
  }

  /**
   * Gives a tensor that has a name another one by which it is found: what a module hands on as it came.
   * @param {string} name @param {Tensor} tensor
   * @internal
   */
  alias(name, tensor) {
    const own = this.#unused(this.#prefix + name)
    this.#aliases.set(own, tensor)
    this.#applyEdits(own, tensor)
  }

  /** @param {string} wanted @param {Tensor} tensor @param {boolean} [replace] also when it has a name already */
  #name(wanted, tensor, replace = false) {
    const old = this.#nameOf.get(tensor)
    if (old !== undefined && (!replace || old === wanted)) return
    const name = this.#unused(wanted)
    if (old !== undefined && !old.endsWith('output')) {
      this.#byName.delete(old)
      if (this.#tags.has(old)) this.#aliases.set(old, tensor)
    }
    this.#byName.set(name, tensor)
    this.#nameOf.set(tensor, name)
    this.#applyEdits(name, tensor)
  }

  /** The name itself, or the next numbered one: a module may be called again. @param {string} wanted */
  #unused(wanted) {
    let name = wanted
    for (let n = 2; this.#find(name); n++) name = `${wanted}:${n}`
    return name
  }

  /** @param {string} name @param {Tensor} tensor */
  #applyEdits(name, tensor) {
    const node = this.#madeBy.get(tensor)
    if (node && this.#edits.of(name).length) this.#prepareEdit(node, tensor)
    this.#edits.apply(name, tensor, from => this.#find(from), !this.#madeBy.has(tensor))
  }

  /**
   * Before an output is edited: a view gets memory of its own, so that what it showed stays as it was, and what the
   * derivative is made with is copied.
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
   * For an operation that makes several tensors one from the other: puts edited values into one before the next is
   * made.
   * @param {string} key its name inside the module that is running @param {Tensor} tensor
   * @internal
   */
  patch(key, tensor) {
    const name = this.#unused(this.#prefix + key)
    this.#edits.passes(name, tensor)
    this.#applyEdits(name, tensor)
    return tensor
  }

  /** Whether any of these will be edited. @param {...string} keys names inside the module that is running @internal */
  willEdit(...keys) {
    return keys.some(key => this.#edits.of(this.#unused(this.#prefix + key)).length > 0)
  }

  /**
   * Whether the attention that is running keeps the matrices of these names: it was chosen, or an edit is about one.
   * @param {...string} keys @internal
   */
  keepsAttention(...keys) {
    const isTaken = () => keys.some(key => this.#edits.copiesFrom(this.#unused(this.#prefix + key)))
    return this.#attention.has(this.#calls.current?.path ?? '') || this.willEdit(...keys) || isTaken()
  }

  /** Edits that found no cell to replace, where they may. */
  get unusedEdits() {
    return this.#edits.idle
  }

  /** Names of edits whose tensor was never made. */
  get missedEdits() {
    return this.#edits.names.filter(name => !this.#find(name))
  }

  /** Gives back what a run that failed has made, and what its edits have changed. @internal */
  discard() {
    this.#edits.undo()
    this.dispose()
  }

  /** After everything was made: edits of what was not are an error, or, where they may miss, idle. @internal */
  settleEdits() {
    this.#edits.settle(this.missedEdits, name => this.#like(name))
    this.#attention.expectAllFound()
  }

  /**
   * Takes a gradient over from `backward`; a second one is added, as to the leaves.
   * @param {Tensor} tensor @param {Tensor} gradient
   * @internal
   */
  keepGradient(tensor, gradient) {
    const held = this.#gradients.get(tensor)
    if (!held) {
      this.#gradients.set(tensor, gradient)
      return
    }
    this.engine.c.gf_accumulate(held.address, gradient.address, held.size)
    gradient.dispose()
  }

  /* Asking --------------------------------------------------------------------------------------------------------- */

  /** The name a tensor is known by, or undefined. @param {Tensor} tensor */
  nameOf(tensor) {
    return this.#nameOf.get(tensor)
  }

  /** What made a tensor before this trace, if it told. @param {Tensor} tensor @returns {Node | undefined} */
  originOf(tensor) {
    return this.#madeBy.has(tensor) ? undefined : this.#origins.get(tensor)
  }

  /** What made a tensor, in this trace or before it. @param {Tensor} tensor @returns {Node | undefined} */
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

  /** The operation that made a tensor, or undefined for inputs and parameters. @param {string} name */
  operation(name) {
    return this.makerOf(this.get(name))?.op.name
  }

  /** What every operation of the run cost, in order. */
  stages() {
    return computeCosts(this)
  }

  /**
   * How a cell was made.
   * @param {string} name @param {readonly number[]} index
   * @returns {Explanation}
   * @throws {GlassformerError} 'index' for a name or a place that is not there
   */
  explain(name, index) {
    return explain(this, name, this.checkIndex('explain', name, this.get(name), index))
  }

  /**
   * How the derivative of the loss by a cell came about: one step of the chain rule, summed over all uses of the cell.
   * @param {string} name @param {readonly number[]} index
   * @returns {Explanation}
   * @throws {GlassformerError} 'state' before `backward`, 'index' for a name or a place that is not there
   */
  explainGradient(name, index) {
    return explainGradient(this, name, this.checkIndex('explainGradient', name, this.get(name), index))
  }

  /** Operations of this trace that used a tensor, and as which input. @param {Tensor} tensor */
  usesOf(tensor) {
    return this.#usedBy.get(tensor) ?? []
  }

  /** What an edit replaced in an input, or undefined. @param {string} name @param {readonly number[]} place */
  valueBefore(name, place) {
    return this.#edits.before(name, offsetOf(this.get(name).shape, place))
  }

  /**
   * Whether an edit stands at a cell, under any name of its tensor.
   * @param {string} name @param {readonly number[]} place
   */
  isEdited(name, place) {
    if (this.#edits.list.length === 0) return false
    const tensor = this.get(name)
    return this.#edits.names.some(other => this.#find(other) === tensor && this.#edits.has(other, place))
  }

  /** What made a tensor in this trace; origins do not count. @param {Tensor} tensor */
  madeHere(tensor) {
    return this.#madeBy.get(tensor)
  }

  /**
   * A place that is inside a tensor.
   * @param {string} where @param {string} name @param {Tensor} tensor @param {readonly number[]} index
   */
  checkIndex(where, name, tensor, index) {
    const { shape } = tensor
    expect(Array.isArray(index) && isInside(shape, index), 'index', () => outside(where, shape, name, index))
    return [...index]
  }

  /** Frees every tensor that only this trace keeps. Inputs end with their gf.tidy, as without a trace. */
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
 *   modules: names for modules that fn calls directly; edits: values to put in place of computed ones, so that
 *   everything after them is computed from them. An edited parameter stays changed after the trace, unless fn or an
 *   edit fails; allowMissing: false; true: edits of what is not made are `unusedEdits` of the trace and no error;
 *   keepAttention: all; paths of modules: of attentions elsewhere dots, scores, masked_scores and weights, a number for
 *   every query and key each, are never stored. Their tensors have a name and a shape, and no values (`isLeftOut`); all
 *   other numbers are the same bits
 * @returns {{ output: T, trace: Trace }}
 * @throws {GlassformerError} 'state' inside another trace, 'index' for edits of what is not made and for a path in
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
    recording.settleEdits()
    for (const value of [output].flat()) if (value instanceof Tensor) engine.keep(value)
    return { output, trace: recording }
  } catch (error) {
    recording.discard()
    throw error
  } finally {
    engine.trace = null
  }
}
