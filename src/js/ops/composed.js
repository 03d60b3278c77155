import { GlassformerError, describe } from '../errors.js'
import { record, unrecorded } from '../autograd/autograd.js'
import { cell, constant, computedFactor, productTerm } from '../trace/explain.js'
import { binaryFunctions } from './binary.js'
import { expectFloatTensor, expectTensor } from './checks.js'
import { comparisons } from './compare.js'
import { clone } from './copy.js'
import { gelu, normalBelow } from './gelu.js'
import { toFloat } from './int_arithmetic.js'
import { unaryFunctions } from './unary.js'
import { where } from './where.js'

/**
 * Elementwise functions without kernels of their own. Each is one operation of a trace, computed from other operations
 * in a way that loses no more than the last bits.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {object} Composed
 * @property {string} torch PyTorch's line
 * @property {string} formula of x
 * @property {(x: number) => number} value
 * @property {(x: Tensor) => Tensor} forward
 * @property {[string, (x: number) => number, (x: Tensor) => Tensor] | null} slope the derivative, as a formula, as a
 *   number and of a tensor; null for 0
 */

const { add, div, mul, sub } = binaryFunctions, { eq, gt, lt } = comparisons
const { abs, clamp, exp, floor, log, neg, reciprocal, square } = unaryFunctions

/** The coefficients of x, x³, x⁵ … of erf: 2/√π (−1)ⁿ / (n! (2n + 1)). */
const ERF_SERIES = [2, -2 / 3, 1 / 5, -1 / 21, 1 / 108, -1 / 660, 1 / 4680].map(c => c / Math.sqrt(Math.PI))

/** Below 1/2 by the series, above by GELU's Φ: erf(x) = 2 Φ(√2 x) − 1. @param {Tensor} x @returns {Tensor} */
function erfOf(x) {
  const squared = square(x), inner = ERF_SERIES.slice(0, -1).reduceRight(
    (/** @type {Tensor | number} */ sum, c) => add(mul(squared, sum), c), /** @type {number} */ (ERF_SERIES.at(-1)))
  const scaled = mul(clamp(x, { min: -6, max: 6 }), Math.SQRT2)
  return where(lt(abs(x), 0.5), mul(x, inner), sub(mul(div(gelu(scaled), scaled), 2), 1))
}

/** log(u) x / (u − 1) with u = 1 + x cancels the rounding of u (Kahan). @param {Tensor} x */
function log1pOf(x) {
  const u = add(x, 1), corrected = mul(log(u), div(x, sub(u, 1)))
  return where(eq(u, 1), x, where(eq(abs(u), Infinity), log(u), corrected))
}

/** (u − 1) x / log(u) with u = exp(x) cancels the rounding of u (Kahan). @param {Tensor} x */
function expm1Of(x) {
  const u = exp(x), rest = sub(u, 1), corrected = mul(rest, div(x, log(u)))
  return where(gt(abs(x), 0.5), rest, where(eq(u, 1), x, corrected))
}

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI)

/** @template {string} N @param {Record<N, Composed>} table */
const defineOperations = table => table

export const COMPOSED = defineOperations({
  ceil: { torch: 'torch.ceil(x)', formula: '⌈x⌉', value: Math.ceil, forward: x => neg(floor(neg(x))), slope: null },
  trunc: {
    torch: 'torch.trunc(x)', formula: 'trunc(x)', value: Math.trunc,
    forward: x => where(lt(x, 0), neg(floor(neg(x))), floor(x)), slope: null
  },
  erf: {
    torch: 'torch.erf(x)', formula: 'erf(x)', value: x => 2 * normalBelow(x * Math.SQRT2) - 1, forward: erfOf,
    slope: ['2/√π exp(−x²)', x => TWO_OVER_ROOT_PI * Math.exp(-x * x), x => mul(exp(neg(square(x))), TWO_OVER_ROOT_PI)]
  },
  log1p: {
    torch: 'torch.log1p(x)', formula: 'log(1 + x)', value: Math.log1p, forward: log1pOf,
    slope: ['1 / (1 + x)', x => 1 / (1 + x), x => reciprocal(add(x, 1))]
  },
  expm1: {
    torch: 'torch.expm1(x)', formula: 'exp(x) − 1', value: Math.expm1, forward: expm1Of,
    slope: ['exp(x)', Math.exp, x => exp(x)]
  }
})

/** @typedef {keyof typeof COMPOSED} ComposedName */

/** @param {string} name @param {Composed} line @returns {import('../autograd/autograd.js').Operation} */
const operation = (name, { formula, value, slope }) => ({
  name,
  kind: 'elementwise',
  reads: slope ? { x: ['x'] } : {},
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    const { engine } = out, dx = gradient(x), dout = gradient(out)
    if (!slope) return
    unrecorded(engine, () => engine.tidy(() => {
      const d = engine.empty(out.shape)
      engine.memory.move(d.dataPtr(), dout, 4 * out.numel())
      engine.c.gf_accumulate(dx, mul(d, slope[2](x)).dataPtr(), x.numel())
    }))
  },
  explain({ inputs: { x } }, _, index) {
    const own = cell(x, index, 'x'), computed = value(own.value)
    return { formula, terms: [productTerm(computedFactor(formula.replace(/\bx\b/, own.symbol), computed, own))], computed }
  },
  explainGradient({ inputs: { x }, outputs: { out } }, _, index, d) {
    if (!slope) return { formula: 'dx = 0', terms: [] }
    const own = cell(x, index, 'x'), [derivative, slopeOf] = slope
    const terms = [productTerm(d(out, index, 'dout'), constant(derivative, slopeOf(own.value)))]
    return { formula: `dx = dout × ${derivative}`, terms, row: [own] }
  }
})

/** @param {ComposedName} name @returns {(x: Tensor) => Tensor} */
function composed(name) {
  const line = /** @type {Composed} */ (COMPOSED[name]), op = operation(name, line)
  return given => {
    const { dtype, engine } = expectTensor(name, 'x', given)
    if (!line.slope && dtype === 'int32') return clone(given)
    if (!line.slope && dtype === 'bool') throw new GlassformerError('type', `${name}: x must be a float32 or int32 tensor, got ${describe(given)}`)
    const x = expectFloatTensor(name, 'x', toFloat(given))
    return record(engine, op, { x }, { out: unrecorded(engine, () => engine.tidy(() => line.forward(x))) })
  }
}

/** Each operation of the table as a function of a tensor of any shape. */
export const composedFunctions = /** @type {Record<ComposedName, (x: Tensor) => Tensor>} */ (Object.fromEntries(
  /** @type {ComposedName[]} */ (Object.keys(COMPOSED)).map(name => [name, composed(name)])))
