import { describe, expect, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sumOf } from '../trace/explain.js'
import { sliceShape } from '../tensor/shape.js'
import { setRequiresGrad } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { broadcast } from './broadcast.js'
import { expectTensor, expectSameEngine } from './checks.js'
import { to } from './convert.js'
import { moveFourByteValues } from './four_bytes.js'
import { isInteger } from './int_arithmetic.js'
import { expand, expectMovable } from './strided.js'

/** Operations that select values by a mask. */

/** @typedef {import('../tensor/dtype.js').DType} DType */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'where',
  kind: 'elementwise',
  reads: { mask: ['a', 'b'] },
  parameters: ({ saved: { a, b } }) => ({ a, b }),
  inputAxes: { mask: ({ inputs: { a, b } }, of) => of(a ?? b) },
  axes: ({ inputs: { a, b } }, of) => (a || b ? of(a ?? b) : null),
  /* out = a where mask, else b  =>  da += dout where mask,  db += dout elsewhere */
  backward({ inputs: { mask, a, b }, outputs: { out } }, gradient) {
    const { c } = out.engine, da = gradient(a), db = gradient(b)
    if (da) c.gf_where_backward(da, gradient(out), mask.dataPtr(), 1, out.numel())
    if (db) c.gf_where_backward(db, gradient(out), mask.dataPtr(), 0, out.numel())
  },
  explain({ inputs, saved }, _, index) {
    const isFirst = Boolean(inputs.mask.at(...index)), name = isFirst ? 'a' : 'b', from = inputs[name]
    const own = from ? cell(from, index, name) : constant(name, saved[name])
    return { ...sumOf(`out = ${name}`, [productTerm(own)]), parameters: { mask: isFirst } }
  },
  explainGradient({ inputs: { mask }, outputs: { out } }, input, index, d) {
    const isSelected = Boolean(mask.at(...index)) === (input === 'a')
    return isSelected ? { formula: `d${input} = dout`, terms: [productTerm(d(out, index, 'dout'))] } :
        { formula: '0', terms: [] }
  }
}

/** @param {string} where @param {unknown} mask */
function expectBoolTensor(where, mask) {
  const tensor = expectTensor(where, 'mask', mask)
  expect(tensor.dtype === 'bool', 'type',
    () => `${where}: mask must be a bool tensor, as x.gt(0) or x.to('bool') give, got ${describe(mask)}`)
  return tensor
}

/**
 * A float32, int32 or bool tensor, a number or a boolean.
 * @param {string} where @param {string} name @param {unknown} value @returns {Tensor | number | boolean}
 */
const expectValue = (where, name, value) =>
  (typeof value === 'number' || typeof value === 'boolean' ? value : expectMovable(where, value, name))

/** @param {Tensor | number | boolean} value @returns {DType} */
const typeOf = value => (value instanceof Tensor ? value.dtype : typeof value === 'boolean' ? 'bool' : isInteger(value) ? 'int32' : 'float32')

/**
 * The type of a result that may have the values of a or b: PyTorch's promotion, but two numbers give float32.
 * @param {Tensor | number | boolean} a @param {Tensor | number | boolean} b @returns {DType}
 */
function promote(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return 'float32'
  const types = [typeOf(a), typeOf(b)]
  return types.includes('float32') ? 'float32' : types.includes('int32') ? 'int32' : 'bool'
}

const float = new Float32Array(1), bits = new Int32Array(float.buffer)

/** The four bytes of a number as an integer. @param {number} value @param {DType} dtype */
function bitsOf(value, dtype) {
  if (dtype !== 'float32') return value
  float[0] = value
  return bits[0]
}

/**
 * @param {string} where @param {Tensor} mask @param {Tensor | number | boolean} a @param {Tensor | number | boolean} b
 * @param {readonly number[]} shape that all broadcast to @param {DType} dtype of the result
 */
function selectByMask(where, mask, a, b, shape, dtype) {
  const { engine } = mask
  expectSameEngine(where, mask, ...[a, b].map(value => (value instanceof Tensor ? value : null)))
  const [x, y] = [a, b].map(value => (value instanceof Tensor ? expandTo(to(value, dtype), shape) : null))
  const fullMask = expandTo(mask, shape), out = engine.empty(shape, dtype)
  const numbers = [a, b].map(value => (value instanceof Tensor ? 0 : Number(value)))
  moveFourByteValues(out, [x, y], (target, first, second) => {
    const scalars = engine.pass(numbers.map(value => bitsOf(value, dtype)))
    engine.c.gf_where_forward(target, fullMask.dataPtr(), first || scalars, second || scalars + 4, x ? 1 : 0, y ? 1 : 0,
      out.numel())
  })
  return record(engine, op, { mask: fullMask, a: x, b: y }, { out },
    { a: x ? undefined : numbers[0], b: y ? undefined : numbers[1] })
}

