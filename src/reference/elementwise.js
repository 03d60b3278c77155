// Elementwise operations in float64, one line each: [value, derivatives], of one operand with the roundings of float32.
// params.op is the name of the operation; an operand of a binary operation may be a number in params.
/** @import { TensorLike } from './tensor.js' */

/** @typedef {{ beta?: number, threshold?: number, negativeSlope?: number, min?: number, max?: number }} Options */
/** @typedef {(x: number, options: Options) => number} Unary */
/** @typedef {(...operands: number[]) => number} Binary */
/** @typedef {{ op: string, a?: number, b?: number }} Params */

import { U, broadcastIndex, broadcastShape, map, sumToShape, zeros } from './tensor.js'

/** @param {number} x */
const sigmoid = x => 1 / (1 + Math.exp(-x))
const zeroDerivative = () => 0

/**
 * How many times U each may be off: `y` of its size; `dx` of the slope's size and `flat` more where the slope is a
 * difference of larger numbers. One for each rounding; exp and log count 2 (1 unit in the last place), tanh 6. In
 * softplus the product with beta, up to 15 in the tests, carries its rounding into the exponent.
 * @typedef {{ y: number, dx: number, flat?: number }} Roundings
 */

/** @type {Record<string, [Unary, Unary, Roundings]>} */
const UNARY = {
  neg: [x => -x, () => -1, { y: 0, dx: 1 }],
  abs: [Math.abs, x => Math.sign(x) || 0, { y: 0, dx: 1 }],
  sign: [x => Math.sign(x) || 0, zeroDerivative, { y: 0, dx: 0 }],
  floor: [Math.floor, zeroDerivative, { y: 0, dx: 0 }],
  round: [x => (Math.abs(x) % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)), zeroDerivative, { y: 0, dx: 0 }],
  square: [x => x ** 2, x => 2 * x, { y: 1, dx: 1 }],
  sqrt: [Math.sqrt, x => 1 / (2 * Math.sqrt(x)), { y: 1, dx: 2 }],
  rsqrt: [x => 1 / Math.sqrt(x), x => -0.5 * (1 / Math.sqrt(x)) ** 3, { y: 2, dx: 10 }],
  reciprocal: [x => 1 / x, x => -1 / x ** 2, { y: 1, dx: 4 }],
  exp: [Math.exp, Math.exp, { y: 2, dx: 3 }],
  log: [Math.log, x => 1 / x, { y: 2, dx: 1 }],
  sin: [Math.sin, Math.cos, { y: 1, dx: 2 }],
  cos: [Math.cos, x => -Math.sin(x), { y: 1, dx: 2 }],
  tanh: [Math.tanh, x => 1 / Math.cosh(x) ** 2, { y: 6, dx: 2, flat: 14 }],
  sigmoid: [sigmoid, x => sigmoid(x) * sigmoid(-x), { y: 4, dx: 7, flat: 2 }],
  silu: [x => x / (1 + Math.exp(-x)), x => sigmoid(x) * (1 + x * sigmoid(-x)), { y: 5, dx: 12, flat: 8 }],
  softplus: [
    (x, { beta = 1, threshold = 20 }) => (x * beta > threshold ? x : Math.log1p(Math.exp(x * beta)) / beta),
    (x, { beta = 1, threshold = 20 }) => (x * beta > threshold ? 1 : sigmoid(x * beta)),
    { y: 24, dx: 22 }
  ],
  relu: [x => (x <= 0 ? 0 : x), x => (x <= 0 ? 0 : 1), { y: 0, dx: 1 }],
  leakyRelu: [(x, { negativeSlope = 0.01 }) => (x > 0 ? x : x * negativeSlope),
    (x, { negativeSlope = 0.01 }) => (x > 0 ? 1 : negativeSlope), { y: 2, dx: 2 }],
  clamp: [(x, { min = -Infinity, max = Infinity }) => Math.min(Math.max(x, min), max),
    (x, { min = -Infinity, max = Infinity }) => (x >= min && x <= max ? 1 : 0), { y: 1, dx: 1 }]
}

