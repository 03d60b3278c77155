import { computeCosts } from './costs.js'
import { describe, expect, expectOptions, formatShape } from '../errors.js'
import { AttentionSelection } from './attention_selection.js'
import { offsetOf } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { Calls } from './trace_calls.js'
import { TensorSource } from './edits.js'
import { AppliedEdits } from './trace_edits.js'
import { explain, explainGradient } from './trace_explain.js'
import { TensorNames } from './trace_names.js'

/**
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {import('../errors.js').GlassformerError} GlassformerError
 *
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {import('./edits.js').Edit} Edit
 * @typedef {{ modules?: Record<string, Module>, edits?: readonly Edit[], allowMissing?: boolean,
 *   keepAttention?: readonly string[], gradientsOf?: readonly string[], reuse?: Reuse }} TraceOptions
 *
 * Internal: outputs of modules that finished before an operation of an earlier run, which are not computed again.
 * @typedef {{ modules: import('./reuse.js').Reusable, before: number }} Reuse
 */

const OPTIONS = ['modules', 'edits', 'allowMissing', 'keepAttention', 'gradientsOf', 'reuse']

/** Inputs of operations that are called by their key where no module names them. */
const OWN_NAMES = ['weight', 'bias', 'cos', 'sin']

/**
 * The record of one `gf.trace`: every tensor by name, how each cell was computed, and what it depends on.
 */
export class Trace extends TensorSource {
  /** @type {Node[]} */ nodes = []
  /** Whether it is recorded for export, to be run with other values of the inputs. @internal */ isExport = false
  #names = new TensorNames()
  /** The operation that computed a tensor. @type {Map<Tensor, Node>} */ #producers = new Map()
  /** How inputs were computed before this trace. @type {Map<Tensor, Node>} */ #origins = new Map()
  /** @type {Map<Tensor, { node: Node, input: string }[]>} */ #usedBy = new Map()
  /** @type {Map<Tensor, Tensor>} */ #gradients = new Map()
  /** Whether gradients of leaves are in this trace, and not in their `grad`. @internal */ hasOwnGradients = false
  /** Inputs that this trace keeps alive, with the scopes they came from. @type {Map<Tensor, Set<Tensor>>} */
  #borrowed = new Map()
  /**
   * Called with every tensor as soon as it has a name.
   * @type {((name: string, tensor: Tensor) => void) | null}
   * @internal
   */
  onNamed = null
  /** Internal tensors of operations: ids, statistics, tables. @type {Tensor[]} @internal */ auxiliary = []
  /** Whether its tensors were freed. */ isDisposed = false
  /** Names of tensors that get gradients. @type {Set<string>} */ #gradientsOf
  /** Inputs among them that required no gradient before. @type {Tensor[]} */ #requiring = []
  #reuse
  #calls
  #edits
  #attention

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {TraceOptions} [options]
   * @param {string} [where] the function that the user has called, for messages
   */
  constructor(engine, options, where = 'trace') {
    const { modules = {}, edits = [], allowMissing = false, keepAttention, gradientsOf = [], reuse } =
      expectOptions(where, options, OPTIONS)
    super()
    this.engine = engine
    this.#calls = new Calls(where, modules)
    this.#edits = new AppliedEdits(engine, edits, allowMissing)
    this.#attention = new AttentionSelection(where, keepAttention)
    expect(Array.isArray(gradientsOf), 'type',
      () => `trace: gradientsOf must be an array of names of tensors, got ${describe(gradientsOf)}`)
    this.#gradientsOf = new Set(gradientsOf)
    this.#reuse = reuse
  }

  /** Calls of modules, in the order in which they began. */
  get calls() {
    return this.#calls.all
  }

  /** Names of all tensors, in the order in which they were named. */
  get names() {
    return this.#names.all
  }

  /** The names with dtype and shape, a line each, for console.log of Node. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    const lines = this.names.map(name => `${name}  ${this.get(name).dtype} ${formatShape(this.get(name).shape)}`)
    return ['Trace', ...lines].join('\n  ')
  }

  /**
   * The tensor with a name.
   * @param {string} name @returns {Tensor} @throws {GlassformerError} 'index' when there is none
   */
  get(name) {
    const tensor = this.#names.find(name)
    expect(tensor !== undefined, 'index',
      () => `trace: no tensor is called ${describe(name)}; ${this.#names.describeSimilar(name)}`)
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
    const gradient = this.#gradients.get(tensor) ?? (this.hasOwnGradients ? null : tensor.grad)
    expect(!tensor.isLeftOut, 'state', () => `trace: ${name} was left out, with its gradient; keepAttention keeps ` +
      'the matrices of the attentions that it names')
    expect(gradient !== null, 'state', () => `trace: ${name} has no gradient; ` +
      'call backward() on a loss that depends on a tensor with requiresGrad')
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
    const { inputNames } = /** @type {typeof import('../nn/module.js').Module} */ (module.constructor)
    inputNames.forEach((name, i) => {
      if (inputs[i] instanceof Tensor) this.#setName(prefix + name, inputs[i])
    })
  }

