/**
 * The form in which operations explain their cells: a formula, the terms that are summed (each a product of factors),
 * and the steps from that sum to the value. Factors that are cells of tensors have explanations of their own.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * @typedef {object} Factor
 * @property {string} symbol as in the formula, with its index: W[3, 1]
 * @property {string} [letter] the same without its index: W
 * @property {number} value
 * @property {Tensor} [tensor] the tensor that the value is a cell of, if any
 * @property {readonly number[]} [index]
 * @property {boolean} [isGradient] the value is d(loss)/d(that cell)
 *
 * @typedef {object} Term
 * @property {string} label
 * @property {number} value
 * @property {Factor[]} factors
 *
 * A fact that no formula can express, as a key with values: 'drawn' (a random number), 'positive' (only where x > 0),
 * 'used' (summed over the uses of an id), 'started' (backward started here).
 * @typedef {{ name: string, values?: Record<string, unknown> }} Note
 *
 * @typedef {object} CellExplanation
 * @property {string} formula
 * @property {string[]} [formulas] of a gradient, one for each use
 * @property {Note} [note]
 * @property {Record<string, unknown>} [parameters] numbers and strings that the formula depends on
 * @property {Term[]} terms
 * @property {{ label: string, value: number }[]} [steps] from the terms to the cell, in order; the last is the cell
 * @property {number} computed the cell's value, computed again from the terms
 * @property {Factor[]} [row] further cells that the steps use
 *
 * @typedef {{ name: string, index: number[], isGradient?: true }} Source a cell, or the gradient of one
 * @typedef {object} Explanation
 * @property {string} name
 * @property {number[]} index
 * @property {any} value the cell's value in memory: a number; true or false of a bool tensor
 * @property {string} op the operation that computed it; 'given' for inputs and parameters
 * @property {string} output which of the operation's outputs it is, 'out' for the first; 'gradient' for a gradient
 * @property {Record<string, unknown>} parameters numbers and strings that the operation was called with
 * @property {string} formula
 * @property {string[]} formulas the same, one for each use that a gradient came through
 * @property {Note} [note]
 * @property {{ label: string, value: number,
 *   factors: { symbol: string, letter?: string, value: number, source?: Source }[] }[]} terms
 * @property {{ label: string, value: number }[]} steps
 * @property {Source[]} sources every cell it was computed from
 * @property {number} computed the value computed again from the terms, in float64 unless the kernel rounds each step;
 *   of an input the value before an edit
 * @property {number} rounding value − computed
 * @property {boolean} edited whether an edit set the value
 * @property {string[]} [changed] tensors whose values or gradients have been overwritten since (by another backward,
 *   clipping, zeroGrad, a step, nn.init or loadStateDict): the terms show their current values
 *
 * @callback ExplainCell
 * @param {Node} node
 * @param {string} output the name of the output in `node.outputs`
 * @param {readonly number[]} index
 * @returns {CellExplanation}
 *
 * @callback ExplainGradient
 * @param {Node} node
 * @param {string} input the name of the input in `node.inputs`
 * @param {readonly number[]} index of a cell of that input
 * @param {(tensor: Tensor, index: readonly number[], symbol: string) => Factor} d the loss's derivative by a cell
 * @returns {{ formula: string, note?: Note, terms: Term[], steps?: CellExplanation['steps'], row?: Factor[] }} steps:
 *   numbers that the terms use
 */

/**
 * A cell of a tensor as a factor.
 * @param {Tensor | null | undefined} tensor @param {readonly number[]} index @param {string} symbol @returns {Factor}
 */
export function cell(tensor, index, symbol) {
  const source = /** @type {Tensor} */ (tensor)
  const subscript = index.length ? `[${index.join(', ')}]` : ''
  return { symbol: symbol + subscript, letter: symbol, value: Number(source.at(...index)), tensor: source, index }
}

/** A number that is not a cell, such as a scale. @param {string} symbol @param {number} value @returns {Factor} */
export const constant = (symbol, value) => ({ symbol, value })

/**
 * A factor computed from others, such as `(x − mean)`; its symbol contains theirs, in this order.
 * @typedef {{ symbol: string, value: number, parts: Factor[] }} Derived
 * @param {string} symbol @param {number} value @param {...Factor} parts @returns {Derived}
 */
export const computedFactor = (symbol, value, ...parts) => ({ symbol, value, parts })

/** The product of some factors. @param {...(Factor | Derived)} factors @returns {Term} */
export const productTerm = (...factors) => productTermOf(factors)

/** The product of a list of factors, of any length. @param {(Factor | Derived)[]} factors @returns {Term} */
export const productTermOf = factors => ({
  label: factors.map(f => f.symbol).join(' × '),
  value: factors.reduce((value, f) => value * f.value, 1),
  factors: factors.flatMap(f => ('parts' in f ? f.parts : [f]))
})

/** The sum of the terms, in float64. @param {Term[]} terms */
export const sum = terms => terms.reduce((total, t) => total + t.value, 0)

/**
 * The sum as a float32 kernel computes it: from left to right, rounding each product and each partial sum.
 * @param {Term[]} terms
 */
export const roundedSum = terms =>
  terms.reduce((total, t) => Math.fround(total + t.factors.reduce((v, f) => Math.fround(v * f.value), 1)), 0)

/**
 * An explanation that is only the sum of its terms.
 * @param {string} formula @param {Term[]} terms @returns {CellExplanation}
 */
export const sumOf = (formula, terms) => ({ formula, terms, computed: roundedSum(terms) })

/** Equal values (infinities and NaN included) differ by 0. @param {number} a @param {number} b */
export const difference = (a, b) => (Object.is(a, b) || a === b ? 0 : a - b)
