import { cell, constant, productTerm, sumOf, computedFactor } from '../trace/explain.js'
import { indicesOf, offsetOf, range } from '../tensor/shape.js'
import { maskAt } from './mask.js'
import { explainSoftmax, explainSoftmaxGradient } from './softmax.js'

/** Explains the cells of attention (attention.js), forward and backward: one step of its formula for each tensor. */

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/explain.js').CellExplanation} CellExplanation
 * @typedef {import('../trace/explain.js').Factor} Factor
 * @typedef {(tensor: Tensor, index: readonly number[], symbol: string) => Factor} Derivative
 */

/** @param {number} scale @param {number} D */
const isRootOf = (scale, D) => Math.abs(scale - 1 / Math.sqrt(D)) < 1e-12

/** The factor of dropout, if any. @param {any} saved @param {number[]} at @returns {Factor[]} */
const dropFactor = ({ dropoutMask }, at) => (dropoutMask ? [cell(dropoutMask, at, 'dropout')] : [])

/** The head of k and v for a head of q. @param {any} saved @param {number} h */
const getKeyHead = ({ group }, h) => Math.floor(h / group)

/** The heads of q that use a head of k and v. @param {any} saved @param {number} h */
const getQueryHeads = ({ group }, h) => range(group).map(n => h * group + n)

/** @type {import('../trace/explain.js').ExplainCell} */
export function explainAttention(node, output, index) {
  const { outputs, saved } = node
  if (output === 'out') return explainOut(node, index)
  if (output === 'dots') return sumOf('q · k', dotTerms(node, index))
  if (output === 'scores') return explainScore(node, index)
  if (output === 'masked_scores') {
    const own = cell(outputs.scores, index, 'scores'), added = maskAt(saved, index)
    const terms = [productTerm(own), productTerm(maskFactor(node, index, added))]
    return { formula: 'scores + mask', terms, computed: Math.fround(own.value + added) }
  }
  const [b, h, i, j] = index
  const row = range(saved.sizes.Tk).map(key => cell(outputs.masked_scores, [b, h, i, key], 'x'))
  if (row.every(score => score.value === -Infinity)) return { formula: '0', terms: [], computed: 0 }
  return explainSoftmax(row, j)
}

/**
 * The number that a mask adds, as a cell if the mask is a tensor.
 * @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index @param {number} added
 */
