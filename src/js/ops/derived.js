import { describe, expect, expectBoolean, expectInteger, expectNumber, expectOptions, formatShape } from '../errors.js'
import { tensor } from '../tensor/from_values.js'
import { range, sameShape } from '../tensor/shape.js'
import { binaryFunctions } from './binary.js'
import { expectFloatTensor, expectSameEngine, expectTensor, toIdTensor } from './checks.js'
import { comparisons, isnan, logicalNot } from './compare.js'
import { to } from './convert.js'
import { cumsum } from './cumsum.js'
import { gather, maskedSelect, nonzero, scatter, scatterAdd } from './gather.js'
import { cat, repeat } from './join.js'
import { narrow, select } from './narrow.js'
import { reductions } from './reduce.js'
import { flattenAxes } from './sides.js'
import { argsort, sort } from './sort.js'
import { axisOf, diagonal, expand, expectMovable, permute, toList } from './strided.js'
import { expectCellValue, where } from './where.js'

/**
 * Functions of PyTorch that are a few other operations, so that their gradients and explanations are those of these.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./sort.js').Sorted} Sorted
 */

const { add, mul, sub } = binaryFunctions

/**
 * A matrix with the values on a diagonal, or the diagonal of a matrix: torch.diag.
 * @param {Tensor} x [N], or [N, M] @param {number} [offset] 0, the main diagonal; positive is above it
 * @returns {Tensor} [N + |offset|, N + |offset|], or the length of the diagonal
 * @example
 * gf.diag(gf.tensor([1, 2]))                      // [[1, 0], [0, 2]]
 */
export function diag(x, offset) {
  const { engine, shape } = expectMovable('diag', x), by = expectInteger('diag', 'offset', offset ?? 0, -(2 ** 31))
  expect(shape.length === 1 || shape.length === 2, 'shape', () => `diag: x must have one axis or two, got ${describe(x)}`)
  if (shape.length === 2) return diagonal(x, by)
  const side = x.numel() + Math.abs(by), first = Math.max(-by, 0) * side + Math.max(by, 0)
  const indices = tensor(engine, Int32Array.from(range(x.numel()), i => first + i * (side + 1)))
  return scatter(engine.zeros([side * side], x.dtype), 0, indices, x).reshape(side, side)
}

/**
 * The slices along an axis, without that axis: torch.unbind.
 * @param {Tensor} x @param {number} [dim] 0 @returns {Tensor[]}
 */
export function unbind(x, dim) {
  const { shape } = expectMovable('unbind', x), axis = axisOf('unbind', dim ?? 0, shape.length)
  return range(shape[axis]).map(i => select(x, axis, i))
}

/**
 * Repeats the tensor along its last axes, and along new axes before them: torch.tile.
 * @param {Tensor} x @param {...(number | readonly number[])} times fewer than axes: of the last ones @returns {Tensor}
 */
export function tile(x, ...times) {
  const { shape } = expectMovable('tile', x), list = toList(times)
  return repeat(x, [...range(Math.max(0, shape.length - list.length)).map(() => 1), ...list])
}

/**
 * Exchanges two axes: torch.swapaxes, the same as transpose.
 * @param {Tensor} x @param {number} a @param {number} b @returns {Tensor}
 */
export const swapaxes = (x, a, b) => expectTensor('swapaxes', 'x', x).transpose(a, b)

/**
 * Moves axes to other positions; the others keep their order: torch.movedim.
 * @param {Tensor} x @param {number | readonly number[]} source @param {number | readonly number[]} destination
 * @returns {Tensor}
 */
export function movedim(x, source, destination) {
  const { shape } = expectMovable('movedim', x)
  const [from, into] = [source, destination].map((dims, i) => toList([dims]).map(
    dim => axisOf('movedim', dim, shape.length, i ? 'destination' : 'source')))
  const isValid = from.length === into.length && [from, into].every(list => new Set(list).size === list.length)
  expect(isValid, 'range', () => `movedim: source and destination must name as many axes, each once, got ${formatShape(from)} and ${formatShape(into)}`)
  const rest = range(shape.length).filter(axis => !from.includes(axis))
  return permute(x, range(shape.length).map(axis => from[into.indexOf(axis)] ?? /** @type {number} */ (rest.shift())))
}

/**
 * Expanded to another tensor's shape: torch.Tensor.expand_as.
 * @param {Tensor} x @param {Tensor} other @returns {Tensor}
 */
