import { expectNumber, expectOptions } from '../errors.js'
import { sameShape } from '../shape.js'
import { binaryFunctions } from './binary.js'
import { broadcast } from './broadcast.js'
import { expectFloatTensor } from './checks.js'
import { reductions } from './reduce.js'
import { expand } from './strided.js'
import { unaryFunctions } from './unary.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

const { div, mul } = binaryFunctions

/**
 * x over its norm, which is taken as eps at least.
 * @param {Tensor} x @param {number} p @param {any} dim @param {number} eps
 */
const unit = (x, p, dim, eps) =>
  div(x, unaryFunctions.clamp(reductions.norm(x, { p, dim, keepdim: true }), { min: eps }))

/**
 * Vectors brought to length 1: torch.nn.functional.normalize.
 * @param {Tensor} x any shape
 * @param {{ p?: number, dim?: number | readonly number[], eps?: number }} [options] p: 2, of the norm; dim: 1;
 *   eps: 1e-12
 * @returns {Tensor} the same shape
 */
export function normalize(x, options) {
  const { p = 2, dim = 1, eps = 1e-12 } = expectOptions('normalize', options, ['p', 'dim', 'eps'])
  expectNumber('normalize', 'eps', eps, 'a number >= 0', v => v >= 0)
  return unit(expectFloatTensor('normalize', 'x', x), p, dim, eps)
}

/**
 * The cosine of the angle between vectors: torch.nn.functional.cosine_similarity.
 * @param {Tensor} a any shape @param {Tensor} b one that broadcasts with it
 * @param {{ dim?: number, eps?: number }} [options] dim: 1, along which the vectors lie; eps: 1e-8, the least length
 * @returns {Tensor} their shape without dim
 */
export function cosineSimilarity(a, b, options) {
  const { dim = 1, eps = 1e-8 } = expectOptions('cosineSimilarity', options, ['dim', 'eps'])
  expectNumber('cosineSimilarity', 'eps', eps, 'a number >= 0', v => v >= 0)
  expectFloatTensor('cosineSimilarity', 'a', a)
  expectFloatTensor('cosineSimilarity', 'b', b)
  const { shape } = broadcast('cosineSimilarity', a.shape, b.shape)
  const [x, y] = [a, b].map(one => (sameShape(one.shape, shape) ? one : expand(one, shape)))
  return reductions.sum(mul(unit(x, 2, dim, eps), unit(y, 2, dim, eps)), { dim })
}
