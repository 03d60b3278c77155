import { describe, expect, expectInteger } from '../errors.js'
import { indexOf, offsetOf, sizeOf } from '../tensor/shape.js'
import { roleOfEmbedding } from './attribution_walk.js'
import { readRows } from './directions.js'
import { apply, canApply } from './logit_lens.js'
import { Replay, rowLayout } from './replay.js'

/**
 * One head as functions of vectors in the residual stream: what it reads as query, key and value, and what it writes.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./run_graph.js').RunGraph} RunGraph
 * @typedef {import('./sub_layers.js').SubLayers} SubLayers
 * @typedef {import('./replay.js').Layout} Layout
 * @typedef {import('./sub_layers.js').Head} Head
 *
 * Where the vectors of a head lie. toScores: the scores of dot products, before the mask.
 * @typedef {{ q: Layout, k: Layout, v: Layout, out: Layout, toScores: (dots: Tensor) => Tensor }} HeadLayouts
 */

/** The number of tokens that are computed together. */
const BLOCK_TOKENS = 1024

/**
 * The layouts of a head of the attention operation.
 * @param {Node} node @param {number} h @returns {HeadLayouts}
 */
function layoutsOfOperation({ inputs: { q, k, v }, outputs: { out }, saved: { sizes, group, layout, scale } }, h) {
  const { B, H, Tq, Tk, D, Dv } = sizes
  /** @param {Tensor} tensor @param {number} heads @param {number} head @param {number} T @param {number} width */
  const layoutOf = (tensor, heads, head, T, width) => {
    const [batchStep, headStep, timeStep] = layout.strides(heads, T, width)
    const first = (/** @type {number} */ row) => Math.floor(row / T) * batchStep + head * headStep + row % T * timeStep
    return { tensor, rows: B * T, width, first, step: 1 }
  }
  const shared = Math.floor(h / group), KV = H / group
  return {
    q: layoutOf(q, H, h, Tq, D), k: layoutOf(k, KV, shared, Tk, D), v: layoutOf(v, KV, shared, Tk, Dv),
    out: layoutOf(out, H, h, Tq, Dv), toScores: dots => dots.mul(scale)
  }
}

/**
 * The layouts of a head of attention written out: products of q and k, and of weights and v.
 * @param {string} where @param {RunGraph} graph @param {Head} head @param {Node} node the product of weights and v
 * @returns {HeadLayouts}
 */
function layoutsOfProduct(where, graph, { sub, attention: { weights, out }, head: h }, node) {
  const product = node.outputs.out, sides = product.shape.slice(1, -2), lead = indexOf(sides, h)
  /** The layout of a matrix of rows, or of columns. @param {Tensor} tensor @param {boolean} isTransposed */
  const matrixLayout = (tensor, isTransposed) => {
    const own = tensor.shape.slice(1, -2), size = sizeOf(tensor.shape.slice(-2)), batch = sizeOf(tensor.shape.slice(1))
    const start = offsetOf(own, lead.slice(lead.length - own.length).map((i, axis) => (own[axis] === 1 ? 0 : i))) * size
    const [a, b] = tensor.shape.slice(-2), [T, width] = isTransposed ? [b, a] : [a, b]
    const first = (/** @type {number} */ row) => (
      Math.floor(row / T) * batch + start + row % T * (isTransposed ? 1 : width))
    return { tensor, rows: tensor.shape[0] * T, width, first, step: isTransposed ? T : 1 }
  }
  const { steps, dots } = findDots(graph, sub, /** @type {Node} */ (graph.producerOf(weights)))
  expect(dots !== undefined, 'state',
    () => `${where}: ${graph.nameOf(weights)} is not a softmax of products of queries and keys`)
  const values = matrixLayout(node.inputs.b, false), { width } = values, side = out.shape[out.shape.length - 1]
  const joined = { ...rowLayout(out), width, first: (/** @type {number} */ row) => row * side + h * width }
  const toScores = (/** @type {Tensor} */ all) => steps.reduce((scores, step) => {
    expect(canApply(graph, step.node), 'state', () => `${where}: ${step.node.op.name} on the way to ${graph.nameOf(weights)} ` +
      'cannot be computed for other tokens')
    return apply(step, scores)
  }, all)
  return {
    q: matrixLayout(dots.inputs.a, false), k: matrixLayout(dots.inputs.b, true), v: values, toScores,
    out: out === product ? matrixLayout(out, false) : joined
  }
}

