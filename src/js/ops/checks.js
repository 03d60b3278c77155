import { describe, expect, expectEngine, otherEngineError, formatShape, expectInteger } from '../errors.js'
import { WEIGHT_DTYPES } from '../tensor/dtype.js'
import { sameShape, sizeOf } from '../tensor/shape.js'
import { isIntegerArray, tensor as makeTensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * A tensor of any dtype that is not disposed, or an error that names the argument.
 * @param {string} where @param {string} name @param {unknown} value @param {string} [expected] in words
 * @returns {Tensor}
 */
export function expectTensor(where, name, /** @type {any} */ value, expected = 'a tensor (gf.tensor)') {
  expect(Tensor.isTensor(value), 'type', () => `${where}: ${name} must be ${expected}, got ${describe(value)}`)
  expect(!value.disposed, 'state', () => `${where}: ${name} was disposed, by dispose() or by the end of its gf.tidy; ` +
    'tensors that gf.tidy returns are kept')
  return value
}

/**
 * The sides of a new tensor, or an error that names the wrong one.
 * @param {string} where @param {unknown} shape @returns {number[]}
 */
export function checkShape(where, shape) {
  expect(Array.isArray(shape), 'type',
    () => `${where}: shape must be an array of numbers, such as [2, 3], got ${describe(shape)}`)
  return shape.map((side, axis) => expectInteger(where, `shape[${axis}]`, side))
}

/**
 * A float32 tensor that is not disposed, or an error that names the argument.
 * @param {string} where @param {string} name @param {unknown} value @returns {Tensor}
 */
export function expectFloatTensor(where, name, value) {
  const tensor = expectTensor(where, name, value)
  expect(tensor.dtype === 'float32', 'type',
    () => `${where}: ${name} must be a float32 tensor, got ${describe(tensor)}; to('float32') makes one`)
  return tensor
}

/**
 * A weight, which may be stored in fewer bits than float32, or an error that names the argument.
 * @param {string} where @param {string} name @param {unknown} value @returns {Tensor}
 */
export function expectWeightTensor(where, name, value) {
  const tensor = expectTensor(where, name, value)
  return WEIGHT_DTYPES.includes(tensor.dtype) ? tensor : expectFloatTensor(where, name, value)
}

/**
 * Throws unless all tensors belong to one engine.
 * @param {string} where @param {...(Tensor | null | undefined)} tensors
 */
export function expectSameEngine(where, ...tensors) {
  let engine
  for (const tensor of tensors) {
    if (tensor && tensor.engine !== (engine ??= tensor.engine)) throw otherEngineError(where)
  }
}

/** @param {string} where @param {string} name @param {unknown} value @returns {Tensor | null} */
export const expectOptionalTensor = (where, name, value) =>
  value === undefined || value === null ? null : expectFloatTensor(where, name, value)

/**
 * Ids or class indices as an int32 tensor, which may be given as nested arrays or a typed array of integers.
 * @param {import('../engine/engine.js').Engine} engine @param {string} where @param {string} name @param {any} value
 * @returns {Tensor}
 */
export function toIdTensor(engine, where, name, value) {
  if (value instanceof Tensor) {
    expect(value.dtype === 'int32', 'type',
      () => `${where}: ${name} must be an int32 tensor or nested arrays of integers, got ${describe(value)}; ` +
        `to('int32') makes one`)
    expect(!value.disposed, 'state', () => `${where}: ${name} was disposed`)
    expectEngine(where, engine, [value])
    return value
  }
  expect(Array.isArray(value) || isIntegerArray(value), 'type',
    () => `${where}: ${name} must be an int32 tensor or nested arrays of integers, got ${describe(value)}`)
  return engine.freeWithTrace(makeTensor(engine, value, { dtype: 'int32' }, `${where}: ${name}`))
}

/**
 * A copy of the caller's ids, which backward and explanations read even if the caller changes or disposes them.
 * @param {Tensor} ids @param {unknown} original the caller's argument
 */
export function copyIdsForBackward(ids, original) {
  if (ids !== original) return ids
  const own = ids.engine.freeWithTrace(ids.engine.empty(ids.shape, 'int32'))
  own.copyFrom(ids)
  return own
}

/**
 * @param {string} where @param {string} name @param {Tensor | null} tensor
 * @param {readonly number[]} shape @param {string} why the reason for this shape, for the message
 */
export function expectShape(where, name, tensor, shape, why) {
  if (!tensor) return
  expect(sameShape(tensor.shape, shape), 'shape',
    () => `${where}: ${name} must have shape ${formatShape(shape)} (${why}), got ${formatShape(tensor.shape)}`)
}

/**
 * @param {string} where @param {string} name @param {Tensor} tensor
 * @param {number} rank @param {string} axes the shape in letters, for the message
 */
export function expectRank(where, name, tensor, rank, axes) {
  const hint = rank === 4 ? '; x.view(B, T, H, D).transpose(1, 2) makes that of [B, T, C]'
    : tensor.shape.length === rank - 1 ? '; x.unsqueeze(0) makes a batch of one' : ''
  expect(tensor.shape.length === rank, 'shape',
    () => `${where}: ${name} must have shape ${axes}, got ${formatShape(tensor.shape)}${hint}`)
}

/**
 * The last side of a shape; an error for a scalar.
 * @param {string} where @param {string} name @param {Tensor} tensor
 */
export function getLastSize(where, name, tensor) {
  expect(tensor.shape.length > 0, 'shape', () => `${where}: ${name} must have at least one axis, got a scalar`)
  return tensor.shape[tensor.shape.length - 1]
}

/** The number of rows of a tensor, even if they are empty. @param {Tensor} tensor */
export const countRows = tensor => sizeOf(tensor.shape, tensor.shape.length - 1)
