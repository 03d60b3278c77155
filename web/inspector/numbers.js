/** An explanation as one line of mathematics with the real numbers in it, in the page's formula language. */

import { formatBrief } from '../lib/number.js'

/** @import { Explanation } from '../types.d.ts' */

/** @typedef {import('./explanation.js').Term} Term */
/** @typedef {Pick<Explanation, 'value' | 'terms' | 'steps'>} ComputedValue */

const FIRST = 2
const EXPONENTIAL = /exp\(([^()]*)\)/g

/**
 * A number as one token or two; what the formula language cannot read becomes a word.
 * @param {number} value @param {boolean} [isFirst]
 */
function formatToken(value, isFirst) {
  const [, sign, digits, power] = /^(−?)([\d.]+)(?:e(−?\d+))?$/.exec(formatBrief(value)) ?? []
  const token = digits === undefined ? `"${formatBrief(value)}"`
    : `${sign && '− '}${digits}${power ? ` · 10^{${power.replace('−', '− ')}}` : ''}`
  return value < 0 && !isFirst ? `( ${token} )` : token
}

/**
 * A term's label with every symbol replaced by its value.
 * @param {Term} term @param {boolean} isFirst
 */
function formatProduct({ label, value, factors }, isFirst) {
  if (factors.length === 0) return formatToken(value, isFirst)
  let [line, rest] = ['', label]
  for (const { symbol, value: number } of factors) {
    const position = Math.max(0, rest.indexOf(symbol))
    line += rest.slice(0, position)
    line += formatToken(number, line === '' ? isFirst : line.endsWith('('))
    rest = rest.slice(position + symbol.length)
  }
  return (line + rest).replace(EXPONENTIAL, 'e^{$1}')
}

/**
 * The term at a position, where not all terms were sent.
 * @param {(Term & { place?: number })[]} terms @param {number} position
 */
const findTerm = (terms, position) => terms.find(({ place }, i) => (place ?? i) === position) ?? terms[0]

/** @param {Term[]} terms */
function formatSum(terms) {
  const first = terms.slice(0, FIRST).map((term, i) => formatProduct(term, i === 0)), isLong = first.join().includes('10^')
  // With powers of ten, two products are wider than the panel.
  const products = isLong ? first.slice(0, 1) : first
  return [...products, ...(terms.length > products.length ? ['⋯'] : [])].join(' + ')
}

/**
 * What follows the sum of the terms, by the label of the last step.
 * @type {[RegExp, (explanation: ComputedValue, position: number, match: string[]) => string | null][]}
 */
const FORMULAS = [
  [/^exp \/ Σ$/, ({ terms, steps }, position) => {
    const [max, , sum] = steps
    const ownValue = formatToken(findTerm(terms, position).factors[0].value, true)
    return `frac{e^{${ownValue} − ${formatToken(max.value)}}}{${formatToken(sum.value, true)}}`
  }],
  [/^x − max − log Σ$/, ({ terms, steps }, position) => {
    /** @param {string} label */
    const stepValue = label => steps.find(step => step.label === label)?.value ?? NaN
    const ownValue = formatToken(findTerm(terms, position).factors[0].value, true)
    return `${ownValue} − ${formatToken(stepValue('max'))} − log ${formatToken(stepValue('Σ'), true)}`
  }],
  [/^÷ (√?)(\d+)$/, ({ terms }, _, [, root, number]) => (
    `frac{${formatSum(terms)}}{${root ? `sqrt{${number}}` : number}}`)],
  [/^× ([\d.]+)$/, ({ terms }, _, [, scale]) => `( ${formatSum(terms)} ) × ${scale}`],
  [/^(sin|cos)$/, ({ terms }, _, [name]) => `${name} ( ${formatSum(terms)} )`],
  [/^drawn$/, () => null]
]

/**
 * @param {ComputedValue} explanation
 * @param {number[]} index of the cell
 * @returns {string | null} null where nothing is computed
 */
export function numbersFormula(explanation, index) {
  const { value, terms, steps } = explanation
  const last = steps.at(-1)?.label ?? ''
  const form = FORMULAS.find(([pattern]) => pattern.test(last))
  const right = form ? form[1](explanation, index.at(-1) ?? 0, form[0].exec(last) ?? [])
    : terms.length ? formatSum(terms) : null
  return right && `${formatToken(value, true)} = ${right}`
}