export const expandAs = (x, other) => expand(x, expectTensor('expandAs', 'other', other).shape)

/**
 * A view with another tensor's shape: torch.Tensor.view_as.
 * @param {Tensor} x @param {Tensor} other @returns {Tensor}
 */
export const viewAs = (x, other) => expectTensor('viewAs', 'x', x).view(expectTensor('viewAs', 'other', other).shape)

/** The same as viewAs: torch.Tensor.reshape_as. @param {Tensor} x @param {Tensor} other @returns {Tensor} */
export const reshapeAs = (x, other) => expectTensor('reshapeAs', 'x', x).reshape(expectTensor('reshapeAs', 'other', other).shape)

/**
 * Converted to another tensor's dtype: torch.Tensor.type_as.
 * @param {Tensor} x @param {Tensor} other @returns {Tensor}
 */
export const typeAs = (x, other) => to(x,
  expectTensor('typeAs', 'other', other, `a tensor${typeof other === 'string' ? ', x.to(dtype) takes a name' : ''}`).dtype)

/**
 * Between start and end: start + weight × (end − start): torch.lerp.
 * @param {Tensor} start @param {Tensor} end @param {number | Tensor} weight a number, or one for each cell
 * @returns {Tensor}
 * @example
 * gf.lerp(gf.tensor([0, 10]), gf.tensor([1, 20]), 0.5)   // [0.5, 15]
 */
export function lerp(start, end, weight) {
  const difference = sub(expectFloatTensor('lerp', 'end', end), expectFloatTensor('lerp', 'start', start))
  const near = () => add(start, mul(difference, weight)), far = () => sub(end, mul(difference, sub(1, weight)))
  // From the nearer end, so that weights of 0 and 1 give the ends themselves.
  if (typeof weight === 'number') return Math.abs(weight) < 0.5 ? near() : sub(end, mul(difference, 1 - weight))
  return where(comparisons.lt(expectFloatTensor('lerp', 'weight', weight).abs(), 0.5), near(), far())
}

/**
 * Indices of slices as indices of cells.
 * @param {string} where @param {Tensor} x @param {number} dim @param {any} index [K] @param {readonly number[]} sides
 */
function spreadIndex(where, x, dim, index, sides) {
  const ids = toIdTensor(x.engine, where, 'index', index)
  expect(ids.shape.length === 1 && ids.numel() === sides[dim], 'shape',
    () => `${where}: index must be a list of ${sides[dim]}, one for each slice, got ${describe(ids)}`)
  return expand(ids.reshape(sides.map((_, axis) => (axis === dim ? ids.numel() : 1))), sides)
}

/** @param {string} where @param {Tensor} x @param {number} dim @param {unknown} source of x's shape except on dim */
function expectSource(where, x, dim, source) {
  const values = expectTensor(where, 'source', source)
  const { shape } = values, fits = shape.length === x.shape.length &&
    shape.every((side, a) => a === dim || side === x.shape[a])
  expect(fits, 'shape', () => `${where}: source must have the shape of x ${formatShape(x.shape)} except on axis ${dim}, got ${describe(source)}`)
  return values
}

/**
 * A copy of x with slices of source added at indices along an axis: torch.index_add.
 * @param {Tensor} x float32 or int32 @param {number} dim @param {any} index [K] @param {Tensor} source K slices
 * @param {{ alpha?: number }} [options] alpha: 1, a factor of source @returns {Tensor}
 */
export function indexAdd(x, dim, index, source, options) {
  const { alpha = 1 } = expectOptions('indexAdd', options, ['alpha']), axis = axisOf('indexAdd', dim, expectMovable('indexAdd', x).shape.length)
  const values = expectSource('indexAdd', x, axis, source)
  expectNumber('indexAdd', 'alpha', alpha, 'a number', () => true)
  return scatterAdd(x, axis, spreadIndex('indexAdd', x, axis, index, values.shape), alpha === 1 ? values : mul(values, alpha))
}

/**
 * A copy of x with slices of source in place of those at indices along an axis: torch.index_copy.
 * @param {Tensor} x @param {number} dim @param {any} index [K] @param {Tensor} source K slices @returns {Tensor}
 */
export function indexCopy(x, dim, index, source) {
  const axis = axisOf('indexCopy', dim, expectMovable('indexCopy', x).shape.length), values = expectSource('indexCopy', x, axis, source)
  return scatter(x, axis, spreadIndex('indexCopy', x, axis, index, values.shape), values)
}

