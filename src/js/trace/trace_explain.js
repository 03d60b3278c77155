/**
 * Explains one cell of a trace: how its value or its gradient was computed. The operations give the explanations; here
 * tensors get their names, views are resolved, and edits and loaded values are distinguished from computed ones.
 *
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./explain.js').Factor} Factor
 * @typedef {import('./explain.js').Source} Source
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {{ node: Node, input: string, index: readonly number[] }} Use of a cell of an input
 */

import { describeOutside, expect } from '../errors.js'
import { cell, difference, productTerm, sum } from './explain.js'
import { keyOf } from '../autograd/graph.js'

/** A value further than this from its origin's was loaded later, and its origin does not explain it. */
const ORIGIN_TOLERANCE = 1e-6

/**
 * A copy of an index, which must be inside a tensor.
 * @param {string} where @param {string} name @param {Tensor} tensor @param {readonly number[]} index
 */
function checkIndex(where, name, { shape }, index) {
  const isInside = Array.isArray(index) && shape.length === index.length &&
    index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < shape[axis])
  expect(isInside, 'index', () => describeOutside(where, shape, name, index))
  return [...index]
}

/**
 * How a cell was computed.
 * @param {Trace} trace @param {string} name @param {readonly number[]} index @returns {Explanation}
 */
export function explain(trace, name, index) {
  const tensor = trace.get(name), place = checkIndex('explain', name, tensor, index)
  const value = tensor.at(...place), node = trace.producerOf(tensor)
  const since = { computed: node?.at ?? Infinity, used: Infinity }
  const parts = node?.op.explain(node, keyOf(node, tensor), place)
  const isLoaded = parts && trace.originOf(tensor) && Math.abs(value - parts.computed) > ORIGIN_TOLERANCE
  if (node && parts && (!isLoaded || trace.isEdited(name, place))) {
    const output = keyOf(node, tensor), parameters = { ...node.op.parameters?.(node), ...parts.parameters }
    return { ...finishExplanation(trace, name, place, value, parts, since), op: node.op.name, output, parameters }
  }
  const computed = trace.valueBefore(name, place) ?? value
  const explanation = finishExplanation(trace, name, place, value, { formula: name, terms: [], computed }, since)
  return { ...explanation, op: 'given', output: 'out', parameters: {} }
}

/**
 * How the derivative of the loss with respect to a cell was computed.
 * @param {Trace} trace @param {string} name @param {readonly number[]} index @returns {Explanation}
 */
export function explainGradient(trace, name, index) {
  const tensor = trace.get(name), place = checkIndex('explainGradient', name, tensor, index)
  const value = trace.gradientOf(tensor, name).at(...place), d = createDerivativeFactor(trace)
  const uses = findGradientUses(trace, tensor, place)
  const parts = uses.map(({ node, input, index: at }) => node.op.explainGradient(node, input, at, d))
  const start = uses.length ? [] : [productTerm({ symbol: `d(${name})/d(${name})`, value })]
  const terms = [...start, ...parts.flatMap(part => part.terms)]
  const formula = uses.length ? parts.map(part => part.formula).join('  +  ') : 'where backward started'
  const op = uses.map(use => use.node.op.name).join(' + ') || 'given'
  const note = uses.length ? parts.find(part => part.note)?.note : { name: 'started' }
  const row = parts.flatMap(part => part.row ?? []), steps = parts.length === 1 ? parts[0].steps : []
  const formulas = parts.map(part => part.formula)
  const computed = Math.min(...uses.map(({ node }) => node.at))
  const used = Math.min(...uses.map(({ node }) => Number(node.usedAt)))
  const explanation = finishExplanation(trace, name, place, value,
    { formula, formulas, note, terms, steps, row, computed: sum(terms) }, { computed, used })
  if (trace.gradientOf(tensor, name).isChangedSince(used)) explanation.changed = [name, ...explanation.changed ?? []]
  return { ...explanation, op, output: 'gradient', parameters: {} }
}

