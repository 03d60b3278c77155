import { keyOf } from '../autograd/graph.js'
import { indexOf } from '../tensor/shape.js'
import { carryBack, valueOf } from './directions.js'
import { headParts } from './head_parts.js'
import { SubLayers } from './sub_layers.js'

/**
 * Splits a linear function of a run's logits into what the parts of the model added to it: walks from the logits along
 * the residual stream to the embeddings, and into sub-layers of attention as far as their heads.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 * @typedef {import('./directions.js').Direction} Direction
 * @typedef {import('./head_parts.js').Sources} Sources
 *
 * @typedef {'embedding' | 'position' | 'token_type' | 'input' | 'head' | 'attention' | 'feed_forward' | 'bias' | 'norm'
 *   | 'edit' | 'other'} Role
 *
 * A part before it gets names; direction: null for a number that no tensor has.
 * @typedef {{ role: Role, tensor: Tensor, direction: Direction | null, value: number, head?: number | null,
 *   sources?: Sources, neurons?: Neurons, order: number }} FoundPart
 *
 * values: what each neuron wrote, bias: what the last layer's bias did; name: the tensor of the neurons' activations.
 * @typedef {{ tensor: Tensor, values: Float64Array, bias: number }} Neurons
 */

/** One walk; `parts` grows. */
export class AttributionWalk {
  /** @type {FoundPart[]} */ parts = []
  /** @type {{ direction: Direction, stream: ReadonlySet<Tensor> | null }[]} */ #pending = []
  #graph
  #subLayers
  #options

  /** @param {RunGraph} graph @param {{ bySource: boolean, neurons: boolean }} options */
  constructor(graph, options) {
    this.#graph = graph
    this.#subLayers = new SubLayers(graph)
    this.#options = options
  }

