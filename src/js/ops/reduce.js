import {
  LOGSUMEXP, MAX, MEAN, MIN, PROD, STD, SUM, TIES_SHARED, TIES_SHARED_WITH_NANS, TIES_TO_FIRST, VAR
} from '../engine/constants.js'
import { describe, expect, expectBoolean, expectNumber, expectOptions, formatShape } from '../errors.js'
import { record, unrecorded } from '../autograd/autograd.js'
import { DTYPES } from '../tensor/dtype.js'
import { expectTensor, expectFloatTensor } from './checks.js'
import { comparisons } from './compare.js'
import { to } from './convert.js'
import { Extremes } from './extremes.js'
import {
  ALL, ANY, INTEGER_OPERATIONS, REDUCTIONS, argOperation, extreme, multiplyIntegers, prod, sumOperation
} from './reduce_operations.js'
import { axesOf, axisOf, rowsAlong, readRows } from './rows.js'
import { range } from '../tensor/shape.js'

/**
 * Reductions: sums, means, extremes and the like along axes. dim is an axis, a list of them, or all when left out; with
 * keepdim the reduced axes stay, with length 1.
 *
 * @typedef {import('./reduce_operations.js').Reduction} Reduction
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Operation} Operation
 * @typedef {{ dim?: number | readonly number[] | null, keepdim?: boolean }} ReduceOptions
 */

/** Reductions that gf_reduce_columns computes without a copy as rows. */
const COLUMNS = new Set([SUM, MEAN, MAX, MIN, VAR, STD])

/** The shape of the result. @param {Tensor} x @param {number[]} axes @param {boolean} keepdim */
const getReducedShape = ({ shape }, axes, keepdim) =>
  shape.flatMap((side, axis) => (!axes.includes(axis) ? side : keepdim ? 1 : []))

/** @param {string} name @param {Tensor} x @param {number[]} axes */
const expectCells = (name, x, axes) => expect(axes.every(axis => x.shape[axis] > 0), 'shape',
  () => `${name}: there is nothing to choose from along dim ${axes.join(', ')} of shape ${formatShape(x.shape)}`)

/**
 * @param {string} name @param {Operation} op @param {number} kind
 * @param {Tensor} x @param {number[]} axes @param {boolean} keepdim @param {number} [p] @param {string} [option]
 */
function reduce(name, op, kind, x, axes, keepdim, p = 0, option) {
  const { engine } = x, rows = rowsAlong(x.shape, axes), { N, C } = rows
  const out = engine.empty(getReducedShape(x, axes, keepdim))
  const [[outer, R, , columns, inner] = [0, 0, 0, 0, 0]] = rows.steps
  const work = kind === LOGSUMEXP ? engine.scratch(C) : 0
  if (rows.steps.length === 1 && inner === 1 && COLUMNS.has(kind)) {
    engine.c.gf_reduce_columns(out.dataPtr(), x.dataPtr(), outer, R, columns, kind, p)
  } else readRows(engine, x.dataPtr(), x.numel(), rows, values =>
    engine.c.gf_reduce_forward(out.dataPtr(), work, values, N, C, kind, p))
  return record(engine, op, { x }, { out }, { axes, keepdim, p, option })
}

/**
 * A copy as another type, which is not recorded.
 * @param {Tensor} x
 * @param {import('../tensor/dtype.js').DType} dtype
 */
function convert(x, dtype) {
  const out = x.engine.empty(x.shape, dtype)
  x.engine.c.gf_convert(out.dataPtr(), DTYPES[dtype].code, x.dataPtr(), DTYPES[x.dtype].code, x.numel())
  return out
}

/**
 * The sum or an extreme of int32 or bool values: int32, but bool for extremes of bools.
 * @param {Tensor} x the input to record @param {Tensor} values int32 or bool, those of x or derived from them
 * @param {number[]} axes @param {boolean} keepdim @param {number} kind @param {Operation} op
 */
