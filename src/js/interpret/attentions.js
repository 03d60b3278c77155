import { sizeOf } from '../tensor/shape.js'

/**
 * The attentions of a run, found in its graph: no class of model is known here.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * One attention: its weights [B, H, Tq, Tk], and the outputs of its heads: [B, T, H·D], or with an axis of heads.
 * q, k and v where one operation computes it, and how many heads k and v have.
 * @typedef {{ weights: Tensor, out: Tensor, heads: number, headAxis: number | null, q?: Tensor, k?: Tensor,
 *   v?: Tensor, kvHeads?: number }} Attention
 */

/** Operations that move values without changing them. */
const MOVES = ['transpose', 'reshape', 'narrow', 'dropout', 'clone', 'contiguous', 'permute']

/** @param {Node} node @returns {Tensor[]} */
const inputsOf = ({ inputs }) => Object.values(inputs).filter(Boolean)

/**
 * The result of moving values only, such as joining heads.
 * @param {Tensor} tensor @param {Map<Tensor, Node[]>} users @returns {Tensor}
 */
function followMoves(tensor, users) {
  const next = users.get(tensor) ?? []
  return next.length === 1 && MOVES.includes(next[0].op.name) ? followMoves(next[0].outputs.out, users) : tensor
}

/**
 * All attentions of a trace, by the node that computes their output: those of the operation, and softmax(scores) v made
 * of single operations.
 * @param {Trace} trace @returns {Map<Node, Attention>}
 */
export function findAttentions({ nodes }) {
  /** @type {Map<Tensor, Node[]>} */ const users = new Map()
  for (const node of nodes) {
    for (const input of inputsOf(node)) users.set(input, [...users.get(input) ?? [], node])
  }
  /** @type {Map<Node, Attention>} */ const found = new Map()
  for (const node of nodes) {
    const { op, inputs: { q, k, v, x }, outputs: { out, weights }, saved } = node
    if (op.name === 'attention') {
      const { H: heads, KV: kvHeads } = saved.sizes, headAxis = out.shape.length === 4 ? 1 : null
      found.set(node, { weights, out, q, k, v, heads, kvHeads, headAxis })
    } else if (op.name === 'softmax' && out.shape.length >= 3 && x) {
      const product = users.get(followMoves(out, users))?.find(({ op: { name }, inputs: { b } }) => (
        name === 'matmul' && b.shape.at(-2) === out.shape.at(-1)))
      if (!product) continue
      const { out: values } = product.outputs, joined = followMoves(values, users), rank = values.shape.length
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
