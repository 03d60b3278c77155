import { describe, expect, expectBoolean, expectNumber, expectOneOf, expectOptions, expectInteger } from '../errors.js'
import { DTYPES, TENSOR_DTYPES } from './dtype.js'
import { setRequiresGrad, tensor } from './from_values.js'
import { expectTensor, checkShape } from '../ops/checks.js'

/**
 * Functions that create tensors: torch.zeros and the like. options: dtype ('float32'), requiresGrad (false).
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./tensor.js').DType} DType
 * @typedef {{ dtype?: DType, requiresGrad?: boolean }} MakeOptions
 */

/**
 * @param {string} where @param {unknown} options @param {DType} defaultDtype
 * @returns {{ dtype: DType, requiresGrad: boolean }}
 */
function readOptions(where, options, defaultDtype = 'float32') {
  const { dtype = defaultDtype, requiresGrad = false } = expectOptions(where, options, ['dtype', 'requiresGrad'])
  return { dtype: expectOneOf(where, 'dtype', dtype, TENSOR_DTYPES), requiresGrad: expectBoolean(where, 'requiresGrad', requiresGrad) }
}

const INT32_MIN = -(2 ** 31), INT32_MAX = 2 ** 31 - 1

/**
 * A tensor whose values are computed as float64 and then rounded to its type.
 * @param {string} where @param {Engine} engine @param {readonly number[]} shape
 * @param {{ dtype: DType, requiresGrad: boolean }} options
 * @param {(values: Float64Array) => void} fill
 * @returns {Tensor}
 */
function createFilled(where, engine, shape, options, fill) {
  const { recording } = engine, { dtype, requiresGrad } = options
  if (recording) return recording.addConstant(engine, () => createFilled(where, engine, shape, options, fill))
  const out = engine.empty(shape, dtype), float64s = engine.empty(shape, 'float64')
  const values = /** @type {Float64Array} */ (float64s.values)
  fill(values)
  const isOutOfRange = (/** @type {number} */ value) => !(value >= INT32_MIN && value <= INT32_MAX)
  const wrong = dtype === 'int32' ? values.find(isOutOfRange) : undefined
  expect(wrong === undefined, 'range',
    () => `${where}: values of an int32 tensor must be from ${INT32_MIN} to ${INT32_MAX}, got ${wrong}`)
  engine.c.gf_convert(out.dataPtr(), DTYPES[dtype].code, float64s.dataPtr(), DTYPES.float64.code, out.numel())
  float64s.dispose()
  return setRequiresGrad(out, requiresGrad)
}

/**
 * A tensor filled with one value: torch.full. Numbers give float32, true and false give bool.
 * @param {Engine} engine @param {readonly number[]} shape @param {number | boolean} value
 * @param {MakeOptions} [options]
 * @example
 * gf.full([2, 2], 7)                              // [[7, 7], [7, 7]]
 */
export function full(engine, shape, value, options) {
  const sides = checkShape('full', shape), given = readOptions('full', options, typeof value === 'boolean' ? 'bool' : 'float32')
  expect(typeof value === 'number' || typeof value === 'boolean', 'type',
    () => `full: value must be a number, got ${describe(value)}`)
  return createFilled('full', engine, sides, given, values => values.fill(Number(value)))
}

/**
 * A tensor of zeros: torch.zeros.
 * @param {Engine} engine @param {readonly number[]} shape @param {MakeOptions} [options]
 * @example
 * gf.zeros([2, 3])                                // [[0, 0, 0], [0, 0, 0]]
 */
export function zeros(engine, shape, options) {
  const sides = checkShape('zeros', shape), { dtype, requiresGrad } = readOptions('zeros', options)
  return setRequiresGrad(engine.zeros(sides, dtype), requiresGrad)
}

/**
 * A tensor of ones: torch.ones.
 * @param {Engine} engine @param {readonly number[]} shape @param {MakeOptions} [options]
 * @example
 * gf.ones([3], { dtype: 'bool' })                 // bool [true, true, true]
 */
export const ones = (engine, shape, options) =>
  createFilled('ones', engine, checkShape('ones', shape), readOptions('ones', options), values => values.fill(1))

/** Zeros with the shape and dtype of x: torch.zeros_like. @param {Tensor} x @param {MakeOptions} [options] */
export const zerosLike = (x, options) => like('zerosLike', x, options, 0)

/** Ones with the shape and dtype of x: torch.ones_like. @param {Tensor} x @param {MakeOptions} [options] */
export const onesLike = (x, options) => like('onesLike', x, options, 1)

/**
 * One value with the shape and dtype of x: torch.full_like.
 * @param {Tensor} x @param {number | boolean} value @param {MakeOptions} [options]
 */
export function fullLike(x, value, options) {
  expect(typeof value === 'number' || typeof value === 'boolean', 'type',
    () => `fullLike: value must be a number, got ${describe(value)}`)
  return like('fullLike', x, options, Number(value))
}

/** @param {string} where @param {Tensor} x @param {MakeOptions | undefined} options @param {number} value */
function like(where, x, options, value) {
  const { engine, shape, dtype } = expectTensor(where, 'x', x)
  return createFilled(where, engine, shape, readOptions(where, options, dtype), values => values.fill(value))
}

/**
 * A tensor whose values are whatever was in the memory before: torch.empty.
 * @param {Engine} engine @param {readonly number[]} shape @param {MakeOptions} [options]
 * @example
 * gf.empty([2, 3]).shape                          // [2, 3]
 */