  /** Notes that a module's forward has ended. @internal */
  leave() {
    this.#calls.end()
  }

  /** Called with the output of the running module. @param {unknown} output @internal */
  returns(output) {
    const { current } = this.#calls
    if (current) current.output = output
  }

  /** The output of the running module in an earlier run, if it need not be computed again. @internal */
  get reusedOutput() {
    const known = this.#reuse?.modules.get(this.#calls.current?.path ?? '')
    return known && known.last < /** @type {Reuse} */ (this.#reuse).before ? known.output : undefined
  }

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
      this.#producers.set(tensor, node)
      this.#setName(this.#prefix + (key === 'out' ? node.op.name : key), tensor)
    }
  }

  /**
   * Records how a tensor that this trace did not compute, such as a buffer, was computed before it.
   * @param {Node} node
   * @internal
   */
  addOrigin(node) {
    for (const tensor of Object.values(node.outputs)) if (!this.#producers.has(tensor)) this.#origins.set(tensor, node)
  }

  /** If dropout's mask is edited, applies the edited mask to the output. @param {Node} node */
  #reapplyDropout({ inputs: { x }, outputs: { out, mask } }) {
    const name = this.#names.toUnused(`${this.#prefix}mask`)
    if (!this.#edits.of(name).length) return
    this.#applyEdits(name, mask)
    mask.values.forEach((factor, i) => { out.values[i] = x.values[i] * factor })
  }

  /**
   * Takes a tensor out of its scope until this trace is disposed. Tensors that the trace computed are disposed with it.
   * @param {Tensor} tensor
   * @internal
   */
  borrow(tensor) {
    const scope = this.engine.borrow(tensor)
    if (scope && !this.#producers.has(tensor)) this.#borrowed.set(tensor, scope)
  }

  /** @param {Node} node @param {string} key @param {Tensor} tensor */
  #addUse(node, key, tensor) {
    const uses = this.#usedBy.get(tensor) ?? []
    if (!uses.some(use => use.node === node && use.input === key)) uses.push({ node, input: key })
    this.#usedBy.set(tensor, uses)
    this.borrow(tensor)
    if (this.#names.nameOf(tensor) !== undefined) return
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
    if (!this.#producers.has(tensor)) return
    this.#setName(this.#prefix + name, tensor, true, this.#readerOf(tensor))
    this.#names.markTagged(tensor)
  }

  /** The operation that has read a tensor already, apart from views. @param {Tensor} tensor */
  #readerOf(tensor) {
    return this.usesOf(tensor).find(({ node }) => !node.op.isView)?.node.op.name
  }

  /**
   * Gives a tensor a further name: for a module that returns its input unchanged.
   * @param {string} name @param {Tensor} tensor
   * @internal
   */
  alias(name, tensor) {
    const alias = this.#names.toUnused(this.#prefix + name)
    this.#names.addAlias(alias, tensor)
    this.#applyEdits(alias, tensor)
  }

  /**
   * @param {string} wanted @param {Tensor} tensor @param {boolean} [replace] also if it has a name already
   * @param {string} [reader] the operation that has read it already
   */
  #setName(wanted, tensor, replace = false, reader = undefined) {
    const name = this.#names.set(wanted, tensor, replace)
    if (name === undefined) return
    this.#applyEdits(name, tensor, reader)
    this.onNamed?.(name, tensor)
  }

  /** @param {string} name @param {Tensor} tensor @param {string} [reader] */
  #applyEdits(name, tensor, reader) {
    const node = this.#producers.get(tensor)
    if (node && this.#edits.of(name).length) this.#prepareEdit(node, tensor)
    this.#edits.apply(name, tensor, from => this.#names.find(from), !node, reader)
    if (!this.#gradientsOf.has(name) || tensor.requiresGrad) return
    tensor.requiresGrad = true
    if (!node) this.#requiring.push(tensor)
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
    const name = this.#names.toUnused(this.#prefix + key)
    this.#edits.registerIntermediate(name, tensor)
    this.#applyEdits(name, tensor)
    return tensor
  }

  /** Whether any of these tensors will be edited. @param {...string} keys names inside the running module @internal */
  willEdit(...keys) {
    return keys.some(key => this.#edits.of(this.#names.toUnused(this.#prefix + key)).length > 0)
  }

  /**
   * Whether the running attention stores the matrices of these names: it was selected, or an edit needs one.
   * @param {...string} keys @internal
   */
  keepsAttention(...keys) {
    const isSource = () => keys.some(key => this.#edits.copiesFrom(this.#names.toUnused(this.#prefix + key)))
    return this.#attention.visit(this.#calls.current?.path ?? '') || this.willEdit(...keys) || isSource()
  }

  /** Edits that matched no cell, where allowMissing permits that. */
  get unusedEdits() {
    return this.#edits.unused
  }

  /** Names in edits that no tensor has. */
  get missingNames() {
    return this.#edits.names.filter(name => !this.#names.find(name))
  }

  /** After a failed run: frees its tensors and undoes its edits. @internal */
  discard() {
    this.#edits.undo()
    this.dispose()
  }

  /** At the end of the run: edits of missing tensors are an error, or unused if that is allowed. @internal */
  finishEdits() {
    this.#edits.finish(this.missingNames, name => this.#names.describeSimilar(name))
    this.#attention.expectAllFound()
  }

  /**
   * Stores a gradient from `backward`; a second one is added, as for leaves.
   * @param {Tensor} tensor @param {Tensor} gradient
   * @internal
   */
  keepGradient(tensor, gradient) {
    const sum = this.#gradients.get(tensor)
    if (!sum) {
      this.#gradients.set(tensor, gradient)
      return
    }
    this.engine.c.gf_accumulate(sum.dataPtr(), gradient.dataPtr(), sum.numel())
    gradient.dispose()
  }

  /* Reading -------------------------------------------------------------------------------------------------------- */

  /** The name of a tensor, or undefined. @param {Tensor} tensor */
  nameOf(tensor) {
    return this.#names.nameOf(tensor)
  }

  /**
   * The operation that computed a tensor before this trace, if known.
   * @param {Tensor} tensor @returns {Node | undefined}
   */
  originOf(tensor) {
    return this.#producers.has(tensor) ? undefined : this.#origins.get(tensor)
  }

  /**
   * The operation that computed a tensor, in this trace or before it.
   * @param {Tensor} tensor @returns {Node | undefined}
   */
  producerOf(tensor) {
    return this.#producers.get(tensor) ?? this.#origins.get(tensor)
  }

  /** The tensors that were computed from this one. @param {string} name @returns {string[]} */
  feeds(name) {
    const tensor = this.get(name)
    const outputs = this.usesOf(tensor).flatMap(({ node }) => Object.values(node.outputs))
    const [main] = Object.values(this.#producers.get(tensor)?.outputs ?? {})
    if (main && main !== tensor) outputs.push(main)
    return [...new Set(outputs)].map(t => this.#names.nameOf(t) ?? '')
  }

  /** The name of the operation that computed a tensor; undefined for inputs and parameters. @param {string} name */
  operation(name) {
    return this.producerOf(this.get(name))?.op.name
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
    return explain(this, name, index)
  }

  /**
   * How the derivative of the loss with respect to a cell was computed: one step of the chain rule, summed over all
   * uses.
   * @param {string} name @param {readonly number[]} index
   * @returns {Explanation}
   * @throws {GlassformerError} 'state' before `backward`, 'index' for an unknown name or an index outside the shape
   */
  explainGradient(name, index) {
    return explainGradient(this, name, index)
  }

  /** The operations of this trace that used a tensor, and as which input. @param {Tensor} tensor */
  usesOf(tensor) {
    return this.#usedBy.get(tensor) ?? []
  }

  /**
   * The value that an edit replaced in an input, or undefined.
   * @param {string} name @param {readonly number[]} index
   */
  valueBefore(name, index) {
    return this.#edits.before(name, offsetOf(this.get(name).shape, index))
  }

  /**
   * Whether a cell is edited, under any name of its tensor.
   * @param {string} name @param {readonly number[]} index
   */
  isEdited(name, index) {
    if (this.#edits.list.length === 0) return false
    const tensor = this.get(name)
    return this.#edits.names.some(alias => this.#names.find(alias) === tensor && this.#edits.has(alias, index))
  }

  /** Whether there are edits. @internal */
  get hasEdits() {
    return this.#edits.list.length > 0
  }

  /** The operation that computed a tensor in this trace, not before it. @param {Tensor} tensor */
  tracedProducerOf(tensor) {
    return this.#producers.get(tensor)
  }

  /** @internal */
  get recording() {
    return this
  }

  /** Frees every tensor that only this trace keeps. Inputs go back to the scope of their gf.tidy. */
  dispose() {
    this.isDisposed = true
    for (const tensor of this.#requiring) if (!tensor.disposed) tensor.requiresGrad = false
    for (const [tensor, scope] of this.#borrowed) if (!tensor.disposed) this.engine.giveBack(tensor, scope)
    this.#borrowed.clear()
    for (const gradient of this.#gradients.values()) gradient.dispose()
    for (const tensor of this.#producers.keys()) tensor.dispose()
    for (const tensor of this.auxiliary) tensor.dispose()
    this.#gradients.clear()
    this.auxiliary = []
    this.nodes = []
  }
}
