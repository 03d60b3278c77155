import { keyOf } from '../autograd/graph.js'
import { expect, expectInteger } from '../errors.js'

/**
 * The residual stream of a run and its sub-layers, found in the graph: no class of model is known here.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 * @typedef {import('./attentions.js').Attention} Attention
 *
 * A sub-layer: it reads `input` from the residual stream and adds `change` to it, which gives `sum`. stream: all that
 * `input` is a sum of; attentions: in the order in which they are computed; isFirst: whether a layer begins with it.
 * layer: counted along a stream, so that the layers of a decoder that reads an encoder begin with 0 again.
 * @typedef {{ kind: 'attention' | 'feedForward', input: Tensor, change: Tensor, sum: Tensor, layer: number,
 *   isFirst: boolean, stream: ReadonlySet<Tensor>, attentions: Attention[] }} SubLayer
 *
 * head: its number in the attention.
 * @typedef {{ sub: SubLayer, attention: Attention, head: number }} Head
 *
 * An operation on the stream, and the name of the input through which the stream comes.
 * @typedef {{ node: Node, input: string }} StreamStep
 *
 * steps: from the last point to the logits, in order.
 * @typedef {{ points: { tensor: Tensor, layer: number }[], steps: StreamStep[] }} Stream
 */

/** Operations that are part of every sub-layer: something is multiplied by weights. */
const PRODUCTS = ['linear', 'matmul', 'attention']

/** The path of a node's module as far as its last number, such as model.layers.0. @param {Node | undefined} node */
const layerPathOf = node => node?.call?.path.match(/^(.*\.)?\d+(?=\.|$)/)?.[0] ?? ''

/** The heads of a sub-layer. @param {SubLayer} sub @returns {Head[]} */
export const headsOf = sub => sub.attentions.flatMap(attention => (
  Array.from({ length: attention.heads }, (_, head) => ({ sub, attention, head }))))

/** The sub-layers of a run. */
export class SubLayers {
  /** In the order of their sums. @type {SubLayer[]} */ list = []
  /** The sub-layer that an operation is part of, with the sum. @type {Map<Node, SubLayer>} */ #owners = new Map()
  #graph

  /** @param {RunGraph} graph */
  constructor(graph) {
    this.#graph = graph
    for (const node of graph.nodes) {
      const { op, inputs: { a, b }, outputs: { out } } = node
      if (op.name !== 'add' || !b || out.shape.length < 2 || [a, b].some(x => x.numel() !== out.numel())) continue
      if (!this.#addSum(node, a, b)) this.#addSum(node, b, a)
    }
  }

  /**
   * A residual sum adds to a tensor what was computed from it, or from what it is a sum of where layers are parallel.
   * @param {Node} node @param {Tensor} input @param {Tensor} change
   */
  #addSum(node, input, change) {
    const graph = this.#graph, stream = graph.summandsOf(input)
    const path = graph.pathFrom(stream, change)?.filter(step => !this.#owners.has(step))
    if (!path?.some(({ op }) => PRODUCTS.includes(op.name))) return false
    const attentions = path.flatMap(step => graph.attentions.get(step) ?? [])
      .sort((a, b) => graph.orderOf(a.out) - graph.orderOf(b.out))
    const before = this.list.at(-1)
    /** @type {SubLayer['kind']} */ const kind = attentions.length ? 'attention' : 'feedForward'
    const isContinued = before && (input === before.sum || graph.dependsOn(input, new Set([before.sum])))
    const isFirst = !isContinued || this.#isNew(before, kind, node)
    const layer = isContinued ? before.layer + Number(isFirst) : 0
    const [read, added] = [input, change].map(graph.resolve), { out: sum } = node.outputs
    const own = { kind, input: read, change: added, sum, layer, isFirst, stream, attentions }
    this.list.push(own)
    for (const step of [...path, node]) this.#owners.set(step, own)
    return true
  }

  /**
   * A layer begins with an attention after a feed-forward network, and with a second sub-layer of a kind unless the
   * same module computes both, as self-attention and cross-attention.
   * @param {SubLayer} before @param {SubLayer['kind']} kind @param {Node} node the sum
   */
  #isNew(before, kind, node) {
    const path = layerPathOf(node)
    return before.kind !== kind ? kind === 'attention'
      : path === '' || path !== layerPathOf(this.#graph.producerOf(before.sum))
  }

  /** Those of the last stream, whose layers have numbers of their own: a decoder's that reads an encoder. */
  get numbered() {
    return this.list.slice(this.list.findLastIndex(({ layer, isFirst }) => isFirst && layer === 0))
  }

  /**
   * The head with a number, of the first attention of its layer; attentions of one head are numbered along the layer.
   * @param {string} where @param {string} name that messages begin with @param {any} numbers { layer, head }
   * @returns {Head}
   */
  headAt(where, name, { layer, head }) {
    const { numbered } = this
    expectInteger(where, `${name}layer`, layer, 0, numbered.at(-1)?.layer ?? -1)
    const sub = numbered.find(own => own.layer === layer && own.attentions.length)
    expect(sub !== undefined, 'index', () => `${where}: ${name}layer ${layer} has no attention`)
    const heads = headsOf(sub)
    return heads[expectInteger(where, `${name}head`, head, 0, heads.length - 1)]
  }

  /** Whether an operation is inside of a sub-layer. @param {Node} node */
  isInside(node) {
    return this.#owners.has(node) && !this.addedBy(node)
  }

  /** The sub-layer that an operation adds to the stream. @param {Node} node @returns {SubLayer | undefined} */
  addedBy(node) {
    const own = this.#owners.get(node)
    return own?.sum === node.outputs.out ? own : undefined
  }

  /**
   * The layer of an operation: that of its sub-layer, or on the stream that of one in the same module.
   * @param {Node} node @returns {number | null} null outside of the layers
   */
  layerOf(node) {
    const graph = this.#graph, path = layerPathOf(node), order = graph.orderOf(node.outputs.out)
    const own = this.list.filter(({ sum }) => path !== '' && layerPathOf(graph.producerOf(sum)) === path)
    const found = this.#owners.get(node) ?? own.findLast(({ sum }) => graph.orderOf(sum) < order) ?? own[0]
    return found?.layer ?? null
  }

  /**
   * Finds the stream that leads to a tensor. A point is the norm of the sum where that is in the same layer.
   * @param {Tensor} logits @returns {Stream}
   */
  findStream(logits) {
    const graph = this.#graph
    /** @type {Stream} */ const found = { points: [], steps: [] }
    /** From the last point found so far, backward. @type {(StreamStep & { tensor: Tensor })[]} */ let steps = []
    for (let tensor = logits, node = graph.producerOf(tensor); node; node = graph.producerOf(tensor)) {
      const own = this.addedBy(node)
      const next = Object.entries(node.inputs).filter(
        ([, input]) => input && graph.isData(input) && graph.resolve(input) !== own?.change)
      if (next.length !== 1 || keyOf(node, tensor) !== 'out') break
      if (own) {
        const norm = steps.at(-1), isNorm = norm?.node.op.kind === 'norm' && this.layerOf(norm.node) === own.layer
        if (!found.points.length) found.steps = (isNorm ? steps.slice(0, -1) : steps).reverse()
        found.points.unshift({ tensor: isNorm ? norm.tensor : tensor, layer: own.layer })
        steps = []
      } else steps.push({ node, input: next[0][0], tensor })
      tensor = next[0][1]
    }
    return found
  }
}
