import { expectArgumentCount } from '../interface/arity.js'
import { describe, expect, expectBoolean, expectOptions, otherEngineError, formatShape } from '../errors.js'
import { sameShape } from '../tensor/shape.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/axes.js').Axes} Axes
 *
 * The description of an operation: one object in each file of ops/.
 * @typedef {object} Operation
 * @property {string} name
 * @property {'activation' | 'elementwise' | 'norm' | 'reduction'} [kind] what it does, where the page or an export
 *   depends on that
 * @property {(inputs: Record<string, any>, parameters: any) => Tensor} [recompute] computes the output again, of an
 *   operation that computes each row by itself; dropout passes its input on
 * @property {(node: Node, gradient: (tensor: Tensor | null | undefined) => number) => void} backward
 *   adds to the gradients of the inputs, at least one of which is needed; `gradient(t)` is the address of t's gradient,
 *   0 if none is needed
 * @property {import('../trace/explain.js').ExplainCell} explain how one cell of an output was computed
 * @property {import('../trace/explain.js').ExplainGradient} explainGradient what this use of an input adds to its
 *   gradient
 * @property {Record<string, readonly string[]>} [reads] for each input, the inputs whose gradients are computed from
 *   its values
 * @property {boolean} [isView] the output is a view of its only input
 * @property {boolean} [usesOutput] backward uses the output as it was computed, see `computedOutput`
 * @property {boolean} [readsOutput] gradients are computed from values of the outputs
 * @property {(node: Node, output: string) => Record<string, any>} [from] the direct inputs of an output, by their names
 *   in the formula; default: all inputs
 * @property {Record<string, string>} [roles] the roles of the outputs in a model, where they differ from their names
 * @property {boolean} [isSelection] whether its parameters are indices of selected cells
 * @property {(node: Node, of: (tensor: Tensor) => Axes, output: string) => Axes | null} [axes] the axes of an output,
 *   from those of the inputs; null or none: derived from the inputs' shapes
 * @property {Record<string, Axes | ((node: Node, of: (tensor: Tensor) => Axes) => Axes)>} [inputAxes] the axes of
 *   inputs that no operation made, perhaps from other inputs
 * @property {(node: Node) => Record<string, unknown>} [parameters] the options it was called with
 * @property {(node: Node) => { multiplyAdds: number, parameters?: number, by?: Record<string, number> }} [cost]
 *   parameters: how many it uses, where that is not all of a tensor; by: multiply-adds by output; default: of the first
 *
 * One recorded call of an operation.
 * @typedef {object} Node
 * @property {Operation} op
 * @property {Record<string, any>} inputs tensors or null, by the names of the op's formula
 * @property {Record<string, Tensor>} outputs
 * @property {any} saved sizes and whatever else backward and explain need
 * @property {import('../trace/trace.js').Trace | null} trace the trace it belongs to
 * @property {import('../trace/trace_calls.js').Call | null} [call] the call of a module that it belongs to
 * @property {Tensor} [computed] the output before an edit, of an operation that `usesOutput`
 * @property {number} at the engine's writeCount when it was computed
 * @property {number} [usedAt] the engine's writeCount after backward
 * @property {boolean} [spent] whether a backward without retainGraph has used it
 */

/**
 * Whether operations on these tensors have to be recorded for `backward`.
 * @param {import('../engine/engine.js').Engine} engine @param {(Tensor | null | undefined)[]} inputs
 */
export const needsGradient = (engine, inputs) => engine.gradEnabled && inputs.some(t => t?.requiresGrad)

/**
 * Records how `outputs` were computed: for `backward` when an input needs a gradient, and for the trace being recorded.
 * The first output is the one that carries the gradient.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {Operation} op
 * @param {Node['inputs']} inputs
 * @param {Node['outputs']} outputs
 * @param {any} [saved]
 * @returns {Tensor} the first output
 */
