import { expect, expectNumber, expectOptions } from '../errors.js'
import { binaryFunctions } from './binary.js'
import { expectFloatTensor } from './checks.js'
import { comparisons } from './compare.js'
import { composedFunctions } from './composed.js'
import { chunk } from './join.js'
import { axisOf } from './strided.js'
import { unaryFunctions } from './unary.js'
import { where } from './where.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

const { mul } = binaryFunctions

/**
 * The first half times the sigmoid of the second half (Dauphin et al. 2017): torch.nn.functional.glu.
 * @param {Tensor} x @param {{ dim?: number }} [options] dim: −1, an axis of even length
 * @returns {Tensor} half as long along dim
 * @example
 * F.glu(gf.tensor([3, 0]))                        // [1.5]
 */
export function glu(x, options) {
  const { dim = -1 } = expectOptions('glu', options, ['dim']), { shape } = expectFloatTensor('glu', 'x', x)
  const axis = axisOf('glu', dim, shape.length)
  expect(shape[axis] > 0 && shape[axis] % 2 === 0, 'shape', () => `glu: axis ${axis} must have an even length, got ${shape[axis]}`)
  const [a, b] = chunk(x, 2, { dim: axis })
  return mul(a, unaryFunctions.sigmoid(b))
}

/**
 * x where x > 0, else alpha × (exp(x) − 1) (Clevert et al. 2016): torch.nn.functional.elu.
 * @param {Tensor} x any shape @param {{ alpha?: number }} [options] alpha: 1 @returns {Tensor}
 * @example
 * F.elu(gf.tensor([2, 0]))                        // [2, 0]
 */
export function elu(x, options) {
  const { alpha = 1 } = expectOptions('elu', options, ['alpha'])
  expectNumber('elu', 'alpha', alpha, 'a number', () => true)
  const isAbove = comparisons.gt(expectFloatTensor('elu', 'x', x), 0)
  // Of large x the exponential would be infinite, and the gradients NaN.
  const below = composedFunctions.expm1(where(isAbove, 0, x))
  return where(isAbove, x, alpha === 1 ? below : mul(below, alpha))
}
