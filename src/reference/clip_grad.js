// clip_grad_norm_ and clip_grad_value_. The norm is that of all gradients concatenated; gradients with a larger norm
// than max_norm are scaled by max_norm / (norm + 1e-6), as in PyTorch.
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