/** Makes factors of derivatives of the loss. @param {Trace} trace */
const createDerivativeFactor = trace =>
  (/** @type {Tensor} */ tensor, /** @type {readonly number[]} */ index, /** @type {string} */ symbol) => {
    const gradient = trace.gradientOf(tensor, trace.nameOf(tensor) ?? '')
    return /** @type {Factor} */ ({ ...cell(gradient, index, symbol), tensor, isGradient: true })
  }

/**
 * The uses through which a cell got its gradient: those recorded for backward, and a secondary output's own operation.
 * A view passes its gradient on unchanged, so it is replaced by its own uses.
 * @param {Trace} trace @param {Tensor} tensor @param {readonly number[]} index @returns {Use[]}
 */
function findGradientUses(trace, tensor, index) {
  const uses = trace.usesOf(tensor).filter(({ node }) => node.usedAt !== undefined)
  const node = trace.tracedProducerOf(tensor)
  const all = uses.flatMap(({ node, input }) => {
    const viewUses = node.op.isView ? findViewUses(trace, node, input, index) : []
    return viewUses.length ? viewUses : [{ node, input, index }]
  })
  if (!node || Object.values(node.outputs)[0] === tensor) return all
  return [...all, { node, input: keyOf(node, tensor), index }]
}

/**
 * The uses of a view's cell: none where the view does not contain the cell, or where backward started at it.
 * @param {Trace} trace @param {Node} node @param {string} input @param {readonly number[]} index @returns {Use[]}
 */
function findViewUses(trace, node, input, index) {
  const [term] = node.op.explainGradient(node, input, index, createDerivativeFactor(trace)).terms
  const { tensor, index: at } = term?.factors[0] ?? {}
  return tensor && at ? findGradientUses(trace, tensor, at) : []
}

/**
 * An explanation with names instead of tensors.
 * @param {Trace} trace @param {string} name @param {number[]} index @param {number} value
 * @param {import('./explain.js').CellExplanation} parts
 * @param {{ computed: number, used: number }} since the engine's writeCount when values, and gradients, were used
 * @returns {Omit<Explanation, 'op' | 'output' | 'parameters'>}
 */
function finishExplanation(trace, name, index, value, parts, since) {
  const { formula, formulas = [formula], note, terms, steps = [], computed, row = [] } = parts
  const named = terms.map(term => ({ ...term, factors: term.factors.map(factor => nameFactor(trace, factor)) }))
  const cells = [...terms.flatMap(term => term.factors), ...row].filter(({ tensor, isGradient }) =>
    tensor?.isChangedSince(isGradient ? since.used : since.computed))
  const changed = [...new Set(cells.map(({ tensor }) => trace.nameOf(/** @type {Tensor} */ (tensor)) ?? ''))]
  const factors = [...named.flatMap(term => term.factors), ...row.map(factor => nameFactor(trace, factor))]
  const sources = new Map(factors.flatMap(f => (f.source ? [[JSON.stringify(f.source), f.source]] : [])))
  return {
    name, index, value, edited: trace.isEdited(name, index), formula, formulas, note, terms: named, steps,
    sources: [...sources.values()], computed, rounding: difference(value, computed), ...(changed.length && { changed })
  }
}

/**
 * A factor with its cell's name; a cell of a view is resolved to its base, unless it was edited.
 * @param {Trace} trace @param {Factor} factor
 * @returns {{ symbol: string, letter?: string, value: number, source?: Source }}
 */
function nameFactor(trace, factor) {
  const { symbol, letter, value, tensor, index, isGradient } = factor, view = tensor && trace.tracedProducerOf(tensor)
  if (!tensor || !index) return { symbol, value }
  if (view?.op.isView && !isGradient && !trace.isEdited(trace.nameOf(tensor) ?? '', index)) {
    const [source] = view.op.explain(view, 'out', index).terms[0].factors
    return nameFactor(trace, { ...factor, tensor: source.tensor, index: source.index })
  }
  const name = trace.nameOf(tensor)
  if (name === undefined) return { symbol, value }
  /** @type {Source} */ const source = { name, index: [...index] }
  if (isGradient) source.isGradient = true
  return { symbol, letter, value, source }
}
