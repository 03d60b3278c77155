import { expectNumber, optionsOf } from '../errors.js'
import { Tensor } from '../tensor.js'
import { paramList } from './optimizer.js'

/** @param {string} where @param {Iterable<Tensor>} params @returns {Tensor[]} */
function gradientsOf(where, params) {
  return paramList(where, params, p => p instanceof Tensor, 'a tensor').flatMap(p => p.heldGrad ?? [])
}

/** The norm of all gradients taken together. @param {Tensor[]} gradients @param {number} normType */
function totalNorm(gradients, normType) {
  const each = (/** @type {string} */ kernel) => gradients.map(g => g.engine.c[kernel](g.address, g.size))
  if (normType === Infinity) return each('gf_max_absolute').reduce((most, size) => Math.max(most, size), 0)
  const sum = (/** @type {number[]} */ values) => values.reduce((total, v) => total + v, 0)
  if (normType === 1) return sum(each('gf_sum_absolute'))
  if (normType === 2) return Math.sqrt(sum(each('gf_sum_squares')))
  return sum(gradients.flatMap(g => Array.from(g.values, v => Math.abs(v) ** normType))) ** (1 / normType)
}

/**
 * Scales all gradients so that their norm is at most maxNorm: torch.nn.utils.clip_grad_norm_.
 * @param {Iterable<Tensor>} params
 * @param {number} maxNorm
 * @param {{ normType?: number }} [options] normType: 2; any p > 0, Infinity for the largest absolute value
 * @returns {number} the norm before
 * @example
 * const x = gf.tensor([3, 4], { requiresGrad: true })
 * x.square().sum().backward()
 * gf.optim.clipGradNorm([x], 1)                   // 10
 * x.grad                                          // [0.6, 0.8]
 */
export function clipGradNorm(params, maxNorm, options) {
  const { normType = 2 } = optionsOf('clipGradNorm', options, ['normType'])
  expectNumber('clipGradNorm', 'maxNorm', maxNorm, 'a number >= 0', v => v >= 0)
  expectNumber('clipGradNorm', 'normType', normType, 'a number > 0', v => v > 0)
  const gradients = gradientsOf('clipGradNorm', params), norm = totalNorm(gradients, normType)
  const coefficient = Math.min(1, maxNorm / (norm + 1e-6))
  for (const g of gradients) {
    g.engine.c.gf_scale(g.address, g.size, coefficient)
    if (coefficient < 1) g.touch()
  }
  return norm
}

/**
 * Limits every value of every gradient to ±clipValue: torch.nn.utils.clip_grad_value_.
 * @param {Iterable<Tensor>} params
 * @param {number} clipValue
 */
export function clipGradValue(params, clipValue) {
  expectNumber('clipGradValue', 'clipValue', clipValue, 'a number >= 0', v => v >= 0)
  for (const g of gradientsOf('clipGradValue', params)) {
    g.engine.c.gf_clamp(g.address, g.size, -clipValue, clipValue)
    g.touch()
  }
}
