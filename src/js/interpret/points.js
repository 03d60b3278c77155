import { deriveAxes } from '../trace/axes.js'
import { resolveViews } from '../autograd/graph.js'
import { sizeOf } from '../tensor/shape.js'

/**
 * The points of a model at which it can be read or changed, found in the graph of one run: the residual stream, what
 * each sub-layer adds to it, and the outputs of the heads. No class of model is known here.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * One attention: its weights [B, H, Tq, Tk], and the outputs of its heads: [B, T, H·D], or with an axis of heads.
 * q, k and v where one operation computes it, and how many heads k and v have.
 * @typedef {{ weights: Tensor, out: Tensor, heads: number, headAxis: number | null, q?: Tensor, k?: Tensor,
 *   v?: Tensor, kvHeads?: number }} Attention
 *
 * A sub-layer: it reads `input` from the residual stream and adds `change` to it, which gives `sum`.
 * @typedef {{ kind: 'attention' | 'feedForward', input: Tensor, change: Tensor, sum: Tensor, layer: number,
 *   attentions: Attention[] }} SubLayer
 */

/** Operations that are part of every sub-layer: something is multiplied by weights. */
const PRODUCTS = ['linear', 'matmul', 'attention']
/** Operations that move values without changing them. */
const MOVES = ['transpose', 'reshape', 'narrow', 'dropout', 'clone', 'contiguous', 'permute']

/** The nodes of a trace by what they compute, and in which order. @param {Trace} trace */
function indexNodes({ nodes }) {
  /** @type {Map<Tensor, number>} */ const producers = new Map()
  nodes.forEach((node, i) => Object.values(node.outputs).forEach(tensor => producers.set(tensor, i)))
  return { nodes, producers, resolve: resolveViews(nodes) }
}

/** @typedef {ReturnType<typeof indexNodes>} Graph */

/** @param {Node} node @returns {Tensor[]} */
const inputsOf = ({ inputs }) => Object.values(inputs).filter(Boolean)

/**
 * The operations on the way from one tensor to another; null if the second was not computed from the first.
 * @param {Graph} graph @param {Tensor} from @param {Tensor} to @returns {Node[] | null}
 */
function findPath({ nodes, producers, resolve }, from, to) {
  const first = producers.get(from) ?? -1, seen = new Set([to]), pending = [to]
  /** @type {Node[]} */ const path = []
  let isReached = false
  for (let tensor = pending.pop(); tensor; tensor = pending.pop()) {
    const at = producers.get(tensor)
    if (at === undefined || at <= first) continue
    path.push(nodes[at])
    for (const input of inputsOf(nodes[at])) {
      isReached ||= resolve(input) === from || input === from
      if (!seen.has(input) && input !== from) pending.push(input) && seen.add(input)
    }
  }
  return isReached ? path : null
}

/**
 * The result of moving values only, such as joining heads.
 * @param {Graph} graph @param {Tensor} tensor @param {Map<Tensor, Node[]>} users @returns {Tensor}
 */
function followMoves(graph, tensor, users) {
  const next = users.get(tensor) ?? []
  return next.length === 1 && MOVES.includes(next[0].op.name) ? followMoves(graph, next[0].outputs.out, users) : tensor
}

/**
 * All attentions of a trace, by the node that computes their output: those of the operation, and softmax(scores) v made
 * of single operations.
 * @param {Trace} trace @returns {Map<Node, Attention>}
 */
