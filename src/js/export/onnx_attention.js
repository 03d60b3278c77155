import { range } from '../tensor/shape.js'
import { hasPositionsPerRow } from './dynamic_batch.js'
import { TYPES } from './onnx_file.js'

/**
 * Attention and rotary position embedding as ONNX operators, since opset 17 has neither.
 *
 * @typedef {import('./onnx_graph.js').OnnxGraph} Graph
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/**
 * The heads of a tensor as [B, heads, T, D].
 * @param {Graph} g @param {Tensor} x @param {number[]} sizes B, heads, T, D
 */
function headsFirst(g, x, [B, heads, T, D]) {
  if (x.shape.length === 4) return g.value(x)
  return g.add('Transpose', [g.reshape(g.value(x), [B, T, heads, D])], { perm: [0, 2, 1, 3] })
}

/** The batch size, or −1 for any size. @param {Graph} g @param {Tensor} x @param {number} size */
const batchOf = (g, x, size) => (g.dynamic.batched.has(x) ? -1 : size)

/**
 * The same, computed from the positions of queries and keys, of which there may be any number.
 * @param {Graph} g @param {{ Tq: number, Tk: number, isCausal: boolean, past: number, window: number }} mask
 */
const computeMask = (g, { Tq, Tk, isCausal, past, window }) => g.once(`mask ${Tq} ${Tk} ${isCausal} ${past} ${window}`, () => {
  const queries = g.add('Unsqueeze', [g.ints(range(Tq).map(i => past + i)), g.ints([1])])
  const ahead = g.add('Sub', [g.ints(range(Tk)), queries])
  const after = isCausal ? g.add('Greater', [ahead, g.number(0, 'int32')]) : null
  const far = window ? g.add('GreaterOrEqual', [g.add('Abs', [ahead]), g.number(window, 'int32')]) : null
  const isHidden = after && far ? g.add('Or', [after, far]) : after ?? far ?? ''
  return g.add('Where', [isHidden, g.number(-Infinity), g.number(0)])
})

/**
 * The constant part of the mask, 0 or −∞: keys after the query, outside of the window, and constant padding.
 * @param {Graph} g @param {Node} node @returns {string | null}
 */
