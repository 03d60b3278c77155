import { expectNumber, expectOptions } from '../errors.js'
import { sameShape } from '../tensor/shape.js'
import { binaryFunctions } from './binary.js'
import { broadcast } from './broadcast.js'
import { expectFloatTensor } from './checks.js'
import { reductions } from './reduce.js'
import { expand } from './strided.js'
import { unaryFunctions } from './unary.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

const { div, mul } = binaryFunctions

/**
 * x divided by its norm, or by eps if the norm is smaller.
 * @param {Tensor} x @param {number} p @param {any} dim @param {number} eps
 */
const divideByNorm = (x, p, dim, eps) =>
  div(x, unaryFunctions.clamp(reductions.norm(x, { p, dim, keepdim: true }), { min: eps }))

/**
 * Divides vectors by their p-norm: torch.nn.functional.normalize.
 * @param {Tensor} x any shape
 * @param {{ p?: number, dim?: number | readonly number[], eps?: number }} [options] p: 2; dim: 1; eps: 1e-12, the
 *   minimum of the norm
 * @returns {Tensor} the same shape
 */
export function normalize(x, options) {
  const { p = 2, dim = 1, eps = 1e-12 } = expectOptions('normalize', options, ['p', 'dim', 'eps'])
  expectNumber('normalize', 'eps', eps, 'a number >= 0', v => v >= 0)
  return divideByNorm(expectFloatTensor('normalize', 'x', x), p, dim, eps)
}

/**
 * The cosine of the angle between vectors: torch.nn.functional.cosine_similarity.
 * @param {Tensor} a any shape @param {Tensor} b of a shape that broadcasts with a
 * @param {{ dim?: number, eps?: number }} [options] dim: 1, the axis of the vectors; eps: 1e-8, the minimum of each
 *   norm
 * @returns {Tensor} the broadcast shape without dim
 */
export function cosineSimilarity(a, b, options) {
  const { dim = 1, eps = 1e-8 } = expectOptions('cosineSimilarity', options, ['dim', 'eps'])
  expectNumber('cosineSimilarity', 'eps', eps, 'a number >= 0', v => v >= 0)
  expectFloatTensor('cosineSimilarity', 'a', a)
  expectFloatTensor('cosineSimilarity', 'b', b)
  const { shape } = broadcast('cosineSimilarity', a.shape, b.shape)
  const [x, y] = [a, b].map(tensor => (sameShape(tensor.shape, shape) ? tensor : expand(tensor, shape)))
  return reductions.sum(mul(divideByNorm(x, 2, dim, eps), divideByNorm(y, 2, dim, eps)), { dim })
}
