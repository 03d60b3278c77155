import { GlassformerError, describe, expect, expectBoolean, expectOptions, formatShape, isPlain } from '../errors.js'
import { tensor } from '../tensor/from_values.js'
import { indicesOf, range, sliceShape, sizeOf } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { broadcast } from './broadcast.js'
import { expectTensor, expectSameEngine } from './checks.js'
import { indexSelect, nonzero } from './gather.js'
import { expectWritable } from './in_place.js'
import { select } from './narrow.js'
import { flattenAxes, unsqueeze } from './sides.js'
import { expectMovable, permute, slice } from './strided.js'

/**
 * PyTorch's subscripts as a method, since JavaScript's brackets take names only: x[:, -1, [0, 2]] is
 * x.index(':', -1, [0, 2]). It is made of the operations that do each part, so gradients and explanations are theirs.
 *
 * @typedef {number | null | string | Tensor | readonly any[] | { start?: number, end?: number, step?: number }}
 *   Subscript
 *
 * A subscript that selects cells one by one: an index for each cell along one axis.
 * @typedef {{ axis: number, indices: Tensor }} Advanced indices int32 of any shape
 */

/** @param {string} where @param {unknown} subscript */
const subscriptError = (where, subscript) => new GlassformerError('type', `${where}: a subscript must be an integer, ':' or null for ` +
  "all, a range such as '1:5:2', '...', 'newaxis', a list of integers or booleans, or an int32 or bool tensor; got " +
  `${describe(subscript)}${isRange(subscript) ? '; the step of a range must be positive' : ''}`)

