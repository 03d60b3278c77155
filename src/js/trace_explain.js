/**
 * Explains one cell of a trace: how its value or its gradient was computed. The operations give the explanations; here
 * tensors get their names, views are resolved, and edits and loaded values are distinguished from computed ones.
 *
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./explain.js').Factor} Factor
 * @typedef {import('./explain.js').Source} Source
 * @typedef {import('./explain.js').Explanation} Explanation
 * @typedef {{ node: Node, input: string, index: readonly number[] }} Use of a cell of an input
 */

import { cell, difference, product, sum } from './explain.js'
import { keyOf } from './graph.js'

/** A value further than this from its origin's was loaded later, and its origin does not explain it. */
const ORIGIN_TOLERANCE = 1e-6

/** How a cell was computed. @param {Trace} trace @param {string} name @param {number[]} place @returns {Explanation} */
export function explain(trace, name, place) {
  const tensor = trace.get(name), value = tensor.at(...place), node = trace.makerOf(tensor)
  const since = { made: node?.at ?? Infinity, used: Infinity }
  const parts = node?.op.explain(node, keyOf(node, tensor), place)
  const isLoaded = parts && trace.originOf(tensor) && Math.abs(value - parts.computed) > ORIGIN_TOLERANCE
  if (node && parts && (!isLoaded || trace.isEdited(name, place))) {
    const output = keyOf(node, tensor), parameters = { ...node.op.parameters?.(node), ...parts.parameters }
    return { ...finishExplanation(trace, name, place, value, parts, since), op: node.op.name, output, parameters }
  }
  const computed = trace.valueBefore(name, place) ?? value
  const given = finishExplanation(trace, name, place, value, { formula: name, terms: [], computed }, since)
  return { ...given, op: 'given', output: 'out', parameters: {} }
}

/**
 * How the derivative of the loss with respect to a cell was computed.
 * @param {Trace} trace @param {string} name @param {number[]} place @returns {Explanation}
 */
export function explainGradient(trace, name, place) {
  const tensor = trace.get(name), value = trace.gradientOf(tensor, name).at(...place), d = createDerivativeFactor(trace)
  const uses = findGradientUses(trace, tensor, place)
  const parts = uses.map(({ node, input, index: at }) => node.op.explainGradient(node, input, at, d))
  const started = uses.length ? [] : [product({ symbol: `d(${name})/d(${name})`, value })]
  const terms = [...started, ...parts.flatMap(part => part.terms)]
  const formula = uses.length ? parts.map(part => part.formula).join('  +  ') : 'where backward started'
  const op = uses.map(use => use.node.op.name).join(' + ') || 'given'
  const note = uses.length ? parts.find(part => part.note)?.note : { name: 'started' }
  const row = parts.flatMap(part => part.row ?? []), steps = parts.length === 1 ? parts[0].steps : []
  const formulas = parts.map(part => part.formula)
  const made = Math.min(...uses.map(({ node }) => node.at))
  const used = Math.min(...uses.map(({ node }) => Number(node.usedAt)))
  const explained = finishExplanation(trace, name, place, value,
    { formula, formulas, note, terms, steps, row, computed: sum(terms) }, { made, used })
  if (trace.gradientOf(tensor, name).isChangedSince(used)) explained.changed = [name, ...explained.changed ?? []]
  return { ...explained, op, output: 'gradient', parameters: {} }
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
  const uses = trace.usesOf(tensor).filter(({ node }) => node.usedAt !== undefined), node = trace.madeHere(tensor)
  const all = uses.flatMap(({ node, input }) => {
    const beyond = node.op.isView ? findViewUses(trace, node, input, index) : []
    return beyond.length ? beyond : [{ node, input, index }]
  })
  if (!node || Object.values(node.outputs)[0] === tensor) return all
  return [...all, { node, input: keyOf(node, tensor), index }]
}

/**
 * The uses of a view's cell: none where the view does not contain the cell, or where backward started at it.
 * @param {Trace} trace @param {Node} node @param {string} input @param {readonly number[]} index @returns {Use[]}
 */
function findViewUses(trace, node, input, index) {
  const [shown] = node.op.explainGradient(node, input, index, createDerivativeFactor(trace)).terms
  const { tensor, index: at } = shown?.factors[0] ?? {}
  return tensor && at ? findGradientUses(trace, tensor, at) : []
}

/**
 * An explanation with names instead of tensors.
 * @param {Trace} trace @param {string} name @param {number[]} index @param {number} value
 * @param {import('./explain.js').CellExplanation} parts
 * @param {{ made: number, used: number }} since the engine's writeCount when values, and gradients, were used
 * @returns {Omit<Explanation, 'op' | 'output' | 'parameters'>}
 */
function finishExplanation(trace, name, index, value, parts, since) {
  const { formula, formulas = [formula], note, terms, steps = [], computed, row = [] } = parts
  const named = terms.map(term => ({ ...term, factors: term.factors.map(factor => nameFactor(trace, factor)) }))
  const cells = [...terms.flatMap(term => term.factors), ...row].filter(({ tensor, isGradient }) =>
    tensor?.isChangedSince(isGradient ? since.used : since.made))
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
  const { symbol, letter, value, tensor, index, isGradient } = factor, view = tensor && trace.madeHere(tensor)
  if (!tensor || !index) return { symbol, value }
  if (view?.op.isView && !isGradient && !trace.isEdited(trace.nameOf(tensor) ?? '', index)) {
    const [shown] = view.op.explain(view, 'out', index).terms[0].factors
    return nameFactor(trace, { ...factor, tensor: shown.tensor, index: shown.index })
  }
  const name = trace.nameOf(tensor)
  if (name === undefined) return { symbol, value }
  /** @type {Source} */ const source = { name, index: [...index] }
  if (isGradient) source.isGradient = true
  return { symbol, letter, value, source }
}
