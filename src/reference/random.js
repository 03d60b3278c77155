// PyTorch's CPU random number generator (mt19937) and sampling functions. From 16 normal values on, PyTorch computes in
// float32 with fused multiply-adds and eight lanes; this file reproduces every rounding, so the last bits agree.
import { sizeOf } from './tensor.js'

const { fround } = Math
const STATE_SIZE = 624

// ---- float32 -------------------------------------------------------------------------------------------------------

const bits64 = new BigInt64Array(1)
const double = new Float64Array(bits64.buffer)
const bits32 = new Uint32Array(1)
const single = new Float32Array(bits32.buffer)

/** The adjacent double, away from zero (+1n) or towards zero (-1n). */
function adjacentDouble(value, direction) {
  double[0] = value
  bits64[0] += direction
  return double[0]
}

function isOdd(value) {
  double[0] = value
  return (bits64[0] & 1n) === 1n
}

/**
 * float32 a * b + c, rounded once. The product of two float32 is exact in double, the sum may be inexact. In that case
 * it is rounded to odd, so that the final rounding to float32 is correct (no double rounding).
 */
export function fusedMultiplyAdd(a, b, c) {
  const product = a * b
  let sum = product + c
  const part = sum - product
  const roundingError = product - (sum - part) + (c - part)
  if (roundingError !== 0 && Number.isFinite(roundingError) && !isOdd(sum)) {
    sum = adjacentDouble(sum, roundingError > 0 === sum > 0 ? 1n : -1n)
  }
  return fround(sum)
}

/** Horner's rule, highest power first, each step fused. */
const polynomial = (coefficients, x) => coefficients.map(fround).reduce((sum, next) => fusedMultiplyAdd(sum, x, next))

// The coefficients of log, sine and cosine are those of Moshier's Cephes library, single precision.
const LOG = [
  7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
  2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1
]
const LN2_LOW = fround(-2.1219444e-4)
const LN2_HIGH = fround(0.693359375)
const SIN = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
const COS = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2]
const QUARTER_PI = [-0.78515625, -2.4187564849853516e-4, -3.774894977445941e-8].map(fround)
const FOUR_OVER_PI = fround(1.27323954473516)

/** Natural logarithm of a positive float32: x = m * 2^exponent with m in [sqrt(1/2), sqrt(2)). */
function log32(x) {
  single[0] = x
  let exponent = (bits32[0] >>> 23) - 126
  bits32[0] = (bits32[0] & 0x7fffff) | 0x3f000000
  let m = single[0]
  if (m < fround(Math.SQRT1_2)) {
    exponent -= 1
    m = fround(fround(m - 1) + m)
  } else {
    m = fround(m - 1)
  }
  const square = fround(m * m)
  let y = fround(polynomial(LOG, m) * m)
  y = fusedMultiplyAdd(y, square, fround(exponent * LN2_LOW))
  y = fusedMultiplyAdd(-square, 0.5, y)
  return fusedMultiplyAdd(exponent, LN2_HIGH, fround(m + y))
}

/** Sine and cosine of a float32 >= 0: the angle is reduced to [-pi/4, pi/4] and an octant. */
function sinCos32(angle) {
  const octant = (Math.trunc(fround(angle * FOUR_OVER_PI)) + 1) & ~1
  const x = QUARTER_PI.reduce((rest, part) => fusedMultiplyAdd(octant, part, rest), angle)
  const square = fround(x * x)
  let cos = fround(polynomial(COS, square) * square)
  cos = fround(fusedMultiplyAdd(cos, square, -fround(square * 0.5)) + 1)
  let sin = fusedMultiplyAdd(fround(polynomial(SIN, square) * square), x, x)
  if (octant & 2) [sin, cos] = [cos, sin]
  return { sin: octant & 4 ? -sin : sin, cos: (octant - 2) & 4 ? cos : -cos }
}

// ---- the generator -------------------------------------------------------------------------------------------------

export class Generator {
  constructor(seed = 0) {
    this.manualSeed(seed)
  }

  /** Uses only the low 32 bits of a seed; a negative seed is taken as two's complement. */
  manualSeed(seed) {
    this.state = new Uint32Array(STATE_SIZE)
    this.state[0] = Number(BigInt.asUintN(32, BigInt(seed)))
    for (let j = 1; j < STATE_SIZE; j++) {
      const previous = this.state[j - 1]
      this.state[j] = Math.imul(1812433253, previous ^ (previous >>> 30)) + j
    }
    this.position = STATE_SIZE
    this.savedNormal = undefined
    return this
  }