export function record(engine, op, inputs, outputs, saved = {}) {
  const out = outputs.out ?? firstOf(outputs)
  if (engine.collector.isDue) engine.collector.sweep()
  for (const name in inputs) if (inputs[name] && inputs[name].engine !== engine) throw otherEngineError(op.name)
  if (!engine.gradEnabled && !engine.trace) return out
  const needsGrad = out.dtype === 'float32' && needsGradient(engine, Object.values(inputs))
  if (needsGrad || engine.trace) {
    /** @type {Node} */ const node = { op, inputs, outputs, saved, trace: engine.trace, at: engine.writeCount }
    if (needsGrad) {
      out.requiresGrad = true
      for (const output of Object.values(outputs)) output.node = node
    }
    engine.trace?.add(node)
  }
  return out
}

/**
 * Runs fn without recording anything in it.
 * @template T @param {import('../engine/engine.js').Engine} engine @param {() => T} fn
 */
export function unrecorded(engine, fn) {
  const { trace } = engine
  engine.trace = null
  try {
    return engine.noGrad(fn)
  } finally {
    engine.trace = trace
  }
}

/**
 * The output from which the derivative is computed: before an edit, since an edited output need not be a value of the
 * function (a tanh of 7, a maximum that no cell equals).
 * @param {Node} node @returns {Tensor}
 */
export const computedOutput = ({ computed, outputs }) => computed ?? outputs.out

/** @param {Record<string, Tensor>} tensors, at least one */
function firstOf(tensors) {
  let first
  for (first in tensors) break
  return tensors[/** @type {string} */ (first)]
}

/**
 * Sets gradients to null or to zero: the implementation of zeroGrad.
 * @param {Iterable<Tensor>} tensors
 * @param {boolean | { setToNone?: boolean }} [options] setToNone: true; a boolean stands for it
 * @param {unknown[]} [more] superfluous arguments of zeroGrad
 */
export function clearGradients(tensors, options, more = []) {
  if (more.length) expectArgumentCount('zeroGrad', 1, [options, ...more])
  const { setToNone = true } = typeof options === 'boolean' ? { setToNone: options }
    : expectOptions('zeroGrad', options, ['setToNone'])
  expectBoolean('zeroGrad', 'setToNone', setToNone)
  for (const tensor of tensors) {
    const { internalGrad } = tensor
    if (setToNone) tensor.clearGrad()
    else if (internalGrad) {
      internalGrad.values.fill(0)
      internalGrad.touch()
    }
  }
}

/**
 * Whether an operation on these inputs must save what backward or a trace will read.
 * @param {import('../engine/engine.js').Engine} engine @param {...(Tensor | null | undefined)} inputs
 */
export const needsSaving = (engine, ...inputs) => Boolean(engine.trace) || needsGradient(engine, inputs)

/** The recorded operations that lead to `outs` in reverse topological order. @param {Tensor[]} outs */
function sortNodes(outs) {
  /** @type {Node[]} */ const order = []
  const visited = new Set()
  /** @type {{ node: Node, inputs: Iterator<Tensor | null | undefined> }[]} */ const path = []
  const enter = (/** @type {Node | null | undefined} */ node) => {
    if (!node || visited.has(node)) return
    visited.add(node)
    path.push({ node, inputs: Object.values(node.inputs)[Symbol.iterator]() })
  }
  for (const out of outs) {
    enter(out.node)
    while (path.length) {
      const top = path[path.length - 1]
      const { done, value } = top.inputs.next()
      if (done) {
        path.pop()
        order.push(top.node)
      } else enter(value?.node)
    }
  }
  return order.reverse()
}

/** @param {Node} node */
function checkUsable(node) {
  expect(!node.spent, 'state', () =>
    'backward: the computation behind this tensor was already used by an earlier backward ' +
    `(in ${node.op.name}); compute it again, or call that backward with { retainGraph: true }`)
  for (const tensors of [node.inputs, node.outputs, node.saved]) for (const name in tensors) {
    expect(!tensors[name]?.disposed, 'state', () =>
      `backward: ${name} of ${node.op.name} was disposed before; ` +
      'call backward inside the same gf.tidy as the computation')
  }
  checkUnchanged(node)
}

