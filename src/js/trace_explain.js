/**
 * What a trace says of one cell: how it was made, and how its gradient came about. The operations explain; here tensors
 * get their names, views are looked through, and edits and loaded values are told from computed ones.
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

/** Values that were loaded in place of what an origin made are not explained by it. */
const ORIGIN_TOLERANCE = 1e-6

/** How a cell was made. @param {Trace} trace @param {string} name @param {number[]} place @returns {Explanation} */
export function explain(trace, name, place) {
  const tensor = trace.get(name), value = tensor.at(...place), node = trace.makerOf(tensor)
  const since = { made: node?.at ?? Infinity, used: Infinity }
  const parts = node?.op.explain(node, keyOf(node, tensor), place)
  const isLoaded = parts && trace.originOf(tensor) && Math.abs(value - parts.computed) > ORIGIN_TOLERANCE
  if (node && parts && (!isLoaded || trace.isEdited(name, place))) {
    const output = keyOf(node, tensor), parameters = { ...node.op.parameters?.(node), ...parts.parameters }
    return { ...finished(trace, name, place, value, parts, since), op: node.op.name, output, parameters }
  }
  const computed = trace.valueBefore(name, place) ?? value
  const given = finished(trace, name, place, value, { formula: name, terms: [], computed }, since)
  return { ...given, op: 'given', output: 'out', parameters: {} }
}

/**
 * How the derivative of the loss by a cell came about.
 * @param {Trace} trace @param {string} name @param {number[]} place @returns {Explanation}
 */
export function explainGradient(trace, name, place) {
  const tensor = trace.get(name), value = trace.gradientOf(tensor, name).at(...place), d = factorsOf(trace)
  const uses = usesForGradient(trace, tensor, place)
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
  const explained = finished(trace, name, place, value,
    { formula, formulas, note, terms, steps, row, computed: sum(terms) }, { made, used })
  if (trace.gradientOf(tensor, name).isChangedSince(used)) explained.changed = [name, ...explained.changed ?? []]
  return { ...explained, op, output: 'gradient', parameters: {} }
}

/** The loss's derivatives by cells, as factors. @param {Trace} trace */
const factorsOf = trace =>
  (/** @type {Tensor} */ tensor, /** @type {readonly number[]} */ index, /** @type {string} */ symbol) => {
    const gradient = trace.gradientOf(tensor, trace.nameOf(tensor) ?? '')
    return /** @type {Factor} */ ({ ...cell(gradient, index, symbol), tensor, isGradient: true })
  }

/**
 * Uses through which a gradient came to a cell: those recorded for backward, and a secondary output's own operation. A
 * view hands its gradient on as it is, so the uses of the view stand in its place.
 * @param {Trace} trace @param {Tensor} tensor @param {readonly number[]} index @returns {Use[]}
 */
function usesForGradient(trace, tensor, index) {
  const uses = trace.usesOf(tensor).filter(({ node }) => node.usedAt !== undefined), node = trace.madeHere(tensor)
  const all = uses.flatMap(({ node, input }) => {
    const beyond = node.op.isView ? usesOfView(trace, node, input, index) : []
    return beyond.length ? beyond : [{ node, input, index }]
  })
  if (!node || Object.values(node.outputs)[0] === tensor) return all
  return [...all, { node, input: keyOf(node, tensor), index }]
}

/**
 * None where the view leaves the cell out, or where backward started at it.
 * @param {Trace} trace @param {Node} node @param {string} input @param {readonly number[]} index @returns {Use[]}
 */
function usesOfView(trace, node, input, index) {
  const [shown] = node.op.explainGradient(node, input, index, factorsOf(trace)).terms
  const { tensor, index: at } = shown?.factors[0] ?? {}
  return tensor && at ? usesForGradient(trace, tensor, at) : []
}

/**
 * An explanation with the tensors named, so that it can leave the library.
 * @param {Trace} trace @param {string} name @param {number[]} index @param {number} value
 * @param {import('./explain.js').CellExplanation} parts
 * @param {{ made: number, used: number }} since the engine's moment when values, and gradients, were used
 * @returns {Omit<Explanation, 'op' | 'output' | 'parameters'>}
 */
function finished(trace, name, index, value, parts, since) {
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
 * A factor with its cell's name; a cell of a view is shown as the cell it shows, unless it was edited.
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
