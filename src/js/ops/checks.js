import { describe, expect, expectEngine, otherEngineError, formatShape, expectInteger } from '../errors.js'
import { needsGradient } from '../autograd.js'
import { WEIGHT_DTYPES } from '../dtype.js'
import { sameShape, sizeOf } from '../shape.js'
import { tensor as makeTensor } from '../from_values.js'
import { Tensor } from '../tensor.js'

/**
 * A tensor of any type that is still alive, or an error that names it.
 * @param {string} where @param {string} name @param {unknown} value @param {string} [expected] in words
 * @returns {Tensor}
 */
export function expectTensor(where, name, /** @type {any} */ value, expected = 'a tensor (gf.tensor)') {
  expect(Tensor.isTensor(value), 'type', () => `${where}: ${name} must be ${expected}, got ${describe(value)}`)
  expect(!value.disposed, 'state', () => `${where}: ${name} was disposed, by dispose() or by the end of its gf.tidy; ` +
    'what gf.tidy returns is kept')
  return value
}

/**
 * The sides of a tensor to be made.
 * @param {string} where @param {unknown} shape @returns {number[]}
 */
export function checkShape(where, shape) {
  expect(Array.isArray(shape), 'type',
    () => `${where}: shape must be an array of numbers, such as [2, 3], got ${describe(shape)}`)
  return shape.map((side, axis) => expectInteger(where, `shape[${axis}]`, side))
}

/**
 * The same of a float32 tensor.
 * @param {string} where @param {string} name @param {unknown} value @returns {Tensor}
 */
export function expectFloatTensor(where, name, value) {
  const tensor = expectTensor(where, name, value)
  expect(tensor.dtype === 'float32', 'type',
    () => `${where}: ${name} must be a float32 tensor, got ${describe(tensor)}; to('float32') makes one`)
  return tensor
}

/**
 * The same of a matrix that is only used, which may be stored in fewer bits.
 * @param {string} where @param {string} name @param {unknown} value @returns {Tensor}
 */
export function expectWeightTensor(where, name, value) {
  const tensor = expectTensor(where, name, value)
  return WEIGHT_DTYPES.includes(tensor.dtype) ? tensor : expectFloatTensor(where, name, value)
}

/**
 * Weights in fewer bits are only used: no gradient goes through what they are used in.
 * @param {string} where @param {Tensor} weight @param {...(Tensor | null)} others
 */
export function expectNoGradient(where, weight, ...others) {
  if (weight.dtype === 'float32') return
  expect(!needsGradient(weight.engine, [weight, ...others]), 'state', () => `${where}: a weight of ${weight.dtype} ` +
    'is only used, not trained, and no gradient goes through it; call it inside gf.noGrad, or keep it in float32')
}

/**
 * Tensors of one operation must live in one memory.
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
 * Ids or class numbers: an int32 tensor, or nested arrays of integers made into one.
 * @param {import('../engine.js').Engine} engine @param {string} where @param {string} name @param {any} value
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
  expect(Array.isArray(value) || value instanceof Int32Array, 'type',
    () => `${where}: ${name} must be an int32 tensor or nested arrays of integers, got ${describe(value)}`)
  return engine.registerAuxiliary(makeTensor(engine, value, { dtype: 'int32' }, `${where}: ${name}`))
}

/**
 * Ids as backward and explain will read them again, whatever becomes of the tensor they came in.
 * @param {Tensor} ids @param {unknown} given what they were made from, perhaps themselves
 */
export function copyIdsForBackward(ids, given) {
  if (ids !== given) return ids
  const own = ids.engine.registerAuxiliary(ids.engine.empty(ids.shape, 'int32'))
  own.values.set(ids.values)
  return own
}

/**
 * @param {string} where @param {string} name @param {Tensor | null} tensor
 * @param {readonly number[]} shape @param {string} why this shape, for the message
 */
export function expectShape(where, name, tensor, shape, why) {
  if (!tensor) return
  expect(sameShape(tensor.shape, shape), 'shape',
    () => `${where}: ${name} must have shape ${formatShape(shape)} (${why}), got ${formatShape(tensor.shape)}`)
}

/**
 * @param {string} where @param {string} name @param {Tensor} tensor
 * @param {number} rank @param {string} axes their letters, for the message
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

/** How many rows a tensor has; also right when they are empty. @param {Tensor} tensor */
export const countRows = tensor => sizeOf(tensor.shape, tensor.shape.length - 1)

/** A name as kernels and traces have it: leaky_relu. @param {string} name */
export const snake = name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
