import { describe, expect, expectInteger } from '../errors.js'
import { record } from '../autograd.js'
import { cell, constant, product, sumOf } from '../explain.js'
import { sliceShape } from '../shape.js'
import { setRequiresGrad } from '../from_values.js'
import { Tensor } from '../tensor.js'
import { broadcast } from './broadcast.js'
import { expectTensor, expectFloatTensor, expectSameEngine } from './checks.js'
import { expand } from './strided.js'

/** Operations that select values by a mask. */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'where',
  parameters: ({ saved: { a, b } }) => ({ a, b }),
  inputAxes: { mask: ({ inputs: { a, b } }, of) => of(a ?? b) },
  axes: ({ inputs: { a, b } }, of) => (a || b ? of(a ?? b) : null),
  /* out = a where mask, else b  =>  da += dout where mask,  db += dout elsewhere */
  backward({ inputs: { mask, a, b }, outputs: { out } }, gradient) {
    const { c } = out.engine, da = gradient(a), db = gradient(b)
    if (da) c.gf_where_backward(da, gradient(out), mask.dataPtr(), 1, out.size)
    if (db) c.gf_where_backward(db, gradient(out), mask.dataPtr(), 0, out.size)
  },
  explain({ inputs, saved }, _, index) {
    const isFirst = Boolean(inputs.mask.at(...index)), name = isFirst ? 'a' : 'b', from = inputs[name]
    const own = from ? cell(from, index, name) : constant(name, saved[name])
    return { ...sumOf(`out = ${name}`, [product(own)]), parameters: { mask: isFirst } }
  },
  explainGradient({ inputs: { mask }, outputs: { out } }, input, index, d) {
    const isSelected = Boolean(mask.at(...index)) === (input === 'a')
    return isSelected ? { formula: `d${input} = dout`, terms: [product(d(out, index, 'dout'))] } :
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

/** @param {string} where @param {string} name @param {unknown} value @returns {Tensor | number} */
const expectNumberOrTensor = (where, name, value) => (typeof value === 'number' ? value : expectFloatTensor(where, name, value))

/**
 * @param {string} where @param {Tensor} mask @param {Tensor | number} a @param {Tensor | number} b
 * @param {readonly number[]} shape that all broadcast to
 */
function selectByMask(where, mask, a, b, shape) {
  const { engine } = mask, [x, y] = [a, b].map(value => (value instanceof Tensor ? expandTo(value, shape) : null))
  expectSameEngine(where, mask, x, y)
  const fullMask = expandTo(mask, shape), out = engine.empty(shape)
  const numbers = engine.tidy(() => {
    const pair = [a, b].map(value => (typeof value === 'number' ? value : 0)), scalars = engine.empty([2])
    scalars.values.set(pair)
    engine.c.gf_where_forward(out.dataPtr(), fullMask.dataPtr(), x?.dataPtr() ?? scalars.dataPtr(),
      y?.dataPtr() ?? scalars.dataPtr() + 4, x ? 1 : 0, y ? 1 : 0, out.size)
    return pair
  })
  return record(engine, op, { mask: fullMask, a: x, b: y }, { out },
    { a: x ? undefined : numbers[0], b: y ? undefined : numbers[1] })
}

/** @param {Tensor} x @param {readonly number[]} shape */
const expandTo = (x, shape) => (x.shape.join() === shape.join() ? x : expand(x, shape))

/**
 * a where the mask is true, else b, with broadcasting: torch.where.
 * @param {Tensor} mask bool @param {Tensor | number} a @param {Tensor | number} b @returns {Tensor}
 * @example
 * const x = gf.tensor([-1, 2])
 * gf.where(x.gt(0), x, 0)                         // [0, 2]
 */
export function where(mask, a, b) {
  const boolMask = expectBoolTensor('where', mask), values = [expectNumberOrTensor('where', 'a', a), expectNumberOrTensor('where', 'b', b)]
  const shape = values.reduce((/** @type {readonly number[]} */ common, value) =>
    (value instanceof Tensor ? broadcast('where', common, value.shape).shape : common), boolMask.shape)
  return selectByMask('where', boolMask, values[0], values[1], shape)
}

/**
 * A copy of x with a number where the mask is true: torch.Tensor.masked_fill.
 * @param {Tensor} x @param {Tensor} mask bool, broadcasts to x @param {number} value @returns {Tensor}
 */
export function maskedFill(x, mask, value) {
  const { shape } = expectFloatTensor('maskedFill', 'x', x), boolMask = expectBoolTensor('maskedFill', mask)
  expect(typeof value === 'number', 'type', () => `maskedFill: value must be a number, got ${describe(value)}`)
  return selectByMask('maskedFill', boolMask, value, x, shape)
}

/**
 * Keeps the cells of the last two axes on and below a diagonal, or on and above it, and sets the others to 0.
 * @param {string} where @param {Tensor} x @param {number} diagonal @param {boolean} isAbove
 */
function triangle(where, x, diagonal, isAbove) {
  const { engine, shape } = expectFloatTensor(where, 'x', x), [rows, columns] = sliceShape(shape, -2)
  expect(shape.length >= 2, 'shape', () => `${where}: x must have at least two axes, got ${describe(x)}`)
  expectInteger(where, 'diagonal', diagonal, -(2 ** 31))
  const mask = engine.empty([rows, columns], 'bool'), { values } = mask
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
    values[i * columns + j] = (isAbove ? j - i >= diagonal : j - i <= diagonal) ? 1 : 0
  }
  return selectByMask(where, mask, x, 0, shape)
}

/**
 * The cells of the last two axes on and below a diagonal, else 0: torch.tril.
 * @param {Tensor} x [..., N, M] @param {number} [diagonal] 0, the main one; positive is above it @returns {Tensor}
 */
export const tril = (x, diagonal = 0) => triangle('tril', x, diagonal, false)

/**
 * The cells of the last two axes on and above a diagonal, else 0: torch.triu.
 * @param {Tensor} x [..., N, M] @param {number} [diagonal] 0, the main one; positive is above it @returns {Tensor}
 */
export const triu = (x, diagonal = 0) => triangle('triu', x, diagonal, true)

/**
 * Sets whether `backward` computes a gradient for a tensor, and returns it: torch.Tensor.requires_grad_.
 * @param {Tensor} x @param {boolean} [requiresGrad] true
 */
export const requiresGrad_ = (x, requiresGrad) => setRequiresGrad(x, requiresGrad === undefined || requiresGrad)