/** Checks that values which gradients need were not overwritten after the forward. @param {Node} node */
function checkUnchanged({ op, inputs, outputs, at }) {
  const isOverwritten = op.readsOutput && Object.values(outputs).some(output => output.isChangedSince(at))
  expect(!isOverwritten, 'state', () => `backward: the result of ${op.name} was overwritten by an in-place operation, and gradients ` +
    'are computed from it; write x = x.add(…) in place of x.add_(…), or call backward before')
  for (const [name, dependents] of Object.entries(op.reads ?? {})) {
    const isNeeded = dependents.some(dependent => inputs[dependent]?.requiresGrad)
    expect(!isNeeded || !inputs[name]?.isChangedSince(at), 'state', () =>
      `backward: ${name} of ${op.name} was overwritten after it was used (by an in-place operation, an optimizer's step, nn.init ` +
      'or loadStateDict), so gradients can no longer be computed with it; call backward before, or forward again')
  }
}

/** @param {Tensor} out @param {Tensor | undefined} gradient */
function checkStart(out, gradient) {
  const { engine } = out
  expect(!out.disposed, 'state', () => 'backward: this tensor was disposed')
  expect(out.requiresGrad, 'state',
    () => `backward: ${describe(out)} was not computed from any tensor with requiresGrad; make one ` +
      'with { requiresGrad: true }, and compute with it outside noGrad and without detach()')
  if (!gradient) {
    expect(out.numel() === 1, 'shape',
      () => `backward: ${describe(out)} is not a single value; write y.sum().backward(), or ` +
        'y.backward(gradient) with a gradient of that shape')
    return
  }
  expect(gradient.engine === engine && gradient.dtype === 'float32', 'type',
    () => `backward: gradient must be a float32 tensor of the same engine, got ${describe(gradient)}`)
  expect(sameShape(gradient.shape, out.shape), 'shape',
    () => `backward: gradient must have shape ${formatShape(out.shape)}, got ${formatShape(gradient.shape)}`)
}

/**
 * Walks the recorded computation backward. Gradients of leaves are added to their `grad`, or, when collecting, returned
 * with those of the computed tensors.
 * @param {{ out: Tensor, start?: Tensor }[]} starts @param {boolean} retainGraph @param {boolean} isCollecting
 * @returns {{ gradients: Map<Tensor, Tensor>, nodes: Node[] }} gradients by tensor, and the operations
 */
function walk(starts, retainGraph, isCollecting) {
  for (const { out, start } of starts) checkStart(out, start)
  const { engine } = starts[0].out, nodes = sortNodes(starts.map(({ out }) => out))
  nodes.forEach(checkUsable)
  /** @type {Map<Tensor, Tensor>} */ const gradients = new Map()
  /** Existing gradients of leaves that this walk adds to, and, for a trace, those of them that were not zero. */
  /** @type {Set<Tensor>} */ const added = new Set()
  /** @type {Tensor[]} */ const nonzero = []
  /** Leaves that had no gradient before. @type {Tensor[]} */ const leaves = []
  const isTraced = nodes.some(node => node.trace) && nodes.every(node => node.usedAt === undefined)

  /** @param {Tensor} gradient a leaf's gradient, to which this walk adds */
  const noteAccumulation = gradient => {
    if (added.has(gradient)) return
    added.add(gradient)
    gradient.touch()
    if (isTraced && gradient.values.some(value => value !== 0)) nonzero.push(gradient)
  }

  /** @param {Tensor} tensor */
  const gradientOf = tensor => {
    const isIntermediate = isCollecting || tensor.node
    const known = isIntermediate ? gradients.get(tensor) : tensor.internalGrad
    if (!isIntermediate && known) noteAccumulation(known)
    if (known) return known
    if (!isIntermediate) {
      leaves.push(tensor)
      return tensor.createGrad()
    }
    const zeros = engine.zeros(tensor.shape), created = isCollecting ? zeros : engine.keep(zeros)
    gradients.set(tensor, created)
    return created
  }
  /** @param {Tensor} tensor @param {Tensor | undefined} values */
  const add = (tensor, values) => {
    const { values: to } = gradientOf(tensor)
    values ? values.values.forEach((v, i) => { to[i] += v }) : (to[0] += 1)
  }

  /** @param {Node} node */
  const runBackward = node => {
    node.spent = !retainGraph
    const outputs = Object.values(node.outputs)
    if (!Object.values(node.inputs).some(t => t?.requiresGrad)) return // switched off after the forward
    node.op.backward(node, tensor =>
      tensor && (tensor.requiresGrad || outputs.includes(tensor)) ? gradientOf(tensor).dataPtr() : 0)
  }

  const previous = engine.isCollecting, { collector } = engine
  engine.isCollecting = isCollecting
  collector.pause()
  try {
    for (const { out, start } of starts) add(out, start)
    nodes.forEach(runBackward)
  } catch (error) {
    // An incomplete gradient is discarded.
    for (const gradient of gradients.values()) gradient.dispose()
    for (const leaf of leaves) {
      leaf.internalGrad?.dispose()
      leaf.grad = null
    }
    throw error
  } finally {
    engine.isCollecting = previous
    collector.resume()
  }
  if (!isCollecting) for (const node of nodes) node.usedAt = engine.writeCount
  for (const gradient of nonzero) gradient.touch()
  return { gradients, nodes }
}

