import { numberWhere } from '../errors.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @param {Iterable<Tensor>} params @returns {Tensor[]} */
const gradientsOf = params => /** @type {Tensor[]} */ ([...params].map(p => p.grad).filter(Boolean))

/** The norm of all gradients taken together. @param {Tensor[]} gradients @param {number} normType */
function totalNorm(gradients, normType) {
  const each = (/** @type {string} */ kernel) => gradients.map(g => g.engine.c[kernel](g.address, g.size))
  if (normType === Infinity) return Math.max(0, ...each('gf_max_absolute'))
  const sum = (/** @type {number[]} */ values) => values.reduce((total, v) => total + v, 0)
  return normType === 1 ? sum(each('gf_sum_absolute')) : Math.sqrt(sum(each('gf_sum_squares')))
}

/**
 * Scales all gradients so that their norm is at most maxNorm: torch.nn.utils.clip_grad_norm_.
 * @param {Iterable<Tensor>} params
 * @param {number} maxNorm
 * @param {{ normType?: 1 | 2 | number }} [options] normType: 2; also 1 and Infinity
 * @returns {number} the norm before
 */
export function clipGradNorm(params, maxNorm, { normType = 2 } = {}) {
  numberWhere('clipGradNorm', 'maxNorm', maxNorm, 'a number >= 0', v => v >= 0)
  numberWhere('clipGradNorm', 'normType', normType, '1, 2 or Infinity', v => [1, 2, Infinity].includes(v))
  const gradients = gradientsOf(params), norm = totalNorm(gradients, normType), coefficient = Math.min(1, maxNorm / (norm + 1e-6))
  for (const g of gradients) g.engine.c.gf_scale(g.address, g.size, coefficient)
  return norm
}

/**
 * Limits every value of every gradient to ±clipValue: torch.nn.utils.clip_grad_value_.
 * @param {Iterable<Tensor>} params
 * @param {number} clipValue
 */
export function clipGradValue(params, clipValue) {
  numberWhere('clipGradValue', 'clipValue', clipValue, 'a number >= 0', v => v >= 0)
  for (const g of gradientsOf(params)) g.engine.c.gf_clamp(g.address, g.size, -clipValue, clipValue)
}
