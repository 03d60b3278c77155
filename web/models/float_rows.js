/** Values of weights as float32, whatever dtype they are stored in, without a copy of a large one. */

import { unpackRows } from '../../src/js/ops/stored_weight.js'

/** @import { LibraryTensor } from '../types.d.ts' */

/** How many values of a stored matrix are converted at once. */
const PART = 2 ** 20

/**
 * Some adjacent rows of a stored matrix.
 * @param {LibraryTensor} weight @param {number} first @param {number} count @returns {Float32Array}
 */
export function floatRows(weight, first, count) {
  const { engine, shape: [, cols] } = weight, part = engine.keep(engine.empty([count, cols]))
  try {
    if (count * cols) unpackRows(part, weight, first)
    return /** @type {Float32Array} */ (part.values.slice())
  } finally {
    part.dispose()
  }
}

/** Whether values are numbers that only need to be viewed. @param {LibraryTensor} tensor */
const isViewable = ({ dtype, shape }) => shape.length !== 2 || ['float32', 'int32', 'float64', 'bool'].includes(dtype)

/**
 * The values of a tensor in parts, with the index of the first value of each.
 * @param {LibraryTensor} tensor @returns {Generator<{ values: ArrayLike<number>, at: number }>}
 */
export function* eachPart(tensor) {
  const { shape: [rows, cols] } = tensor
  if (isViewable(tensor)) return yield { values: tensor.values, at: 0 }
  const step = Math.max(1, Math.floor(PART / Math.max(1, cols)))
  for (let row = 0; row < rows; row += step) {
    yield { values: floatRows(tensor, row, Math.min(step, rows - row)), at: row * cols }
  }
}

/**
 * Copies all values of a tensor.
 * @param {LibraryTensor} tensor @param {Float32Array} [to] @returns {Float32Array}
 */
export function copyValues(tensor, to = new Float32Array(tensor.numel())) {
  for (const { values, at } of eachPart(tensor)) to.set(values, at)
  return to
}
