import { describe, expect, expectBoolean, optionsOf, otherEngineError, shapeText } from './errors.js'
import { sameShape } from './shape.js'

/**
 * @typedef {import('./tensor.js').Tensor} Tensor
 *
 * An operation as the library knows it, one object in each file of ops/.
 * @typedef {object} Operation
 * @property {string} name
 * @property {(node: Node, gradient: (tensor: Tensor | null | undefined) => number) => void} backward
 *   adds to the gradients of the inputs, of which at least one is wanted; `gradient(t)` is the address of t's gradient,
 *   or 0 where none is wanted
 * @property {import('./explain.js').ExplainCell} explain how one cell of an output was made
 * @property {import('./explain.js').ExplainGradient} explainGradient what this use of an input gives to its gradient
 * @property {Record<string, readonly string[]>} [reads] the inputs whose gradients are made with an input's values
 * @property {boolean} [isView] the output shows cells of its only input
 * @property {boolean} [usesOutput] backward is made with the output as it was computed, see `computedOutput`
 * @property {(node: Node, output: string) => Record<string, any>} [from] what an output was computed from directly, by
 *   the names of the formula; without it all inputs
 * @property {Record<string, string>} [roles] what the outputs are in a model, where their own names do not say it
 * @property {(node: Node, of: (tensor: Tensor) => import('./axes.js').Axes, output: string) =>
 *   import('./axes.js').Axes | null} [axes] what runs along the axes of an output, from what runs along the inputs';
 *   null or without it as the inputs' shapes tell
 * @property {Record<string, import('./axes.js').Axes | ((node: Node, of: (tensor: Tensor) => import('./axes.js').Axes)
 *   =>
 *   import('./axes.js').Axes)>} [inputAxes] the same for inputs that nothing was computed for, perhaps from the others
 * @property {(node: Node) => Record<string, unknown>} [parameters] numbers and words that it was called with
 * @property {(node: Node) => { multiplyAdds: number, parameters?: number, by?: Record<string, number> }} [cost]
 *   parameters: if it uses only some of a tensor; by: the multiply-adds of each output, where they are not of the first
 *
 * One recorded use of an operation.
 * @typedef {object} Node
 * @property {Operation} op
 * @property {Record<string, any>} inputs tensors or null, by the names of the op's formula
 * @property {Record<string, Tensor>} outputs
 * @property {any} saved sizes and what else backward and explain need
 * @property {import('./trace.js').Trace | null} trace the trace it belongs to
 * @property {import('./trace_calls.js').Call | null} [call] the call of a module that it belongs to
 * @property {Tensor} [computed] the output before an edit, of an operation that `usesOutput`
 * @property {number} at the engine's moment when it was computed
 * @property {number} [usedAt] the engine's moment when backward had gone through it
 * @property {boolean} [spent] and did not retain it for another time
 */

/**
 * Whether `backward` will come by operations on these tensors.
 * @param {import('./engine.js').Engine} engine @param {(Tensor | null | undefined)[]} inputs
 */
export const needsGradient = (engine, inputs) => engine.gradEnabled && inputs.some(t => t?.requiresGrad)

/**
 * Notes how `outputs` were made, if anybody will ask: for `backward` when an input needs a gradient, and for the trace
 * being recorded. The first output is the one that carries the gradient.
 * @param {import('./engine.js').Engine} engine
 * @param {Operation} op
 * @param {Node['inputs']} inputs
 * @param {Node['outputs']} outputs
 * @param {any} [saved]
 * @returns {Tensor} the first output
 */