/** @type {Record<string, [Binary, Binary, Binary]>} */
const BINARY = {
  add: [(a, b) => a + b, () => 1, () => 1],
  sub: [(a, b) => a - b, () => 1, () => -1],
  mul: [(a, b) => a * b, (_, b) => b, a => a],
  div: [(a, b) => a / b, (_, b) => 1 / b, (a, b) => -a / b ** 2],
  // JavaScript has NaN for 1 ** NaN and for (-1) ** Infinity, where C and PyTorch have 1.
  pow: [(a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
    (a, b) => (b === 0 ? 0 : b * a ** (b - 1)), (a, b) => (a === 0 && b >= 0 ? 0 : a ** b * Math.log(a))],
  maximum: [Math.max, (a, b) => splitGradient(a === b, a < b), (a, b) => splitGradient(a === b, b < a)],
  minimum: [Math.min, (a, b) => splitGradient(a === b, a > b), (a, b) => splitGradient(a === b, b > a)]
}

/** @param {boolean} ties @param {boolean} isLoser */
const splitGradient = (ties, isLoser) => (ties ? 0.5 : isLoser ? 0 : 1)

export const unary = {
  /** @param {{ x: TensorLike }} inputs @param {{ op: string } & Options} params */
  forward: ({ x }, { op, ...options }) => ({ y: map(x, value => UNARY[op][0](value, options)) }),
  /**
   * Where relu and clamp do not select x, the gradient is 0 even if dy is infinite or NaN.
   * @param {{ x: TensorLike }} inputs
   * @param {{ op: string } & Options} params
   * @param {{ y: TensorLike }} outputs
   */
  backward: ({ x }, { op, ...options }, { y: dy }) => ({
    x: map(x, (value, i) => times(dy.data[i], UNARY[op][1](value, options), op))
  }),
  /** The largest errors of float32. @param {{ x: TensorLike }} inputs @param {{ op: string } & Options} params */
  forwardBound: ({ x }, { op, ...options }) => (
    { y: map(x, value => UNARY[op][2].y * U * Math.abs(UNARY[op][0](value, options))) }),
  /** @param {{ x: TensorLike }} inputs @param {{ op: string } & Options} params @param {{ y: TensorLike }} outputs */
  backwardBound({ x }, { op, ...options }, { y: dy }) {
    const [, slope, { dx, flat = 0 }] = UNARY[op]
    return { x: map(x, (value, i) => (dx * Math.abs(slope(value, options)) + flat) * U * Math.abs(dy.data[i])) }
  }
}

const SELECTING = ['relu', 'clamp']
/** @param {number} d @param {number} slope @param {string} op */
const times = (d, slope, op) => (SELECTING.includes(op) && slope === 0 ? 0 : d * slope)

const SIDES = /** @type {const} */ (['a', 'b'])

/** @param {Record<string, TensorLike>} inputs @param {Params} params @returns {TensorLike[]} */
const operands = (inputs, params) =>
  SIDES.map(name => inputs[name] ?? { shape: [], data: [Math.fround(/** @type {number} */ (params[name]))] })

/** @param {Binary} f @param {TensorLike[]} tensors @param {number[]} shape */
function apply(f, tensors, shape) {
  const indices = tensors.map(t => broadcastIndex(t.shape, shape)), y = zeros(shape)
  for (let i = 0; i < y.data.length; i++) y.data[i] = f(...tensors.map((t, k) => t.data[indices[k][i]]))
  return y
}

export const binary = {
  /** @param {Record<string, TensorLike>} inputs @param {Params} params */
  forward(inputs, params) {
    const [a, b] = operands(inputs, params)
    return { y: apply(BINARY[params.op][0], [a, b], broadcastShape(a.shape, b.shape)) }
  },
  /** @param {Record<string, TensorLike>} inputs @param {Params} params @param {{ y: TensorLike }} outputs */
  backward: (inputs, params, { y: dy }) => gradients(inputs, params, dy, value => value),
  /**
   * The sums of the absolute values of the terms of each gradient, for error bounds.
   * @param {Record<string, TensorLike>} inputs
   * @param {Params} params
   * @param {{ y: TensorLike }} outputs
   */
  sizes: (inputs, params, { y: dy }) => gradients(inputs, params, dy, Math.abs)
}

/**
 * @param {Record<string, TensorLike>} inputs
 * @param {Params} params
 * @param {TensorLike} dy
 * @param {(value: number) => number} transform
 */
function gradients(inputs, params, dy, transform) {
  const [a, b] = operands(inputs, params)
  return Object.fromEntries(SIDES.filter(name => inputs[name]).map(name => {
    const slope = BINARY[params.op][name === 'a' ? 1 : 2]
    return [name, sumToShape(apply((d, x, y) => transform(d * slope(x, y)), [dy, a, b], dy.shape), inputs[name].shape)]
  }))
}

/** @type {Record<string, (...operands: number[]) => boolean>} */
const COMPARISONS = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  logicalAnd: (a, b) => a !== 0 && b !== 0,
  logicalOr: (a, b) => a !== 0 || b !== 0,
  logicalXor: (a, b) => (a !== 0) !== (b !== 0),
  isnan: a => a !== a,
  isinf: a => Math.abs(a) === Infinity,
  logicalNot: a => a === 0
}

export const question = {
  /** @param {{ a: TensorLike, b?: TensorLike }} inputs @param {{ op: string }} params */
  forward: ({ a, b = a }, { op }) => ({ y:
    apply((x, y) => Number(COMPARISONS[op](x, y)), [a, b], broadcastShape(a.shape, b.shape)) })
}

/**
 * Rounds to the nearest number with `bits` mantissa bits, ties to even.
 * @param {number} x
 * @param {number} bits
 * @param {number} minExponent
 * @param {number} max the largest finite number
 */
function roundToFormat(x, bits, minExponent, max) {
  if (x === 0 || !Number.isFinite(x)) return x
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), minExponent) - bits), steps = x / step
  const integer = Math.abs(steps % 1) === 0.5 ? 2 * Math.round(steps / 2) : Math.round(steps)
  return Math.abs(integer * step) > max ? Math.sign(x) * Infinity : integer * step
}

/** @type {Record<string, (x: number) => number>} */
const CONVERSIONS = {
  float16: x => roundToFormat(x, 10, -14, 65504),
  bfloat16: x => roundToFormat(x, 7, -126, 2 ** 127 * (2 - 2 ** -7)),
  int32: Math.trunc,
  bool: x => Number(x !== 0)
}

export const to = {
  /** @param {{ x: TensorLike }} inputs @param {{ dtype: string }} params */
  forward: ({ x }, { dtype }) => ({ y: map(x, CONVERSIONS[dtype]) })
}

export const unaryNames = Object.keys(UNARY)
export const binaryNames = Object.keys(BINARY)
