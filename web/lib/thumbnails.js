/**
 * Thumbnails of tensors that stay in the worker: a long text has too many numbers to transfer all of them for pictures
 * of a few pixels.
 */

import { downsample } from './large_tables.js'

/** @import { KnownTensor, Run } from '../types.d.ts' */
/** @typedef {Pick<KnownTensor, 'shape' | 'axes'>} Shaped */

/** Larger matrices are drawn from thumbnails. */
const MAX_CELLS = 2 ** 15
const STAMP = { rows: 64, cols: 512 }

/**
 * The size of a matrix's thumbnail: channels are divided evenly, so that those of a head stay together.
 * @param {Shaped} tensor
 */
function sidesOf({ shape, axes }) {
  const [rows, cols] = shape.slice(-2), isChannels = axes.at(-1)?.name === 'channel'
  let part = Math.ceil(cols / STAMP.cols)
  while (isChannels && cols % part) part += 1
  return [Math.min(rows, STAMP.rows), isChannels ? cols / part : Math.min(cols, STAMP.cols)]
}

/** Whether a tensor is so large that its pictures come from thumbnails. @param {Shaped} tensor */
const isStamped = ({ shape: [...sides] }) => (
  sides.length > 2 && sides.slice(-2).reduce((product, side) => product * side) > MAX_CELLS)

/** @param {Shaped} tensor */
const stampedShape = tensor => [...tensor.shape.slice(0, -2), ...sidesOf(tensor)]

/**
 * The thumbnails of all matrices of a tensor.
 * @param {Shaped} tensor @param {Float32Array} values
 */
export function thumbnailsOf(tensor, values) {
  const [rows, cols] = tensor.shape.slice(-2), [high, wide] = sidesOf(tensor), size = rows * cols
  const all = new Float32Array((values.length / size) * high * wide)
  for (let from = 0, at = 0; from < values.length; from += size, at += high * wide) {
    const matrix = { rows, cols, values: values.subarray(from, from + size) }
    all.set(downsample(matrix, { rows: high, cols: wide }).values, at)
  }
  return all
}

/** @type {WeakMap<KnownTensor, KnownTensor>} */ const stamped = new WeakMap()

/** A placeholder for a tensor whose values are not loaded. @param {KnownTensor} tensor @returns {KnownTensor} */
function stampOf(tensor) {
  const placeholder = stamped.get(tensor) ?? { ...tensor, shape: stampedShape(tensor), data: null, isStamp: true }
  stamped.set(tensor, placeholder)
  return placeholder
}

/**
 * A run for pictures, in which large tensors that are not loaded are replaced by their thumbnails.
 * @param {Run} run @returns {Run}
 */
export function withThumbnails(run) {
  const { tensors } = run
  /** @param {string} name */
  const get = name => {
    const tensor = tensors.get(name)
    return tensor && !tensor.data && tensor.isKept !== false && isStamped(tensor) ? stampOf(tensor) : tensor
  }
  return { ...run, tensors: /** @type {Run['tensors']} */ (/** @type {object} */ (
    { get, has: (/** @type {string} */ name) => tensors.has(name) })) }
}
