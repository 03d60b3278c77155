import { describe, expect } from '../errors.js'
import { computedOutput, record } from '../autograd/autograd.js'
import { productTerm, sum, computedFactor } from '../trace/explain.js'
import { toSnakeCase } from '../interface/letter_case.js'
import { SCALAR, broadcast, operand, passAxes, resultIndices } from './broadcast.js'
import { expectTensor, expectFloatTensor, expectSameEngine } from './checks.js'
import { createIntegerFunction, isInteger, rejectBools, toFloat } from './int_arithmetic.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Elementwise operations on two tensors, with PyTorch's broadcasting; either may be a number. Each operation is an
 * entry here and a line in src/c/ops/binary.h.
 *
 * @typedef {(a: number, b: number) => number} Pair
 * @typedef {object} Binary
 * @property {string} torch PyTorch's line
 * @property {string} formula of a and b
 * @property {Pair} value
 * @property {[string, Pair]} da the derivative by a, as a formula and as a number; the formula may be '1', 'a' or 'b'
 * @property {[string, Pair]} db
 * @property {boolean} [isSum] whether the operands are separate terms
 * @property {boolean} [isExact] whether the kernel rounds only the result
 */

/** @type {Pair} */ const sigmoid = a => 1 / (1 + Math.exp(-a))
/** @type {Pair} */ const clampedLog = a => Math.max(Math.log(a), -100)
/** @param {(a: number, b: number) => boolean} wins @returns {Pair} */
const derivativeWhere = wins => (a, b) => (a === b ? 0.5 : Number(wins(a, b) || a !== a || b !== b))
const EXP_B = 'exp(b)'

/** @template {string} N @param {Record<N, Binary>} table */
const defineOperations = table => table

export const BINARY = defineOperations({
  add: {
    torch: 'a + b', formula: 'a + b', isSum: true, isExact: true, value: (a, b) => a + b, da: ['1', () => 1],
    db: ['1', () => 1]
  },
  sub: {
    torch: 'a - b', formula: 'a − b', isExact: true, value: (a, b) => a - b, da: ['1', () => 1], db: ['−1', () => -1]
  },
  mul: {
    torch: 'a * b', formula: 'a × b', isExact: true, value: (a, b) => a * b, da: ['b', (_, b) => b], db: ['a', a => a]
  },
  div: {
    torch: 'a / b', formula: 'a / b', isExact: true, value: (a, b) => a / b, da: ['1 / b', (_, b) => 1 / b],
    db: ['−a / b²', (a, b) => -a / (b * b)]
  },
  pow: {
    torch: 'torch.pow(a, b)', formula: 'a ^ b', value: (a, b) => (a === 1 ? 1 : a ** b),
    da: ['b × a ^ (b − 1)', (a, b) => (b === 0 ? 0 : b * a ** (b - 1))],
    db: ['a ^ b × log(a)', (a, b) => (a === 0 && b >= 0 ? 0 : a ** b * Math.log(a))]
  },
  maximum: {
    torch: 'torch.maximum(a, b)', formula: 'max(a, b)', isExact: true, value: Math.max,
    da: ['[a > b]', derivativeWhere((a, b) => a > b)], db: ['[b > a]', derivativeWhere((a, b) => b > a)]
  },
  minimum: {
    torch: 'torch.minimum(a, b)', formula: 'min(a, b)', isExact: true, value: Math.min,
    da: ['[a < b]', derivativeWhere((a, b) => a < b)], db: ['[b < a]', derivativeWhere((a, b) => b < a)]
  }
})

