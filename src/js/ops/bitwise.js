import { describe, expect } from '../errors.js'
import { binaryFunctions } from './binary.js'
import { expectSameEngine, expectTensor } from './checks.js'
import { comparisons, logicalNot } from './compare.js'
import { createIntegerFunction, isInteger } from './int_arithmetic.js'

/**
 * The operators & | ^ ~ of Python: logical for bool tensors, bit by bit for int32.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {(a: Tensor | number | boolean, b: Tensor | number | boolean) => Tensor} Bitwise
 */

const { add, mul, sub } = binaryFunctions
const and = /** @type {(a: Tensor | number, b: Tensor | number) => Tensor} */ (createIntegerFunction('bitwise_and', 'a & b'))

/** @param {string} where @param {string} name @param {unknown} value @returns {Tensor | number} */
function expectIntegerOperand(where, name, value) {
  const operand = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value
    : expectTensor(where, name, value, 'an int32 or bool tensor or an integer')
  expect(isInteger(operand), 'type', () => `${where}: ${name} must be an int32 or bool tensor or an integer, got ${describe(value)}`)
  return operand
}

/** @param {unknown} value @returns {value is Tensor | boolean} */
const isBool = value => typeof value === 'boolean' || (typeof value !== 'number' && /** @type {Tensor} */ (value).dtype === 'bool')

/**
 * @param {string} name @param {Bitwise} logical of bools @param {(a: any, b: any) => Tensor} ofIntegers
 * @returns {Bitwise}
 */
const combine = (name, logical, ofIntegers) => (a, b) => {
  const [p, q] = [expectIntegerOperand(name, 'a', a), expectIntegerOperand(name, 'b', b)], tensors = [p, q].map(
    operand => (typeof operand === 'number' ? null : operand))
  expect(tensors.some(Boolean), 'type', () => `${name}: a or b must be a tensor, got ${describe(a)} and ${describe(b)}`)
  expectSameEngine(name, ...tensors)
  return isBool(a) && isBool(b) ? logical(p, q) : ofIntegers(p, q)
}

const bitwise = {
  and: combine('bitwiseAnd', /** @type {any} */ (comparisons.logicalAnd), and),
  or: combine('bitwiseOr', /** @type {any} */ (comparisons.logicalOr), (a, b) => sub(add(a, b), and(a, b))),
  xor: combine('bitwiseXor', /** @type {any} */ (comparisons.logicalXor), (a, b) => sub(add(a, b), mul(and(a, b), 2)))
}

/**
 * a & b: torch.bitwise_and. Of two bools, a and b; of integers, bit by bit.
 * @param {Tensor | number | boolean} a int32 or bool @param {Tensor | number | boolean} b int32 or bool
 * @returns {Tensor} bool for two bools, else int32
 * @example
 * gf.tensor([true, true]).bitwiseAnd(gf.tensor([true, false]))   // bool [true, false]
 */
export const bitwiseAnd = (a, b) => bitwise.and(a, b)

/**
 * a | b, of integers a + b − (a & b): torch.bitwise_or.
 * @param {Tensor | number | boolean} a int32 or bool @param {Tensor | number | boolean} b int32 or bool
 * @returns {Tensor} bool for two bools, else int32
 */
export const bitwiseOr = (a, b) => bitwise.or(a, b)

/**
 * a ^ b, of integers a + b − 2 (a & b): torch.bitwise_xor.
 * @param {Tensor | number | boolean} a int32 or bool @param {Tensor | number | boolean} b int32 or bool
 * @returns {Tensor} bool for two bools, else int32
 */
export const bitwiseXor = (a, b) => bitwise.xor(a, b)

/** ~x: torch.bitwise_not. Of bools, not x; of integers −1 − x. @param {Tensor} x int32 or bool @returns {Tensor} */
export function bitwiseNot(x) {
  const { dtype } = /** @type {Tensor} */ (expectIntegerOperand('bitwiseNot', 'x', expectTensor('bitwiseNot', 'x', x)))
  return dtype === 'bool' ? logicalNot(x) : sub(-1, x)
}
