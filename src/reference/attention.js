// scores[i][j] = q[i] . k[j] / sqrt(D), -Infinity where masked; weights = softmax(scores), 0 for a query whose scores
// are all -Infinity, as in PyTorch from 2.5 on; y = weights v.
// q [B, H, Tq, D], k [B, KV, Tk, D], v [B, KV, Tk, Dv]: head h of q uses head floor(h / (H / KV)) of k and v.
// attn_mask broadcasts to [B, H, Tq, Tk]: if its dtype is 'bool', true means visible; otherwise it is added.
// key_padding_mask [B, Tk]: true masks the key. causal: query i sees key j if j <= i; window: if |i - j| < window.
// scale replaces 1 / sqrt(D).
import { forward as matmul, backward as matmulBackward } from './matmul.js'
import { forward as softmax, gradientFromResult } from './softmax.js'
import { broadcastIndex, map, sumToShape, zeros } from './tensor.js'

function transpose(x) {
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

function applyMasks(scores, { attn_mask: mask, key_padding_mask: padding }, { causal = false, window = Infinity }) {
  const [, heads, queries, keys] = scores.shape
  const inMask = mask && broadcastIndex(mask.shape, scores.shape)
  return map(scores, (score, at) => {
    const key = at % keys
    const query = Math.floor(at / keys) % queries
    const sentence = Math.floor(at / (keys * queries * heads))
    let masked = score
    if (mask?.dtype === 'bool') masked = mask.data[inMask[at]] ? masked : -Infinity
    else if (mask) masked += mask.data[inMask[at]]
    if ((causal && key > query) || Math.abs(key - query) >= window) masked = -Infinity
    if (padding?.data[sentence * keys + key]) masked = -Infinity
    return masked
  })
}

const scaleOf = (q, { scale = 1 / Math.sqrt(q.shape.at(-1)) }) => scale

/** Repeats each head of x for the heads of q that share it, as torch.repeat_interleave. */
function repeatHeads(x, heads) {
  const [B, kvHeads, ...rest] = x.shape, size = x.data.length / (B * kvHeads || 1), times = heads / kvHeads
  const y = zeros([B, heads, ...rest])
  for (let n = 0; n < B * heads; n++) {
    const from = Math.floor(n / heads) * kvHeads + Math.floor((n % heads) / times)
    y.data.set(x.data.slice(from * size, (from + 1) * size), n * size)
  }
  return y
}

/** Backward of `repeatHeads`: sums the gradients of the copies. */
function sumHeads(dy, shape) {
  const dx = zeros(shape), heads = dy.shape[1], [B, kvHeads] = shape, size = dx.data.length / (B * kvHeads || 1)
  for (let n = 0; n < B * heads; n++) {
    const to = Math.floor(n / heads) * kvHeads + Math.floor((n % heads) / (heads / kvHeads))
    for (let i = 0; i < size; i++) dx.data[to * size + i] += dy.data[n * size + i]
  }
  return dx
}

/** softmax, with zeros for rows of -Infinity. */
function safeSoftmax(x) {
  const width = x.shape.at(-1), { y } = softmax({ x })
  const isHidden = i => x.data.slice(i - i % width, i - i % width + width).every(score => score === -Infinity)
  return map(y, (weight, i) => (Number.isNaN(weight) && isHidden(i) ? 0 : weight))
}

function steps(inputs, params) {
  const { q } = inputs, [k, v] = [inputs.k, inputs.v].map(x => repeatHeads(x, q.shape[1]))
  const dots = matmul({ a: q, b: transpose(k) }).y
  const scores = applyMasks(map(dots, value => value * scaleOf(q, params)), inputs, params)
  return { q, k, v, dots, scores, weights: safeSoftmax(scores) }
}

export function forward(inputs, params) {
  const { v, dots, scores, weights } = steps(inputs, params)
  return { y: matmul({ a: weights, b: v }).y, weights, scores, dots }
}

export function backward(inputs, params, { y: dy }) {
  const { q, k, v, weights } = steps(inputs, params)
  const { a: dweights, b: dv } = matmulBackward({ a: weights, b: v }, {}, { y: dy })
  const dscores = gradientFromResult(weights, dweights)
  const ddots = map(dscores, value => value * scaleOf(q, params))
  const { a: dq, b: dkTransposed } = matmulBackward({ a: q, b: transpose(k) }, {}, { y: ddots })
  const grads = { q: dq, k: sumHeads(transpose(dkTransposed), inputs.k.shape), v: sumHeads(dv, inputs.v.shape) }
  if (isAdded(inputs.attn_mask)) grads.attn_mask = sumToShape(dscores, inputs.attn_mask.shape)
  return grads
}