/** Elementwise losses of a prediction a and a target b; ops/losses.js reduces them. */
export const LOSSES = defineOperations({
  squaredError: {
    torch: 'torch.nn.functional.mse_loss(a, b, reduction="none")', formula: '(a − b)²', value: (a, b) => (a - b) ** 2,
    da: ['2 (a − b)', (a, b) => 2 * (a - b)], db: ['−2 (a − b)', (a, b) => -2 * (a - b)]
  },
  absoluteError: {
    torch: 'torch.nn.functional.l1_loss(a, b, reduction="none")', formula: '|a − b|', value: (a, b) => Math.abs(a - b),
    da: ['sign(a − b)', (a, b) => Math.sign(a - b)], db: ['−sign(a − b)', (a, b) => -Math.sign(a - b)]
  },
  binaryCrossEntropy: {
    torch: 'torch.nn.functional.binary_cross_entropy(a, b, reduction="none")',
    formula: '−(b × log(a) + (1 − b) × log(1 − a))',
    value: (a, b) => -(b * clampedLog(a, 0) + (1 - b) * clampedLog(1 - a, 0)),
    da: ['(a − b) / (a (1 − a))', (a, b) => (a - b) / Math.max(a * (1 - a), 1e-12)],
    db: ['(log(1 − a) − log(a))', a => clampedLog(1 - a, 0) - clampedLog(a, 0)]
  },
  binaryCrossEntropyWithLogits: {
    torch: 'torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction="none")',
    formula: '([a > 0] − b) × a + log(1 + exp(−|a|))',
    value: (a, b) => (Number(a > 0) - b) * a + Math.log1p(Math.exp(-Math.abs(a))),
    da: ['(σ(a) − b)', (a, b) => sigmoid(a, b) - b], db: ['−a', a => -a]
  },
  klDiv: {
    torch: 'torch.nn.functional.kl_div(a, b, reduction="none")', formula: 'b × (log(b) − a)',
    value: (a, b) => (b === 0 ? 0 : b * Math.log(b)) - b * a, da: ['−b', (_, b) => -b],
    db: ['(log(b) + 1 − a)', (a, b) => Math.log(b) + 1 - a]
  },
  klDivLog: {
    torch: 'torch.nn.functional.kl_div(a, b, reduction="none", log_target=True)', formula: 'exp(b) × (b − a)',
    value: (a, b) => Math.exp(b) * (b - a), da: [`−${EXP_B}`, (_, b) => -Math.exp(b)],
    db: [`${EXP_B} × (b − a + 1)`, (a, b) => Math.exp(b) * (b - a + 1)]
  }
})

/** @typedef {keyof typeof BINARY} BinaryName */

/**
 * A factor whose symbol is a formula with a and b replaced by the symbols of their cells.
 * @param {string} formula @param {number} value @param {...import('../trace/explain.js').Factor} operands
 */
function substitute(formula, value, ...operands) {
  const used = [...formula.matchAll(/\b[ab](?=²|\b)/g)].map(([letter]) => operands[letter === 'a' ? 0 : 1])
  let next = 0
  const symbol = formula.replace(/\b[ab](?=²|\b)/g, () => used[next++].symbol)
  return computedFactor(symbol, value, ...new Set(used))
}