/** Adds a gradient to the `grad` of a computed tensor. @param {Tensor} tensor @param {Tensor} gradient */
function addToGrad(tensor, gradient) {
  const { engine, grad: previous } = tensor
  const grad = previous ?? engine.keep(engine.zeros(tensor.shape))
  engine.c.gf_accumulate(grad.dataPtr(), gradient.dataPtr(), grad.numel())
  if (previous) previous.touch()
  else tensor.grad = grad
}

/** Refuses createGraph. @param {string} where @param {any} options */
const expectFirstOrder = (where, options) => expect(!(options && typeof options === 'object' && options.createGraph), 'type',
  () => `${where}: there is no createGraph, since gradients have no gradients of their own here; approximate with the difference ` +
    'of two gradients, or write the first derivative out as tensor operations and call gf.grad on that')

/**
 * Adds d(out)/d(leaf) to the `grad` of the leaves that `out` was computed from.
 * @param {Tensor} out
 * @param {Tensor} [start] d(loss)/d(out); 1 for a single value
 * @param {{ retainGraph?: boolean }} [options] retainGraph: false; true lets another backward use the computation again
 * @throws {import('../errors.js').GlassformerError} 'state' without a recorded computation or for one already used,
 *   'shape' and 'type' for a gradient that does not fit
 */
export function backward(out, start, options) {
  expectFirstOrder('backward', options)
  const { retainGraph = false } = expectOptions('backward', options, ['retainGraph'])
  expectBoolean('backward', 'retainGraph', retainGraph)
  const { gradients, nodes } = walk([{ out, start }], retainGraph, false)
  for (const [tensor, gradient] of gradients) {
    if (tensor.retainsGrad) addToGrad(tensor, gradient)
    const trace = /** @type {Node} */ (tensor.node).trace
    trace ? trace.keepGradient(tensor, gradient) : gradient.dispose()
  }
  if (!retainGraph) releaseNodes(out.engine, nodes, [out])
}

/**
 * As backward, but no `grad` is changed: a trace keeps the gradients of all its tensors.
 * @param {Tensor} out @param {Tensor} start @param {import('../trace/trace.js').Trace} trace
 */
export function backwardInto(out, start, trace) {
  const { engine } = out, { gradients, nodes } = walk([{ out, start }], false, true)
  trace.hasOwnGradients = true
  for (const node of nodes) node.usedAt = engine.writeCount
  for (const [tensor, gradient] of gradients) trace.keepGradient(tensor, engine.keep(gradient))
  releaseNodes(engine, nodes, [out])
}

