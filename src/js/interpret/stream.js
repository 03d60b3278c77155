import { keyOf } from '../autograd/graph.js'

/**
 * The residual stream of a run: the points after each sub-layer, and the steps from the last one to the logits.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 *
 * An operation on the stream, and the name of the input through which the stream comes.
 * @typedef {{ node: Node, input: string }} StreamStep
 *
 * steps: from the last point to the logits, in order.
 * @typedef {{ points: { tensor: Tensor, layer: number | null }[], steps: StreamStep[] }} Stream
 */

/**
 * The number of the layer that computed a tensor or has it as a parameter, from the path of its module.
 * @param {RunGraph} graph @param {Tensor} tensor
 */
export function layerOf(graph, tensor) {
  const paths = [graph.producerOf(tensor)?.call?.path ?? '', graph.nameOf(tensor)]
  const number = paths.flatMap(path => path.split('.')).find(segment => /^\d+$/.test(segment))
  return number === undefined ? null : Number(number)
}

/**
 * Which operands of a sum are sub-layers, which computed what they add from the stream that they are added to.
 * @param {RunGraph} graph @param {Node} node @returns {Map<Tensor, Set<Tensor>>} with what the stream is a sum of
 */
export function findSubLayers(graph, { op, inputs: { a, b } }) {
  /** @type {Map<Tensor, Set<Tensor>>} */ const found = new Map()
  if (op.name !== 'add' || !a || !b || !graph.isData(a) || !graph.isData(b)) return found
  for (const [own, other] of [[a, b], [b, a]]) {
    const stream = graph.summandsOf(other)
    if (graph.dependsOn(own, stream)) found.set(own, stream)
  }
  return found
}

/**
 * Finds the stream that leads to a tensor.
 * @param {RunGraph} graph @param {Tensor} logits @returns {Stream}
 */
export function findStream(graph, logits) {
  /** From the logits backward. @type {(StreamStep & { tensor: Tensor, subLayer?: Tensor })[]} */ const chain = []
  for (let tensor = logits, node = graph.producerOf(tensor); node; node = graph.producerOf(tensor)) {
    const subLayers = findSubLayers(graph, node)
    const next = Object.entries(node.inputs).filter(
      ([, input]) => input && graph.isData(input) && !subLayers.has(input))
    if (next.length !== 1 || keyOf(node, tensor) !== 'out') break
    chain.push({ node, input: next[0][0], tensor, subLayer: [...subLayers.keys()][0] })
    tensor = next[0][1]
  }
  /** The index in the chain of each point. */
  const indices = chain.flatMap(({ subLayer }, i) => (subLayer ? [indexOfPoint(graph, chain, i)] : []))
  const layers = chain.flatMap(({ tensor, subLayer }) => (subLayer
    ? [layerOf(graph, tensor) ?? layerOf(graph, subLayer)] : []))
  const points = indices.map((at, i) => ({ tensor: chain[at].tensor, layer: layers[i] })).reverse()
  return { points, steps: chain.slice(0, indices[0] ?? 0).reverse().map(({ node, input }) => ({ node, input })) }
}

/**
 * The index of the point after a sub-layer: the norm of its sum where that is in the same layer, else the sum.
 * @param {RunGraph} graph @param {{ node: Node, tensor: Tensor }[]} chain @param {number} at the sum
 */
function indexOfPoint(graph, chain, at) {
  const layer = layerOf(graph, chain[at].tensor), norm = chain[at - 1]
  const isNorm = norm?.node.op.kind === 'norm' && layer !== null && layerOf(graph, norm.tensor) === layer
  return isNorm ? at - 1 : at
}