/** @param {string} name @param {Binary} line @returns {import('../autograd/autograd.js').Operation} */
function operation(name, { formula, value, da, db, isSum, isExact }) {
  const kernel = `gf_${toSnakeCase(name)}_backward`
  /** The operands whose derivatives use this one. @param {string} letter */
  const findReaders = letter => Object.entries({ a: da, b: db })
    .filter(([, [derivative]]) => derivative.includes(letter)).map(([operand]) => operand)
  return {
    name: toSnakeCase(name), kind: 'elementwise',
    recompute: ({ a, b }, { number }) => binaryFunctions[/** @type {BinaryName} */ (name)](a ?? number, b ?? number),
    usesOutput: true,
    readsOutput: ['div', 'pow'].includes(name),
    reads: { a: findReaders('a'), b: findReaders('b') },
    parameters: ({ saved: { number } }) => (number === undefined ? {} : { number }),
    backward(node, gradient) {
      const { inputs: { a, b }, outputs: { out }, saved: { axes, number } } = node, { engine } = out
      const [to, from] = [gradient(a), gradient(b)], [geometry, numberAddress] = passAxes(engine, axes, number)
      const y = computedOutput(node).dataPtr(), values = [a?.dataPtr() ?? numberAddress, b?.dataPtr() ?? numberAddress]
      engine.c[kernel](to, from, gradient(out), y, ...values, geometry)
    },
    explain(node, _, index) {
      const [a, b] = [operand(node, 'a', index), operand(node, 'b', index)], result = value(a.value, b.value)
      const terms = isSum ? [productTerm(a), productTerm(b)] : name === 'mul' ? [productTerm(a, b)]
        : [productTerm(substitute(formula, result, a, b))]
      return { formula: `out = ${formula}`, terms, computed: isExact ? Math.fround(result) : sum(terms) }
    },
    explainGradient(node, input, index, d) {
      const { inputs, outputs: { out } } = node, [derivative, slope] = input === 'a' ? da : db
      const terms = resultIndices(out.shape, inputs[input].shape, index).map(at => {
        const [a, b] = [operand(node, 'a', at), operand(node, 'b', at)], own = d(out, at, 'dout')
        if (derivative === '1') return productTerm(own)
        if (derivative === 'a' || derivative === 'b') return productTerm(own, derivative === 'a' ? a : b)
        return productTerm(own, substitute(derivative, slope(a.value, b.value), a, b))
      })
      return { formula: `d${input} = dout${derivative === '1' ? '' : ` × ${derivative}`}`, terms }
    }
  }
}

/**
 * An operand: a number, or a float32, int32 or bool tensor.
 * @param {string} where @param {string} name @param {unknown} value @returns {number | Tensor}
 */
function expectOperand(where, name, value) {
  if (typeof value === 'number') return value
  const tensor = expectTensor(where, name, value, 'a tensor or a number')
  return isInteger(tensor) ? tensor : expectFloatTensor(where, name, tensor)
}

/**
 * @param {string} name @param {Binary} line
 * @returns {(a: Tensor | number, b: Tensor | number) => Tensor}
 */
function binary(name, line) {
  const op = operation(name, line), kernel = `gf_${toSnakeCase(name)}_forward`, integerFunction = createIntegerFunction(name, line.formula)
  return (first, second) => {
    const left = expectOperand(name, 'a', first), right = expectOperand(name, 'b', second)
    const isLeftNumber = typeof left === 'number', isRightNumber = typeof right === 'number'
    expect(!isLeftNumber || !isRightNumber, 'type',
      () => `${name}: a or b must be a tensor, got ${describe(first)} and ${describe(second)}`)
    expectSameEngine(name, isLeftNumber ? null : left, isRightNumber ? null : right)
    rejectBools(name, left, right)
    if (integerFunction && isInteger(left) && isInteger(right)) return integerFunction(left, right)
    const a = isLeftNumber ? null : toFloat(left), b = isRightNumber ? null : toFloat(right)
    const { engine } = /** @type {Tensor} */ (a ?? b), number = isLeftNumber ? left : isRightNumber ? right : undefined
    const { shape, axes } = broadcast(name, (a ?? SCALAR).shape, (b ?? SCALAR).shape)
    const out = engine.empty(shape), [geometry, numberAddress] = passAxes(engine, axes, number)
    engine.c[kernel](out.dataPtr(), a?.dataPtr() ?? numberAddress, b?.dataPtr() ?? numberAddress, geometry)
    return record(engine, op, { a, b }, { out }, { axes, number })
  }
}

/** @typedef {(a: Tensor | number, b: Tensor | number) => Tensor} PairFunction */

/** @template {string} N @param {Record<N, Binary>} table @returns {Record<N, PairFunction>} */
const createFunctions = table =>
  /** @type {any} */ (Object.fromEntries(
    /** @type {[string, Binary][]} */ (Object.entries(table)).map(([name, line]) => [name, binary(name, line)])))

/** Each operation of the table as a function of two tensors, or of a tensor and a number. */
export const binaryFunctions = createFunctions(BINARY)
export const elementLosses = createFunctions(LOSSES)

export const { add, mul } = binaryFunctions
