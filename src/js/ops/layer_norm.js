import { expect, expectNumber, expectOptions, formatShape } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sum, computedFactor } from '../trace/explain.js'
import { indicesOf, range, sizeOf, sliceShape } from '../tensor/shape.js'
import { checkShape, expectShape, expectFloatTensor, getLastSize, expectOptionalTensor, countRows, expectSameEngine } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The statistics of one row in float64, and its centered values as factors.
 * @param {Tensor} x @param {readonly number[]} row its index @param {number} eps
 */
function statistics(x, row, eps) {
  const values = range(getLastSize('layerNorm', 'x', x)).map(c => x.at(...row, c)), C = values.length
  const mean = values.reduce((s, v) => s + v, 0) / C
  const variance = values.reduce((s, v) => s + (v - mean) ** 2, 0) / C
  const rstd = 1 / Math.sqrt(variance + eps)
  /** @param {number} c */
  const centered = c => {
    const own = cell(x, [...row, c], 'x')
    return computedFactor(`(${own.symbol} − mean)`, values[c] - mean, own, constant('mean', mean))
  }
  return { mean, variance, rstd, centred: centered, C }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'layer_norm', kind: 'norm',
  recompute: ({ x, weight, bias }, { eps }) => layerNorm(x, weight, bias, { eps }),
  reads: { x: ['x', 'weight'], weight: ['x'] },
  inputAxes: { weight: [{ name: 'channel' }], bias: [{ name: 'channel' }] },
  parameters: ({ saved: { eps } }) => ({ eps }),
  backward({ inputs: { x, weight, bias }, outputs: { out }, saved: { mean, rstd } }, gradient) {
    out.engine.c.gf_layer_norm_backward(gradient(x), gradient(weight), gradient(bias), gradient(out), x.dataPtr(),
      mean.dataPtr(), rstd.dataPtr(), weight?.dataPtr() ?? 0, countRows(x), x.shape.at(-1))
  },
  explain({ inputs: { x, weight, bias }, saved: { eps } }, _, index) {
    const row = index.slice(0, -1), c = index[row.length]
    const { mean, variance, rstd, centred: centered, C } = statistics(x, row, eps)
    /** @type {Parameters<typeof productTerm>} */ const factors = [centered(c), constant('rstd', rstd)]
    if (weight) factors.push(cell(weight, [c], 'weight'))
    const terms = [productTerm(...factors)]
    if (bias) terms.push(productTerm(cell(bias, [c], 'bias')))
    const affine = `${weight ? ' × weight' : ''}${bias ? ' + bias' : ''}`
    return {
      formula: `(x − mean) × rstd${affine},  rstd = 1 / √(variance + ${eps})`,
      terms,
      steps: [
        { label: 'mean', value: mean },
        { label: 'variance', value: variance },
        { label: 'rstd', value: rstd },
        { label: 'out', value: sum(terms) }
      ],
      row: range(C).map(i => cell(x, [...row, i], 'x')),
      computed: sum(terms)
    }
  },
  explainGradient({ inputs: { x, weight }, outputs: { out }, saved: { eps } }, input, index, d) {
    if (input !== 'x') {
      const [c] = index
      /** x̂, the normalized cell. @param {number[]} row */
      const xhat = row => {
        const { centred: centered, rstd } = statistics(x, row, eps)
        return [centered(c), constant('rstd', rstd)]
      }
      return {
        formula: input === 'weight' ? 'dweight[c] = Σ dout[·, c] × x̂[·, c],  x̂ = (x − mean) × rstd'
          : 'dbias[c] = Σ dout[·, c]',
        terms: indicesOf(x.shape.slice(0, -1)).map(row =>
          productTerm(d(out, [...row, c], 'dout'), ...(input === 'weight' ? xhat(row) : [])))
      }
    }
    const row = index.slice(0, -1), own = index[row.length], { rstd, centred: centered, C } = statistics(x, row, eps)
    const gain = (/** @type {number} */ c) => (weight ? [cell(weight, [c], 'weight')] : [])
    const g = (/** @type {number} */ c) => [d(out, [...row, c], 'dout'), ...gain(c)]
    const scale = constant('rstd', rstd), factor = constant('−1/C', -1 / C)
    const xhat = constant(`x̂[${own}]`, centered(own).value * rstd)
    return {
      formula: 'dx[i] = rstd × (g[i] − mean(g) − x̂[i] × mean(g × x̂)),  g = dout × weight,  x̂ = (x − mean) × rstd',
      terms: [
        productTerm(scale, ...g(own)),
        ...range(C).map(c => productTerm(scale, factor, ...g(c))),
        ...range(C).map(c => productTerm(scale, factor, xhat, ...g(c), centered(c), scale))
      ],
      row: [cell(x, index, 'x')]
    }
  }
}