export function empty(engine, shape, options) {
  const sides = checkShape('empty', shape), { dtype, requiresGrad } = readOptions('empty', options)
  return setRequiresGrad(engine.empty(sides, dtype), requiresGrad)
}

/**
 * The same with the shape and dtype of x: torch.empty_like.
 * @param {Tensor} x @param {MakeOptions} [options]
 */
export function emptyLike(x, options) {
  const { engine, shape, dtype: own } = expectTensor('emptyLike', 'x', x)
  const { dtype, requiresGrad } = readOptions('emptyLike', options, own)
  return setRequiresGrad(engine.empty(shape, dtype), requiresGrad)
}

/**
 * The indices of the cells of a triangle of a matrix, row by row.
 * @param {string} where @param {Engine} engine @param {unknown} rows @param {unknown} columns @param {unknown} offset
 * @param {(below: number) => boolean} isInside of how far a cell is below the diagonal
 */
function triangleIndices(where, engine, rows, columns, offset, isInside) {
  const [N, M] = [expectInteger(where, 'rows', rows), expectInteger(where, 'columns', columns)]
  const by = expectInteger(where, 'offset', offset ?? 0, -(2 ** 31)), cells = []
  for (let i = 0; i < N; i++) for (let j = 0; j < M; j++) if (isInside(i - j + by)) cells.push([i, j])
  const indices = Int32Array.from([...cells.map(([i]) => i), ...cells.map(([, j]) => j)])
  return tensor(engine, indices, { shape: [2, cells.length] })
}

/**
 * The rows and the columns of the cells on or below a diagonal: torch.tril_indices.
 * @param {Engine} engine @param {number} rows @param {number} columns
 * @param {number} [offset] 0, the main diagonal; positive is above it
 * @returns {Tensor} [2, count] int32
 * @example
 * gf.trilIndices(2, 2)                            // int32 [[0, 1, 1], [0, 0, 1]]
 */
export const trilIndices = (engine, rows, columns, offset) =>
  triangleIndices('trilIndices', engine, rows, columns, offset, below => below >= 0)

/**
 * The rows and the columns of the cells on or above a diagonal: torch.triu_indices.
 * @param {Engine} engine @param {number} rows @param {number} columns
 * @param {number} [offset] 0, the main diagonal; positive is above it
 * @returns {Tensor} [2, count] int32
 */
export const triuIndices = (engine, rows, columns, offset) =>
  triangleIndices('triuIndices', engine, rows, columns, offset, below => below <= 0)

/**
 * Numbers from start up to, but not including, end: torch.arange(end), (start, end) or (start, end, step). int32 if all
 * three are integers, else float32.
 * @param {Engine} engine @param {any[]} args the numbers, then options if any
 * @example
 * gf.arange(1, 2, 0.25)                           // [1, 1.25, 1.5, 1.75]
 */
export function arange(engine, args) {
  const last = args.at(-1), options = typeof last === 'object' ? last : undefined
  const numbers = options ? args.slice(0, -1) : args
  expect(numbers.length >= 1 && numbers.length <= 3, 'type',
    () => `arange: expected (end), (start, end) or (start, end, step), got ${numbers.length} numbers`)
  const [start, end, step = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers
  for (const [name, value] of Object.entries({ start, end, step })) {
    expectNumber('arange', name, value, 'a finite number', Number.isFinite)
  }
  expect(step !== 0 && (end - start) * step >= 0, 'range',
    () => `arange: step ${step} does not lead from ${start} to ${end}`)
  const defaultDtype = [start, end, step].every(Number.isInteger) ? 'int32' : 'float32'
  const settings = readOptions('arange', options, defaultDtype)
  return createFilled('arange', engine, [Math.ceil((end - start) / step)], settings, values =>
    values.forEach((_, i) => { values[i] = start + step * i }))
}

/**
 * Evenly spaced numbers from start to end, both included: torch.linspace. Each is the nearest float32; PyTorch's last
 * bit depends on the machine.
 * @param {Engine} engine @param {number} start @param {number} end @param {number} steps how many
 * @param {MakeOptions} [options]
 * @example
 * gf.linspace(0, 1, 5)                            // [0, 0.25, 0.5, 0.75, 1]
 */
export function linspace(engine, start, end, steps, options) {
  expectNumber('linspace', 'start', start, 'a finite number', Number.isFinite)
  expectNumber('linspace', 'end', end, 'a finite number', Number.isFinite)
  const n = expectInteger('linspace', 'steps', steps), step = n > 1 ? (end - start) / (n - 1) : 0
  return createFilled('linspace', engine, [n], readOptions('linspace', options), values => values.forEach((_, i) => {
    values[i] = i < n / 2 ? start + step * i : end - step * (n - 1 - i)
  }))
}

/**
 * A matrix [n, m] with ones on the diagonal and zeros elsewhere: torch.eye.
 * @param {Engine} engine @param {number} n rows @param {number | MakeOptions} [m] columns: n
 * @param {MakeOptions} [options]
 * @example
 * gf.eye(2)                                       // [[1, 0], [0, 1]]
 */
export function eye(engine, n, m, options) {
  const isOptions = typeof m === 'object', columns = m === undefined || isOptions ? n : m
  const [rows, sides] = [expectInteger('eye', 'n', n), expectInteger('eye', 'm', columns)]
  return createFilled('eye', engine, [rows, sides], readOptions('eye', isOptions ? m : options), values => {
    values.fill(0)
    for (let i = 0; i < Math.min(rows, sides); i++) values[i * sides + i] = 1
  })
}
