import { expectOneOf, expectOptions } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, constant, productTerm } from '../trace/explain.js'
import { expectFloatTensor } from './checks.js'

/** P(N(0,1) > z) for z >= 0, by the continued fraction or the series, whichever converges. @param {number} z */
function normalTail(z) {
  const density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI)
  if (z > 3) {
    let fraction = z
    for (let k = 60; k >= 1; k--) fraction = z + k / fraction
    return density / fraction
  }
  let term = z, sum = z
  for (let k = 1; k < 80; k++) sum += term *= (z * z) / (2 * k + 1)
  return 0.5 - density * sum
}

/** P(N(0,1) < x) @param {number} x */
export const normalBelow = x => (x < 0 ? normalTail(-x) : 1 - normalTail(x))
/** @param {number} x */
const density = x => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
/** @param {number} x */
const innerTanh = x => Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))

/** The factor of x and the derivative, for both forms. */
const FORMS = {
  none: {
    formula: 'x × Φ(x),  Φ(x) = P(N(0,1) < x) = (1 + erf(x/√2)) / 2',
    gate: 'Φ(x)',
    gateOf: normalBelow,
    slope: 'Φ(x) + x φ(x)',
    slopeOf: (/** @type {number} */ x) => normalBelow(x) + x * density(x)
  },
  tanh: {
    formula: 'x × (1 + tanh u) / 2,  u = √(2/π) (x + 0.044715 x³)',
    gate: '(1 + tanh u) / 2',
    gateOf: (/** @type {number} */ x) => (1 + innerTanh(x)) / 2,
    slope: '(1 + tanh u) / 2 + x (1 − tanh² u) u′ / 2',
    slopeOf: (/** @type {number} */ x) => {
      const t = innerTanh(x)
      return (1 + t) / 2 + (x * (1 - t * t) * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x)) / 2
    }
  }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'gelu', kind: 'activation',
  recompute: ({ x }, parameters) => gelu(x, parameters),
  reads: { x: ['x'] },
  parameters: ({ saved: { approximate } }) => ({ approximate }),
  backward({ inputs: { x }, outputs: { out }, saved: { approximate } }, gradient) {
    const { c } = out.engine, kernel = approximate === 'tanh' ? c.gf_gelu_tanh_backward : c.gf_gelu_backward
    kernel(gradient(x), gradient(out), x.dataPtr(), x.numel())
  },
  explain({ inputs: { x }, saved: { approximate } }, _, index) {
    const form = FORMS[/** @type {'none' | 'tanh'} */ (approximate)], own = cell(x, index, 'x')
    const term = productTerm(own, constant(form.gate, form.gateOf(own.value)))
    return { formula: form.formula, terms: [term], computed: term.value }
  },
  explainGradient({ inputs: { x }, outputs: { out }, saved: { approximate } }, _, index, d) {
    const form = FORMS[/** @type {'none' | 'tanh'} */ (approximate)], own = cell(x, index, 'x')
    const slope = constant(form.slope, form.slopeOf(own.value))
    return { formula: `dx = dout × (${form.slope})`, terms: [productTerm(d(out, index, 'dout'), slope)], row: [own] }
  }
}

/**
 * Gaussian error linear unit (Hendrycks and Gimpel 2016): torch.nn.functional.gelu.
 * @param {import('../tensor/tensor.js').Tensor} x any shape
 * @param {{ approximate?: 'none' | 'tanh' }} [options] approximate: 'none' (exact) or 'tanh'; default: 'none'
 * @returns {import('../tensor/tensor.js').Tensor} the same shape
 */
export function gelu(x, options) {
  const { approximate = 'none' } = expectOptions('gelu', options, ['approximate'])
  const { engine } = expectFloatTensor('gelu', 'x', x), out = engine.empty(x.shape)
  expectOneOf('gelu', 'approximate', approximate, ['none', 'tanh'])
  const kernel = approximate === 'tanh' ? engine.c.gf_gelu_tanh_forward : engine.c.gf_gelu_forward
  kernel(out.dataPtr(), x.dataPtr(), x.numel())
  return record(engine, op, { x }, { out }, { approximate })
}
