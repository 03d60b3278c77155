import { expectBoolean, expectOptions, expectInteger } from '../errors.js'
import { record, unrecorded } from '../autograd/autograd.js'
import { sizeOf } from '../tensor/shape.js'
import { binaryFunctions } from './binary.js'
import { to } from './convert.js'
import { gather } from './gather.js'
import { axisOf, expectMovable } from './strided.js'

/** Sorting along an axis. The sorted values are gathered by their indices, so that gradients flow to them. */

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {[Tensor, Tensor] & { values: Tensor, indices: Tensor }} Sorted values and indices, as in PyTorch */

/** @param {Tensor} values @param {Tensor} indices @returns {Sorted} */
const toSorted = (values, indices) => Object.assign(/** @type {[Tensor, Tensor]} */ ([values, indices]),
  { values, indices })

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'order',
  parameters: ({ outputs: { out }, saved: { dim, descending } }) => ({ dim, descending, k: out.shape[dim] }),
  backward() {},
  explain({ outputs: { out } }, _, index) {
    return { formula: 'the index in x of the value that is sorted to this position', terms: [], computed: out.at(...index) }
  },
  explainGradient: () => ({ formula: 'no gradient: an index changes only in jumps', terms: [] })
}

/**
 * The indices of the first k values in order along an axis, not recorded.
 * @param {Tensor} x float32 @param {number} axis @param {number} k @param {boolean} descending @returns {Tensor} int32
 */
function sortFloats(x, axis, k, descending) {
  const { engine, shape } = x, C = shape[axis]
  const out = engine.empty(shape.map((side, a) => (a === axis ? k : side)), 'int32')
  engine.c.gf_sort(out.dataPtr(), engine.scratch(2 * C), x.dataPtr(), sizeOf(shape, axis), C,
    sizeOf(shape.slice(axis + 1)), k, descending ? 1 : 0)
  return out
}

/**
 * The same for int32. Rounding to float32 keeps the order but makes some integers equal; these have been ordered before
 * by how far they are from the rounded value. Sorting is stable, so that order stays.
 * @param {Tensor} x @param {number} axis @param {number} k @param {boolean} descending @returns {Tensor} int32
 */
function sortIntegers(x, axis, k, descending) {
  const rounded = to(x, 'float32'), rest = to(binaryFunctions.sub(x, to(rounded, 'int32')), 'float32')
  const first = sortFloats(rest, axis, x.shape[axis], descending)
  return gather(first, axis, sortFloats(gather(rounded, axis, first), axis, k, descending))
}

/**
 * The indices of the first k values in order along an axis.
 * @param {Tensor} x @param {number} axis @param {number} k @param {boolean} descending @returns {Tensor} int32
 */
function sortIndices(x, axis, k, descending) {
  if (x.dtype === 'bool') return sortIndices(to(x, 'int32'), axis, k, descending)
  const { engine } = x, out = x.dtype === 'float32' ? sortFloats(x, axis, k, descending)
    : unrecorded(engine, () => engine.tidy(() => sortIntegers(x, axis, k, descending)))
  return record(engine, op, { x }, { out }, { dim: axis, descending })
}

/** A scalar as a row of one value. @param {Tensor} x */
const toRow = x => (x.shape.length ? x : x.reshape(1))
/** A result for a row, as a scalar if x is one. @param {Tensor} x @param {Tensor} result */
const fromRow = (x, result) => (x.shape.length || result.numel() === 0 ? result : result.reshape())

const OPTIONS = ['dim', 'descending']

/** @param {string} where @param {Tensor} x @param {unknown} options */
function sortAll(where, x, options) {
  const { dim = -1, descending = false } = expectOptions(where, options, OPTIONS)
  const row = toRow(expectMovable(where, x)), axis = axisOf(where, dim, row.shape.length)
  return { row, axis, indices: sortIndices(row, axis, row.shape[axis], expectBoolean(where, 'descending', descending)) }
}

/**
 * Sorts values along an axis; equal values keep their order: torch.sort(stable=True).
 * @param {Tensor} x @param {{ dim?: number, descending?: boolean }} [options] dim: −1; descending: false
 * @returns {Sorted} values and indices
 */
export function sort(x, options) {
  const { row, axis, indices } = sortAll('sort', x, options)
  return toSorted(fromRow(x, gather(row, axis, indices)), fromRow(x, indices))
}

/**
 * The indices that sort an axis: torch.argsort.
 * @param {Tensor} x @param {{ dim?: number, descending?: boolean }} [options] dim: −1; descending: false
 * @returns {Tensor} int32
 */
export const argsort = (x, options) => fromRow(x, sortAll('argsort', x, options).indices)

/**
 * The k largest values along an axis, in descending order; the first of equal values comes first: torch.topk.
 * @param {Tensor} x @param {number} k
 * @param {{ dim?: number, largest?: boolean, sorted?: boolean }} [options] dim: −1; largest: true; sorted: with false
 *   PyTorch gives the values in any order, and here they are in order, too
 * @returns {Sorted} values and indices
 * @example
 * const { values, indices } = gf.tensor([3, 9, 4]).topk(2)
 * values                                          // [9, 4]
 * indices                                         // int32 [1, 2]
 */
export function topk(x, k, options) {
  const { dim = -1, largest = true, sorted = true } = expectOptions('topk', options, ['dim', 'largest', 'sorted'])
  expectBoolean('topk', 'sorted', sorted)
  const row = toRow(expectMovable('topk', x)), { shape } = row, axis = axisOf('topk', dim, shape.length)
  const indices = sortIndices(row, axis, expectInteger('topk', 'k', k, 0, shape[axis]), expectBoolean('topk', 'largest', largest))
  return toSorted(fromRow(x, gather(row, axis, indices)), fromRow(x, indices))
}
