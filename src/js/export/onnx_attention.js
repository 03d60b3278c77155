import { hasOwnPlaces } from './batch.js'
import { TYPES } from './onnx_file.js'

/**
 * Attention and rotary positions as ONNX operators: opset 17 has none of them itself.
 *
 * @typedef {import('./onnx_graph.js').OnnxGraph} Graph
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

/**
 * Rows of all heads as [B, heads, T, D], whichever way they lie in the tensor.
 * @param {Graph} g @param {Tensor} x @param {number[]} sides B, heads, T, D
 */
function headsFirst(g, x, [B, heads, T, D]) {
  if (x.shape.length === 4) return g.of(x)
  return g.add('Transpose', [g.reshape(g.of(x), [B, T, heads, D])], { perm: [0, 2, 1, 3] })
}

/** How many sentences, or −1 for any number. @param {Graph} g @param {Tensor} x @param {number} side */
const batchOf = (g, x, side) => (g.open.batched.has(x) ? -1 : side)

/**
 * What is hidden for good: keys after the query or far from it, and padding. 0 and −∞, to be added.
 * @param {Graph} g @param {Node} node @returns {string | null}
 */
function hidden(g, { saved: { sizes: { B, Tq, Tk }, isCausal, past, window, padding, origin } }) {
  const isFixed = padding && !origin?.padding, batch = isFixed ? B : 1
  if (!isFixed && !isCausal && !window) return null
  const values = new Float32Array(batch * Tq * Tk)
  for (let b = 0, at = 0; b < batch; b++) for (let i = 0; i < Tq; i++) for (let j = 0; j < Tk; j++, at++) {
    const ahead = j - past - i
    if ((isCausal && ahead > 0) || (window && Math.abs(ahead) >= window) || (isFixed && padding[b * Tk + j])) {
      values[at] = -Infinity
    }
  }
  return g.floats('hidden', [batch, 1, Tq, Tk], values)
}

/**
 * The scores with everything that hides.
 * @param {Graph} g @param {Node} node @param {string} scores [B, H, Tq, Tk]
 */
function masked(g, node, scores) {
  const { inputs: { q, mask }, saved: { sizes: { B, H, Tq, Tk }, origin } } = node, batch = batchOf(g, q, B)
  let made = scores
  if (mask) {
    const value = mask.shape.length === 3 ? g.reshape(g.of(mask), [B, H, Tq, Tk]) : g.of(mask)
    made = g.add('Add', [made, value])
  }
  const always = hidden(g, node)
  if (always) made = g.add('Add', [made, always])
  if (!origin?.padding) return made
  const isHidden = g.once(`padding ${g.of(origin.padding)}`, () => g.add('Cast',
    [g.reshape(g.of(origin.padding), [batch, 1, 1, Tk])], { to: 9 }))
  return g.add('Where', [isHidden, g.number(-Infinity), made])
}

/**
 * softmax(q kᵀ × scale + masks) v. Heads of queries that share one of keys stand one under the other for the products.
 * @param {Graph} g @param {Node} node
 */
export function attention(g, node) {
  const { inputs: { q, k, v }, outputs, saved: { sizes: { H, KV, Tq, Tk, D, Dv, ...sizes }, scale } } = node
  const B = batchOf(g, q, sizes.B)
  const isShared = KV !== H, rows = H / KV * Tq, isFlat = q.shape.length === 3
  /** @param {string} value @param {number[]} shape */
  const grouped = (value, shape) => (isShared ? g.reshape(value, shape) : value)
  const queries = grouped(headsFirst(g, q, [B, H, Tq, D]), [B, KV, rows, D])
  const keys = g.add('Transpose', [headsFirst(g, k, [B, KV, Tk, D])], { perm: [0, 1, 3, 2] })
  const dots = grouped(g.add('MatMul', [queries, keys]), [B, H, Tq, Tk])
  const scores = g.add('Mul', [dots, g.number(scale)]), all = masked(g, node, scores)
  const weights = g.add('Softmax', [all], { axis: -1 })
  for (const [key, name] of Object.entries({ dots, scores, masked_scores: all, weights })) {
    if (outputs[key]) g.bind(outputs[key], name)
  }
  const values = headsFirst(g, v, [B, KV, Tk, Dv])
  const made = grouped(g.add('MatMul', [grouped(weights, [B, KV, rows, Tk]), values]), [B, H, Tq, Dv])
  return isFlat ? g.reshape(g.add('Transpose', [made], { perm: [0, 2, 1, 3] }), [B, Tq, H * Dv]) : made
}

/**
 * Cosines and sines of positions that the graph itself computes or is given: of their products with the frequencies in
 * float32, as the kernel has them.
 * @param {Graph} g @param {Node} node @returns {{ value: string, batch: number }[] | null} null for positions that are
 *   always the same
 */
function computedTables(g, { inputs: { x }, saved: { sizes: [, , , T, , D], base, frequencies: given, origin } }) {
  const positions = origin?.positions, half = D / 2
  if (!positions || !g.isComputed(positions)) return null
  const batch = positions.shape.length === 2 ? batchOf(g, positions, positions.shape[0]) : 1, { engine } = x
  const angles = g.once(`angles ${g.of(positions)} ${half} ${base} ${given}`, () => {
    const frequencies = engine.empty([half])
    if (given) frequencies.values.set(given)
    else engine.c.gf_rotary_frequencies(frequencies.address, half, base)
    const column = g.reshape(g.cast(g.of(positions), 'float32', TYPES.float32), [batch, T, 1])
    return g.add('Mul', [column, g.floats('frequencies', [half], frequencies.values)])
  })
  return ['Cos', 'Sin'].map(type => ({ value: g.once(`${type} ${angles}`, () => g.add(type, [angles])), batch }))
}

/**
 * Pairs (a, b) of channels turned: (a cos − b sin, b cos + a sin).
 * @param {Graph} g @param {Node} node
 */
export function rotary(g, node) {
  const { inputs: { x, cos, sin }, saved: { sizes: [, side, inner, T, heads, D, interleaved] } } = node
  const B = batchOf(g, x, side), half = D / 2, last = interleaved ? 5 : 4, isOwn = hasOwnPlaces(node)
  const rows = (/** @type {Tensor} */ t) => (isOwn || t.shape[0] === T ? g.of(t)
    : g.add('Slice', [g.of(t), g.ints([0]), g.ints([T]), g.ints([0])]))
  const pairs = interleaved ? [half, 2] : [2, half], table = interleaved ? [half, 1] : [1, half]
  const computed = computedTables(g, node)
  const [c, s] = computed ? computed.map(t => g.reshape(t.value, [t.batch, 1, T, 1, ...table]))
    : [cos, sin].map(t => g.reshape(rows(t), [isOwn ? side : 1, 1, T, 1, ...table]))
  const [a, b] = g.addAll('Split', [g.reshape(g.of(x), [B, inner, T, heads, ...pairs])], 2, { axis: last })
  const times = (/** @type {string} */ p, /** @type {string} */ q) => g.add('Mul', [p, q])
  const turned = [g.add('Sub', [times(a, c), times(b, s)]), g.add('Add', [times(b, c), times(a, s)])]
  return g.reshape(g.add('Concat', turned, { axis: last }), g.shapeOf(x))
}