function maskFactor({ inputs: { mask }, saved }, [b, h, i, j], added) {
  const { padding, sizes: { H, Tk }, origin } = saved
  if (padding?.[b * Tk + j] && origin) return computedFactor('mask', added, cell(origin.padding, [b, j], 'keyPaddingMask'))
  if (!mask || maskAt({ ...saved, mask: null }, [b, h, i, j])) return constant('mask', added)
  const { shape } = mask, [first, second] = shape
  const lead = shape.length === 3 ? [b * H + h] : shape.length === 4 ? [first === 1 ? 0 : b, second === 1 ? 0 : h] : []
  return cell(mask, [...lead, i, j], 'mask')
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index */
function explainOut({ inputs, outputs, saved }, index) {
  const { layout, sizes: { Dv, Tk } } = saved, [b, h, i, d] = layout.split(index, Dv)
  return sumOf('out[i] = Σⱼ weights[i, j] × v[j]', range(Tk).map(j => productTerm(
    cell(outputs.weights, [b, h, i, j], 'weights'),
    ...dropFactor(saved, [b, h, i, j]),
    cell(inputs.v, layout.index(b, getKeyHead(saved, h), j, d, Dv), 'v'))))
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index */
function dotTerms({ inputs, saved }, [b, h, i, j]) {
  const { layout, sizes: { D } } = saved
  return range(D).map(d => productTerm(cell(inputs.q, layout.index(b, h, i, d, D), 'q'),
    cell(inputs.k, layout.index(b, getKeyHead(saved, h), j, d, D), 'k')))
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index @returns {CellExplanation} */
function explainScore(node, index) {
  const { outputs: { dots }, saved: { sizes: { D }, scale } } = node
  const own = cell(dots, index, 'dots'), isRoot = isRootOf(scale, D)
  const computed = Math.fround(own.value * Math.fround(scale))
  return {
    formula: isRoot ? `q · k / √${D}` : 'q · k × scale',
    terms: dotTerms(node, index),
    steps: [{ label: 'q · k', value: own.value }, { label: isRoot ? `÷ √${D}` : `× ${scale}`, value: computed }],
    row: [own],
    computed
  }
}

/** @type {import('../trace/explain.js').ExplainGradient} */
export function explainAttentionGradient(node, input, index, d) {
  const { inputs, outputs, saved } = node, { masked_scores: masked, weights } = outputs
  if (input === 'mask') return explainMaskGradient(masked, inputs.mask, saved, index, d)
  if (input === 'scores') return { formula: 'dscores = dmasked', terms: [productTerm(d(masked, index, 'dmasked'))] }
  if (input === 'dots') return explainDotGradient(node, index, d)
  if (input === 'weights') return explainWeightGradient(node, index, d)
  if (input === 'v') return explainValueGradient(node, index, d)
  if (input === 'q' || input === 'k') return explainQueryOrKeyGradient(node, input, index, d)
  const [b, h, i, j] = index, row = range(saved.sizes.Tk).map(key => [b, h, i, key])
  return explainSoftmaxGradient(row.map(at => cell(weights, at, 'y')), row.map(at => d(weights, at, 'dy')), j)
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index @param {Derivative} d */
function explainWeightGradient({ inputs, outputs, saved }, [b, h, i, j], d) {
  const { layout, sizes: { Dv } } = saved
  return {
    formula: 'dweights[i, j] = Σ dout[i] × v[j]',
    terms: range(Dv).map(e => productTerm(
      d(outputs.out, layout.index(b, h, i, e, Dv), 'dout'),
      cell(inputs.v, layout.index(b, getKeyHead(saved, h), j, e, Dv), 'v'),
      ...dropFactor(saved, [b, h, i, j])))
  }
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index @param {Derivative} d */
function explainDotGradient({ outputs: { scores }, saved: { scale } }, index, d) {
  const factors = [d(scores, index, 'dscores'), constant('scale', Math.fround(scale))]
  return { formula: 'ddots = dscores × scale', terms: [productTerm(...factors)] }
}

/** @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index @param {Derivative} d */
function explainValueGradient({ outputs, saved }, index, d) {
  const { layout, sizes: { Tq, Dv } } = saved, [b, own, j, e] = layout.split(index, Dv)
  return {
    formula: 'dv[j] = Σᵢ weights[i, j] × dout[i]',
    terms: getQueryHeads(saved, own).flatMap(h => range(Tq).map(i => productTerm(
      cell(outputs.weights, [b, h, i, j], 'weights'),
      ...dropFactor(saved, [b, h, i, j]),
      d(outputs.out, layout.index(b, h, i, e, Dv), 'dout'))))
  }
}

/**
 * @param {import('../autograd/autograd.js').Node} node @param {'q' | 'k'} input
 * @param {readonly number[]} index @param {Derivative} d
 */
function explainQueryOrKeyGradient({ inputs, outputs: { dots }, saved }, input, index, d) {
  const { layout, sizes: { Tq, Tk, D } } = saved, [b, own, t, e] = layout.split(index, D)
  if (input === 'q') return {
    formula: 'dq[i] = Σⱼ ddots[i, j] × k[j]',
    terms: range(Tk).map(j => productTerm(
      d(dots, [b, own, t, j], 'ddots'), cell(inputs.k, layout.index(b, getKeyHead(saved, own), j, e, D), 'k')))
  }
  return {
    formula: 'dk[j] = Σᵢ ddots[i, j] × q[i]',
    terms: getQueryHeads(saved, own).flatMap(h => range(Tq).map(i => productTerm(
      d(dots, [b, h, i, t], 'ddots'), cell(inputs.q, layout.index(b, h, i, e, D), 'q'))))
  }
}

/**
 * The gradient of a cell of the mask: the sum over all scores that it was added to.
 * @param {Tensor} masked @param {Tensor} mask @param {any} saved @param {readonly number[]} index @param {Derivative} d
 */
function explainMaskGradient(masked, mask, { mask: { batch, head } }, index, d) {
  const [B, H, Tq, Tk] = masked.shape, offset = offsetOf(mask.shape, index)
  const i = Math.floor(offset / Tk) % Tq, j = offset % Tk
  const places = indicesOf([B, H]).filter(([b, h]) => b * batch + h * head + i * Tk + j === offset)
  return { formula: 'dmask = Σ dmasked', terms: places.map(([b, h]) => productTerm(d(masked, [b, h, i, j], 'dmasked'))) }
}