/**
 * A copy of x with one value in the slices at indices along an axis: torch.index_fill.
 * @param {Tensor} x @param {number} dim @param {any} index [K] @param {number | boolean} value @returns {Tensor}
 */
export function indexFill(x, dim, index, value) {
  const { engine, shape, dtype } = expectMovable('indexFill', x), axis = axisOf('indexFill', dim, shape.length)
  const ids = toIdTensor(engine, 'indexFill', 'index', index), sides = shape.map((side, a) => (a === axis ? ids.numel() : side))
  return scatter(x, axis, spreadIndex('indexFill', x, axis, ids, sides), expectCellValue('indexFill', value, dtype))
}

/**
 * Cumulative products along an axis: torch.cumprod. Partial products of 1, 2, 4, … cells are multiplied, so that the
 * last bits may differ from PyTorch's.
 * @param {Tensor} x float32, int32 or bool @param {number} dim @returns {Tensor} int32 for int32 and bool
 */
export function cumprod(x, dim) {
  const { shape, dtype } = expectMovable('cumprod', x), axis = axisOf('cumprod', dim, Math.max(shape.length, 1))
  if (dtype === 'bool') return cumprod(to(x, 'int32'), dim)
  if (!shape.length) return cumprod(x.reshape(1), 0).reshape()
  let products = x
  for (let n = 1; n < shape[axis]; n *= 2) {
    const rest = shape[axis] - n, later = mul(narrow(products, axis, n, rest), narrow(products, axis, 0, rest))
    products = cat([narrow(products, axis, 0, n), later], { dim: axis })
  }
  return products === x ? mul(x, 1) : products
}

/**
 * The lower median: torch.median. NaN if there is one.
 * @param {Tensor} x float32 or int32 @param {{ dim?: number, keepdim?: boolean }} [options] dim: default: of all
 *   values; keepdim: false
 * @returns {Tensor | Sorted} a scalar; with dim values and indices
 */
export function median(x, options) {
  const { dim, keepdim = false } = expectOptions('median', options, ['dim', 'keepdim'])
  expectBoolean('median', 'keepdim', keepdim)
  if (dim === undefined || dim === null) return medianOfAll(expectMovable('median', x))
  const row = expectMovable('median', x).shape.length ? x : x.reshape(1), axis = axisOf('median', dim, row.shape.length), n = row.shape[axis]
  expect(n > 0, 'shape', () => `median: there is nothing to choose from along dim ${axis} of shape ${formatShape(x.shape)}`)
  // NaN sorts last: the first of them comes after all numbers.
  const count = reductions.sum(logicalNot(isnan(row)), { dim: axis, keepdim: true })
  const place = where(comparisons.eq(count, n), (n - 1) >> 1, count)
  const indices = gather(argsort(row, { dim: axis }), axis, place), values = gather(row, axis, indices)
  const shape = keepdim && x.shape.length ? values.shape : values.shape.filter((_, a) => a !== axis)
  const result = [values.reshape(shape), indices.reshape(shape)]
  return /** @type {Sorted} */ (Object.assign(result, { values: result[0], indices: result[1] }))
}

/** Equal values share the gradient. @param {Tensor} x */
function medianOfAll(x) {
  if (!x.numel()) return tensor(x.engine, NaN)
  const flat = flattenAxes(x), [value] = /** @type {Sorted} */ (median(flat.detach(), { dim: 0 }))
  const areBothNan = isnan(flat).logicalAnd(isnan(value))
  return reductions.max(maskedSelect(flat, comparisons.eq(flat, value).logicalOr(areBothNan)))
}

/**
 * How often each integer from 0 on occurs, or the sum of its weights: torch.bincount.
 * @param {Tensor | readonly number[]} x [N] integers >= 0
 * @param {{ weights?: Tensor, minlength?: number }} [options] weights: [N], 1 for each; minlength: 0, of the result
 * @returns {Tensor} [largest + 1], int32, or float32 with weights
 * @example
 * gf.tensor(Uint8Array.of(1, 1, 3)).bincount()    // int32 [0, 2, 0, 1]
 */