const RANGE = /^(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?$/
/** @param {unknown} subscript */
const isRange = subscript => typeof subscript === 'string' && RANGE.test(subscript)
/** @param {unknown} subscript */
const isAll = subscript => subscript === null || subscript === ':' || subscript === '::'

/**
 * Start, end and step of a range, or null for another subscript.
 * @param {string} where @param {any} subscript @returns {[number, number | undefined, number] | null}
 */
function readRange(where, subscript) {
  if (isPlain(subscript)) {
    const { start = 0, end, step = 1, ...others } = /** @type {any} */ (subscript)
    const numbers = [start, end ?? 0, step], isEmpty = Object.keys(subscript).length === 0
    const isValid = !isEmpty && Object.keys(others).length === 0 && numbers.every(Number.isInteger) && step > 0
    if (!isValid) throw subscriptError(where, subscript)
    return [start, end ?? undefined, step]
  }
  const found = typeof subscript === 'string' ? RANGE.exec(subscript) : null
  if (!found) return null
  const [, start = 0, end, step = 1] = found
  if (Number(step) < 1) throw subscriptError(where, subscript)
  return [Number(start), end === undefined ? undefined : Number(end), Number(step)]
}

/**
 * A list or tensor of indices or booleans as a tensor.
 * @param {string} where @param {Tensor} x @param {any} subscript @returns {Tensor}
 */
function toIndexTensor(where, x, subscript) {
  if (subscript instanceof Tensor) {
    const given = expectTensor(where, 'a subscript', subscript)
    expectSameEngine(where, x, given)
    expect(given.dtype === 'int32' || given.dtype === 'bool', 'type', () => `${where}: a tensor as subscript must be int32 or bool, ` +
      `got ${describe(given)}; to('int32') makes indices, x.gt(0) a mask`)
    return given
  }
  const values = subscript.flat(Infinity), isMask = values.length > 0 && values.every((/** @type {any} */ v) => typeof v === 'boolean')
  if (!isMask && !values.every(Number.isInteger)) throw subscriptError(where, subscript)
  return tensor(x.engine, subscript, { dtype: isMask ? 'bool' : 'int32' }, `${where}: a subscript`)
}

/** How many axes of x a subscript takes. @param {any} subscript */
function countAxes(subscript) {
  if (subscript === 'newaxis' || subscript === '...') return 0
  const isMask = subscript instanceof Tensor ? subscript.dtype === 'bool'
    : Array.isArray(subscript) && typeof subscript.flat(Infinity)[0] === 'boolean'
  if (!isMask) return 1
  if (subscript instanceof Tensor) return subscript.shape.length
  let rank = 0
  for (let level = subscript; Array.isArray(level); [level] = level) rank++
  return rank
}

/**
 * Indices with negative ones counted from the end, or an error for one that is outside.
 * @param {string} where @param {Tensor} indices @param {readonly number[]} shape @param {number} axis
 */
function wrapIndices(where, indices, shape, axis) {
  const { values } = indices, side = shape[axis]
  const wrong = values.findIndex((/** @type {number} */ i) => i < -side || i >= side)
  expect(wrong < 0, 'index', () => `${where}: index ${values[wrong]} is out of bounds for axis ${axis} of ${formatShape(shape)}`)
  if (values.every((/** @type {number} */ i) => i >= 0)) return indices
  return tensor(indices.engine, Int32Array.from(values, i => (i < 0 ? i + side : i)), { shape: indices.shape })
}

/**
 * The indices at which a mask is true, one list for each of its axes.
 * @param {string} where @param {Tensor} mask @param {readonly number[]} shape @param {number} axis the first
 * @returns {Advanced[]}
 */
function readMask(where, mask, shape, axis) {
  const sides = shape.slice(axis, axis + mask.shape.length)
  expect(formatShape(sides) === formatShape(mask.shape), 'shape', () => `${where}: a mask must have the sides of the axes that it ` +
    `selects from, ${formatShape(sides)}, got ${formatShape(mask.shape)}`)
  const places = nonzero(mask)
  return mask.shape.map((_, i) => ({ axis: axis + i, indices: select(places, 1, i) }))
}

/**
 * Applies integers, ranges and new axes, and finds the lists of indices.
 * @param {string} where @param {Tensor} x @param {readonly any[]} subscripts
 * @returns {{ basic: Tensor, advanced: Advanced[] }}
 */
function applyBasic(where, x, subscripts) {
  const taken = subscripts.reduce((sum, subscript) => sum + countAxes(subscript), 0), rank = x.shape.length
  const dots = subscripts.filter(subscript => subscript === '...').length
  expect(taken <= rank, 'shape', () => `${where}: there are ${taken} subscripts for ${rank} axes of ${describe(x)}`)
  expect(dots <= 1, 'type', () => `${where}: '...' may stand once, got ${dots}`)
  /** @type {Advanced[]} */ const advanced = []
  let basic = x, axis = 0
  for (const subscript of subscripts) {
    if (subscript === '...') axis += rank - taken
    else if (subscript === 'newaxis') basic = unsqueeze(basic, axis++)
    else if (isAll(subscript)) axis++
    else if (typeof subscript === 'number') basic = selectAt(where, basic, axis, subscript)
    else if (subscript instanceof Tensor && subscript.shape.length === 0 && subscript.dtype === 'int32') {
      basic = selectAt(where, basic, axis, subscript.item())
    } else if (subscript instanceof Tensor || Array.isArray(subscript)) {
      const given = toIndexTensor(where, x, subscript)
      const found = given.dtype === 'bool' ? readMask(where, given, basic.shape, axis)
        : [{ axis, indices: wrapIndices(where, given, basic.shape, axis) }]
      advanced.push(...found)
      axis += found.length
    } else {
      const range = readRange(where, subscript)
      if (!range) throw subscriptError(where, subscript)
      basic = slice(basic, axis++, ...range)
    }
  }
  return { basic, advanced }
}

/** @param {string} where @param {Tensor} x @param {number} axis @param {number} i */
function selectAt(where, x, axis, i) {
  const side = x.shape[axis]
  if (!Number.isInteger(i)) throw subscriptError(where, i)
  expect(i >= -side && i < side, 'index', () => `${where}: index ${i} is out of bounds for axis ${axis} of ${formatShape(x.shape)}`)
  return select(x, axis, i)
}

/**
 * One index for several axes of a shape, in row-major order.
 * @param {string} where @param {readonly Advanced[]} advanced @param {readonly number[]} shape @returns {Tensor}
 */
function mergeIndices(where, advanced, shape) {
  const [{ indices: first }] = advanced
  if (advanced.length === 1) return first
  const common = advanced.reduce((/** @type {readonly number[]} */ sides, { indices }) => (
    broadcast(where, sides, indices.shape).shape), [])
  const merged = new Int32Array(sizeOf(common)), cells = indicesOf(common)
  for (const { axis, indices } of advanced) {
    const { shape: own, values } = indices, skipped = common.length - own.length
    cells.forEach((cell, at) => {
      const offset = own.reduce((sum, side, i) => sum * side + (side === 1 ? 0 : cell[skipped + i]), 0)
      merged[at] = merged[at] * shape[axis] + values[offset]
    })
  }
  return tensor(first.engine, merged, { shape: common })
}

/**
 * The cells that lists of indices select. Their axes become one block of axes: in place if they are neighbors, else in
 * front, as in PyTorch.
 * @param {string} where @param {Tensor} x @param {readonly Advanced[]} advanced @returns {Tensor}
 */
function applyAdvanced(where, x, advanced) {
  const { shape } = x, axes = advanced.map(({ axis }) => axis), [first] = axes
  const areNeighbors = axes.every((axis, i) => axis === first + i)
  const others = range(shape.length).filter(axis => !axes.includes(axis))
  const indices = mergeIndices(where, advanced, shape), at = areNeighbors ? first : 0
  const order = [...others.slice(0, at), ...axes, ...others.slice(at)]
  const arranged = order.every((axis, i) => axis === i) ? x : permute(x, order)
  const before = sliceShape(arranged.shape, 0, at), after = sliceShape(arranged.shape, at + axes.length)
  const side = sizeOf(axes.map(axis => shape[axis]))
  const merged = axes.length > 1 ? arranged.reshape([...before, side, ...after]) : arranged
  const picked = indexSelect(merged, at, indices.shape.length === 1 ? indices : flattenAxes(indices))
  return indices.shape.length === 1 ? picked : picked.reshape([...before, ...indices.shape, ...after])
}

/**
 * The cells that subscripts select: x[...] of PyTorch. A subscript is an integer; ':' or null for all; a range as a
 * string ('1:5:2', `${from}:`) or as { start, end, step }; '...' for all axes between; 'newaxis' for a new axis (None
 * in PyTorch); a list of integers or booleans; an int32 tensor of any shape, or a bool tensor for as many axes as it
 * has.
 * The result is a copy, unless integers and ranges take contiguous cells.
 * @param {Tensor} x @param {...Subscript} subscripts one for each axis; axes at the end may be left out
 * @returns {Tensor}
 * @throws {GlassformerError} 'index' for an index that is outside, 'shape' for too many subscripts and masks of other
 *   sides, 'type' for other values
 * @example
 * const x = gf.arange(12).reshape(3, 4)
 * x.index(':', -1)                                // int32 [3, 7, 11]
 * x.index('1:', [0, 2])                           // int32 [[4, 6], [8, 10]]
 * x.index(x.gt(8))                                // int32 [9, 10, 11]
 */
export function index(x, ...subscripts) {
  const { basic, advanced } = applyBasic('index', expectMovable('index', x), subscripts)
  if (advanced.length) return applyAdvanced('index', basic, advanced)
  return basic === x ? x.reshape([...x.shape]) : basic
}

/**
 * Overwrites the cells that subscripts select: x[...] = values of PyTorch, torch.Tensor.index_put_. Nothing is
 * recorded, so neither tensor may need a gradient, except inside noGrad. The subscripts are those of index, in a list:
 * x[:, -1] = 0 is x.indexPut_([':', -1], 0), and x[mask] = 0 is x.indexPut_([mask], 0).
 * @param {Tensor} x @param {readonly Subscript[]} indices the subscripts, as in index
 * @param {Tensor | number | boolean} values a number, or a tensor that broadcasts to the selected cells
 * @param {{ accumulate?: boolean }} [options] accumulate: false; true adds the values, each of those of one cell
 * @returns {Tensor} x
 * @example
 * const x = gf.zeros([2, 3])
 * x.indexPut_([x.eq(0)], -1).indexPut_([0, ':2'], gf.tensor([5, 6]))   // [[5, 6, -1], [-1, -1, -1]]
 */
export function indexPut_(x, indices, values, options) {
  const where = 'indexPut_', { engine } = expectMovable(where, x), { accumulate = false } = expectOptions(where, options, ['accumulate'])
  expectBoolean(where, 'accumulate', accumulate)
  expect(Array.isArray(indices), 'type', () => `${where}: indices must be an array of subscripts, such as [mask] or [0, ':2'], ` +
    `got ${describe(indices)}`)
  const isTensor = values instanceof Tensor, source = isTensor ? expectTensor(where, 'values', values) : null
  expect(isTensor || typeof values === 'number' || typeof values === 'boolean', 'type',
    () => `${where}: values must be a number or a tensor, got ${describe(values)}`)
  expect(!source || source.dtype === x.dtype, 'type', () => `${where}: values must be a ${x.dtype} tensor as x, got ${describe(source)}`)
  expectWritable(where, x, [source], 'x = gf.where(mask, values, x)')
  engine.noGrad(() => engine.tidy(() => {
    const numbers = Int32Array.from({ length: sizeOf(x.shape) }, (_, i) => i)
    const all = tensor(engine, numbers, { shape: x.shape })
    const { basic, advanced } = applyBasic(where, all, indices)
    const cells = advanced.length ? applyAdvanced(where, basic, advanced) : basic
    const spread = source && spreadTo(where, source, cells.shape)
    const positions = cells.values.slice(), from = spread?.values.slice(), to = x.values
    positions.forEach((position, i) => {
      const value = from ? from[i] : Number(values)
      to[position] = accumulate ? to[position] + value : value
    })
  }))
  x.touch()
  return x
}

/** @param {string} where @param {Tensor} values @param {readonly number[]} shape */
function spreadTo(where, values, shape) {
  const common = broadcast(where, values.shape, shape).shape
  expect(formatShape(common) === formatShape(shape), 'shape', () => `${where}: values must broadcast to the selected cells ` +
    `${formatShape(shape)}, got ${formatShape(values.shape)}`)
  return expectMovable(where, values).expand([...shape])
}
