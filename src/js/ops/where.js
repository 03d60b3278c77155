import { describe, expect, expectInteger } from '../errors.js'
import { record } from '../autograd.js'
import { cell, constant, product, sumOf } from '../explain.js'
import { sliceShape } from '../shape.js'
import { setRequiresGrad } from '../from_values.js'
import { Tensor } from '../tensor.js'
import { broadcast } from './broadcast.js'
import { expectTensor, expectFloatTensor, expectSameEngine } from './checks.js'
import { expand } from './strided.js'

/** One of two values by a mask. */

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
    const isTaken = Boolean(mask.at(...index)) === (input === 'a')
    return isTaken ? { formula: `d${input} = dout`, terms: [product(d(out, index, 'dout'))] } :
        { formula: '0', terms: [] }
  }
}

/** @param {string} where @param {unknown} mask */
function boolTensor(where, mask) {
  const given = expectTensor(where, 'mask', mask)
  expect(given.dtype === 'bool', 'type',
    () => `${where}: mask must be a bool tensor, as x.gt(0) or x.to('bool') give, got ${describe(mask)}`)
  return given
}

/** @param {string} where @param {string} name @param {unknown} value @returns {Tensor | number} */
const valueOf = (where, name, value) => (typeof value === 'number' ? value : expectFloatTensor(where, name, value))

/**
 * @param {string} where @param {Tensor} mask @param {Tensor | number} a @param {Tensor | number} b
 * @param {readonly number[]} shape that all broadcast to
 */
function chosen(where, mask, a, b, shape) {
  const { engine } = mask, [x, y] = [a, b].map(value => (value instanceof Tensor ? expandTo(value, shape) : null))
  expectSameEngine(where, mask, x, y)
  const seen = expandTo(mask, shape), out = engine.empty(shape)
  const numbers = engine.tidy(() => {
    const pair = [a, b].map(value => (typeof value === 'number' ? value : 0)), still = engine.empty([2])
    still.values.set(pair)
    engine.c.gf_where_forward(out.dataPtr(), seen.dataPtr(), x?.dataPtr() ?? still.dataPtr(),
      y?.dataPtr() ?? still.dataPtr() + 4, x ? 1 : 0, y ? 1 : 0, out.size)
    return pair
  })
  return record(engine, op, { mask: seen, a: x, b: y }, { out },
    { a: x ? undefined : numbers[0], b: y ? undefined : numbers[1] })
}

/** @param {Tensor} x @param {readonly number[]} shape */
const expandTo = (x, shape) => (x.shape.join() === shape.join() ? x : expand(x, shape))

/**
 * a where the mask holds, else b, with broadcasting: torch.where.
 * @param {Tensor} mask bool @param {Tensor | number} a @param {Tensor | number} b @returns {Tensor}
 * @example
 * const x = gf.tensor([-1, 2])
 * gf.where(x.gt(0), x, 0)                         // [0, 2]
 */
export function where(mask, a, b) {
  const seen = boolTensor('where', mask), values = [valueOf('where', 'a', a), valueOf('where', 'b', b)]
  const shape = values.reduce((/** @type {readonly number[]} */ wide, value) =>
    (value instanceof Tensor ? broadcast('where', wide, value.shape).shape : wide), seen.shape)
  return chosen('where', seen, values[0], values[1], shape)
}

/**
 * x with a number where the mask holds: torch.Tensor.masked_fill.
 * @param {Tensor} x @param {Tensor} mask bool, broadcasts to x @param {number} value @returns {Tensor}
 */
export function maskedFill(x, mask, value) {
  const { shape } = expectFloatTensor('maskedFill', 'x', x), seen = boolTensor('maskedFill', mask)
  expect(typeof value === 'number', 'type', () => `maskedFill: value must be a number, got ${describe(value)}`)
  return chosen('maskedFill', seen, value, x, shape)
}

/**
 * Which cells of the last two axes are on or below a diagonal.
 * @param {string} where @param {Tensor} x @param {number} diagonal @param {boolean} isAbove keep those above it
 */
function triangle(where, x, diagonal, isAbove) {
  const { engine, shape } = expectFloatTensor(where, 'x', x), [rows, columns] = sliceShape(shape, -2)
  expect(shape.length >= 2, 'shape', () => `${where}: x must have at least two axes, got ${describe(x)}`)
  expectInteger(where, 'diagonal', diagonal, -(2 ** 31))
  const mask = engine.empty([rows, columns], 'bool'), { values } = mask
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
    values[i * columns + j] = (isAbove ? j - i >= diagonal : j - i <= diagonal) ? 1 : 0
  }
  return chosen(where, mask, x, 0, shape)
}

/** On and below a diagonal, else 0: torch.tril. @param {Tensor} x @param {number} [diagonal] 0 @returns {Tensor} */
export const tril = (x, diagonal = 0) => triangle('tril', x, diagonal, false)

/** On and above a diagonal, else 0: torch.triu. @param {Tensor} x @param {number} [diagonal] 0 @returns {Tensor} */
export const triu = (x, diagonal = 0) => triangle('triu', x, diagonal, true)

/**
 * Marks a tensor as one that gradients are wanted for, or not: torch.Tensor.requires_grad_.
 * @param {Tensor} x @param {boolean} [wanted] true
 */
export const requiresGrad_ = (x, wanted) => setRequiresGrad(x, wanted === undefined || wanted)
