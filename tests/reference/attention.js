// scores[i][j] = q[i] . k[j] / sqrt(D), hidden places -Infinity; weights = softmax(scores); y = weights v.
// q [B, H, Tq, D], k [B, H, Tk, D], v [B, H, Tk, Dv].
// attn_mask broadcasts to [B, H, Tq, Tk]: of dtype 'bool' it says what may be seen, otherwise it is added.
// key_padding_mask [B, Tk]: true is ignored. causal: key j is seen by query i when j <= i.
import { forward as matmul, backward as matmulBackward } from './matmul.js'
import { forward as softmax, gradientFromResult } from './softmax.js'
import { broadcastIndex, map, sumToShape, zeros } from './tensor.js'

function transposed(x) {
  const [rows, columns] = x.shape.slice(-2)
  const y = zeros([...x.shape.slice(0, -2), columns, rows])
  for (let i = 0; i < y.data.length; i++) {
    const matrix = Math.floor(i / (rows * columns))
    const row = i % rows
    const column = Math.floor(i / rows) % columns
    y.data[i] = x.data[(matrix * rows + row) * columns + column]
  }
  return y
}

const isAdded = mask => Boolean(mask) && mask.dtype !== 'bool'

function applyMasks(scores, { attn_mask: mask, key_padding_mask: padding }, { causal = false }) {
  const [, heads, queries, keys] = scores.shape
  const inMask = mask && broadcastIndex(mask.shape, scores.shape)
  return map(scores, (score, at) => {
    const key = at % keys
    const query = Math.floor(at / keys) % queries
    const sentence = Math.floor(at / (keys * queries * heads))
    let masked = score
    if (mask?.dtype === 'bool') masked = mask.data[inMask[at]] ? masked : -Infinity
    else if (mask) masked += mask.data[inMask[at]]
    if (causal && key > query) masked = -Infinity
    if (padding?.data[sentence * keys + key]) masked = -Infinity
    return masked
  })
}

const scaleOf = q => 1 / Math.sqrt(q.shape.at(-1))

export function forward(inputs, params) {
  const { q, k, v } = inputs
  const products = matmul({ a: q, b: transposed(k) }).y
  const scaled = map(products, value => value * scaleOf(q))
  const scores = applyMasks(scaled, inputs, params)
  const weights = softmax({ x: scores }).y
  return { y: matmul({ a: weights, b: v }).y, weights, scores }
}

export function backward(inputs, params, { y: dy }) {
  const { q, k, v } = inputs
  const { weights } = forward(inputs, params)
  const { a: dweights, b: dv } = matmulBackward({ a: weights, b: v }, {}, { y: dy })
  const dscores = gradientFromResult(weights, dweights)
  const dproducts = map(dscores, value => value * scaleOf(q))
  const { a: dq, b: dkTransposed } = matmulBackward({ a: q, b: transposed(k) }, {}, { y: dproducts })
  const grads = { q: dq, k: transposed(dkTransposed), v: dv }
  if (isAdded(inputs.attn_mask)) grads.attn_mask = sumToShape(dscores, inputs.attn_mask.shape)
  return grads
}