function constantMask(g, { saved: { sizes: { B, Tq, Tk }, isCausal, past, window, padding, origin } }) {
  const isFixed = padding && !origin?.padding, batch = isFixed ? B : 1
  if (!isFixed && !isCausal && !window) return null
  if (!isFixed && g.isOpen) return computeMask(g, { Tq, Tk, isCausal, past, window })
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
 * The scores with all masks.
 * @param {Graph} g @param {Node} node @param {string} scores [B, H, Tq, Tk]
 */
function maskScores(g, node, scores) {
  const { inputs: { q, mask }, saved: { sizes: { B, H, Tq, Tk }, origin } } = node, batch = batchOf(g, q, B)
  let out = scores
  if (mask) {
    const value = mask.shape.length === 3 ? g.reshape(g.value(mask), [B, H, Tq, Tk]) : g.value(mask)
    out = g.add('Add', [out, value])
  }
  const constant = constantMask(g, node)
  if (constant) out = g.add('Add', [out, constant])
  if (!origin?.padding) return out
  const isHidden = g.once(`padding ${g.value(origin.padding)}`, () => g.add('Cast',
    [g.reshape(g.value(origin.padding), [batch, 1, 1, Tk])], { to: 9 }))
  return g.add('Where', [isHidden, g.number(-Infinity), out])
}

/** Whether some row of values hides all keys. @param {ArrayLike<number>} values @param {number} Tk */
const hasHiddenRow = (values, Tk) =>
  range(values.length / Tk).some(row => range(Tk).every(j => values[row * Tk + j] === -Infinity))

/**
 * The softmax of the scores, with zeros for a query whose keys are all hidden, where the masks may hide all.
 * @param {Graph} g @param {Node} node @param {string} scores with all masks
 */
function softmaxOf(g, { inputs: { mask }, saved: { padding, window, sizes: { Tk } } }, scores) {
  const weights = g.add('Softmax', [scores], { axis: -1 })
  const mayHideAll = padding || window || (mask && (g.isComputed(mask) || hasHiddenRow(mask.values, Tk)))
  if (!mayHideAll) return weights
  const isHidden = g.add('Equal', [g.add('ReduceMax', [scores], { axes: [-1], keepdims: 1 }), g.number(-Infinity)])
  return g.add('Where', [isHidden, g.number(0), weights])
}

/**
 * softmax(q kᵀ × scale + masks) v. Query heads that share a key-value head are stacked as rows of one matrix.
 * @param {Graph} g @param {Node} node
 */
export function attention(g, node) {
  const { inputs: { q, k, v }, outputs, saved: { sizes: { H, KV, Tq, Tk, D, Dv, ...sizes }, scale } } = node
  const B = batchOf(g, q, sizes.B)
  const isGrouped = KV !== H, rows = H / KV * Tq, isFlat = q.shape.length === 3
  /** @param {string} value @param {number[]} shape */
  const regroup = (value, shape) => (isGrouped ? g.reshape(value, shape) : value)
  const queries = regroup(headsFirst(g, q, [B, H, Tq, D]), [B, KV, rows, D])
  const keys = g.add('Transpose', [headsFirst(g, k, [B, KV, Tk, D])], { perm: [0, 1, 3, 2] })
  const dots = regroup(g.add('MatMul', [queries, keys]), [B, H, Tq, Tk])
  const scores = g.add('Mul', [dots, g.number(scale)]), maskedScores = maskScores(g, node, scores)
  const weights = softmaxOf(g, node, maskedScores)
  for (const [key, name] of Object.entries({ dots, scores, masked_scores: maskedScores, weights })) {
    if (outputs[key]) g.bind(outputs[key], name)
  }
  const values = headsFirst(g, v, [B, KV, Tk, Dv])
  const out = regroup(g.add('MatMul', [regroup(weights, [B, KV, rows, Tk]), values]), [B, H, Tq, Dv])
  return isFlat ? g.reshape(g.add('Transpose', [out], { perm: [0, 2, 1, 3] }), [B, Tq, H * Dv]) : out
}

/**
 * Cosines and sines of positions that are computed in the graph: of position × frequency in float32, as in the kernel.
 * @param {Graph} g @param {Node} node @returns {{ value: string, batch: number }[] | null} null for positions that are
| null} null for constant positions
 */
function computeTables(g, node) {
  const { inputs: { x }, saved } = node, { sizes: [, , , T], dims, base, frequencies: custom, scale, origin } = saved
  const given = origin?.positions && g.isComputed(origin.positions) ? origin.positions : null, half = dims / 2
  if (!given && (!g.isOpen || hasPositionsPerRow(node))) return null
  const batch = given?.shape.length === 2 ? batchOf(g, given, given.shape[0]) : 1, { engine } = x
  const positions = given ? g.value(given) : g.ints(Array.from(saved.positions).slice(0, T))
  const angles = g.once(`angles ${positions} ${half} ${base} ${custom}`, () => {
    const frequencies = engine.empty([half])
    if (custom) frequencies.values.set(custom)
    else engine.c.gf_rotary_frequencies(frequencies.dataPtr(), half, base)
    const column = g.reshape(g.cast(positions, 'float32', TYPES.float32), [batch, T, 1])
    return g.add('Mul', [column, g.floats('frequencies', [half], frequencies.values)])
  })
  const table = (/** @type {string} */ type) => {
    const value = g.add(type, [angles])
    return scale === 1 ? value : g.add('Mul', [value, g.number(scale)])
  }
  return ['Cos', 'Sin'].map(type => ({ value: g.once(`${type} ${angles} ${scale}`, () => table(type)), batch }))
}

/**
 * Rotates pairs (a, b) of channels: (a cos − b sin, b cos + a sin).
 * @param {Graph} g @param {Node} node
 */
export function rotary(g, node) {
  const { inputs: { x, cos, sin }, saved: { sizes: [, size, inner, T, heads, D, dims, interleaved] } } = node
  const B = batchOf(g, x, size), half = dims / 2, axis = interleaved ? 5 : 4, isPerRow = hasPositionsPerRow(node)
  const rows = (/** @type {Tensor} */ t) => (isPerRow || t.shape[0] === T ? g.value(t)
    : g.add('Slice', [g.value(t), g.ints([0]), g.ints([T]), g.ints([0])]))
  const pairs = interleaved ? [half, 2] : [2, half], table = interleaved ? [half, 1] : [1, half]
  const computed = computeTables(g, node)
  const [c, s] = computed ? computed.map(t => g.reshape(t.value, [t.batch, 1, T, 1, ...table]))
    : [cos, sin].map(t => g.reshape(rows(t), [isPerRow ? size : 1, 1, T, 1, ...table]))
  const channels = g.reshape(g.value(x), [B, inner, T, heads, D])
  const [first, rest] = dims === D ? [channels] : g.addAll('Split', [channels, g.ints([dims, D - dims])], 2, { axis: 4 })
  const [a, b] = g.addAll('Split', [g.reshape(first, [B, inner, T, heads, ...pairs])], 2, { axis })
  const multiply = (/** @type {string} */ p, /** @type {string} */ q) => g.add('Mul', [p, q])
  const rotated = [g.add('Sub', [multiply(a, c), multiply(b, s)]), g.add('Add', [multiply(b, c), multiply(a, s)])]
  const head = g.reshape(g.add('Concat', rotated, { axis }), [B, inner, T, heads, dims])
  return g.reshape(rest ? g.add('Concat', [head, rest], { axis: 4 }) : head, g.shapeOf(x))
}
