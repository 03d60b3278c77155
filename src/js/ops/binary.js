import { describe, expect } from '../errors.js'
import { computedOutput, record } from '../autograd.js'
import { product, sum, derived } from '../explain.js'
import { SCALAR, broadcast, operand, passAxes, resultIndices } from './broadcast.js'
import { expectTensor, expectFloatTensor, expectSameEngine, snake } from './checks.js'
import { asFloat, isInteger, rejectBools, intPair } from './int_arithmetic.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * Operations on two values at a time, with PyTorch's broadcasting; either may be a number. A line here and one in
 * src/c/ops/binary.h make an operation.
 *
 * @typedef {(a: number, b: number) => number} Pair
 * @typedef {object} Binary
 * @property {string} torch PyTorch's line
 * @property {string} formula of a and b
 * @property {Pair} value
 * @property {[string, Pair]} da the derivative by a, in words and as a number; '1', or the letter of an operand
 * @property {[string, Pair]} db
 * @property {boolean} [isSum] the operands are terms
 * @property {boolean} [isExact] the kernel rounds nothing but the result
 */

/** @type {Pair} */ const sigmoid = a => 1 / (1 + Math.exp(-a))
/** @type {Pair} */ const logAtLeast = a => Math.max(Math.log(a), -100)
/** @param {(a: number, b: number) => boolean} wins @returns {Pair} */
const share = wins => (a, b) => (a === b ? 0.5 : Number(wins(a, b) || a !== a || b !== b))
const EXP_B = 'exp(b)'

/** @template {string} N @param {Record<N, Binary>} table */
const lines = table => table

export const BINARY = lines({
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
    da: ['[a > b]', share((a, b) => a > b)], db: ['[b > a]', share((a, b) => b > a)]
  },
  minimum: {
    torch: 'torch.minimum(a, b)', formula: 'min(a, b)', isExact: true, value: Math.min,
    da: ['[a < b]', share((a, b) => a < b)], db: ['[b < a]', share((a, b) => b < a)]
  }
})

/** Losses of one value a that the model gives and its target b; ops/losses.js takes them together. */
export const LOSSES = lines({
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
    value: (a, b) => -(b * logAtLeast(a, 0) + (1 - b) * logAtLeast(1 - a, 0)),
    da: ['(a − b) / (a (1 − a))', (a, b) => (a - b) / Math.max(a * (1 - a), 1e-12)],
    db: ['(log(1 − a) − log(a))', a => logAtLeast(1 - a, 0) - logAtLeast(a, 0)]
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
 * A number made of cells: the formula with their symbols in the place of a and b, and those that it has.
 * @param {string} formula @param {number} value @param {...import('../explain.js').Factor} operands
 */
function spelled(formula, value, ...operands) {
  const found = [...formula.matchAll(/\b[ab](?=²|\b)/g)].map(([letter]) => operands[letter === 'a' ? 0 : 1])
  let next = 0
  const symbol = formula.replace(/\b[ab](?=²|\b)/g, () => found[next++].symbol)
  return derived(symbol, value, ...new Set(found))
}

/** @param {string} name @param {Binary} line @returns {import('../autograd.js').Operation} */
function operation(name, { formula, value, da, db, isSum, isExact }) {
  const kernel = `gf_${snake(name)}_backward`
  /** The operands whose derivatives are made with another. @param {string} letter */
  const readBy = letter => Object.entries({ a: da, b: db }).filter(([, [words]]) => words.includes(letter))
    .map(([operand]) => operand)
  return {
    name: snake(name),
    usesOutput: true,
    reads: { a: readBy('a'), b: readBy('b') },
    parameters: ({ saved: { number } }) => (number === undefined ? {} : { number }),
    backward(node, gradient) {
      const { inputs: { a, b }, outputs: { out }, saved: { axes, number } } = node, { engine } = out
      const [to, from] = [gradient(a), gradient(b)], [geometry, still] = passAxes(engine, axes, number)
      const y = computedOutput(node).dataPtr()
      engine.c[kernel](to, from, gradient(out), y, a?.dataPtr() ?? still, b?.dataPtr() ?? still, geometry)
    },
    explain(node, _, index) {
      const [a, b] = [operand(node, 'a', index), operand(node, 'b', index)], made = value(a.value, b.value)
      const terms = isSum ? [product(a), product(b)] : name === 'mul' ? [product(a, b)]
        : [product(spelled(formula, made, a, b))]
      return { formula: `out = ${formula}`, terms, computed: isExact ? Math.fround(made) : sum(terms) }
    },
    explainGradient(node, input, index, d) {
      const { inputs, outputs: { out } } = node, [words, slope] = input === 'a' ? da : db
      const terms = resultIndices(out.shape, inputs[input].shape, index).map(at => {
        const [a, b] = [operand(node, 'a', at), operand(node, 'b', at)], own = d(out, at, 'dout')
        if (words === '1') return product(own)
        if (words === 'a' || words === 'b') return product(own, words === 'a' ? a : b)
        return product(own, spelled(words, slope(a.value, b.value), a, b))
      })
      return { formula: `d${input} = dout${words === '1' ? '' : ` × ${words}`}`, terms }
    }
  }
}

/**
 * An operand: a number, or a tensor of numbers.
 * @param {string} where @param {string} name @param {unknown} value @returns {number | Tensor}
 */
function operandOf(where, name, value) {
  if (typeof value === 'number') return value
  const tensor = expectTensor(where, name, value, 'a tensor or a number')
  return isInteger(tensor) ? tensor : expectFloatTensor(where, name, tensor)
}

/**
 * @param {string} name @param {Binary} line
 * @returns {(a: Tensor | number, b: Tensor | number) => Tensor}
 */
function binary(name, line) {
  const op = operation(name, line), kernel = `gf_${snake(name)}_forward`, whole = intPair(name, line.formula)
  return (first, second) => {
    const left = operandOf(name, 'a', first), right = operandOf(name, 'b', second)
    const isNumber = typeof left === 'number', isOther = typeof right === 'number'
    expect(!isNumber || !isOther, 'type',
      () => `${name}: a or b must be a tensor, got ${describe(first)} and ${describe(second)}`)
    expectSameEngine(name, isNumber ? null : left, isOther ? null : right)
    rejectBools(name, left, right)
    if (whole && isInteger(left) && isInteger(right)) return whole(left, right)
    const a = isNumber ? null : asFloat(left), b = isOther ? null : asFloat(right)
    const { engine } = /** @type {Tensor} */ (a ?? b), number = isNumber ? left : isOther ? right : undefined
    const { shape, axes } = broadcast(name, (a ?? SCALAR).shape, (b ?? SCALAR).shape)
    const out = engine.empty(shape), [geometry, still] = passAxes(engine, axes, number)
    engine.c[kernel](out.dataPtr(), a?.dataPtr() ?? still, b?.dataPtr() ?? still, geometry)
    return record(engine, op, { a, b }, { out }, { axes, number })
  }
}

/** @typedef {(a: Tensor | number, b: Tensor | number) => Tensor} PairFunction */

/** @template {string} N @param {Record<N, Binary>} table @returns {Record<N, PairFunction>} */
const functionsOf = table =>
  /** @type {any} */ (Object.fromEntries(
    /** @type {[string, Binary][]} */ (Object.entries(table)).map(([name, line]) => [name, binary(name, line)])))

/** Every operation of the table as a function of two tensors or numbers, of which one at least is a tensor. */
export const binaryFunctions = functionsOf(BINARY)
export const elementLosses = functionsOf(LOSSES)

export const { add, mul } = binaryFunctions