  twist() {
    const s = this.state
    for (let k = 0; k < STATE_SIZE; k++) {
      const y = (s[k] & 0x80000000) | (s[(k + 1) % STATE_SIZE] & 0x7fffffff)
      s[k] = s[(k + 397) % STATE_SIZE] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.position = 0
  }

  /** 32 random bits. */
  word() {
    if (this.position === STATE_SIZE) this.twist()
    let y = this.state[this.position++]
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  /** The first word is the high half. */
  word64() {
    return (BigInt(this.word()) << 32n) | BigInt(this.word())
  }

  /** A float32 in [low, high): 24 of the word's bits. */
  uniform(low = 0, high = 1) {
    const unit = (this.word() & 0xffffff) * 2 ** -24
    return fusedMultiplyAdd(unit, fround(fround(high) - fround(low)), fround(low))
  }

  /** A double in [0, 1): 53 of two words' bits. */
  uniform64() {
    return Number(this.word64() & ((1n << 53n) - 1n)) * 2 ** -53
  }

  rand(count) {
    return Float32Array.from({ length: count }, () => this.uniform())
  }

  uniforms(count, low, high) {
    return Float32Array.from({ length: count }, () => this.uniform(low, high))
  }

  /** Box-Muller in double. Two uniforms give two normals; the second is saved for the next call. */
  normalOne(mean, std) {
    let value = this.savedNormal
    this.savedNormal = undefined
    if (value === undefined) {
      const angle = 2 * Math.PI * this.uniform64()
      const radius = Math.sqrt(-2 * Math.log1p(-this.uniform64()))
      this.savedNormal = radius * Math.sin(angle)
      value = radius * Math.cos(angle)
    }
    return value * std + mean
  }

  /** From 16 values on: uniforms, then Box-Muller in place in chunks of 16. The last 16 values are sampled again if the
   * count is not a multiple of 16. */
  normal(count, mean = 0, std = 1) {
    if (count < 16) return Float32Array.from({ length: count }, () => this.normalOne(mean, std))
    const values = this.rand(count)
    for (let start = 0; start + 16 <= count; start += 16) boxMuller16(values.subarray(start, start + 16), mean, std)
    if (count % 16) {
      values.set(this.rand(16), count - 16)
      boxMuller16(values.subarray(count - 16), mean, std)
    }
    return values
  }

  randn(count) {
    return this.normal(count)
  }

  randint(low, high, count) {
    const range = high - low
    const sample = range < 2 ** 32 ? () => this.word() % range : () => Number(this.word64() % BigInt(range))
    return Array.from({ length: count }, () => sample() + low)
  }

  /** Fisher-Yates shuffle from the front. */
  randperm(count) {
    const order = Array.from({ length: count }, (_, i) => i)
    for (let i = 0; i < count - 1; i++) {
      const j = i + (this.word() % (count - i))
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  }

  bernoulli(count, p) {
    return Array.from({ length: count }, () => (this.uniform64() < p ? 1 : 0))
  }

  /** The dropout mask: 1 retains, 0 drops. For p = 0 or 1 the generator is not used. */
  dropoutMask(count, p) {
    return p === 0 || p === 1 ? new Array(count).fill(1 - p) : this.bernoulli(count, 1 - p)
  }
}

export const dropoutScale = p => fround(1 / fround(1 - p))

function boxMuller16(values, mean, std) {
  for (let j = 0; j < 8; j++) {
    const radius = fround(Math.sqrt(fround(-2 * log32(1 - values[j]))))
    const { sin, cos } = sinCos32(fround(fround(2 * Math.PI) * values[j + 8]))
    values[j] = fusedMultiplyAdd(fround(radius * cos), fround(std), fround(mean))
    values[j + 8] = fusedMultiplyAdd(fround(radius * sin), fround(std), fround(mean))
  }
}

// ---- initial weights, each an object of named values in sampling order ----------------------------------------------

/** Kaiming uniform with a = sqrt 5. The square roots are separate to reproduce PyTorch's roundings. */
export function linearInit(generator, inputs, outputs) {
  const bound = Math.sqrt(3) * (Math.sqrt(2 / (1 + Math.sqrt(5) ** 2)) / Math.sqrt(inputs))
  const weight = generator.uniforms(sizeOf([outputs, inputs]), -bound, bound)
  const biasBound = 1 / Math.sqrt(inputs)
  return { weight, bias: generator.uniforms(outputs, -biasBound, biasBound) }
}

export const embeddingInit = (generator, rows, width) => ({ weight: generator.randn(rows * width) })

export function xavierInit(generator, outputs, inputs) {
  const bound = Math.sqrt(3) * Math.sqrt(2 / (inputs + outputs))
  return generator.uniforms(outputs * inputs, -bound, bound)
}

/** nn.MultiheadAttention samples its output projection first, with a bias that it then sets to zero. */
export function multiheadAttentionInit(generator, width) {
  const { weight } = linearInit(generator, width, width)
  return { 'out_proj.weight': weight, 'in_proj_weight': xavierInit(generator, 3 * width, width) }
}
