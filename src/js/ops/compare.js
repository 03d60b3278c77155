import { AND, EQ, GE, GT, LE, LT, NE, OR, XOR } from '../engine/constants.js'
import { describe, expect, expectBoolean, expectNumber, expectOptions, formatShape } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { DTYPES } from '../tensor/dtype.js'
import { sameShape } from '../tensor/shape.js'
import { productTerm, computedFactor } from '../trace/explain.js'
import { SCALAR, broadcast, operand, passAxesAndNumber } from './broadcast.js'
import { expectTensor, expectSameEngine } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Elementwise comparisons, which give a bool tensor, with PyTorch's broadcasting; either operand may be a number.
 * Tensors of all dtypes are compared as numbers.
 *
 * @typedef {object} Comparison
 * @property {number} code the number of the comparison in the kernel, see constants.js
 * @property {string} torch the expression in PyTorch
 * @property {string} formula the condition on a and b
 * @property {(a: number, b: number) => boolean} holds
 */

/** @template {string} N @param {Record<N, Comparison>} table */
const defineComparisons = table => table

export const COMPARISONS = defineComparisons({
  eq: { code: EQ, torch: 'a == b', formula: 'a = b', holds: (a, b) => a === b },
  ne: { code: NE, torch: 'a != b', formula: 'a ≠ b', holds: (a, b) => a !== b },
  lt: { code: LT, torch: 'a < b', formula: 'a < b', holds: (a, b) => a < b },
  le: { code: LE, torch: 'a <= b', formula: 'a ≤ b', holds: (a, b) => a <= b },
  gt: { code: GT, torch: 'a > b', formula: 'a > b', holds: (a, b) => a > b },
  ge: { code: GE, torch: 'a >= b', formula: 'a ≥ b', holds: (a, b) => a >= b },
  logicalAnd: { code: AND, torch: 'torch.logical_and(a, b)', formula: 'a and b', holds: (a, b) => Boolean(a && b) },
  logicalOr: { code: OR, torch: 'torch.logical_or(a, b)', formula: 'a or b', holds: (a, b) => Boolean(a || b) },
  logicalXor: { code: XOR, torch: 'torch.logical_xor(a, b)', formula: 'either a or b', holds: (a, b) => !a !== !b }
})

/** @typedef {keyof typeof COMPARISONS} ComparisonName */

/** @param {string} name @param {Comparison} spec @returns {import('../autograd/autograd.js').Operation} */
const createOperation = (name, { formula, holds }) => ({
  name,
  kind: 'elementwise',
  parameters: ({ saved: { number } }) => (number === undefined ? {} : { number }),
  /* A bool tensor has no gradient. */
  backward() {},
  explain(node, _, index) {
    const [a, b] = [operand(node, 'a', index), operand(node, 'b', index)], result = Number(holds(a.value, b.value))
    const terms = [productTerm(computedFactor(`[${a.symbol}, ${b.symbol}]`, result, a, b))]
    return { formula: `1 where ${formula}, else 0`, terms, computed: result }
  },
  explainGradient: () => ({ formula: 'no gradient: a comparison is a step function', terms: [] })
})

/**
 * @param {string} name @param {Comparison} spec
 * @returns {(a: Tensor | number, b: Tensor | number) => Tensor}
 */
function createComparison(name, spec) {
  const op = createOperation(name, spec)
  /** @param {unknown} value @param {string} side */
  const tensorOf = (value, side) => (typeof value === 'number' ? null : expectTensor(name, side, value))
  return (first, second) => {
    const a = tensorOf(first, 'a'), b = tensorOf(second, 'b'), tensor = a ?? b
    expect(tensor !== null, 'type',
      () => `${name}: a or b must be a tensor, got ${describe(first)} and ${describe(second)}`)
    expectSameEngine(name, a, b)
    const { engine } = tensor, { shape, axes } = broadcast(name, (a ?? SCALAR).shape, (b ?? SCALAR).shape)
    const numberOperand = typeof first === 'number' ? first : typeof second === 'number' ? second : 0
    const number = tensor.dtype === 'float32' ? Math.fround(numberOperand) : numberOperand
    const out = engine.empty(shape, 'bool'), [geometry, numberAddress] = passAxesAndNumber(engine, axes, a && b ? 0 : number)
    const typeOf = (/** @type {Tensor | null} */ tensor) => DTYPES[tensor ? tensor.dtype : 'float64'].code
    const from = [a?.dataPtr() ?? numberAddress, b?.dataPtr() ?? numberAddress]
    engine.c.gf_compare(out.dataPtr(), ...from, geometry, typeOf(a), typeOf(b), spec.code)
    return record(engine, op, { a, b }, { out }, { number: a && b ? undefined : number })
  }
}

