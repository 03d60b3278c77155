import { describe, expect, expectOptions, formatShape, expectInteger } from '../errors.js'
import { DTYPES, TENSOR_DTYPES, typeHint } from './dtype.js'
import { MAX_AXES, countCells, sizeOf } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * Creates tensors from the caller's numbers.
 *
 * @typedef {import('./dtype.js').DType} DType
 * @typedef {import('./tensor.js').NestedArray} NestedArray
 */

/** The name of gf.tensor's argument, for error messages. */
const VALUES = 'tensor: values'

/**
 * The first value of nested arrays; still an array if they are nested deeper than a tensor may be.
 * @param {any} nested @returns {unknown}
 */
export function getFirstLeaf(nested) {
  let leaf = nested
  for (let level = 0; Array.isArray(leaf) && level <= MAX_AXES; level++) leaf = leaf[0]
  return leaf
}

/**
 * The shape of nested arrays.
 * @param {string} what the function and the argument, for messages @param {unknown} nested @returns {number[]}
 */
export function getNestedShape(what, nested) {
  /** @type {number[]} */ const shape = []
  for (let level = nested; Array.isArray(level); level = level[0]) {
    expect(shape.push(level.length) <= MAX_AXES, 'shape',
      () => `${what} must be nested arrays of at most ${MAX_AXES} levels, got deeper ones`)
  }
  countCells(shape)
  /** @param {unknown} level @param {number} axis */
  const check = (level, axis) => {
    const isArray = Array.isArray(level), wanted = axis < shape.length ? `an array of ${shape[axis]}` : 'a number'
    expect(isArray === axis < shape.length && (!isArray || level.length === shape[axis]), 'shape', () =>
      `${what} must be regular nested arrays; expected ${wanted} at depth ${axis}, got ${describe(level)}`)
    // Empty slots of a sparse array are undefined here; forEach would skip them.
    if (isArray) for (const inner of level) check(inner, axis + 1)
    else expect(typeof level === 'number' || typeof level === 'boolean', 'type',
      () => `${what} must be numbers, got ${describe(level)}`)
  }
  check(nested, 0)
  return shape
}

/** @param {unknown} values */
const isBig = values => values instanceof BigInt64Array || values instanceof BigUint64Array

/** Whether a value is a typed array of integers. @param {unknown} values */
export const isIntegerArray = values => ArrayBuffer.isView(values) && !(values instanceof DataView) &&
  !(values instanceof Float32Array) && !(values instanceof Float64Array) && /int|Clamped/i.test(values.constructor.name)

/**
 * @param {string} what @param {ArrayLike<any>} values @param {DType} dtype
 * @param {boolean} isChosen whether the caller chose the dtype
 */
function checkIntegers(what, values, dtype, isChosen) {
  if (dtype !== 'int32') return
  for (let i = 0; i < values.length; i++) {
    expect(Number(values[i]) === (Number(values[i]) | 0), 'range',
      () => `${what} must be integers for an int32 tensor, got ${describe(values[i])} at index ${i}` +
        (!isChosen ? "; int32 holds −2147483648 to 2147483647, so write { dtype: 'float64' }"
          : what === VALUES ? '; leave dtype out, or round them first' : ''))
  }
}

/**
 * The values, copied if they are a view of the engine's memory: allocating the tensor may grow the memory, which
 * detaches such views.
 * @param {import('../engine/engine.js').Engine} engine @param {string} what @param {any} values a typed array
 */
function copyIfView({ memory }, what, values) {
  expect(!memory.isDetached(values), 'state', () =>
    `${what} are no longer valid: a tensor's data lasts until the next call into the library; read it again`)
  return memory.ownsView(values) ? values.slice() : values
}

/** Writes numbers to a tensor whose dtype needs a conversion, such as float16. @param {Tensor} out @param {any} flat */
function setConverted(out, flat) {
  const { engine } = out, size = out.numel(), float64s = engine.empty([size], 'float64')
  float64s.values.set(flat)
  engine.c.gf_convert(out.dataPtr(), DTYPES[out.dtype].code, float64s.dataPtr(), DTYPES.float64.code, size)
  float64s.dispose()
}

/** The default dtype for some values. @param {ArrayLike<any>} values @returns {DType} */
function getDefaultDtype(values) {
  if (isIntegerArray(values)) return 'int32'
  return Array.isArray(values) && values.length && values.every(value => typeof value === 'boolean') ? 'bool' : 'float32'
}

const OPTIONS = ['shape', 'dtype', 'requiresGrad']

/**
 * A tensor from nested arrays, a number, or a typed array with a shape.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {NestedArray | ArrayBufferView} values
 * @param {{ shape?: readonly number[], dtype?: DType, requiresGrad?: boolean }} [options]
 *   shape: for a typed array, default: one axis; dtype: default 'float32', 'int32' for a typed array of
 *   integers, 'bool' for true and false; requiresGrad: false
 * @param {string} [what] the function and the argument, for messages
 * @returns {Tensor}
 * @throws {GlassformerError} 'type' for values that are not numbers, 'shape' for irregular arrays, 'range' for an int32
 *   tensor of numbers that are not integers, 'memory'
 * @example
 * gf.tensor([[1, 2], [3, 4]]).shape               // [2, 2]
 * gf.tensor(new Float32Array(6), { shape: [2, 3] })
 * gf.tensor([[3, 1, 4]], { dtype: 'int32' })      // int32 [[3, 1, 4]]
 * gf.tensor([1, 2], { requiresGrad: true })       // [1, 2]
 */
export function tensor(engine, values, options, what = VALUES) {
  const { recording } = engine
  if (recording) return recording.addConstant(engine, () => tensor(engine, values, options, what))
  const { shape, dtype, requiresGrad = false } = expectOptions('tensor', options, OPTIONS)
  const isTyped = ArrayBuffer.isView(values)
  expect(dtype === undefined || TENSOR_DTYPES.includes(dtype), 'type',
    () => `tensor: dtype must be one of ${TENSOR_DTYPES.join(', ')}, got ${describe(dtype)}${typeHint(dtype)}`)
  expect(!(values instanceof Tensor), 'type', () => `${what} must be numbers, got ${describe(values)}, which is a tensor ` +
    'already; x.clone() copies it, x.to(dtype) converts it')
  const nestedShape = isTyped ? null : getNestedShape(what, values)
  const list = isTyped ? copyIfView(engine, what, values) : [values].flat(Infinity)
  const flat = isBig(list) ? Array.from(list, Number) : list
  expect(flat.length !== undefined, 'type', () => `${what} must be numbers, got ${describe(values)}`)
  /** @type {DType} */ const type = dtype ?? getDefaultDtype(list)
  const fullShape = nestedShape ?? [flat.length]
  const target = shape ?? fullShape
  expect(Array.isArray(target), 'type', () => `tensor: shape must be an array of numbers, got ${describe(shape)}`)
  target.forEach((side, axis) => expectInteger('tensor', `shape[${axis}]`, side))
  expect(sizeOf(target) === flat.length, 'shape',
    () => `tensor: shape ${formatShape(target)} holds ${sizeOf(target)} values, got ${flat.length}`)
  checkIntegers(what, flat, type, dtype !== undefined)
  const out = engine.empty(target, type)
  if (DTYPES[type].read) setConverted(out, flat)
  else out.values.set(flat)
  return setRequiresGrad(out, requiresGrad)
}

/** @template {Tensor} T @param {T} tensor @param {boolean} requiresGrad @returns {T} */
export const setRequiresGrad = (tensor, requiresGrad) => Object.assign(tensor, { requiresGrad })
