// y = x * P(Z <= x) for a standard normal Z, that is x * (1 + erf(x / sqrt 2)) / 2; or the tanh approximation.
/** @import { TensorLike } from './tensor.js' */

import { U, map } from './tensor.js'

/**
 * erf(x) = e^(-x^2) * 2/sqrt(pi) * sum of 2^n x^(2n+1) / (2n+1)!!. All terms have the same sign, so nothing cancels.
 * @param {number} x
 */
function erfBySeries(x) {
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/**
 * For x >= 2, evaluated from the inside:
 * erfc(x) = e^(-x^2)/sqrt(pi) / (x + 1/2/(x + 1/(x + 3/2/(x + ...)))).
 * @param {number} x
 */
function erfcByFraction(x) {
  let fraction = x
  for (let level = 60; level >= 1; level--) fraction = x + level / 2 / fraction
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction
}

/** @param {number} x */
function normalCdf(x) {
  const z = x / Math.SQRT2
  if (z <= -2) return erfcByFraction(-z) / 2
  if (z >= 2) return 1 - erfcByFraction(z) / 2
  return (1 + erfBySeries(z)) / 2
}

/** @param {number} x */
const normalDensity = x => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)

/** @typedef {{ value: (x: number) => number, slope: (x: number) => number }} Variant */

/** @type {Variant} */
const exact = {
  value: x => x * normalCdf(x),
  slope: x => normalCdf(x) + x * normalDensity(x)
}

/** @param {number} x */
const cubic = x => Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)
/** @param {number} x */
const cubicSlope = x => Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x ** 2)

/** @type {Variant} */
const tanh = {
  value: x => (x / 2) * (1 + Math.tanh(cubic(x))),
  slope: x => (1 + Math.tanh(cubic(x))) / 2 + (x / 2) * (1 - Math.tanh(cubic(x)) ** 2) * cubicSlope(x)
}

/** @param {string} approximate */
const variant = approximate => (approximate === 'tanh' ? tanh : exact)

/** @param {{ x: TensorLike }} inputs @param {{ approximate?: string }} params */
export const forward = ({ x }, { approximate = 'none' }) => ({ y: map(x, variant(approximate).value) })

/** @param {{ x: TensorLike }} inputs @param {{ approximate?: string }} params @param {{ y: TensorLike }} outputs */
export const backward = ({ x }, { approximate = 'none' }, { y: dy }) => ({
  x: map(x, (value, i) => dy.data[i] * variant(approximate).slope(value))
})

/**
 * erf and tanh are within about 2 units in the last place of values up to 1, after an argument that is off by a few U;
 * 1 + erf loses nothing more. So P(Z <= x) is off by at most 6 U and y by 6 U |x|.
 * @param {{ x: TensorLike }} inputs
 */
export const forwardBound = ({ x }) => ({ y: map(x, value => 8 * U * Math.abs(value)) })

/**
 * The slope adds x * density(x): its exponent x^2 / 2 carries x^2 roundings, and x * density never exceeds 0.25. With
 * tanh it adds x / 2 * (1 - tanh^2) times the cubic's slope, where 1 - tanh^2 is off by 4 U until tanh is flat, at 5.5.
 * @param {{ x: TensorLike }} inputs @param {{ approximate?: string }} params @param {{ y: TensorLike }} outputs
 */
export function backwardBound({ x }, { approximate }, { y: dy }) {
  const flat = (/** @type {number} */ value) => Math.min(Math.abs(value), 5.5)
  const cancelled = (/** @type {number} */ value) => 2 * flat(value) * 0.8 * (1 + 0.134 * flat(value) ** 2)
  const roundings = (/** @type {number} */ value) => (
    10 + 0.25 * Math.min(value ** 2, 30) + (approximate === 'tanh' ? cancelled(value) : 0))
  return { x: map(x, (value, i) => U * roundings(value) * Math.abs(dy.data[i])) }
}
