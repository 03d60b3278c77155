/**
 * Converts formulas from text to MathML. The language: names and numbers, `_` and `^` for sub- and superscripts, `{ }`
 * to group, `frac{a}{b}`, `sqrt{a}`, `sum`, `"words"`, everything else an operator.
 *     formula('S = frac{Q K^T}{sqrt{d_k}}')
 */

import { mathml } from './dom.js'

const TOKEN = /\s*("[^"]*"|[\p{L}][\p{L}\p{M}]*|\d+(?:\.\d+)?|[_^{}]|\S)/gu

/** @param {string} text */
function tokenize(text) {
  return [...text.matchAll(TOKEN)].map(match => match[1])
}

/** @param {string[]} tokens */
function createParser(tokens) {
  let position = 0
  /** @param {string} [end] */
  const parseRow = end => {
    /** @type {MathMLElement[]} */ const items = []
    while (position < tokens.length && tokens[position] !== end) items.push(parseScripted())
    position++
    return mathml('mrow', {}, items)
  }
  /** @returns {MathMLElement} */
  const parseGroup = () => {
    if (tokens[position] !== '{') return parseAtom()
    position++
    return parseRow('}')
  }
  /** @returns {MathMLElement} */
  const parseAtom = () => {
    const token = tokens[position++]
    if (token === '{') return parseRow('}')
    if (token === 'frac') return mathml('mfrac', {}, parseGroup(), parseGroup())
    if (token === 'sum') return mathml('mo', {}, '∑')
    if (token === 'sqrt') return mathml('msqrt', {}, parseGroup())
    if (token.startsWith('"')) return mathml('mtext', {}, token.slice(1, -1))
    if (/^\d/.test(token)) return mathml('mn', {}, token)
    if (/^\p{L}/u.test(token)) return mathml('mi', {}, token)
    return mathml('mo', {}, token === '-' ? '−' : token)
  }
  /** @returns {MathMLElement} */
  const parseScripted = () => {
    const base = parseAtom()
    /** @type {(MathMLElement | null)[]} */
    let [sub, sup] = [null, null]
    while (tokens[position] === '_' || tokens[position] === '^') {
      if (tokens[position++] === '_') sub = parseGroup()
      else sup = parseGroup()
    }
    if (sub && sup) return mathml('msubsup', {}, base, sub, sup)
    if (sub) return mathml('msub', {}, base, sub)
    return sup ? mathml('msup', {}, base, sup) : base
  }
  return parseRow
}

/**
 * A MathML element for a formula.
 * @param {string} text
 * @param {'block' | 'inline'} [display]
 * @returns {Element}
 */
export function renderFormula(text, display = 'block') {
  return mathml('math', { display }, createParser(tokenize(text))(undefined))
}

/**
 * Renders a formula into an element, unless it contains it already.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setFormula(element, text) {
  if (element.dataset.formula === text) return
  element.dataset.formula = text
  element.replaceChildren(renderFormula(text))
}

/**
 * Renders names into an element, symbols among them as MathML.
 * @param {HTMLElement} element
 * @param {string} names separated by commas
 */
export function setNames(element, names) {
  if (element.dataset.names === names) return
  element.dataset.names = names
  element.replaceChildren(...names.split(', ').flatMap((name, i) => [i ? ', ' : '', renderSymbol(name)]))
}

/**
 * A name that may be a symbol, such as `Q` or `W_Q^T`; words stay words.
 * @param {string} name
 * @returns {Node}
 */
export function renderSymbol(name) {
  return /^\p{Lu}$|^(\p{Lu} )?[^\s.]{1,2}[_^]/u.test(name) ? renderFormula(name, 'inline') : document.createTextNode(name)
}
