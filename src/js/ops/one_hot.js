import { expect, expectOptions, expectInteger } from '../errors.js'
import { arange } from '../tensor/creation.js'
import { expectTensor, toIdTensor } from './checks.js'
import { comparisons } from './compare.js'
import { to } from './convert.js'
import { unsqueeze } from './sides.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * One-hot vectors, 1 at the index of each id and 0 elsewhere: torch.nn.functional.one_hot.
 * @param {Tensor} ids int32, any shape
 * @param {{ numClasses?: number }} [options] numClasses: default: the largest id + 1
 * @returns {Tensor} int32, [...ids.shape, numClasses]
 * @throws {import('../errors.js').GlassformerError} 'index' for an id outside 0 .. numClasses-1
 * @example
 * F.oneHot(gf.tensor([2, 0], { dtype: 'int32' }))   // int32 [[0, 0, 1], [1, 0, 0]]
 */
export function oneHot(ids, options) {
  const { engine } = expectTensor('oneHot', 'ids', ids), { values } = toIdTensor(engine, 'oneHot', 'ids', ids)
  let classes = expectOptions('oneHot', options, ['numClasses']).numClasses ?? 0
  if (!classes) for (const id of values) classes = Math.max(classes, id + 1)
  const count = expectInteger('oneHot', 'numClasses', classes, 1)
  const wrong = values.find(id => id < 0 || id >= count)
  expect(wrong === undefined, 'index', () => `oneHot: id ${wrong} is none of ${count} classes`)
  return to(comparisons.eq(unsqueeze(ids, -1), arange(engine, [count])), 'int32')
}