/**
 * Lets go of what a used computation refers to. Outside `tidy` the values of its tensors leave the engine's memory at
 * once: a program that still has one of them may read it, but most are garbage, and nothing tells which.
 * @param {Engine} engine @param {readonly Node[]} nodes @param {readonly Tensor[]} outs which are likely to be read
 */
function releaseNodes({ collector, scopes }, nodes, outs) {
  if (collector.isPaused) return // an outer backward may use them
  if (!scopes.length) moveOutputs(nodes, outs)
  for (const node of nodes) if (!node.trace) node.inputs = node.outputs = node.saved = NOTHING
}

/** What used nodes refer to. */
const NOTHING = Object.freeze({})

/** @param {readonly Node[]} nodes @param {readonly Tensor[]} outs */
function moveOutputs(nodes, outs) {
  const untraced = nodes.filter(node => !node.trace)
  /** Those of leaves. @type {Set<Tensor['storage']>} */ const storages = new Set()
  for (const { inputs } of untraced) {
    for (const name in inputs) if (inputs[name] && !inputs[name].node) storages.add(inputs[name].storage)
  }
  for (const { outputs } of untraced) {
    for (const name in outputs) {
      const output = outputs[name]
      if (storages.has(output.storage)) output.forget()
      else if (!outs.includes(output)) output.storage?.moveOut()
    }
  }
}

/**
 * The gradients of outputs with respect to inputs, which may be leaves or computed tensors: torch.autograd.grad. No
 * `grad` is changed. There is no createGraph: gradients are not recorded, so they have no gradients themselves.
 * @template {Tensor | readonly Tensor[]} I
 * @param {Tensor | readonly Tensor[]} outputs their sum is differentiated @param {I} inputs
 * @param {{ gradOutputs?: Tensor | readonly Tensor[], retainGraph?: boolean, allowUnused?: boolean }} [options]
 *   gradOutputs: 1, the gradients of the outputs, needed for outputs of more than one value; retainGraph: false;
 *   allowUnused: false; true gives null for an input that the outputs do not depend on
 * @returns {I extends readonly Tensor[] ? (Tensor | null)[] : Tensor} one gradient for each input
 * @throws {import('../errors.js').GlassformerError} 'state' for an unused input, or a graph that an earlier backward
 *   has freed
 * @example
 * const x = gf.tensor([1, 2, 3], { requiresGrad: true })
 * const [dx] = gf.grad(x.square().sum(), [x])
 * dx                                              // [2, 4, 6]
 * x.grad                                          // null
 */
export function grad(outputs, inputs, options) {
  expectFirstOrder('grad', options)
  const { gradOutputs, retainGraph = false, allowUnused = false } =
    expectOptions('grad', options, ['gradOutputs', 'retainGraph', 'allowUnused'])
  expectBoolean('grad', 'retainGraph', retainGraph)
  expectBoolean('grad', 'allowUnused', allowUnused)
  const [outs, ins, starts] = [outputs, inputs, gradOutputs ?? []].map(tensors => [tensors].flat())
  const areTensors = [...outs, ...ins, ...starts].every(t => typeof t?.requiresGrad === 'boolean') && outs.length > 0
  expect(areTensors, 'type', () => 'grad: outputs, inputs and gradOutputs must be tensors or lists of them')
  const { gradients, nodes } = walk(outs.map((out, i) => ({ out, start: starts[i] })), retainGraph, true)
  const missing = ins.findIndex(input => !gradients.has(input))
  if (missing >= 0 && !allowUnused) for (const gradient of gradients.values()) gradient.dispose()
  expect(missing < 0 || allowUnused, 'state',
    () => `grad: inputs[${missing}], ${describe(ins[missing])}, was not used ` +
      'to compute outputs, or does not require a gradient; allowUnused: true gives null for it')
  for (const [tensor, gradient] of gradients) if (!ins.includes(tensor)) gradient.dispose()
  if (!retainGraph) releaseNodes(outs[0].engine, nodes, outs)
  const list = ins.map(input => gradients.get(input) ?? null)
  return /** @type {any} */ (Array.isArray(inputs) ? list : list[0])
}
