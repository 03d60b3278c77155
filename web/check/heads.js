/** Heads side by side and one under the other. */

import { zeros } from '../../src/reference/tensor.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */

/** [B, T, H·D] as [B, H, T, D]; what is in that form already stays. @param {TensorLike} x @param {number} H */
export function inHeads(x, H) {
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
export function joined(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, T, H * D])
  for (let i = 0; i < out.data.length; i++) {
    const [c, t, b] = [i % (H * D), Math.floor(i / (H * D)) % T, Math.floor(i / (H * D * T))]
    out.data[i] = x.data[((b * H + Math.floor(c / D)) * T + t) * D + (c % D)]
  }
  return out
}

/** Every head of keys or values as often as heads of queries share it. @param {TensorLike} x @param {number} H */
export function repeated({ shape: [B, KV, T, D], data }, H) {
  const out = zeros([B, H, T, D])
  for (let i = 0; i < out.data.length; i++) {
    const [rest, h, b] = [i % (T * D), Math.floor(i / (T * D)) % H, Math.floor(i / (H * T * D))]
    out.data[i] = data[(b * KV + Math.floor(h * KV / H)) * T * D + rest]
  }
  return out
}

/** The inverse for gradients: what the copies get, summed. @param {TensorLike} x @param {number} KV */
export function collected({ shape: [B, H, T, D], data }, KV) {
  const out = zeros([B, KV, T, D])
  for (let i = 0; i < data.length; i++) {
    const [rest, h, b] = [i % (T * D), Math.floor(i / (T * D)) % H, Math.floor(i / (H * T * D))]
    out.data[(b * KV + Math.floor(h * KV / H)) * T * D + rest] += data[i]
  }
  return out
}

/** Rows as columns. @param {TensorLike} x */
export function turned(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, H, D, T])
  for (let i = 0; i < out.data.length; i++) {
    const [t, d, front] = [i % T, Math.floor(i / T) % D, Math.floor(i / (T * D))]
    out.data[i] = x.data[(front * T + t) * D + d]
  }
  return out
}