/**
 * Layer normalization over several axes, as one axis.
 * @param {Tensor} x @param {unknown} weight @param {unknown} bias @param {number[]} last @param {number} eps
 * @returns {Tensor}
 */
function normalizeAxes(x, weight, bias, last, eps) {
  const { shape } = expectFloatTensor('layerNorm', 'x', x), lead = shape.length - last.length
  const [gain, shift] = Object.entries({ weight, bias }).map(([name, value]) => {
    const tensor = expectOptionalTensor('layerNorm', name, value)
    expectShape('layerNorm', name, tensor, last, 'the last sides of x')
    return tensor && tensor.reshape(tensor.numel())
  })
  expect(lead >= 0 && last.every((side, i) => side === shape[lead + i]), 'shape',
    () => `layerNorm: x must end in the axes ${formatShape(last)}, got ${formatShape(shape)}`)
  return layerNorm(x.reshape([...sliceShape(shape, 0, lead), sizeOf(last)]), gain, shift, { eps }).reshape(shape)
}

/**
 * Layer normalization over the last axis (Ba, Kiros and Hinton 2016): torch.nn.functional.layer_norm.
 * @param {Tensor} x [..., C]
 * @param {Tensor | null} [weight] [C], or the last sides of x to normalize over several axes
 * @param {Tensor | null} [bias] as weight
 * @param {{ eps?: number, normalizedShape?: readonly number[] }} [options] eps: 1e-5, added to the variance;
 *   normalizedShape: the last sides of x, default: those of weight
 * @returns {Tensor} the same shape
 * @throws {import('../errors.js').GlassformerError} 'shape' when weight or bias do not fit, 'range' for eps
 * @example
 * F.layerNorm(gf.tensor([[1, 2, 3]]))             // [[-1.2247, 0, 1.2247]]
 */
export function layerNorm(x, weight, bias, options) {
  const { eps = 1e-5, normalizedShape } = expectOptions('layerNorm', options, ['eps', 'normalizedShape'])
  const last = normalizedShape ?? expectOptionalTensor('layerNorm', 'weight', weight)?.shape ??
    expectOptionalTensor('layerNorm', 'bias', bias)?.shape ?? []
  if (last.length > 1) return normalizeAxes(x, weight, bias, checkShape('layerNorm', last), eps)
  const { engine } = expectFloatTensor('layerNorm', 'x', x), C = getLastSize('layerNorm', 'x', x)
  const gain = expectOptionalTensor('layerNorm', 'weight', weight), shift = expectOptionalTensor('layerNorm', 'bias', bias)
  expectSameEngine('layerNorm', x, gain, shift)
  expectShape('layerNorm', 'weight', gain, [C], 'the last side of x')
  expectShape('layerNorm', 'bias', shift, [C], 'the last side of x')
  expectNumber('layerNorm', 'eps', eps, 'a number >= 0', v => v >= 0)
  const out = engine.empty(x.shape), isSaved = needsSaving(engine, x, gain, shift)
  const statistic = () => (isSaved ? engine.freeWithTrace(engine.empty(sliceShape(x.shape, 0, -1))) : null)
  const mean = statistic(), rstd = statistic()
  engine.c.gf_layer_norm_forward(out.dataPtr(), mean?.dataPtr() ?? 0, rstd?.dataPtr() ?? 0, x.dataPtr(),
    gain?.dataPtr() ?? 0, shift?.dataPtr() ?? 0, countRows(x), C, eps)
  return record(engine, op, { x, weight: gain, bias: shift }, { out }, { mean, rstd, eps })
}
