// All gradients together are one long vector. If it is longer than max_norm it is scaled down to that length;
// PyTorch adds 1e-6 to the length it divides by.
import { map } from './tensor.js'

function norm(grads, normType) {
  const sizes = grads.flatMap(g => Array.from(g.data, Math.abs))
  if (normType === Infinity) return sizes.reduce((a, b) => Math.max(a, b), 0)
  return sizes.reduce((sum, size) => sum + size ** normType, 0) ** (1 / normType)
}

export function clipNorm({ grads }, { max_norm: maxNorm, norm_type: normType = 2 }) {
  const total = norm(grads, normType)
  const scale = Math.min(1, maxNorm / (total + 1e-6))
  return { total_norm: total, clipped: grads.map(g => map(g, value => value * scale)) }
}

export const clipValue = ({ grads }, { clip_value: limit }) => ({
  clipped: grads.map(g => map(g, value => Math.min(limit, Math.max(-limit, value))))
})
