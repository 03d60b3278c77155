import { describe, expect, expectOptions } from '../errors.js'
import { computedOutput, record } from '../autograd/autograd.js'
import { cell, constant, productTerm, computedFactor } from '../trace/explain.js'
import { toSnakeCase } from '../interface/letter_case.js'
import { expectFloatTensor, expectTensor } from './checks.js'
import { clone } from './copy.js'
import { createIntegerFunction, isInteger, toFloat } from './int_arithmetic.js'

/**
 * Elementwise operations on one tensor. Each operation is an entry here and a line in src/c/ops/unary.h.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {(x: number, p: number, q: number) => number} Curve p and q are the options, in order
 * @typedef {object} Unary
 * @property {string} torch PyTorch's line
 * @property {'activation' | 'elementwise'} [kind] default: 'elementwise'
 * @property {string} formula of x
 * @property {Curve} value
 * @property {[string, Curve]} slope the derivative, as a formula and as a number
 * @property {[string, Curve]} [gate] the factor of x, if the operation is a product with x
 * @property {string} [gradient] the formula of the gradient, if it is not dout × slope
 * @property {import('../trace/explain.js').Note} [note] the condition that this formula omits
 * @property {Record<string, number>} [options] at most two numbers, with their defaults
 */

/** @type {Curve} */ const sigmoid = x => 1 / (1 + Math.exp(-x))
/** @type {Curve} */ const softplus = (x, beta, threshold) =>
  (x * beta > threshold ? x : Math.log1p(Math.exp(x * beta)) / beta)
/** 0 for NaN, as in PyTorch. @type {Curve} */ const sign = x => Math.sign(x) || 0
/** @type {Curve} */ const roundToEven = x => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x))
/** @type {[string, Curve]} */ const FLAT = ['0', () => 0]
/** @type {[string, Curve]} */ const POSITIVE = ['[x > 0]', x => (x <= 0 ? 0 : 1)]

/** @template {string} N @param {Record<N, Unary>} table */
const defineOperations = table => table

export const UNARY = defineOperations({
  neg: { torch: '-x', formula: '−x', value: x => -x, slope: ['−1', () => -1] },
  abs: { torch: 'torch.abs(x)', formula: '|x|', value: Math.abs, slope: ['sign(x)', sign] },
  sign: { torch: 'torch.sign(x)', formula: 'sign(x)', value: sign, slope: FLAT },
  floor: { torch: 'torch.floor(x)', formula: '⌊x⌋', value: Math.floor, slope: FLAT },
  round: { torch: 'torch.round(x)', formula: 'round(x)', value: roundToEven, slope: FLAT },
  square: { torch: 'torch.square(x)', formula: 'x²', value: x => x * x, slope: ['2x', x => 2 * x] },
  sqrt: { torch: 'torch.sqrt(x)', formula: '√x', value: Math.sqrt, slope: ['1 / (2√x)', x => 0.5 / Math.sqrt(x)] },
  rsqrt: {
    torch: 'torch.rsqrt(x)', formula: '1 / √x', value: x => 1 / Math.sqrt(x),
    slope: ['−1 / (2x√x)', x => -0.5 * (1 / Math.sqrt(x)) ** 3]
  },
  reciprocal: {
    torch: 'torch.reciprocal(x)', formula: '1 / x', value: x => 1 / x, slope: ['−1 / x²', x => -1 / (x * x)]
  },
  exp: { torch: 'torch.exp(x)', formula: 'exp(x)', value: Math.exp, slope: ['exp(x)', Math.exp] },
  log: { torch: 'torch.log(x)', formula: 'log(x)', value: Math.log, slope: ['1 / x', x => 1 / x] },
  sin: { torch: 'torch.sin(x)', formula: 'sin(x)', value: Math.sin, slope: ['cos(x)', Math.cos] },
  cos: { torch: 'torch.cos(x)', formula: 'cos(x)', value: Math.cos, slope: ['−sin(x)', x => -Math.sin(x)] },
  tanh: {
    kind: 'activation', torch: 'torch.tanh(x)', formula: 'tanh(x)', value: Math.tanh, slope: ['1 − tanh²(x)', x => 1 - Math.tanh(x) ** 2]
  },
  sigmoid: {
    kind: 'activation', torch: 'torch.sigmoid(x)', formula: '1 / (1 + exp(−x))', value: sigmoid,
    slope: ['σ(x) (1 − σ(x))', (x, p, q) => sigmoid(x, p, q) * sigmoid(-x, p, q)]
  },
  silu: {
    kind: 'activation', torch: 'torch.nn.functional.silu(x)', formula: 'x × σ(x),  σ(x) = 1 / (1 + exp(−x))',
    value: (x, p, q) => x * sigmoid(x, p, q), gate: ['σ(x)', sigmoid],
    slope: ['σ(x) (1 + x (1 − σ(x)))', (x, p, q) => sigmoid(x, p, q) * (1 + x * sigmoid(-x, p, q))]
  },
  softplus: {
    kind: 'activation', torch: 'torch.nn.functional.softplus(x, beta, threshold)', formula: 'log(1 + exp(beta x)) / beta',
    options: { beta: 1, threshold: 20 }, value: softplus,
    slope: ['σ(beta x)', (x, beta, threshold) => (x * beta > threshold ? 1 : sigmoid(x * beta, beta, threshold))]
  },
  relu: {
    kind: 'activation', torch: 'torch.nn.functional.relu(x)', formula: 'max(x, 0)', value: x => (x <= 0 ? 0 : x), gate: POSITIVE,
    slope: POSITIVE, gradient: 'dx = dout', note: { name: 'positive' }
  },
  leakyRelu: {
    kind: 'activation', torch: 'torch.nn.functional.leaky_relu(x, negative_slope)', formula: 'x where x > 0, else negativeSlope × x',
    options: { negativeSlope: 0.01 }, value: (x, slope) => (x > 0 ? x : x * slope),
    slope: ['1 where x > 0, else negativeSlope', (x, slope) => (x > 0 ? 1 : slope)]
  },
  clamp: {
    torch: 'torch.clamp(x, min, max)', formula: 'min(max(x, min), max)', options: { min: -Infinity, max: Infinity },
    value: (x, min, max) => Math.min(Math.max(x, min), max),
    slope: ['[min ≤ x ≤ max]', (x, min, max) => Number(x >= min && x <= max)]
  }
})

