import { describe, expect, optionsOf, shapeText, expectInteger } from './errors.js'
import { DTYPES, MADE, typeHint } from './dtype.js'
import { MAX_AXES, cellsOf, sizeOf } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * Tensors of numbers that are given.
 *
 * @typedef {import('./dtype.js').DType} DType
 * @typedef {import('./tensor.js').NestedArray} NestedArray
 */

/** What a caller of gf.tensor gives, for messages. */
const VALUES = 'tensor: values'

/**
 * The first value of nested arrays; of those that are deeper than a tensor may be, an array.
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
  cellsOf(shape)
  /** @param {unknown} level @param {number} axis */
  const check = (level, axis) => {
    const isArray = Array.isArray(level), wanted = axis < shape.length ? `an array of ${shape[axis]}` : 'a number'
    expect(isArray === axis < shape.length && (!isArray || level.length === shape[axis]), 'shape', () =>
      `${what} must be regular nested arrays; expected ${wanted} at depth ${axis}, got ${describe(level)}`)
    // A place that nothing was written to is undefined here; forEach would pass it over.
    if (isArray) for (const inner of level) check(inner, axis + 1)
    else expect(typeof level === 'number' || typeof level === 'boolean', 'type',
      () => `${what} must be numbers, got ${describe(level)}`)
  }
  check(nested, 0)
  return shape
}

/** @param {unknown} values */
const isBig = values => values instanceof BigInt64Array || values instanceof BigUint64Array

/** @param {string} what @param {ArrayLike<any>} values @param {DType} dtype */
function checkIntegers(what, values, dtype) {
  if (dtype !== 'int32') return
  for (let i = 0; i < values.length; i++) {
    expect(Number(values[i]) === (Number(values[i]) | 0), 'range',
      () => `${what} must be integers for an int32 tensor, got ${describe(values[i])} at index ${i}` +
        (what === VALUES ? '; leave dtype out, or round them first' : ''))
  }
}

/**
 * Values that stay while memory for the tensor is made: those of another tensor's `data` go with a growing memory.
 * @param {import('./engine.js').Engine} engine @param {string} what @param {any} values a typed array
 */
function ownValues({ memory }, what, values) {
  expect(!memory.isDetached(values), 'state', () =>
    `${what} are no longer valid: a tensor's data lasts until the next call into the library; ask for it again`)
  return memory.ownsView(values) ? values.slice() : values
}

/** Puts numbers into a tensor whose memory does not show them as such. @param {Tensor} out @param {any} flat */
function setConverted(out, flat) {
  const { engine, size } = out, wide = engine.empty([size], 'float64')
  wide.values.set(flat)
  engine.c.gf_convert(out.dataPtr(), DTYPES[out.dtype].code, wide.dataPtr(), DTYPES.float64.code, size)
  wide.dispose()
}

/** What a tensor of these values is if nothing else is said. @param {ArrayLike<any>} values @returns {DType} */
function usualType(values) {
  if (values instanceof Int32Array) return 'int32'
  return Array.isArray(values) && values.length && values.every(one => typeof one === 'boolean') ? 'bool' : 'float32'
}

const OPTIONS = ['shape', 'dtype', 'requiresGrad']

/**
 * A tensor from nested arrays, a number, or a typed array with a shape.
 * @param {import('./engine.js').Engine} engine
 * @param {NestedArray | ArrayBufferView} values
 * @param {{ shape?: readonly number[], dtype?: DType, requiresGrad?: boolean }} [options]
 *   shape: needed when a typed array is not one-dimensional; dtype: 'float32' by default, 'int32' for an Int32Array,
 *   'bool' for true and false; requiresGrad: false
 * @param {string} [what] the function and the argument that the values came by, for messages
 * @returns {Tensor}
 * @throws {GlassformerError} 'type' and 'shape' for values that are not numbers or not regular, 'range' for an int32
 *   tensor of numbers that are not whole, 'memory'
 * @example
 * gf.tensor([[1, 2], [3, 4]]).shape               // [2, 2]
 * gf.tensor(new Float32Array(6), { shape: [2, 3] })
 * gf.tensor([[3, 1, 4]], { dtype: 'int32' })      // int32 [[3, 1, 4]]
 * gf.tensor([1, 2], { requiresGrad: true })       // [1, 2]
 */
export function tensor(engine, values, options, what = VALUES) {
  const { shape, dtype, requiresGrad = false } = optionsOf('tensor', options, OPTIONS)
  const isTyped = ArrayBuffer.isView(values)
  expect(dtype === undefined || MADE.includes(dtype), 'type',
    () => `tensor: dtype must be one of ${MADE.join(', ')}, got ${describe(dtype)}${typeHint(dtype)}`)
  expect(!(values instanceof Tensor), 'type', () => `${what} must be numbers, got ${describe(values)}, which is a tensor ` +
    'already; x.clone() copies it, x.to(dtype) converts it')
  const shown = isTyped ? null : getNestedShape(what, values)
  const flat = isTyped ? ownValues(engine, what, values) : [values].flat(Infinity)
  expect(flat.length !== undefined && !isBig(flat), 'type', () => `${what} must be numbers, got ${describe(values)}`)
  /** @type {DType} */ const kind = dtype ?? usualType(flat)
  const own = shown ?? [flat.length]
  const target = shape ?? own
  expect(Array.isArray(target), 'type', () => `tensor: shape must be an array of numbers, got ${describe(shape)}`)
  target.forEach((side, axis) => expectInteger('tensor', `shape[${axis}]`, side))
  expect(sizeOf(target) === flat.length, 'shape',
    () => `tensor: shape ${shapeText(target)} holds ${sizeOf(target)} values, got ${flat.length}`)
  checkIntegers(what, flat, kind)
  const out = engine.empty(target, kind)
  if (DTYPES[kind].read) setConverted(out, flat)
  else out.values.set(flat)
  return setRequiresGrad(out, requiresGrad)
}

/** @template {Tensor} T @param {T} tensor @param {boolean} requiresGrad @returns {T} */
export const setRequiresGrad = (tensor, requiresGrad) => Object.assign(tensor, { requiresGrad })