function reduceIntegers(x, values, axes, keepdim, kind, op) {
  const { engine } = x, rows = rowsAlong(x.shape, axes), { N, C } = rows
  const integers = convert(values, 'int32'), result = engine.empty(getReducedShape(x, axes, keepdim), 'int32')
  let fits = true
  readRows(engine, integers.dataPtr(), x.numel(), rows, address => {
    fits = engine.c.gf_reduce_int(result.dataPtr(), address, DTYPES.int32.code, N, C, kind) === 1
  })
  integers.dispose()
  if (!fits) result.dispose()
  expect(fits, 'range', () => `${op.name}: the sum does not fit into int32 (−2147483648 to 2147483647); ` +
    "write x.to('float32').sum() for the nearest float32")
  const isBool = values.dtype === 'bool' && kind !== SUM, out = isBool ? convert(result, 'bool') : result
  if (isBool) result.dispose()
  return record(engine, op, { x }, { out }, { axes, keepdim })
}

/**
 * The product of int32 or bool values, as int32.
 * @param {Tensor} x @param {number[]} axes @param {boolean} keepdim
 */
function multiplyAlong(x, axes, keepdim) {
  const { engine } = x, rows = rowsAlong(x.shape, axes), { N, C } = rows, integers = convert(x, 'int32')
  const products = readRows(engine, integers.dataPtr(), x.numel(), rows, address => {
    const values = Array.from(engine.memory.ints(address, N * C))
    return range(N).map(n => multiplyIntegers(values.slice(n * C, n * C + C)))
  })
  integers.dispose()
  expect(products.every(product => product === (product | 0)), 'range', () => 'prod: the product does not fit into int32 ' +
    "(−2147483648 to 2147483647); write x.to('float32').prod() for the nearest float32")
  const out = engine.empty(getReducedShape(x, axes, keepdim), 'int32')
  out.values.set(products)
  return record(engine, INTEGER_OPERATIONS[PROD], { x }, { out }, { axes, keepdim })
}

/** @param {string} name @param {Tensor} x */
const expectReducible = (name, x) => expect(x.dtype === 'int32' || x.dtype === 'bool', 'type',
  () => `${name}: x must be a float32, int32 or bool tensor, got ${describe(x)}; to('float32') makes one`)

const NAMES = ['dim', 'keepdim']

/**
 * @param {string} name @param {unknown} given @param {Tensor} x @param {string[]} [more]
 * @returns {{ axes: number[], keepdim: boolean, [option: string]: any }}
 */
function readOptions(name, given, x, more = []) {
  const options = expectOptions(name, given, [...NAMES, ...more]), { dim, keepdim = false } = options
  return { ...options, axes: axesOf(name, x, dim), keepdim: expectBoolean(name, 'keepdim', keepdim) }
}

/**
 * Options of the table: the default, a description and a check.
 * @type {Record<string, [number, string, (p: number) => boolean]>}
 */
const OPTIONS = { correction: [1, 'a number', p => Number.isFinite(p)], p: [2, 'a number >= 0', p => p >= 0] }

/** @param {keyof typeof REDUCTIONS} name @returns {(x: Tensor, options?: any) => Tensor} */
function sumFunction(name) {
  /** @type {Reduction} */ const line = REDUCTIONS[name], op = sumOperation(name, line), { option, kind } = line
  return (x, options) => {
    const isInteger = name === 'sum' && expectTensor(name, 'x', x).dtype !== 'float32'
    if (!isInteger) expectFloatTensor(name, 'x', x)
    const given = readOptions(name, options, x, option ? [option] : []), { axes, keepdim } = given
    if (isInteger) {
      expectReducible(name, x)
      return reduceIntegers(x, x, axes, keepdim, SUM, INTEGER_OPERATIONS[SUM])
    }
    const [initial, expected, isValid] = option ? OPTIONS[option] : [0, '', () => true]
    const p = option ? expectNumber(name, option, given[option] ?? initial, expected, isValid) : 0
    if (p === Infinity) expectCells(name, x, axes)
    return reduce(name, op, kind, x, axes, keepdim, p, option)
  }
}

