import { INT_ADD, INT_AND, INT_MAXIMUM, INT_MINIMUM, INT_MUL, INT_POW, INT_SUB } from '../engine/constants.js'
import { expect } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { DTYPES } from '../tensor/dtype.js'
import { productTerm, computedFactor } from '../trace/explain.js'
import { SCALAR, broadcast, operand, passAxesAndNumber } from './broadcast.js'
import { to } from './convert.js'

/**
 * Arithmetic of int32 and bool tensors with PyTorch's type promotion: with a float32 tensor, or a number that is not an
 * int32, they become float32; among themselves they give int32, modulo 2^32, and bools among themselves give bools.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {(a: number, b: number) => number} Pair
 */

/** @type {Pair} */
function power(a, b) {
  if (b < 0) return Math.abs(a) === 1 ? a ** (b & 1) : 0
  return Number(BigInt.asIntN(32, BigInt(a) ** BigInt(b)))
}

/** The kernel's code, and the function it computes. @type {Record<string, [number, Pair]>} */
const KINDS = {
  add: [INT_ADD, (a, b) => (a + b) | 0], sub: [INT_SUB, (a, b) => (a - b) | 0], mul: [INT_MUL, Math.imul],
  pow: [INT_POW, power], maximum: [INT_MAXIMUM, Math.max], minimum: [INT_MINIMUM, Math.min],
  bitwise_and: [INT_AND, (a, b) => a & b]
}

/** @param {Tensor | number} value */
export const isInteger = value => (typeof value === 'number' ? value === (value | 0)
  : value.dtype === 'int32' || value.dtype === 'bool')

/**
 * Throws for a difference of bools, as PyTorch does, since an inverted mask is usually meant.
 * @param {string} name @param {...(Tensor | number)} operands
 */
export const rejectBools = (name, ...operands) => expect(
  name !== 'sub' || operands.every(operand => typeof operand === 'number' || operand.dtype !== 'bool'), 'type',
  () => "sub: bool tensors cannot be subtracted; logicalNot() inverts a mask, to('int32') makes numbers")

/** Converts an int32 or bool tensor to float32. @template {Tensor | number} T @param {T} value */
export const toFloat = value => (typeof value !== 'number' && isInteger(value) ? to(value, 'float32') : value)

/** @param {string} name @param {string} formula of a and b @param {Pair} value */
const operation = (name, formula, value) => /** @type {import('../autograd/autograd.js').Operation} */ ({
  name,
  parameters: ({ saved: { number } }) => (number === undefined ? {} : { number }),
  /* Integers have no gradient, so none comes here. */
  backward() {},
  explain(node, _, index) {
    const [a, b] = [operand(node, 'a', index), operand(node, 'b', index)], { out } = node.outputs
    const result = value(Number(a.value), Number(b.value))
    const computed = out.dtype === 'bool' ? Number(result !== 0) : result
    const symbol = formula.replace(/\b[ab]\b/g, letter => (letter === 'a' ? a : b).symbol)
    return { formula: `out = ${formula}`, terms: [productTerm(computedFactor(symbol, computed, a, b))], computed }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
})

/**
 * The function of two integer or bool operands, at least one of which is a tensor; null if the result is no integer.
 * @param {string} name @param {string} formula
 * @returns {((a: Tensor | number, b: Tensor | number) => Tensor) | null}
 */
export function createIntegerFunction(name, formula) {
  if (!KINDS[name]) return null
  const [kind, value] = KINDS[name], op = operation(name, formula, value)
  return (first, second) => {
    const [a, b] = [first, second].map(operand => (typeof operand === 'number' ? null : operand))
    const { engine } = /** @type {Tensor} */ (a ?? b), areBools = a?.dtype === 'bool' && b?.dtype === 'bool'
    expect(!areBools || name !== 'pow', 'type', () => "pow: bool tensors have no powers; to('int32') makes numbers of them")
    expect(name !== 'pow' || typeof second !== 'number' || second >= 0, 'range', () => `pow: an int32 tensor has no power ` +
      `of a negative integer, got ${second}; write x.to('float32').pow(${second})`)
    const { shape, axes } = broadcast(name, (a ?? SCALAR).shape, (b ?? SCALAR).shape)
    const number = a && b ? undefined : /** @type {number} */ (a ? second : first)
    const int32 = engine.empty(shape, 'int32'), [geometry, numberAddress] = passAxesAndNumber(engine, axes, number ?? 0)
    const typeOf = (/** @type {Tensor | null} */ tensor) => DTYPES[tensor ? tensor.dtype : 'float64'].code
    const from = [a?.dataPtr() ?? numberAddress, b?.dataPtr() ?? numberAddress]
    engine.c.gf_int_arithmetic(int32.dataPtr(), ...from, geometry, typeOf(a), typeOf(b), kind)
    const out = areBools ? engine.empty(shape, 'bool') : int32
    if (areBools) {
      engine.c.gf_convert(out.dataPtr(), DTYPES.bool.code, int32.dataPtr(), DTYPES.int32.code, out.numel())
      int32.dispose()
    }
    return record(engine, op, { a, b }, { out }, { number })
  }
}