export function findAttentions(trace) {
  const graph = indexNodes(trace)
  /** @type {Map<Tensor, Node[]>} */ const users = new Map()
  for (const node of graph.nodes) {
    for (const input of inputsOf(node)) users.set(input, [...users.get(input) ?? [], node])
  }
  /** @type {Map<Node, Attention>} */ const found = new Map()
  for (const node of graph.nodes) {
    const { op, inputs: { q, k, v, x }, outputs: { out, weights }, saved } = node
    if (op.name === 'attention') {
      const { H: heads, KV: kvHeads } = saved.sizes, headAxis = out.shape.length === 4 ? 1 : null
      found.set(node, { weights, out, q, k, v, heads, kvHeads, headAxis })
    } else if (op.name === 'softmax' && out.shape.length >= 3 && x) {
      const product = users.get(followMoves(graph, out, users))?.find(({ op: { name }, inputs: { b } }) => (
        name === 'matmul' && b.shape.at(-2) === out.shape.at(-1)))
      if (!product) continue
      const { out: values } = product.outputs, joined = followMoves(graph, values, users), rank = values.shape.length
      const isJoined = joined.shape.length < rank
      // Heads that stay apart need an axis of their own; three axes are a batch with a single head.
      if (!isJoined && rank > 4) continue
      const heads = isJoined || rank > 3 ? sizeOf(out.shape.slice(rank > 3 ? 1 : 0, -2)) : 1
      const headAxis = isJoined || rank === 3 ? null : rank - 3
      found.set(product, { weights: out, out: isJoined ? joined : values, heads, headAxis })
    }
  }
  return found
}

/** The numbers in the path of a module, which say which layer it is in. @param {string} path */
const numbersIn = path => path.split('.').filter(part => /^\d+$/.test(part)).join('.')

/**
 * The sub-layers in order. A residual sum adds to a tensor what was computed from it; where two sub-layers read one
 * input (parallel layers), the second sum adds to the first.
 * @param {Trace} trace @returns {SubLayer[]}
 */
export function findSubLayers(trace) {
  const graph = indexNodes(trace), attentions = findAttentions(trace)
  /** The inputs of earlier sums. @type {Map<Tensor, Tensor>} */ const sumInputs = new Map()
  /** @type {(SubLayer & { numbers: string })[]} */ const subs = []
  /**
   * @param {Tensor} input @param {Tensor} change @param {Tensor | undefined} source what the change was computed from
   */
  const readSum = (input, change, source) => {
    const path = source && findPath(graph, graph.resolve(source), change)
    return path?.some(({ op: { name } }) => PRODUCTS.includes(name)) ? { input, change, path, source } : null
  }
  for (const node of graph.nodes) {
    const { op, inputs: { a, b }, outputs: { out: sum } } = node
    if (op.name !== 'add' || !b || sum.shape.length < 2 || [a, b].some(x => x.numel() !== sum.numel())) continue
    const found = readSum(a, b, a) ?? readSum(b, a, b) ?? readSum(a, b, sumInputs.get(a)) ??
      readSum(b, a, sumInputs.get(b))
    if (!found) continue
    const { input, change, path, source } = found, own = path.flatMap(step => attentions.get(step) ?? [])
    sumInputs.set(sum, /** @type {Tensor} */ (source))
    const numbers = numbersIn(node.call?.path ?? '')
    /** @type {SubLayer['kind']} */ const kind = own.length ? 'attention' : 'feedForward'
    const layer = nextLayer(subs.at(-1), kind, numbers)
    const names = { kind, input: graph.resolve(input), change: graph.resolve(change), sum }
    subs.push({ ...(names), layer, attentions: own.reverse(), numbers })
  }
  return subs
}

/**
 * The layer of a sub-layer: a new one begins with an attention after a feed-forward network, and with a second
 * sub-layer of a kind unless the same module computes both, as self-attention and cross-attention.
 * @param {{ kind: string, layer: number, numbers: string } | undefined} before the sub-layer before it
 * @param {string} kind @param {string} numbers
 */
function nextLayer(before, kind, numbers) {
  if (!before) return 0
  const isNew = before.kind === kind ? numbers === '' || numbers !== before.numbers : kind === 'attention'
  return before.layer + Number(isNew)
}

/** Names of axes along which positions are counted. */
const POSITIONS = ['token', 'query']

/**
 * The axis of the positions of a tensor: the last but one, as in [B, T, C], [T, C] and [B, H, Tq, Tk], unless it has
 * four axes or more and operations derive that another one is.
 * @param {Trace} trace @param {Tensor} tensor @returns {number} negative if it has less than two axes
 */
export function positionAxis({ nodes }, tensor) {
  const last = tensor.shape.length - 2
  if (last < 2) return last
  const axes = deriveAxes(nodes, () => undefined)(tensor).map(({ name }) => name)
  const other = axes.findIndex(name => POSITIONS.includes(name))
  return POSITIONS.includes(axes[last]) || other < 0 ? last : other
}