/** @typedef {(x: Tensor, options?: ReduceOptions) => Tensor} Reduce */
/** @typedef {(x: Tensor, options?: ReduceOptions & { correction?: number }) => Tensor} Spread */
/**
 * @typedef {((x: Tensor, options: { dim: number, keepdim?: boolean }) => Extremes) &
 *   ((x: Tensor, options?: { dim?: readonly number[] | null, keepdim?: boolean }) => Tensor)} ExtremeFunction
 */
/** @typedef {keyof typeof REDUCTIONS | 'max' | 'min' | 'amax' | 'amin' | 'prod' | 'all' | 'any'} ReductionName */

/** @param {string} name @param {1 | -1} sign @param {(dim: any) => number} tiesOf as in extreme @returns {Reduce} */
function extremeFunction(name, sign, tiesOf) {
  const ops = [TIES_TO_FIRST, TIES_SHARED, TIES_SHARED_WITH_NANS].map(ties => extreme(name, sign, ties))
  const kind = sign > 0 ? MAX : MIN
  return (x, options) => {
    expectTensor(name, 'x', x)
    const { axes, keepdim, dim } = readOptions(name, options, x)
    expectCells(name, x, axes)
    if (x.dtype !== 'float32') {
      expectReducible(name, x)
      return reduceIntegers(x, x, axes, keepdim, kind, INTEGER_OPERATIONS[kind])
    }
    return reduce(name, ops[tiesOf(dim)], kind, x, axes, keepdim)
  }
}

/**
 * max or min as in PyTorch: along one axis the values and their indices, else the values.
 * @param {'max' | 'min'} name @param {Reduce} findValues
 * @param {(x: Tensor, options: any) => Tensor} findIndices @returns {ExtremeFunction}
 */
function withIndices(name, findValues, findIndices) {
  return /** @type {any} */ ((/** @type {Tensor} */ x, /** @type {any} */ options) => {
    const values = findValues(x, options)
    return typeof options?.dim === 'number' ? new Extremes(name, x, values, () => findIndices(x, options)) : values
  })
}

/** PyTorch's max and min give the gradient to one cell along one axis, but to all equal cells over all axes. */
const getTies = (/** @type {unknown} */ dim) => (
  dim === undefined || dim === null || Array.isArray(dim) ? TIES_SHARED_WITH_NANS : TIES_TO_FIRST)

/**
 * all as the minimum of bools, any as their maximum.
 * @param {string} name @param {number} kind @param {Operation} op @returns {Reduce}
 */
const boolFunction = (name, kind, op) => (x, options) => {
  const { axes, keepdim } = readOptions(name, options, expectTensor(name, 'x', x)), bools = convert(x, 'bool')
  const isEmpty = axes.some(axis => x.shape[axis] === 0)
  const out = isEmpty ? x.engine.empty(getReducedShape(x, axes, keepdim), 'bool')
    : reduceIntegers(x, bools, axes, keepdim, kind, op)
  if (isEmpty) out.values.fill(kind === MIN ? 1 : 0)
  bools.dispose()
  return out
}

/** @typedef {(x: Tensor, options?: { dim?: number, keepdim?: boolean }) => Tensor} ArgReduce */

/**
 * 1 where an int32 or bool is the largest along the axes, else 0; float32 would make large integers equal.
 * @param {Tensor} x @param {number[]} axes @param {1 | -1} sign −1 for the smallest
 */
const markExtremes = (x, axes, sign) => unrecorded(x.engine, () => x.engine.tidy(() =>
  to(comparisons.eq(x, (sign > 0 ? findMax : findMin)(x, { dim: axes, keepdim: true })), 'float32')))

const findMax = extremeFunction('max', 1, getTies), findMin = extremeFunction('min', -1, getTies)

