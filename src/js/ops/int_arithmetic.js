import { INT_ADD, INT_MAXIMUM, INT_MINIMUM, INT_MUL, INT_POW, INT_SUB } from '../constants.js'
import { expect } from '../errors.js'
import { record } from '../autograd.js'
import { DTYPES } from '../dtype.js'
import { product, derived } from '../explain.js'
import { SCALAR, broadcast, operand, passNumber } from './broadcast.js'
import { to } from './convert.js'

/**
 * Arithmetic of int32 and bool tensors, as PyTorch promotes them: with a float32 tensor or a number that is no int32
 * they become float32; among themselves they stay whole, modulo 2^32, and bools among themselves bools.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {(a: number, b: number) => number} Pair
 */

/** @type {Pair} */
function power(a, b) {
  if (b < 0) return Math.abs(a) === 1 ? a ** (b & 1) : 0
  return Number(BigInt.asIntN(32, BigInt(a) ** BigInt(b)))
}

/** The kernel's code, and what it computes. @type {Record<string, [number, Pair]>} */
const KINDS = {
  add: [INT_ADD, (a, b) => (a + b) | 0], sub: [INT_SUB, (a, b) => (a - b) | 0], mul: [INT_MUL, Math.imul],
  pow: [INT_POW, power], maximum: [INT_MAXIMUM, Math.max], minimum: [INT_MINIMUM, Math.min]
}

/** @param {Tensor | number} value */
export const isInteger = value => (typeof value === 'number' ? value === (value | 0)
  : value.dtype === 'int32' || value.dtype === 'bool')

/**
 * As in PyTorch, where it is a mask turned round that is meant most of the time.
 * @param {string} name @param {...(Tensor | number)} operands
 */
export const rejectBools = (name, ...operands) => expect(
  name !== 'sub' || operands.every(one => typeof one === 'number' || one.dtype !== 'bool'), 'type',
  () => "sub: bool tensors cannot be subtracted; logicalNot() inverts a mask, to('int32') makes numbers")

/** A whole tensor as float32, anything else itself. @template {Tensor | number} T @param {T} value */
export const asFloat = value => (typeof value !== 'number' && isInteger(value) ? to(value, 'float32') : value)

/** @param {string} name @param {string} formula of a and b @param {Pair} value */
const operation = (name, formula, value) => /** @type {import('../autograd.js').Operation} */ ({
  name,
  parameters: ({ saved: { number } }) => (number === undefined ? {} : { number }),
  /* Integers have no gradient, so none comes here. */
  backward() {},
  explain(node, _, index) {
    const [a, b] = [operand(node, 'a', index), operand(node, 'b', index)], { out } = node.outputs
    const made = value(Number(a.value), Number(b.value)), computed = out.dtype === 'bool' ? Number(made !== 0) : made
    const symbol = formula.replace(/\b[ab]\b/g, letter => (letter === 'a' ? a : b).symbol)
    return { formula: `out = ${formula}`, terms: [product(derived(symbol, computed, a, b))], computed }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
})

/**
 * The function of two whole operands, of which one at least is a tensor; none where the result is not whole.
 * @param {string} name @param {string} formula
 * @returns {((a: Tensor | number, b: Tensor | number) => Tensor) | null}
 */
export function intPair(name, formula) {
  if (!KINDS[name]) return null
  const [kind, value] = KINDS[name], op = operation(name, formula, value)
  return (first, second) => {
    const [a, b] = [first, second].map(one => (typeof one === 'number' ? null : one))
    const { engine } = /** @type {Tensor} */ (a ?? b), areBools = a?.dtype === 'bool' && b?.dtype === 'bool'
    expect(!areBools || name !== 'pow', 'type', () => "pow: bool tensors have no powers; to('int32') makes numbers of them")
    const { shape, axes } = broadcast(name, (a ?? SCALAR).shape, (b ?? SCALAR).shape)
    const number = a && b ? undefined : /** @type {number} */ (a ? second : first)
    const found = engine.empty(shape, 'int32'), [geometry, still] = passNumber(engine, axes, number ?? 0)
    const typeOf = (/** @type {Tensor | null} */ tensor) => DTYPES[tensor ? tensor.dtype : 'float64'].code
    const from = [a?.dataPtr() ?? still, b?.dataPtr() ?? still]
    engine.c.gf_int_arithmetic(found.dataPtr(), ...from, geometry, typeOf(a), typeOf(b), kind)
    const out = areBools ? engine.empty(shape, 'bool') : found
    if (areBools) {
      engine.c.gf_convert(out.dataPtr(), DTYPES.bool.code, found.dataPtr(), DTYPES.int32.code, out.size)
      found.dispose()
    }
    return record(engine, op, { a, b }, { out }, { number })
  }
}
