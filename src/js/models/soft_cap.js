import { add, mul } from '../ops/binary.js'
import { matmul } from '../ops/matmul.js'
import { softmax } from '../ops/softmax.js'
import { unaryFunctions } from '../ops/unary.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The causal mask with a window, 0 or −∞.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {number} queries
 * @param {number} keys
 * @param {number} past
 * @param {number} window @returns {Tensor} [queries, keys]
 */
function causalMask(engine, queries, keys, past, window) {
  const out = engine.freeWithTrace(engine.zeros([queries, keys])), { values } = out
  for (let i = 0; i < queries; i++) for (let j = 0; j < keys; j++) {
    if (j > past + i || past + i - j >= window) values[i * keys + j] = -Infinity
  }
  return out
}

/**
 * Causal attention whose scores are limited: softmax(c tanh(q kᵀ × scale / c) + mask) v (Gemma 2). It is made of single
 * operations, so its memory grows with the square of the length.
 * @param {Tensor} q [B, T, heads·D] @param {Tensor} k [B, T, kvHeads·D] @param {Tensor} v [B, T, kvHeads·D]
 * @param {number} heads
 * @param {{ kvHeads: number, softCap: number, scale?: number, window?: number, attnMask?: Tensor, where: string,
 *   cache?: import('../ops/attention_cache.js').Entry }} options where: the caller's name, for error messages
 * @returns {Tensor} [B, T, heads·D]
 */
export function softCappedAttention(q, k, v, heads, options) {
  const { kvHeads, softCap, scale, window = Infinity, attnMask, cache, where } = options
  const { engine, shape: [B, T, C] } = q, D = C / heads, group = heads / kvHeads
  cache?.append(where, q, k, v, kvHeads)
  const past = cache?.addQueries(T) ?? 0, [keys, values] = cache ? cache.toTensors(k, v) : [k, v]
  const length = keys.shape[1]
  // Query heads that share a key-value head are an axis of their own: [B, kvHeads, group, T, D].
  const split = (/** @type {Tensor} */ x, /** @type {number} */ rows, /** @type {number} */ n) =>
    x.reshape(B, rows, kvHeads, n, D).transpose(1, 2).transpose(2, 3)
  const dots = matmul(split(q, T, group), split(keys, length, 1).transpose(3, 4))
  const cappedScores = mul(unaryFunctions.tanh(mul(dots, (scale ?? 1 / Math.sqrt(D)) / softCap)), softCap)
  const causalScores = add(cappedScores, causalMask(engine, T, length, past, window))
  const maskedScores = attnMask
    ? add(causalScores, attnMask.reshape(attnMask.shape[0], 1, 1, ...attnMask.shape.slice(-2))) : causalScores
  const out = matmul(softmax(maskedScores, { dim: -1 }), split(values, length, 1))
  return out.transpose(2, 3).transpose(1, 2).reshape(B, T, C)
}