/** @param {string} name @param {1 | -1} sign @param {Operation} op @returns {ArgReduce} */
const argFunction = (name, sign, op) => (x, options) => {
  if (expectTensor(name, 'x', x).dtype !== 'float32') expectReducible(name, x)
  const { dim, keepdim = false } = expectOptions(name, options, NAMES), isAll = dim === undefined || dim === null
  const axes = isAll ? axesOf(name, x, null) : [axisOf(name, x, dim)].filter(axis => axis < x.shape.length)
  expectCells(name, x, axes)
  const rows = rowsAlong(x.shape, axes), { N, C } = rows
  const out = x.engine.empty(getReducedShape(x, axes, expectBoolean(name, 'keepdim', keepdim)), 'int32')
  const isFloat = x.dtype === 'float32', values = isFloat ? x : markExtremes(x, axes, sign)
  readRows(x.engine, values.dataPtr(), x.numel(), rows, address =>
    x.engine.c.gf_argmax(out.dataPtr(), address, N, C, Number(isFloat && sign < 0)))
  if (!isFloat) values.dispose()
  return record(x.engine, op, { x }, { out }, { axes, keepdim })
}

const argmax = argFunction('argmax', 1, argOperation('argmax', 1))
const argmin = argFunction('argmin', -1, argOperation('argmin', -1))

const sumNames = /** @type {(keyof typeof REDUCTIONS)[]} */ (Object.keys(REDUCTIONS))

/**
 * @typedef {object} OtherReductions reductions that are not in the table, or have further options
 * @property {ExtremeFunction} max the largest value, or along one axis { values, indices }: torch.max; along one axis
 *   the gradient goes to the first of equal values, over all axes to all of them
 * @property {ExtremeFunction} min the smallest value, or along one axis { values, indices }, with the gradient as for
 *   max: torch.min
 * @property {Reduce} amax the largest value; equal values share the gradient: torch.amax
 * @property {Reduce} amin the smallest value; equal values share the gradient: torch.amin
 * @property {Reduce} prod the product of the values: torch.prod
 * @property {Reduce} all whether all values are true, or not 0: torch.all
 * @property {Reduce} any whether any value is true, or not 0: torch.any
 * @property {Spread} var the variance, Σ (x − mean)² / (n − correction); correction: 1: torch.var
 * @property {Spread} std its square root; correction: 1: torch.std
 * @property {(x: Tensor, options?: ReduceOptions & { p?: number }) => Tensor} norm (Σ |x|ᵖ)^(1/p); p: 2:
 *   torch.linalg.vector_norm
 * @property {ArgReduce} argmax the index of the first largest value along an axis, or among all values; int32:
 *   torch.argmax
 * @property {ArgReduce} argmin the index of the first smallest value: torch.argmin
 */

/**
 * Every reduction as a function.
 * @type {Record<Exclude<ReductionName, keyof OtherReductions>, Reduce> & OtherReductions}
 */
export const reductions = /** @type {any} */ ({
  ...Object.fromEntries(sumNames.map(name => [name, sumFunction(name)])),
  max: withIndices('max', findMax, (x, options) => argmax(x, options)),
  min: withIndices('min', findMin, (x, options) => argmin(x, options)),
  amax: extremeFunction('amax', 1, () => TIES_SHARED),
  amin: extremeFunction('amin', -1, () => TIES_SHARED),
  prod: (/** @type {Tensor} */ x, /** @type {ReduceOptions} */ options) => {
    const isInteger = expectTensor('prod', 'x', x).dtype === 'int32' || x.dtype === 'bool'
    const { axes, keepdim } = readOptions('prod', options, isInteger ? x : expectFloatTensor('prod', 'x', x))
    if (isInteger) return multiplyAlong(x, axes, keepdim)
    return reduce('prod', prod, PROD, x, axes, keepdim)
  },
  all: boolFunction('all', MIN, ALL),
  any: boolFunction('any', MAX, ANY),
  argmax,
  argmin
})
