import { cell, constant, product, roundedSum, sumOf } from '../explain.js'
import { indicesOf, offsetOf, range } from '../shape.js'
import { maskAt } from './mask.js'
import { explainSoftmax, explainSoftmaxGradient } from './softmax.js'

/** How attention (attention.js) made a cell, forward and backward: one step of its formula for each of its tensors. */

/**
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('../explain.js').CellExplanation} CellExplanation
 * @typedef {import('../explain.js').Factor} Factor
 * @typedef {(tensor: Tensor, index: readonly number[], symbol: string) => Factor} Derivative
 */

/** @param {number} scale @param {number} D */
const isRootOf = (scale, D) => Math.abs(scale - 1 / Math.sqrt(D)) < 1e-12

/** What dropout multiplied a weight by, if any. @param {any} saved @param {number[]} at @returns {Factor[]} */
const dropFactor = ({ dropoutMask }, at) => (dropoutMask ? [cell(dropoutMask, at, 'dropout')] : [])

/** @type {import('../explain.js').ExplainCell} */
export function explainAttention(node, output, index) {
  const { outputs, saved } = node
  if (output === 'out') return explainOut(node, index)
  if (output === 'scores') return explainScore(node, index)
  if (output === 'masked_scores') {
    const added = constant('mask', maskAt(saved, index))
    return sumOf('scores + mask', [product(cell(outputs.scores, index, 'scores')), product(added)])
  }
  const [b, h, i, j] = index
  const row = range(saved.sizes.Tk).map(key => cell(outputs.masked_scores, [b, h, i, key], 'x'))
  return explainSoftmax(row, j)
}

/** @param {import('../autograd.js').Node} node @param {readonly number[]} index */
function explainOut({ inputs, outputs, saved }, index) {
  const { layout, sizes: { Dv, Tk } } = saved, [b, h, i, d] = layout.place(index, Dv)
  return sumOf('out[i] = Σⱼ weights[i, j] × v[j]', range(Tk).map(j => product(
    cell(outputs.weights, [b, h, i, j], 'weights'),
    ...dropFactor(saved, [b, h, i, j]),
    cell(inputs.v, layout.index(b, h, j, d, Dv), 'v'))))
}

/** @param {import('../autograd.js').Node} node @param {readonly number[]} index @returns {CellExplanation} */
function explainScore({ inputs, saved: { layout, sizes: { D }, scale } }, [b, h, i, j]) {
  const terms = range(D).map(d => product(
    cell(inputs.q, layout.index(b, h, i, d, D), 'q'), cell(inputs.k, layout.index(b, h, j, d, D), 'k')))
  const dot = roundedSum(terms), computed = Math.fround(dot * Math.fround(scale)), isRoot = isRootOf(scale, D)
  return {
    formula: isRoot ? `q · k / √${D}` : 'q · k × scale',
    terms,
    steps: [{ label: 'q · k', value: dot }, { label: isRoot ? `÷ √${D}` : `× ${scale}`, value: computed }],
    computed
  }
}

/** @type {import('../explain.js').ExplainGradient} */
export function explainAttentionGradient(node, input, index, d) {
  const { inputs, outputs, saved } = node, { masked_scores: masked, weights } = outputs
  if (input === 'mask') return explainMaskGradient(masked, inputs.mask, saved, index, d)
  if (input === 'scores') return { formula: 'dscores = dmasked', terms: [product(d(masked, index, 'dmasked'))] }
  if (input === 'weights') return explainWeightGradient(node, index, d)
  if (input === 'v') return explainValueGradient(node, index, d)
  if (input === 'q' || input === 'k') return explainQueryOrKeyGradient(node, input, index, d)
  const [b, h, i, j] = index, row = range(saved.sizes.Tk).map(key => [b, h, i, key])
  return explainSoftmaxGradient(row.map(at => cell(weights, at, 'y')), row.map(at => d(weights, at, 'dy')), j)
}

/** @param {import('../autograd.js').Node} node @param {readonly number[]} index @param {Derivative} d */
function explainWeightGradient({ inputs, outputs, saved }, [b, h, i, j], d) {
  const { layout, sizes: { Dv } } = saved
  return {
    formula: 'dweights[i, j] = Σ dout[i] × v[j]',
    terms: range(Dv).map(e => product(
      d(outputs.out, layout.index(b, h, i, e, Dv), 'dout'),
      cell(inputs.v, layout.index(b, h, j, e, Dv), 'v'),
      ...dropFactor(saved, [b, h, i, j])))
  }
}

/** @param {import('../autograd.js').Node} node @param {readonly number[]} index @param {Derivative} d */
function explainValueGradient({ outputs, saved }, index, d) {
  const { layout, sizes: { Tq, Dv } } = saved, [b, h, j, e] = layout.place(index, Dv)
  return {
    formula: 'dv[j] = Σᵢ weights[i, j] × dout[i]',
    terms: range(Tq).map(i => product(
      cell(outputs.weights, [b, h, i, j], 'weights'),
      ...dropFactor(saved, [b, h, i, j]),
      d(outputs.out, layout.index(b, h, i, e, Dv), 'dout')))
  }
}

/**
 * @param {import('../autograd.js').Node} node @param {'q' | 'k'} input
 * @param {readonly number[]} index @param {Derivative} d
 */
function explainQueryOrKeyGradient({ inputs, outputs, saved }, input, index, d) {
  const { layout, sizes: { Tq, Tk, D }, scale } = saved, [b, h, t, e] = layout.place(index, D)
  const isQuery = input === 'q', other = isQuery ? 'k' : 'q'
  return {
    formula: isQuery ? 'dq[i] = scale × Σⱼ dscores[i, j] × k[j]' : 'dk[j] = scale × Σᵢ dscores[i, j] × q[i]',
    terms: range(isQuery ? Tk : Tq).map(u => product(
      constant('scale', scale),
      d(outputs.masked_scores, isQuery ? [b, h, t, u] : [b, h, u, t], 'dscores'),
      cell(inputs[other], layout.index(b, h, u, e, D), other)))
  }
}

/**
 * Every score that a cell of the mask was added to.
 * @param {Tensor} masked @param {Tensor} mask @param {any} saved @param {readonly number[]} index @param {Derivative} d
 */
function explainMaskGradient(masked, mask, { mask: { batch, head } }, index, d) {
  const [B, H, Tq, Tk] = masked.shape, offset = offsetOf(mask.shape, index)
  const i = Math.floor(offset / Tk) % Tq, j = offset % Tk
  const places = indicesOf([B, H]).filter(([b, h]) => b * batch + h * head + i * Tk + j === offset)
  return { formula: 'dmask = Σ dmasked', terms: places.map(([b, h]) => product(d(masked, [b, h, i, j], 'dmasked'))) }
}
