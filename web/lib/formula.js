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
function parser(tokens) {
  let at = 0
  /** @param {string} [end] */
  const row = end => {
    /** @type {MathMLElement[]} */ const items = []
    while (at < tokens.length && tokens[at] !== end) items.push(scripted())
    at++
    return mathml('mrow', {}, items)
  }
  /** @returns {MathMLElement} */
  const group = () => {
    if (tokens[at] !== '{') return atom()
    at++
    return row('}')
  }
  /** @returns {MathMLElement} */
  const atom = () => {
    const token = tokens[at++]
    if (token === '{') return row('}')
    if (token === 'frac') return mathml('mfrac', {}, group(), group())
    if (token === 'sum') return mathml('mo', {}, '∑')
    if (token === 'sqrt') return mathml('msqrt', {}, group())
    if (token.startsWith('"')) return mathml('mtext', {}, token.slice(1, -1))
    if (/^\d/.test(token)) return mathml('mn', {}, token)
    if (/^\p{L}/u.test(token)) return mathml('mi', {}, token)
    return mathml('mo', {}, token === '-' ? '−' : token)
  }
  /** @returns {MathMLElement} */
  const scripted = () => {
    const base = atom()
    /** @type {(MathMLElement | null)[]} */
    let [sub, sup] = [null, null]
    while (tokens[at] === '_' || tokens[at] === '^') {
      if (tokens[at++] === '_') sub = group()
      else sup = group()
    }
    if (sub && sup) return mathml('msubsup', {}, base, sub, sup)
    if (sub) return mathml('msub', {}, base, sub)
    return sup ? mathml('msup', {}, base, sup) : base
  }
  return row
}

/**
 * A MathML element for a formula.
 * @param {string} text
 * @param {'block' | 'inline'} [display]
 * @returns {Element}
 */
export function formula(text, display = 'block') {
  return mathml('math', { display }, parser(tokenize(text))(undefined))
}

/**
 * Renders a formula into an element, unless it contains it already.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setFormula(element, text) {
  if (element.dataset.formula === text) return
  element.dataset.formula = text
  element.replaceChildren(formula(text))
}

/**
 * Renders names into an element, symbols among them as MathML.
 * @param {HTMLElement} element
 * @param {string} names separated by commas
 */
export function setNames(element, names) {
  if (element.dataset.names === names) return
  element.dataset.names = names
  element.replaceChildren(...names.split(', ').flatMap((name, i) => [i ? ', ' : '', symbol(name)]))
}

/**
 * A name that may be a symbol, such as `Q` or `W_Q^T`; words stay words.
 * @param {string} name
 * @returns {Node}
 */
export function symbol(name) {
  return /^\p{Lu}$|[_^]/u.test(name) ? formula(name, 'inline') : document.createTextNode(name)
}
