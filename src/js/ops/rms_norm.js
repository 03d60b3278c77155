import { expectNumber, expectOptions } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, constant, productTerm, computedFactor } from '../trace/explain.js'
import { indicesOf, range, sliceShape } from '../tensor/shape.js'
import { expectShape, expectFloatTensor, getLastSize, expectOptionalTensor, countRows, expectSameEngine } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** The spacing of float32 at 1, PyTorch's default of eps. */
const SPACING = 2 ** -23

/**
 * The cells of a row, their mean square, and the factor rstd.
 * @param {Tensor} x @param {readonly number[]} row @param {number} eps
 */
function statistics(x, row, eps) {
  const cells = range(getLastSize('rmsNorm', 'x', x)).map(c => cell(x, [...row, c], 'x'))
  const square = cells.reduce((s, f) => s + f.value ** 2, 0) / cells.length
  return { cells, square, rstd: constant('rstd', 1 / Math.sqrt(square + eps)) }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'rms_norm', kind: 'norm',
  recompute: ({ x, weight }, { eps }) => rmsNorm(x, weight, { eps }),
  reads: { x: ['x', 'weight'], weight: ['x'] },
  inputAxes: { weight: [{ name: 'channel' }] },
  axes: ({ inputs: { x } }, of) => of(x),
  parameters: ({ saved: { eps } }) => ({ eps }),
  backward({ inputs: { x, weight }, outputs: { out }, saved: { rstd } }, gradient) {
    out.engine.c.gf_rms_norm_backward(gradient(x), gradient(weight), gradient(out), x.dataPtr(), rstd.dataPtr(),
      weight?.dataPtr() ?? 0, countRows(x), x.shape.at(-1))
  },
  explain({ inputs: { x, weight }, saved: { eps } }, _, index) {
    const c = index[index.length - 1], { cells, square, rstd } = statistics(x, index.slice(0, -1), eps)
    const term = productTerm(cells[c], rstd, ...(weight ? [cell(weight, [c], 'weight')] : []))
    return {
      formula: `x × rstd${weight ? ' × weight' : ''},  rstd = 1 / √(Σ x² / C + ${eps})`,
      terms: [term],
      steps: [
        { label: 'Σ x² / C', value: square }, { label: 'rstd', value: rstd.value }, { label: 'out', value: term.value }
      ],
      row: cells,
      computed: term.value
    }
  },
  explainGradient({ inputs: { x, weight }, outputs: { out }, saved: { eps } }, input, index, d) {
    if (input === 'weight') {
      const [c] = index
      const terms = indicesOf(sliceShape(x.shape, 0, -1)).map(row => {
        const { cells, rstd } = statistics(x, row, eps)
        return productTerm(d(out, [...row, c], 'dout'), cells[c], rstd)
      })
      return { formula: 'dweight[c] = Σ dout[·, c] × x[·, c] × rstd', terms }
    }
    const row = index.slice(0, -1), own = index[row.length], { cells, rstd } = statistics(x, row, eps)
    const gain = (/** @type {number} */ c) => (weight ? [cell(weight, [c], 'weight')] : [])
    const g = (/** @type {number} */ c) => [d(out, [...row, c], 'dout'), ...gain(c)]
    const factor = constant('−1/C', -1 / cells.length)
    const xhat = computedFactor(`x̂[${own}]`, cells[own].value * rstd.value)
    return {
      formula: 'dx[i] = rstd × (g[i] − x̂[i] × mean(g × x̂)),  g = dout × weight,  x̂ = x × rstd',
      terms: [
        productTerm(rstd, ...g(own)),
        ...cells.map((x, c) => productTerm(rstd, factor, xhat, ...g(c), x, rstd))
      ],
      row: [cells[own]]
    }
  }
}

/**
 * Root mean square normalization over the last axis (Zhang and Sennrich 2019): torch.nn.functional.rms_norm.
 * @param {Tensor} x [..., C]
 * @param {Tensor | null} [weight] [C]
 * @param {{ eps?: number | null }} [options] eps: added to the mean square; default: 2⁻²³, as in PyTorch
 * @returns {Tensor} the same shape
 * @throws {import('../errors.js').GlassformerError} 'shape' when weight does not fit, 'range' for eps
 * @example
 * F.rmsNorm(gf.tensor([[3, 4]]))                  // [[0.8485, 1.1314]]
 */
export function rmsNorm(x, weight, options) {
  const eps = expectOptions('rmsNorm', options, ['eps']).eps ?? SPACING
  const { engine } = expectFloatTensor('rmsNorm', 'x', x), C = getLastSize('rmsNorm', 'x', x)
  const gain = expectOptionalTensor('rmsNorm', 'weight', weight)
  expectSameEngine('rmsNorm', x, gain)
  expectShape('rmsNorm', 'weight', gain, [C], 'the last side of x')
  expectNumber('rmsNorm', 'eps', eps, 'a number >= 0', v => v >= 0)
  const out = engine.empty(x.shape), isSaved = needsSaving(engine, x, gain)
  const rstd = isSaved ? engine.freeWithTrace(engine.empty(sliceShape(x.shape, 0, -1))) : null
  engine.c.gf_rms_norm_forward(out.dataPtr(), rstd?.dataPtr() ?? 0, x.dataPtr(), gain?.dataPtr() ?? 0, countRows(x), C,
    eps)
  return record(engine, op, { x, weight: gain }, { out }, { rstd, eps })
}
