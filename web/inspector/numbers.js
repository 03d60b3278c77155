/** An explanation as one line of mathematics with the real numbers in it, in the page's formula language. */

import { formatBrief } from '../lib/number.js'

/** @import { Explanation } from '../types.d.ts' */

/** @typedef {import('./explanation.js').Term} Term */
/** @typedef {Pick<Explanation, 'value' | 'terms' | 'steps'>} Worked */

const FIRST = 2
const EXPONENTIAL = /exp\(([^()]*)\)/g

/**
 * A number as one token or two; what the formula language cannot read becomes a word.
 * @param {number} value @param {boolean} [isFirst]
 */
function numberToken(value, isFirst) {
  const [, sign, digits, power] = /^(−?)([\d.]+)(?:e(−?\d+))?$/.exec(formatBrief(value)) ?? []
  const whole = digits === undefined ? `"${formatBrief(value)}"`
    : `${sign && '− '}${digits}${power ? ` · 10^{${power.replace('−', '− ')}}` : ''}`
  return value < 0 && !isFirst ? `( ${whole} )` : whole
}

/**
 * A term's label with every symbol replaced by its value.
 * @param {Term} term @param {boolean} isFirst
 */
function product({ label, value, factors }, isFirst) {
  if (factors.length === 0) return numberToken(value, isFirst)
  let [line, rest] = ['', label]
  for (const { symbol, value: number } of factors) {
    const at = Math.max(0, rest.indexOf(symbol))
    line += rest.slice(0, at)
    line += numberToken(number, line === '' ? isFirst : line.endsWith('('))
    rest = rest.slice(at + symbol.length)
  }
  return (line + rest).replace(EXPONENTIAL, 'e^{$1}')
}

/**
 * The term at a position, where not all terms were sent.
 * @param {(Term & { place?: number })[]} terms @param {number} at
 */
const termAt = (terms, at) => terms.find(({ place }, i) => (place ?? i) === at) ?? terms[0]

/** @param {Term[]} terms */
function total(terms) {
  const products = terms.slice(0, FIRST).map((term, i) => product(term, i === 0))
  if (terms.length > FIRST) products.push('⋯')
  return products.join(' + ')
}

/**
 * What follows the sum of the terms, by the label of the last step.
 * @type {[RegExp, (explanation: Worked, at: number, match: string[]) => string | null][]}
 */
const FORMS = [
  [/^exp \/ Σ$/, ({ terms, steps }, at) => {
    const [max, , sum] = steps
    const own = numberToken(termAt(terms, at).factors[0].value, true)
    return `frac{e^{${own} − ${numberToken(max.value)}}}{${numberToken(sum.value, true)}}`
  }],
  [/^x − max − log Σ$/, ({ terms, steps }, at) => {
    /** @param {string} label */
    const named = label => steps.find(step => step.label === label)?.value ?? NaN
    const own = numberToken(termAt(terms, at).factors[0].value, true)
    return `${own} − ${numberToken(named('max'))} − log ${numberToken(named('Σ'), true)}`
  }],
  [/^÷ (√?)(\d+)$/, ({ terms }, _, [, root, number]) => (
    `frac{${total(terms)}}{${root ? `sqrt{${number}}` : number}}`)],
  [/^× ([\d.]+)$/, ({ terms }, _, [, scale]) => `( ${total(terms)} ) × ${scale}`],
  [/^(sin|cos)$/, ({ terms }, _, [name]) => `${name} ( ${total(terms)} )`],
  [/^drawn$/, () => null]
]

/**
 * @param {Worked} explanation
 * @param {number[]} index of the cell
 * @returns {string | null} null where nothing is computed
 */
export function numbersFormula(explanation, index) {
  const { value, terms, steps } = explanation
  const last = steps.at(-1)?.label ?? ''
  const form = FORMS.find(([one]) => one.test(last))
  const right = form ? form[1](explanation, index.at(-1) ?? 0, form[0].exec(last) ?? [])
    : terms.length ? total(terms) : null
  return right && `${numberToken(value, true)} = ${right}`
}