/** @typedef {Exclude<keyof typeof UNARY, 'clamp' | 'softplus' | 'leakyRelu'>} UnaryName operations without options */

/** @param {string} name @param {Unary} line @returns {import('../autograd/autograd.js').Operation} */
function operation(name, { kind = 'elementwise', formula, value, slope: [slope, slopeOf], gate, gradient: gradientFormula, note, options }) {
  const kernel = `gf_${toSnakeCase(name)}_backward`
  return {
    name: toSnakeCase(name), kind,
    recompute: ({ x }, parameters) => /** @type {any} */ (unaryFunctions)[name](x, options && parameters),
    usesOutput: true,
    readsOutput: ['sqrt', 'rsqrt', 'reciprocal', 'exp', 'tanh', 'sigmoid'].includes(name),
    reads: slope.includes('x') ? { x: ['x'] } : {},
    ...(options && { parameters: ({ saved }) => saved.parameters }),
    backward(node, gradient) {
      const { inputs: { x }, outputs: { out }, saved: { p, q } } = node, y = computedOutput(node)
      out.engine.c[kernel](gradient(x), gradient(out), x.dataPtr(), y.dataPtr(), x.numel(), p, q)
    },
    explain({ inputs: { x }, saved: { p, q } }, _, index) {
      const own = cell(x, index, 'x'), computed = value(own.value, p, q)
      const term = gate ? productTerm(own, constant(gate[0], gate[1](own.value, p, q)))
        : productTerm(computedFactor(formula.replace(/\bx\b/, own.symbol), computed, own))
      return { formula, terms: [term], computed }
    },
    explainGradient({ inputs: { x }, outputs: { out }, saved: { p, q } }, _, index, d) {
      const own = cell(x, index, 'x'), factor = constant(slope, slopeOf(own.value, p, q))
      const times = / [+−] /.test(slope) ? `(${slope})` : slope, terms = [productTerm(d(out, index, 'dout'), factor)]
      return { formula: gradientFormula ?? `dx = dout × ${times}`, note, terms, row: [own] }
    }
  }
}

/** @param {string} name @param {string} formula */
const integerFunction = (name, formula) => /** @type {NonNullable<ReturnType<typeof createIntegerFunction>>} */ (
  createIntegerFunction(name, formula))
const maximum = integerFunction('maximum', 'max(a, b)'), minimum = integerFunction('minimum', 'min(a, b)')
const subtract = integerFunction('sub', 'a − b'), multiply = integerFunction('mul', 'a × b')

/**
 * What operations give for int32 tensors where that is int32.
 * @type {Record<string, (x: Tensor, options?: any) => Tensor>}
 */