/**
 * The product of queries and keys, and the steps from there to a softmax, without the mask.
 * @param {RunGraph} graph @param {Head['sub']} sub @param {Node} softmax
 */
function findDots(graph, { stream }, softmax) {
  /** @type {import('./sub_layers.js').StreamStep[]} */ const steps = []
  /** @param {Node} node @returns {[string, Tensor] | undefined} */
  const before = ({ inputs }) => Object.entries(inputs).find(([, input]) => input && graph.dependsOn(input, stream))
  let [, input] = before(softmax) ?? [], dots = input && graph.producerOf(input)
  while (dots && dots.op.name !== 'matmul') {
    const [key, next] = before(dots) ?? [], isMask = dots.op.name === 'add' && dots.inputs.a && dots.inputs.b
    if (key && !isMask) steps.unshift({ node: dots, input: key })
    input = next
    dots = input && graph.producerOf(input)
  }
  return { steps, dots }
}

/** @param {string} where @param {RunGraph} graph @param {Head} head @returns {HeadLayouts} */
export function headLayouts(where, graph, head) {
  const [[node]] = [...graph.attentions].filter(([, attention]) => attention === head.attention)
  return node.op.name === 'attention' ? layoutsOfOperation(node, head.head) : layoutsOfProduct(where, graph, head, node)
}

/**
 * Tokens as the first layer gets them, without positions.
 * @param {string} where @param {RunGraph} graph @param {SubLayers} subLayers
 */
export function tokenEmbeddings(where, graph, subLayers) {
  const [{ input }] = subLayers.numbered
  const node = graph.nodes.find(own => own.op.name === 'embedding' && roleOfEmbedding(graph, own) === 'embedding' &&
    (own.outputs.out === input || graph.dependsOn(input, new Set([own.outputs.out]))))
  expect(node !== undefined, 'state', () => `${where}: no embedding of tokens leads to ${graph.nameOf(input)}`)
  const { weight } = node.inputs, { out } = node.outputs, replay = new Replay(where, graph, new Set([out]), input)
  /** @param {number[]} ids @returns {Float32Array} [ids, C] */
  const embed = ids => replay.mapRows(rowLayout(out), [rowLayout(input)], readRows(weight, ids))[0]
  return { count: weight.shape[0], embed }
}

/**
 * Maps tokens through a function of their embeddings, some at a time.
 * @param {number[]} ids @param {(ids: number[]) => Float32Array} embed
 * @param {(rows: Float32Array) => Float32Array} map @returns {Float32Array}
 */
export function mapTokens(ids, embed, map) {
  const blocks = Array.from({ length: Math.ceil(ids.length / BLOCK_TOKENS) }, (_, i) => (
    map(embed(ids.slice(i * BLOCK_TOKENS, (i + 1) * BLOCK_TOKENS)))))
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0))
  blocks.reduce((at, block) => all.set(block, at) ?? at + block.length, 0)
  return all
}

/** The identity matrix. @param {number} width */
export function unitRows(width) {
  const rows = new Float32Array(width * width)
  for (let i = 0; i < width; i++) rows[i * (width + 1)] = 1
  return rows
}

/** @param {string} where @param {unknown} tokens @param {number} count @returns {number[]} all if not given */
export function readTokens(where, tokens, count) {
  if (tokens === undefined) return Array.from({ length: count }, (_, id) => id)
  expect(Array.isArray(tokens) && tokens.length > 0, 'type',
    () => `${where}: tokens must be an array of ids, got ${describe(tokens)}`)
  return tokens.map((id, i) => expectInteger(where, `tokens[${i}]`, id, 0, count - 1))
}
