/**
 * The vocabulary in which operations explain their cells. An explanation is a formula, the terms that were summed (each
 * a product of factors), and the steps taken with that sum. Factors that are cells of tensors can be followed further.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./autograd.js').Node} Node
 *
 * @typedef {object} Factor
 * @property {string} symbol as it stands in the formula, with its place: W[3, 1]
 * @property {string} [letter] the same without its place: W
 * @property {number} value
 * @property {Tensor} [tensor] where the value lies, if it is a cell
 * @property {readonly number[]} [index]
 * @property {boolean} [isGradient] the value is d(loss)/d(that cell)
 *
 * @typedef {object} Term
 * @property {string} label
 * @property {number} value
 * @property {Factor[]} factors
 *
 * What no formula can say, as a word for it and the values that go with it: 'drawn' (a random number), 'positive' (only
 * where x > 0), 'used' (summed over the uses of an id), 'odd' (the last column of an odd width has no pair), 'started'
 * (backward began here).
 * @typedef {{ name: string, values?: Record<string, unknown> }} Note
 *
 * @typedef {object} CellExplanation
 * @property {string} formula
 * @property {string[]} [formulas] of a gradient, one for each use
 * @property {Note} [note]
 * @property {Record<string, unknown>} [parameters] numbers and words that the formula depends on
 * @property {Term[]} terms
 * @property {{ label: string, value: number }[]} [steps] what is done with the terms, in order; the last is the cell
 * @property {number} computed the cell again, from the terms
 * @property {Factor[]} [row] further cells that the steps were made from
 *
 * @typedef {{ name: string, index: number[], isGradient?: true }} Source a cell, or the gradient of one
 * @typedef {object} Explanation
 * @property {string} name
 * @property {number[]} index
 * @property {any} value the cell as it lies in memory: a number, of a bool tensor true or false
 * @property {string} op the operation that made it; 'given' for inputs and parameters
 * @property {string} output which of the operation's outputs it is, 'out' for the first; 'gradient' for a gradient
 * @property {Record<string, unknown>} parameters numbers and words that the operation was called with
 * @property {string} formula
 * @property {string[]} formulas the same, one for each use that a gradient came through
 * @property {Note} [note]
 * @property {{ label: string, value: number,
 *   factors: { symbol: string, letter?: string, value: number, source?: Source }[] }[]} terms
 * @property {{ label: string, value: number }[]} steps
 * @property {Source[]} sources every cell it was made from
 * @property {number} computed the same from the terms, in double where the kernel does not round step by step; of a
 *   given value what stood there before an edit
 * @property {number} rounding value − computed
 * @property {boolean} edited the value was put there by an edit
 * @property {string[]} [changed] tensors whose values, or gradients, have been overwritten since (by another backward,
 *   clipping, zeroGrad, a step, nn.init or loadStateDict): the terms are of what is there now
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
 *   numbers that the terms are made with
 */

/**
 * A cell of a tensor as a factor.
 * @param {Tensor | null | undefined} tensor @param {readonly number[]} index @param {string} symbol @returns {Factor}
 */
export function cell(tensor, index, symbol) {
  const known = /** @type {Tensor} */ (tensor)
  const place = index.length ? `[${index.join(', ')}]` : ''
  return { symbol: symbol + place, letter: symbol, value: Number(known.at(...index)), tensor: known, index }
}

/** A number that is no cell, such as a scale. @param {string} symbol @param {number} value @returns {Factor} */
export const constant = (symbol, value) => ({ symbol, value })

/**
 * A factor that is derived out of others, such as `(x − mean)`: its symbol says how, in which theirs stand in order.
 * @typedef {{ symbol: string, value: number, parts: Factor[] }} Derived
 * @param {string} symbol @param {number} value @param {...Factor} parts @returns {Derived}
 */
export const derived = (symbol, value, ...parts) => ({ symbol, value, parts })

/** The product of some factors. @param {...(Factor | Derived)} factors @returns {Term} */
export const product = (...factors) => productOf(factors)

/** The same of a list, of any length. @param {(Factor | Derived)[]} factors @returns {Term} */
export const productOf = factors => ({
  label: factors.map(f => f.symbol).join(' × '),
  value: factors.reduce((value, f) => value * f.value, 1),
  factors: factors.flatMap(f => ('parts' in f ? f.parts : [f]))
})

/** The sum of the terms, in double. @param {Term[]} terms */
export const sum = terms => terms.reduce((total, t) => total + t.value, 0)

/**
 * The sum as a float32 kernel takes it: from left to right, each product and each partial sum rounded.
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