export function bincount(x, options) {
  const { weights, minlength = 0 } = expectOptions('bincount', options, ['weights', 'minlength'])
  const { engine } = expectTensor('bincount', 'x', x), ids = toIdTensor(engine, 'bincount', 'x', x), values = Array.from(ids.values)
  expect(ids.shape.length === 1, 'shape', () => `bincount: x must have one axis, got ${describe(ids)}`)
  const wrong = values.findIndex(value => value < 0), largest = values.reduce((max, value) => Math.max(max, value), -1)
  expect(wrong < 0, 'range', () => `bincount: x must hold integers >= 0, got ${values[wrong]} at index ${wrong}`)
  const length = Math.max(expectInteger('bincount', 'minlength', minlength), largest + 1)
  const amounts = weights === undefined || weights === null ? null : expectFloatTensor('bincount', 'weights', weights)
  expect(!amounts || sameShape(amounts.shape, ids.shape), 'shape',
    () => `bincount: weights must have the shape of x, ${formatShape(ids.shape)}, got ${describe(amounts)}`)
  const ones = amounts ?? engine.empty(ids.shape, 'int32')
  if (!amounts) ones.values.fill(1)
  return scatterAdd(engine.zeros([length], ones.dtype), 0, ids, ones)
}

/**
 * The different values in ascending order: torch.unique.
 * @param {Tensor} x float32, int32 or bool
 * @param {{ sorted?: boolean, returnInverse?: boolean, returnCounts?: boolean }} [options] sorted: true, they always
 *   are; returnInverse: false, the index of each value of x; returnCounts: false
 * @returns {any} the values [count]; with returnInverse or returnCounts an array: values, indices of x's shape, counts
 * @example
 * gf.tensor([3, 1, 3]).unique()                   // [1, 3]
 */
export function unique(x, options) {
  const { sorted = true, returnInverse = false, returnCounts = false } =
    expectOptions('unique', options, ['sorted', 'returnInverse', 'returnCounts'])
  for (const [name, value] of Object.entries({ sorted, returnInverse, returnCounts })) expectBoolean('unique', name, value)
  const { engine, shape } = expectMovable('unique', x)
  return engine.noGrad(() => {
    const { values, indices } = sort(flattenAxes(x)), n = values.numel(), isFirst = n > 1
      ? cat([tensor(engine, [true]), comparisons.ne(narrow(values, 0, 1, n - 1), narrow(values, 0, 0, n - 1))])
      : tensor(engine, range(n).map(() => true), { dtype: 'bool' })
    const result = [maskedSelect(values, isFirst)]
    if (returnInverse) {
      const ranks = sub(cumsum(isFirst, 0), 1)
      result.push(scatter(ranks, 0, indices, ranks).reshape(shape))
    }
    if (returnCounts) {
      const starts = flattenAxes(nonzero(isFirst)), ends = cat([starts, tensor(engine, Int32Array.of(n))])
      result.push(sub(narrow(ends, 0, 1, starts.numel()), starts))
    }
    return result.length > 1 ? result : result[0]
  })
}

/**
 * Grids of coordinates: torch.meshgrid. Tensor i has the values of tensors[i] along axis i.
 * @param {readonly Tensor[]} tensors [N], [M] … @param {{ indexing?: 'ij' | 'xy' }} [options] indexing: 'ij'; 'xy'
 *   exchanges the first two axes
 * @returns {Tensor[]} each [N, M, …]
 * @example
 * gf.meshgrid([gf.arange(2), gf.arange(3)])[1]    // int32 [[0, 1, 2], [0, 1, 2]]
 */
export function meshgrid(tensors, options) {
  expect(Array.isArray(tensors), 'type', () => `meshgrid: tensors must be a list of tensors, got ${describe(tensors)}; write gf.meshgrid([a, b])`)
  const { indexing = 'ij' } = expectOptions('meshgrid', options, ['indexing'])
  expect(indexing === 'ij' || indexing === 'xy', 'range', () => `meshgrid: indexing must be 'ij' or 'xy', got ${describe(indexing)}`)
  const list = tensors.map((t, i) => expectMovable('meshgrid', t, `tensors[${i}]`)), axes = range(list.length)
  expectSameEngine('meshgrid', ...list)
  expect(list.length > 0 && list.every(t => t.shape.length <= 1), 'shape',
    () => `meshgrid: tensors must have one axis each, got ${list.map(describe).join(', ') || 'none'}`)
  if (indexing === 'xy' && list.length > 1) axes.splice(0, 2, 1, 0)
  const sides = axes.map(n => list[n].numel())
  return list.map((t, n) => expand(t.reshape(axes.map(i => (i === n ? t.numel() : 1))), sides))
}
