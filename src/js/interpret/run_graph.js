import { keyOf, resolveViews } from '../autograd/graph.js'
import { findAttentions } from './attentions.js'

/**
 * Queries on the graph of a run: what was computed from what.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 */

/** The graph of one run, with tensors instead of names. */
export class RunGraph {
  /** @type {Map<Tensor, boolean>} */ #data = new Map()
  /** @type {Map<Node, number>} */ #order
  /** Parameters and buffers of modules. @type {Set<Tensor>} */ #owned
  #trace

  /** @param {import('../trace/edits.js').TensorSource} source a run or a trace */
  constructor(source) {
    const { recording } = source
    /** Only of a run its tensors can be described. */
    this.run = /** @type {import('../trace/observe.js').Run} */ (source)
    this.#trace = recording
    this.#order = new Map(recording.nodes.map((node, i) => [node, i]))
    this.#owned = new Set(recording.calls.flatMap(({ module }) => [...module.ownTensors()].map(([, tensor]) => tensor)))
    /** All attentions, by the node that computes their output. */
    this.attentions = findAttentions(recording)
    this.resolve = resolveViews(recording.nodes)
  }

  get nodes() {
    return this.#trace.nodes
  }

  /** The operation of the run that computed a tensor. @param {Tensor} tensor */
  producerOf(tensor) {
    return this.#trace.tracedProducerOf(tensor)
  }

  /** The index of the operation that computed a tensor, −1 for inputs. @param {Tensor} tensor */
  orderOf(tensor) {
    const node = this.producerOf(tensor)
    return node ? this.#order.get(node) ?? -1 : -1
  }

  /** @param {Tensor} tensor */
  nameOf(tensor) {
    return this.#trace.nameOf(tensor) ?? ''
  }

  /** Whether an edit set any of some cells. @param {Tensor} tensor @param {readonly number[][]} indices */
  isEdited(tensor, indices) {
    const name = this.nameOf(tensor)
    return indices.some(index => this.#trace.isEdited(name, index))
  }

  /** Whether any cell of a run was edited. */
  get hasEdits() {
    return this.#trace.hasEdits
  }

  /** The tensors that one was computed from. @param {Tensor} tensor @returns {Tensor[]} */
  inputsOf(tensor) {
    return Object.values(this.producerOf(tensor)?.inputs ?? {}).filter(Boolean)
  }

  /**
   * Whether a tensor depends on the run's input: looked-up rows and given tensors do, parameters do not.
   * @param {Tensor} tensor @returns {boolean}
   */
  isData(tensor) {
    const known = this.#data.get(tensor)
    if (known !== undefined) return known
    const node = this.producerOf(tensor)
    const is = node ? node.op.name === 'embedding' || this.inputsOf(tensor).some(input => this.isData(input))
      : !tensor.requiresGrad && !this.#owned.has(tensor)
    this.#data.set(tensor, is)
    return is
  }

  /**
   * The operations on the way from some tensors to one, the last first; null if it was not computed from them.
   * @param {ReadonlySet<Tensor>} others @param {Tensor} tensor @returns {Node[] | null}
   */
  pathFrom(others, tensor) {
    const first = Math.min(...[...others].map(other => this.orderOf(other)))
    const visited = new Set([tensor]), pending = [tensor]
    /** @type {Node[]} */ const path = []
    let isReached = false
    for (let at = pending.pop(); at; at = pending.pop()) {
      const node = this.producerOf(at)
      if (node) path.push(node)
      for (const input of this.inputsOf(at)) {
        if (others.has(input)) isReached = true
        else if (!visited.has(input) && this.orderOf(input) >= first) visited.add(input) && pending.push(input)
      }
    }
    return isReached ? path : null
  }

  /**
   * Whether a tensor was computed from one of some others.
   * @param {Tensor} tensor @param {ReadonlySet<Tensor>} others
   */
  dependsOn(tensor, others) {
    return this.pathFrom(others, tensor) !== null
  }

  /**
   * A tensor and the operands of the sum it is, through all sums and views; parameters left out.
   * @param {Tensor} tensor @returns {Set<Tensor>}
   */
  summandsOf(tensor) {
    /** @type {Set<Tensor>} */ const found = new Set(), pending = [tensor]
    for (let at = pending.pop(); at; at = pending.pop()) {
      if (found.has(at) || !this.isData(at)) continue
      found.add(at)
      const node = this.producerOf(at)
      if (node && (node.op.name === 'add' || node.op.isView)) pending.push(...this.inputsOf(at))
    }
    return found
  }

  /**
   * Attention that computed a tensor: one operation, or a product with a softmax.
   * @param {Tensor} tensor @returns {Node | null}
   */
  attentionOf(tensor) {
    const node = this.producerOf(tensor)
    return node && this.attentions.has(node) && keyOf(node, tensor) === 'out' ? node : null
  }

  /**
   * Whether a sub-layer's result comes from attention without an activation between.
   * @param {Tensor} tensor @param {ReadonlySet<Tensor>} stream where the search ends
   */
  comesFromAttention(tensor, stream) {
    const visited = new Set([tensor]), pending = [tensor]
    for (let at = pending.pop(); at; at = pending.pop()) {
      if (stream.has(at)) continue
      if (this.attentionOf(at)) return true
      const node = this.producerOf(at)
      if (!node || node.op.kind === 'activation' || ['softmax', 'embedding', 'matmul'].includes(node.op.name)) continue
      for (const input of this.inputsOf(at)) if (!visited.has(input)) visited.add(input) && pending.push(input)
    }
    return false
  }
}
