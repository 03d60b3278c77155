import { expectBoolean, expectOptions, expectInteger } from '../errors.js'
import { record } from '../autograd.js'
import { sizeOf } from '../shape.js'
import { expectFloatTensor } from './checks.js'
import { gather } from './gather.js'
import { axisOf } from './strided.js'

/** The order of values along an axis. The values themselves are looked up by it, which gives them their gradient. */

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {[Tensor, Tensor] & { values: Tensor, indices: Tensor }} Sorted by name, or in PyTorch's order */

/** @param {Tensor} values @param {Tensor} indices @returns {Sorted} */
const both = (values, indices) => Object.assign(/** @type {[Tensor, Tensor]} */ ([values, indices]),
  { values, indices })

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'order',
  parameters: ({ outputs: { out }, saved: { dim, descending } }) => ({ dim, descending, k: out.shape[dim] }),
  backward() {},
  explain({ outputs: { out } }, _, index) {
    return { formula: 'the place in x of what comes here in order', terms: [], computed: out.at(...index) }
  },
  explainGradient: () => ({ formula: 'no gradient: it jumps', terms: [] })
}

/**
 * The first k places of the order along an axis.
 * @param {Tensor} x @param {number} axis @param {number} k @param {boolean} descending @returns {Tensor} int32
 */
function order(x, axis, k, descending) {
  const { engine, shape } = x, C = shape[axis]
  const out = engine.empty(shape.map((side, a) => (a === axis ? k : side)), 'int32')
  engine.c.gf_sort(out.dataPtr(), engine.scratch(2 * C), x.dataPtr(), sizeOf(shape, axis), C,
    sizeOf(shape.slice(axis + 1)), k, descending ? 1 : 0)
  return record(engine, op, { x }, { out }, { dim: axis, descending })
}

/** A number alone is a row of one. @param {Tensor} x */
const asRow = x => (x.shape.length ? x : x.reshape(1))
/** What was made of its row, as it stands. @param {Tensor} x @param {Tensor} made */
const like = (x, made) => (x.shape.length || made.size === 0 ? made : made.reshape())

const OPTIONS = ['dim', 'descending']

/** @param {string} where @param {Tensor} x @param {unknown} options */
function ordered(where, x, options) {
  const { dim = -1, descending = false } = expectOptions(where, options, OPTIONS)
  const row = asRow(expectFloatTensor(where, 'x', x)), axis = axisOf(where, dim, row.shape.length)
  return { row, axis, indices: order(row, axis, row.shape[axis], expectBoolean(where, 'descending', descending)) }
}

/**
 * Values in order along an axis, equal ones as they stood: torch.sort(stable=True).
 * @param {Tensor} x @param {{ dim?: number, descending?: boolean }} [options] dim: −1; descending: false
 * @returns {Sorted} values and indices
 */
export function sort(x, options) {
  const { row, axis, indices } = ordered('sort', x, options)
  return both(like(x, gather(row, axis, indices)), like(x, indices))
}

/**
 * The places of the values in order: torch.argsort.
 * @param {Tensor} x @param {{ dim?: number, descending?: boolean }} [options] dim: −1; descending: false
 * @returns {Tensor} int32
 */
export const argsort = (x, options) => like(x, ordered('argsort', x, options).indices)

/**
 * The k largest values along an axis, the largest first, of equal ones the first: torch.topk.
 * @param {Tensor} x @param {number} k @param {{ dim?: number, largest?: boolean }} [options] dim: −1; largest: true
 * @returns {Sorted} values and indices
 * @example
 * const { values, indices } = gf.tensor([3, 9, 4]).topk(2)
 * values                                          // [9, 4]
 * indices                                         // int32 [1, 2]
 */
export function topk(x, k, options) {
  const { dim = -1, largest = true } = expectOptions('topk', options, ['dim', 'largest'])
  const row = asRow(expectFloatTensor('topk', 'x', x)), { shape } = row, axis = axisOf('topk', dim, shape.length)
  const indices = order(row, axis, expectInteger('topk', 'k', k, 0, shape[axis]), expectBoolean('topk', 'largest', largest))
  return both(like(x, gather(row, axis, indices)), like(x, indices))
}