/** @param {Tensor} x @param {readonly number[]} shape */
const expandTo = (x, shape) => (x.shape.join() === shape.join() ? x : expand(x, shape))

/**
 * a where the mask is true, else b, with broadcasting: torch.where. Types are promoted as in PyTorch: bool and int32
 * give int32, with float32 or a fraction float32. Two numbers give float32.
 * @param {Tensor} mask bool @param {Tensor | number | boolean} a @param {Tensor | number | boolean} b @returns {Tensor}
 * @example
 * const x = gf.tensor([-1, 2])
 * gf.where(x.gt(0), x, 0)                         // [0, 2]
 */
export function where(mask, a, b) {
  const boolMask = expectBoolTensor('where', mask), values = [expectValue('where', 'a', a), expectValue('where', 'b', b)]
  const shape = values.reduce((/** @type {readonly number[]} */ common, value) =>
    (value instanceof Tensor ? broadcast('where', common, value.shape).shape : common), boolMask.shape)
  return selectByMask('where', boolMask, values[0], values[1], shape, promote(values[0], values[1]))
}

/**
 * A copy of x with a number where the mask is true: torch.Tensor.masked_fill.
 * @param {Tensor} x float32, int32 or bool @param {Tensor} mask bool, broadcasts to x
 * @param {number | boolean | Tensor} value an integer for int32; also a tensor without axes @returns {Tensor}
 */
export function maskedFill(x, mask, value) {
  const { shape, dtype } = expectMovable('maskedFill', x), boolMask = expectBoolTensor('maskedFill', mask)
  if (!(value instanceof Tensor)) {
    return selectByMask('maskedFill', boolMask, expectCellValue('maskedFill', value, dtype), x, shape, dtype)
  }
  const scalar = expectTensor('maskedFill', 'value', value)
  expect(scalar.shape.length === 0, 'type',
    () => `maskedFill: value must be a number or a tensor without axes, got ${describe(scalar)}; write value.item()`)
  if (dtype !== 'float32') return maskedFill(x, mask, scalar.item())
  return selectByMask('maskedFill', boolMask, scalar, x, shape, dtype)
}

/**
 * A number that cells of a type can have: an integer for int32, 0 or 1 for bool.
 * @param {string} where @param {unknown} value @param {DType} dtype @returns {number}
 */
export function expectCellValue(where, value, dtype) {
  expect(typeof value === 'number' || typeof value === 'boolean', 'type',
    () => `${where}: value must be a number, got ${describe(value)}`)
  expect(dtype !== 'int32' || isInteger(Number(value)), 'range',
    () => `${where}: value must be an integer for an int32 tensor, got ${describe(value)}; x.to('float32') takes any number`)
  return dtype === 'bool' ? Number(Boolean(value)) : Number(value)
}

/**
 * Keeps the cells of the last two axes on and below a diagonal, or on and above it, and sets the others to 0.
 * @param {string} where @param {Tensor} x @param {number} diagonal @param {boolean} isAbove
 */
function triangle(where, x, diagonal, isAbove) {
  const { engine, shape, dtype } = expectMovable(where, x), [rows, columns] = sliceShape(shape, -2)
  expect(shape.length >= 2, 'shape', () => `${where}: x must have at least two axes, got ${describe(x)}`)
  expectInteger(where, 'diagonal', diagonal, -(2 ** 31))
  const createMask = () => {
    const mask = engine.empty([rows, columns], 'bool'), { values } = mask
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
      values[i * columns + j] = (isAbove ? j - i >= diagonal : j - i <= diagonal) ? 1 : 0
    }
    return mask
  }
  const mask = engine.recording ? engine.recording.addConstant(engine, createMask) : createMask()
  return selectByMask(where, mask, x, 0, shape, dtype)
}

/**
 * The cells of the last two axes on or below a diagonal, else 0: torch.tril.
 * @param {Tensor} x [..., N, M] @param {number} [diagonal] 0, the main one; positive is above it @returns {Tensor}
 */
export const tril = (x, diagonal = 0) => triangle('tril', x, diagonal, false)

/**
 * The cells of the last two axes on or above a diagonal, else 0: torch.triu.
 * @param {Tensor} x [..., N, M] @param {number} [diagonal] 0, the main one; positive is above it @returns {Tensor}
 */
export const triu = (x, diagonal = 0) => triangle('triu', x, diagonal, true)

/**
 * Sets whether `backward` computes a gradient for a tensor, and returns it: torch.Tensor.requires_grad_.
 * @param {Tensor} x @param {boolean} [requiresGrad] true
 */
export const requiresGrad_ = (x, requiresGrad) => setRequiresGrad(x, requiresGrad === undefined || requiresGrad)