const OF_INTEGERS = {
  neg: x => subtract(0, x), abs: x => maximum(x, subtract(0, x)), sign: x => minimum(maximum(x, -1), 1),
  square: x => multiply(x, x), relu: x => maximum(x, 0), floor: clone, round: clone,
  clamp: (x, { min, max }) => {
    const low = min > -Infinity ? maximum(x, min) : x
    return max < Infinity ? minimum(low, max) : low === x ? clone(x) : low
  }
}
/** The same for bool tensors; PyTorch refuses them in the others. @type {typeof OF_INTEGERS} */
const OF_BOOLS = {
  sign: clone, square: x => multiply(x, 1), clamp: (x, limits) => OF_INTEGERS.clamp(multiply(x, 1), limits)
}
/** Operations that PyTorch computes in float32 for integers, too. */
const FLOAT_OF_INTEGERS = ['exp', 'log', 'sin', 'cos', 'tanh', 'sigmoid', 'sqrt', 'rsqrt', 'reciprocal']

/**
 * The result of an int32 or bool tensor, or null if it is that of the tensor as float32.
 * @param {string} name @param {Tensor} x @param {Record<string, number>} parameters @returns {Tensor | null}
 */
function ofIntegers(name, x, parameters) {
  const isFraction = Object.values(parameters).some(value => Number.isFinite(value) && !isInteger(value))
  if (FLOAT_OF_INTEGERS.includes(name) || (OF_INTEGERS[name] && isFraction)) return null
  const own = (x.dtype === 'bool' ? OF_BOOLS : OF_INTEGERS)[name]
  expect(own !== undefined, 'type', () => `${name}: x must be a float32 ${OF_INTEGERS[name] ? 'or int32 ' : ''}tensor, got ${describe(x)}; ` +
    (x.dtype === 'bool' && OF_INTEGERS[name] ? "logicalNot() inverts a mask, to('int32') makes numbers" : "to('float32') makes one"))
  return own(x, parameters)
}

/** @param {string} name @param {Unary} line @returns {(x: Tensor, options?: any) => Tensor} */
function unary(name, line) {
  const op = operation(name, line), kernel = `gf_${toSnakeCase(name)}_forward`, { options: defaults = {} } = line
  const names = Object.keys(defaults), defaultParameters = toParameters(defaults)
  /** @param {any} options */
  const read = options => {
    expect(names.length > 0, 'type', () => `${name}: takes one tensor and no options, got ${describe(options)}`)
    return toParameters({ ...defaults, ...expectNumbers(name, expectOptions(name, options, names)) })
  }
  return (given, options) => {
    const saved = options === undefined ? defaultParameters : read(options)
    if (name === 'clamp') expectBound(name, options)
    if (isInteger(expectTensor(name, 'x', given))) {
      const integers = ofIntegers(name, given, saved.parameters)
      if (integers) return integers
    }
    const x = toFloat(given), { engine } = expectFloatTensor(name, 'x', x), out = engine.empty(x.shape)
    engine.c[kernel](out.dataPtr(), x.dataPtr(), x.numel(), saved.p, saved.q)
    return record(engine, op, { x }, { out }, saved)
  }
}

/** Adds the two numbers that a kernel takes to parameters. @param {Record<string, number>} parameters */
function toParameters(parameters) {
  const [p = 0, q = 0] = Object.values(parameters)
  return { p, q, parameters }
}

/** @param {string} where @param {any} options */
function expectBound(where, options) {
  expect((options?.min ?? options?.max ?? null) !== null, 'type', () => `${where}: min, max or both must be numbers, got neither`)
}

/** Options that are numbers; null and undefined count as left out. @param {string} where @param {any} options */
function expectNumbers(where, options) {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined && value !== null)
  for (const [name, value] of entries) {
    expect(typeof value === 'number' && !Number.isNaN(value), 'type',
      () => `${where}: ${name} must be a number, got ${describe(value)}`)
  }
  return Object.fromEntries(entries)
}

/**
 * Each operation of the table as a function of a tensor of any shape.
 * @type {Record<UnaryName, (x: Tensor) => Tensor> & {
 *   softplus: (x: Tensor, options?: { beta?: number, threshold?: number }) => Tensor,
 *   leakyRelu: (x: Tensor, options?: { negativeSlope?: number }) => Tensor,
 *   clamp: (x: Tensor, options: { min?: number, max?: number }) => Tensor
 * }}
 */
export const unaryFunctions = /** @type {any} */ (
  Object.fromEntries(Object.entries(UNARY).map(([name, line]) => [name, unary(name, line)])))

/**
 * The activations of the table with their default options, by PyTorch's names.
 * @type {Record<string, (x: Tensor) => Tensor>}
 */
export const activationFunctions = Object.fromEntries(Object.entries(UNARY)
  .filter(([, { kind }]) => kind === 'activation')
  .map(([name]) => [toSnakeCase(name), x => unaryFunctions[/** @type {UnaryName} */ (name)](x)]))

/** max(x, 0): torch.nn.functional.relu. */
export const { relu } = unaryFunctions