/** Each comparison of the table as a function of two tensors, or of a tensor and a number. */
export const comparisons = /** @type {Record<ComparisonName, (a: Tensor | number, b: Tensor | number) => Tensor>} */ (
  Object.fromEntries(Object.entries(COMPARISONS).map(([name, spec]) => [name, createComparison(name, spec)])))

/** True where a value is 0 or false: torch.logical_not. @param {Tensor} x any dtype @returns {Tensor} bool */
export const logicalNot = x => comparisons.eq(expectTensor('logicalNot', 'x', x), 0)

/** True where a value is NaN: torch.isnan. @param {Tensor} x any dtype @returns {Tensor} bool */
export const isnan = x => comparisons.ne(expectTensor('isnan', 'x', x), x)

/** True where a value is infinite: torch.isinf. @param {Tensor} x any dtype @returns {Tensor} bool */
export const isinf = x => (
  comparisons.logicalOr(comparisons.eq(expectTensor('isinf', 'x', x), Infinity), comparisons.eq(x, -Infinity)))

/** True where a value is neither infinite nor NaN: torch.isfinite. @param {Tensor} x any dtype */
export const isfinite = x => (
  comparisons.logicalAnd(comparisons.lt(expectTensor('isfinite', 'x', x), Infinity), comparisons.gt(x, -Infinity)))

/**
 * Whether all pairs of values of two tensors satisfy a condition.
 * @param {Tensor} a @param {Tensor} b of as many values @param {(a: number, b: number) => boolean} holds
 */
function every(a, b, holds) {
  /** @param {Tensor} tensor */
  const numbers = ({ values, dtype }) => Float64Array.from(/** @type {any} */ (values), DTYPES[dtype].read)
  const p = numbers(a), q = numbers(b)
  return p.every((value, i) => holds(value, q[i]))
}

/**
 * Checks that both are tensors of one engine; returns whether they have the same shape.
 * @param {string} where @param {Tensor} a @param {Tensor} b
 */
function haveSameShape(where, a, b) {
  const pair = [expectTensor(where, 'a', a), expectTensor(where, 'b', b)]
  expectSameEngine(where, ...pair)
  return pair.every(tensor => sameShape(tensor.shape, a.shape))
}

/**
 * Whether two tensors have the same shape and values: torch.equal. NaN is not equal to NaN.
 * @param {Tensor} a any type @param {Tensor} b any type @returns {boolean}
 * @example
 * gf.equal(gf.ones([2]), gf.tensor([1, 1]))       // true
 */
export const equal = (a, b) => haveSameShape('equal', a, b) && every(a, b, (p, q) => p === q)

/**
 * Whether all values of two tensors are close, |a − b| ≤ atol + rtol × |b|: torch.allclose.
 * @param {Tensor} a any type @param {Tensor} b of the same shape
 * @param {{ rtol?: number, atol?: number, equalNan?: boolean }} [options] rtol: 1e-5; atol: 1e-8; equalNan: false;
 *   true counts NaN as close to NaN
 * @returns {boolean}
 * @throws {import('../errors.js').GlassformerError} 'shape' for other shapes
 * @example
 * gf.allclose(gf.ones([2]), gf.full([2], 1.000001)) // true
 */
export function allclose(a, b, options) {
  const { rtol = 1e-5, atol = 1e-8, equalNan = false } = expectOptions('allclose', options, ['rtol', 'atol', 'equalNan'])
  for (const [name, value] of Object.entries({ rtol, atol })) {
    expectNumber('allclose', name, value, 'a number >= 0', v => v >= 0)
  }
  expectBoolean('allclose', 'equalNan', equalNan)
  expect(haveSameShape('allclose', a, b), 'shape',
    () => `allclose: a and b must have one shape, got ${formatShape(a.shape)} and ${formatShape(b.shape)}`)
  return every(a, b, (p, q) => p === q || (equalNan && Number.isNaN(p) && Number.isNaN(q)) ||
    (Number.isFinite(q) && Math.abs(p - q) <= atol + rtol * Math.abs(q)))
}
