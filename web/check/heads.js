/** Splitting, joining and repeating heads. */

import { zeros } from '../../src/reference/tensor.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */

/**
 * [B, T, H·D] as [B, H, T, D]; what has that shape already is returned as it is.
 * @param {TensorLike} x @param {number} H
 */
export function splitHeads(x, H) {
  if (x.shape.length === 4) return x
  const [B, T, C] = x.shape
  const D = C / H
  const out = zeros([B, H, T, D])
  for (let i = 0; i < out.data.length; i++) {
    const [d, t, h, b] = [i % D, Math.floor(i / D) % T, Math.floor(i / (D * T)) % H, Math.floor(i / (D * T * H))]
    out.data[i] = x.data[(b * T + t) * C + h * D + d]
  }
  return out
}

/** The inverse. @param {TensorLike} x */
export function joinHeads(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, T, H * D])
  for (let i = 0; i < out.data.length; i++) {
    const [c, t, b] = [i % (H * D), Math.floor(i / (H * D)) % T, Math.floor(i / (H * D * T))]
    out.data[i] = x.data[((b * H + Math.floor(c / D)) * T + t) * D + (c % D)]
  }
  return out
}

/** Repeats every key or value head for the query heads that share it. @param {TensorLike} x @param {number} H */
export function repeatHeads({ shape: [B, KV, T, D], data }, H) {
  const out = zeros([B, H, T, D])
  for (let i = 0; i < out.data.length; i++) {
    const [rest, h, b] = [i % (T * D), Math.floor(i / (T * D)) % H, Math.floor(i / (H * T * D))]
    out.data[i] = data[(b * KV + Math.floor(h * KV / H)) * T * D + rest]
  }
  return out
}

/** The inverse for gradients: sums over the copies. @param {TensorLike} x @param {number} KV */
export function sumHeads({ shape: [B, H, T, D], data }, KV) {
  const out = zeros([B, KV, T, D])
  for (let i = 0; i < data.length; i++) {
    const [rest, h, b] = [i % (T * D), Math.floor(i / (T * D)) % H, Math.floor(i / (H * T * D))]
    out.data[(b * KV + Math.floor(h * KV / H)) * T * D + rest] += data[i]
  }
  return out
}

/** Transposes the last two axes. @param {TensorLike} x */
export function transposed(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, H, D, T])
  for (let i = 0; i < out.data.length; i++) {
    const [t, d, front] = [i % T, Math.floor(i / T) % D, Math.floor(i / (T * D))]
    out.data[i] = x.data[(front * T + t) * D + d]
  }
  return out
}