  /** @param {Direction} direction of the logits @returns {FoundPart[]} */
  run(direction) {
    this.#pending.push({ direction, stream: null })
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) this.#visit(next.direction, next.stream)
    return this.parts
  }

  /** The layer of a part; null outside of the layers. @param {FoundPart} part */
  layerOf({ order }) {
    return order < 0 ? null : this.#subLayers.layerOf(this.#graph.nodes[order])
  }

  /** @param {Role} role @param {Direction} direction @param {Partial<FoundPart>} [more] */
  #add(role, direction, more) {
    const { tensor } = direction, order = this.#graph.orderOf(tensor)
    this.parts.push({ role, tensor, direction, value: valueOf(direction), order, ...more })
  }

  /**
   * Carries a direction one operation back; false where that cannot be done.
   * @param {Direction} direction @param {(tensor: Tensor) => boolean} prefers which operand of a product to follow
   * @param {(direction: Direction) => void} next for every operand that depends on the input
   */
  #carry(direction, prefers, next) {
    const graph = this.#graph, node = /** @type {Node} */ (graph.producerOf(direction.tensor))
    const isData = (/** @type {Tensor} */ tensor) => graph.isData(tensor)
    const below = carryBack(node, keyOf(node, direction.tensor), direction, {
      isData, follow: ({ inputs: { a, b } }) => followedOperand(a, b, [isData, prefers,
        tensor => graph.dependsOn(tensor === a ? b : a, new Set([tensor]))])
    })
    if (!below) return false
    for (const item of below) {
      if ('constant' in item) {
        const order = graph.orderOf(direction.tensor)
        this.parts.push({ role: 'bias', tensor: direction.tensor, direction: null, value: item.constant, order })
      } else if (isData(item.tensor)) next(item)
      else this.#add(this.#roleOfParameter(item), item, { order: graph.orderOf(direction.tensor) })
    }
    return true
  }

  /** @param {Direction} direction @returns {Role} */
  #roleOfParameter({ tensor, role }) {
    if (role) return role
    const name = this.#graph.nameOf(tensor), node = this.#graph.producerOf(tensor)
    const [axis] = this.#graph.run.describe(name).axes
    return axis?.name === 'position' || node?.op.name === 'positional_encoding' || (tensor.shape.length > 1 && isPositionName(name))
      ? 'position' : 'bias'
  }

  /**
   * @param {Direction} direction
   * @param {ReadonlySet<Tensor> | null} stream of a direction inside a sub-layer: the stream that it was added to
   */
  #visit(direction, stream) {
    const graph = this.#graph, { tensor, cells } = direction
    const node = graph.producerOf(tensor), attention = graph.attentionOf(tensor)
    const isEdited = graph.hasEdits && graph.isEdited(tensor, Array.from(cells, cell => indexOf(tensor.shape, cell)))
    if (attention) {
      this.parts.push(...headParts(graph, attention, direction, this.#options.bySource && !isEdited))
    } else if (isEdited) this.#add('edit', direction)
    else if (!node) this.#add('input', direction)
    else if (node.op.name === 'embedding') this.#add(roleOfEmbedding(graph, node), direction)
    else if (stream) this.#visitSubLayer(direction, stream)
    else this.#visitStream(direction, node)
  }

  /** @param {Direction} direction @param {Node} node */
  #visitStream(direction, node) {
    const own = this.#subLayers.addedBy(node)
    const isCarried = this.#carry(direction, () => false, next => {
      const isAdded = own && this.#graph.resolve(next.tensor) === own.change
      this.#pending.push({ direction: next, stream: isAdded ? own.stream : null })
    })
    if (!isCarried) this.#add('other', direction)
  }

  /** @param {Direction} direction @param {ReadonlySet<Tensor>} stream */
  #visitSubLayer(direction, stream) {
    const fromAttention = (/** @type {Tensor} */ tensor) => this.#graph.comesFromAttention(tensor, stream)
    if (!fromAttention(direction.tensor)) {
      this.#addFeedForward(direction, stream)
      return
    }
    const isCarried = this.#carry(direction, fromAttention, next => this.#pending.push({ direction: next, stream }))
    if (!isCarried) this.#add('attention', direction)
  }

  /**
   * A sub-layer without attention is one part, taken where its last linear layer has made it.
   * @param {Direction} top @param {ReadonlySet<Tensor>} stream
   */
  #addFeedForward(top, stream) {
    const graph = this.#graph, length = this.parts.length
    let at = top
    for (let node = graph.producerOf(at.tensor); node && node.op.name !== 'linear'; node = graph.producerOf(at.tensor)) {
      const data = graph.inputsOf(at.tensor).filter(input => graph.isData(input))
      /** @type {Direction[]} */ const below = []
      const isStep = data.length === 1 && node.op.kind !== 'activation' && !stream.has(data[0]) &&
        this.#carry(at, () => false, next => below.push(next))
      if (!isStep || below.length !== 1) break
      at = below[0]
    }
    const isLinear = graph.producerOf(at.tensor)?.op.name === 'linear'
    // What lies above stays in one part where there is no linear layer below it.
    if (!isLinear) this.parts.length = length
    const own = isLinear ? at : top, neurons = isLinear && this.#options.neurons ? this.#neuronsOf(own) : undefined
    const role = /attn|attention/i.test(graph.nameOf(own.tensor)) ? 'attention' : 'feed_forward'
    this.#add(stream.size ? role : 'other', own, { neurons })
  }

  /**
   * What each neuron before a feed-forward's last linear layer wrote.
   * @param {Direction} direction @returns {Neurons}
   */
  #neuronsOf(direction) {
    const graph = this.#graph, node = /** @type {Node} */ (graph.producerOf(direction.tensor))
    const below = /** @type {Direction[]} */ (carryBack(node, 'out', direction, { isData: () => true, follow: () => null }))
    const [{ tensor, cells, factors }, ...biases] = below, { values } = tensor
    return {
      tensor, values: factors.map((f, i) => f * Number(values[cells[i]])),
      bias: biases.reduce((sum, bias) => sum + valueOf(bias), 0)
    }
  }
}

/**
 * What is looked up: tokens, positions or token types.
 * @param {RunGraph} graph @param {Node} node @returns {'embedding' | 'position' | 'token_type'}
 */
export function roleOfEmbedding(graph, { inputs: { weight }, outputs: { out }, saved: { ids } }) {
  const { axes: [axis], role } = graph.run.describe(graph.nameOf(weight)), name = graph.nameOf(out)
  // A table that no module trains, read row after row, has sinusoids.
  const isCounting = role === 'given' && isConsecutive(ids)
  if (axis?.name === 'position' || isCounting || isPositionName(name)) return 'position'
  if (axis?.name === 'bucket') return 'position'
  return axis?.name === 'type' || /type|segment/i.test(name) ? 'token_type' : 'embedding'
}

/** Whether each id of a row is the one before and 1. @param {Tensor} ids */
const isConsecutive = ({ shape, values }) => {
  const T = shape[shape.length - 1]
  return Array.from(values).every((id, i) => i % T === 0 || Number(id) === Number(values[i - 1]) + 1)
}

/** Whether a tensor's name is one of positions: wpe, pos_embed, positionEmbeddings. @param {string} name */
const isPositionName = name => /(^|[._])(w?pe([._]|$)|pos([._A-Z]|$)|pos_?(emb|enc|ition))/i.test(name)

/**
 * The operand of a product that the walk follows: by the first test that only one of both passes.
 * @param {Tensor} a @param {Tensor} b @param {((tensor: Tensor) => boolean)[]} tests @returns {'a' | 'b' | null}
 */
function followedOperand(a, b, tests) {
  for (const passes of tests) {
    const [left, right] = [passes(a), passes(b)]
    if (left !== right) return left ? 'a' : 'b'
  }
  return null
}
