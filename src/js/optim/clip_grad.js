import { expectNumber, expectOptions } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { expectParams } from './optimizer.js'

/** @param {string} where @param {Iterable<Tensor>} params @returns {Tensor[]} */
function gradientsOf(where, params) {
  return expectParams(where, params, p => p instanceof Tensor, 'a tensor').flatMap(p => p.internalGrad ?? [])
}

/** The norm of all gradients as one vector. @param {Tensor[]} gradients @param {number} normType */
function computeTotalNorm(gradients, normType) {
  const apply = (/** @type {string} */ kernel) => gradients.map(g => g.engine.c[kernel](g.dataPtr(), g.numel()))
  if (normType === Infinity) return apply('gf_max_absolute').reduce((max, value) => Math.max(max, value), 0)
  const sum = (/** @type {number[]} */ values) => values.reduce((total, v) => total + v, 0)
  if (normType === 1) return sum(apply('gf_sum_absolute'))
  if (normType === 2) return Math.sqrt(sum(apply('gf_sum_squares')))
  return sum(gradients.flatMap(g => Array.from(g.values, v => Math.abs(v) ** normType))) ** (1 / normType)
}

/**
 * Scales all gradients so that their norm is at most maxNorm: torch.nn.utils.clip_grad_norm_.
 * @param {Iterable<Tensor>} params
 * @param {number} maxNorm
 * @param {{ normType?: number }} [options] normType: 2; any p > 0, Infinity for the largest absolute value
 * @returns {number} the norm before scaling
 * @example
 * const x = gf.tensor([3, 4], { requiresGrad: true })
 * x.square().sum().backward()
 * gf.optim.clipGradNorm([x], 1)                   // 10
 * x.grad                                          // [0.6, 0.8]
 */
export function clipGradNorm(params, maxNorm, options) {
  const { normType = 2 } = expectOptions('clipGradNorm', options, ['normType'])
  expectNumber('clipGradNorm', 'maxNorm', maxNorm, 'a number >= 0', v => v >= 0)
  expectNumber('clipGradNorm', 'normType', normType, 'a number > 0', v => v > 0)
  const gradients = gradientsOf('clipGradNorm', params), norm = computeTotalNorm(gradients, normType)
  const coefficient = Math.min(1, maxNorm / (norm + 1e-6))
  for (const g of gradients) {
    g.engine.c.gf_scale(g.dataPtr(), g.numel(), coefficient)
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
    g.engine.c.gf_clamp(g.dataPtr(), g.numel(), -clipValue, clipValue)
    g.touch()
  }
}