export function record(engine, op, inputs, outputs, saved = {}) {
  const out = outputs.out ?? firstOf(outputs)
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
 * The output that a derivative is made with: as computed, since an edited one need not be a value of the function (a
 * tanh of 7, a largest that no cell is equal to).
 * @param {Node} node @returns {Tensor}
 */
export const computedOutput = ({ computed, outputs }) => computed ?? outputs.out

/** @param {Record<string, Tensor>} tensors, at least one */
function firstOf(tensors) {
  let first
  for (first in tensors) break
  return tensors[/** @type {string} */ (first)]
}

/** Sets what gradients there are to zero. @param {Iterable<Tensor>} tensors */
export function clearGradients(tensors) {
  for (const { grad } of tensors) {
    grad?.values.fill(0)
    grad?.touch()
  }
}

/**
 * Whether an operation on these inputs will be asked about: then it keeps what it would otherwise throw away.
 * @param {import('./engine.js').Engine} engine @param {...(Tensor | null | undefined)} inputs
 */
export const needsSaving = (engine, ...inputs) => Boolean(engine.trace) || needsGradient(engine, inputs)

/** The recorded operations that lead to `outs`, each after all that use its outputs. @param {Tensor[]} outs */
function nodesFrom(outs) {
  /** @type {Node[]} */ const order = []
  const seen = new Set()
  /** @type {{ node: Node, inputs: Iterator<Tensor | null | undefined> }[]} */ const path = []
  const enter = (/** @type {Node | null | undefined} */ node) => {
    if (!node || seen.has(node)) return
    seen.add(node)
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
    `(in ${node.op.name}); compute it again, or give that one { retainGraph: true }`)
  for (const tensors of [node.inputs, node.outputs, node.saved]) for (const name in tensors) {
    expect(!tensors[name]?.disposed, 'state', () =>
      `backward: ${name} of ${node.op.name} was disposed before; ` +
      'call backward inside the same gf.tidy as the computation')
  }
  checkUnchanged(node)
}

/** Values that gradients are made with are still those that were computed with. @param {Node} node */
function checkUnchanged({ op, inputs, at }) {
  for (const [name, others] of Object.entries(op.reads ?? {})) {
    const isNeeded = others.some(other => inputs[other]?.requiresGrad)
    expect(!isNeeded || !inputs[name]?.isChangedSince(at), 'state', () =>
      `backward: ${name} of ${op.name} was overwritten after it was used (by an optimiser's step, nn.init or ` +
      'loadStateDict), so gradients can no longer be computed with it; call backward before, or forward again')
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
    expect(out.size === 1, 'shape',
      () => `backward: ${describe(out)} is not a single value; write y.sum().backward(), or ` +
        'y.backward(gradient) with a gradient of that shape')
    return
  }
  expect(gradient.engine === engine && gradient.dtype === 'float32', 'type',
    () => `backward: gradient must be a float32 tensor of the same engine, got ${describe(gradient)}`)
  expect(sameShape(gradient.shape, out.shape), 'shape',
    () => `backward: gradient must have shape ${shapeText(out.shape)}, got ${shapeText(gradient.shape)}`)
}

/**
 * Walks the recorded computation backward. Gradients of what was computed pass through; those of leaves are added to
 * their `grad`, or, collecting, returned with the others.
 * @param {{ out: Tensor, start?: Tensor }[]} starts @param {boolean} retainGraph @param {boolean} isCollecting
 * @returns {Map<Tensor, Tensor>} by the tensors whose gradients they are
 */
function walk(starts, retainGraph, isCollecting) {
  for (const { out, start } of starts) checkStart(out, start)
  const { engine } = starts[0].out, nodes = nodesFrom(starts.map(({ out }) => out))
  nodes.forEach(checkUsable)
  /** @type {Map<Tensor, Tensor>} */ const passing = new Map()
  /** Gradients of leaves that are added to, and, where somebody may ask, those that had something in them before. */
  /** @type {Set<Tensor>} */ const added = new Set()
  /** @type {Tensor[]} */ const begun = []
  /** Those that had no gradient before. @type {Tensor[]} */ const leaves = []
  const isTraced = nodes.some(node => node.trace) && nodes.every(node => node.usedAt === undefined)

  /** @param {Tensor} held a leaf's gradient, to which this walk adds */
  const noteSum = held => {
    if (added.has(held)) return
    added.add(held)
    held.touch()
    if (isTraced && held.values.some(value => value !== 0)) begun.push(held)
  }

  /** @param {Tensor} tensor */
  const gradientOf = tensor => {
    const isPassing = isCollecting || tensor.node, held = isPassing ? passing.get(tensor) : tensor.grad
    if (!isPassing && held) noteSum(held)
    if (held) return held
    const zeros = engine.zeros(tensor.shape), fresh = isCollecting ? zeros : engine.keep(zeros)
    if (isPassing) passing.set(tensor, fresh)
    else {
      tensor.grad = fresh
      leaves.push(tensor)
    }
    return fresh
  }
  /** @param {Tensor} tensor @param {Tensor | undefined} values */
  const add = (tensor, values) => {
    const { values: to } = gradientOf(tensor)
    values ? values.values.forEach((v, i) => { to[i] += v }) : (to[0] += 1)
  }

  /** @param {Node} node */
  const goBack = node => {
    node.spent = !retainGraph
    const made = Object.values(node.outputs)
    if (!Object.values(node.inputs).some(t => t?.requiresGrad)) return // switched off since the computation
    node.op.backward(node, tensor =>
      tensor && (tensor.requiresGrad || made.includes(tensor)) ? gradientOf(tensor).address : 0)
  }

  const outer = engine.isCollecting
  engine.isCollecting = isCollecting
  try {
    for (const { out, start } of starts) add(out, start)
    nodes.forEach(goBack)
  } catch (error) {
    // Half a gradient is none.
    for (const gradient of passing.values()) gradient.dispose()
    for (const leaf of leaves) {
      leaf.grad?.dispose()
      leaf.grad = null
    }
    throw error
  } finally {
    engine.isCollecting = outer
  }
  if (!isCollecting) for (const node of nodes) node.usedAt = engine.writeCount
  for (const held of begun) held.touch()
  return passing
}

/** @param {string} where @param {any} options */
const noSecondOrder = (where, options) => expect(!(options && typeof options === 'object' && options.createGraph), 'type',
  () => `${where}: there is no createGraph, since gradients have no gradients of their own here; approximate with the difference ` +
    'of two gradients, or write the first derivative out as tensor operations and call gf.grad on that')

/**
 * Adds d(out)/d(leaf) to the `grad` of the leaves that `out` was computed from.
 * @param {Tensor} out
 * @param {Tensor} [start] d(loss)/d(out); 1 for a single value
 * @param {{ retainGraph?: boolean }} [options] retainGraph: false; true lets another backward use the computation again
 * @throws {import('./errors.js').GlassformerError} 'state' without a recorded computation or for one already used,
 *   'shape' and 'type' for a gradient that does not fit
 */
export function backward(out, start, options) {
  noSecondOrder('backward', options)
  const { retainGraph = false } = optionsOf('backward', options, ['retainGraph'])
  expectBoolean('backward', 'retainGraph', retainGraph)
  for (const [tensor, gradient] of walk([{ out, start }], retainGraph, false)) {
    const trace = /** @type {Node} */ (tensor.node).trace
    trace ? trace.keepGradient(tensor, gradient) : gradient.dispose()
  }
}

/**
 * The gradients of outputs by inputs, which may be leaves or computed: torch.autograd.grad. No `grad` is changed. The
 * gradients are numbers and no computation: there is no createGraph, and no gradient of a gradient.
 * @template {Tensor | readonly Tensor[]} I
 * @param {Tensor | readonly Tensor[]} outputs their sum is differentiated @param {I} inputs
 * @param {{ gradOutputs?: Tensor | readonly Tensor[], retainGraph?: boolean, allowUnused?: boolean }} [options]
 *   gradOutputs: what to start from, needed for outputs of more than one value; retainGraph: false; allowUnused: false;
 *   true gives null for an input that the outputs do not depend on
 * @returns {I extends readonly Tensor[] ? (Tensor | null)[] : Tensor} one for each input
 * @throws {import('./errors.js').GlassformerError} 'state' for an input that is not used or a computation that is spent
 * @example
 * const x = gf.tensor([1, 2, 3], { requiresGrad: true })
 * const [dx] = gf.grad(x.square().sum(), [x])
 * dx                                              // [2, 4, 6]
 * x.grad                                          // null
 */
export function grad(outputs, inputs, options) {
  noSecondOrder('grad', options)
  const { gradOutputs, retainGraph = false, allowUnused = false } =
    optionsOf('grad', options, ['gradOutputs', 'retainGraph', 'allowUnused'])
  expectBoolean('grad', 'retainGraph', retainGraph)
  expectBoolean('grad', 'allowUnused', allowUnused)
  const [outs, ins, starts] = [outputs, inputs, gradOutputs ?? []].map(given => [given].flat())
  const areTensors = [...outs, ...ins, ...starts].every(t => typeof t?.requiresGrad === 'boolean') && outs.length > 0
  expect(areTensors, 'type', () => 'grad: outputs, inputs and gradOutputs must be tensors or lists of them')
  const found = walk(outs.map((out, i) => ({ out, start: starts[i] })), retainGraph, true)
  const missing = ins.findIndex(input => !found.has(input))
  if (missing >= 0 && !allowUnused) for (const gradient of found.values()) gradient.dispose()
  expect(missing < 0 || allowUnused, 'state',
    () => `grad: inputs[${missing}], ${describe(ins[missing])}, was not used ` +
      'to compute outputs, or does not require a gradient; allowUnused: true gives null for it')
  for (const [tensor, gradient] of found) if (!ins.includes(tensor)) gradient.dispose()
  const list = ins.map(input => found.get(input) ?? null)
  return /** @type {any} */ (Array.isArray(inputs) ? list : list[0])
}
