/** Source code with comments, strings, numbers and key words told apart; no more than that. */

import { h } from './dom.js'

const WORDS = [
  'class', 'const', 'def', 'double', 'else', 'enum', 'export', 'extends', 'float', 'for', 'function', 'if', 'import',
  'in', 'int', 'int32_t', 'lambda', 'let', 'new', 'null', 'of', 'return', 'size_t', 'static', 'struct', 'super', 'this',
  'true', 'false', 'typedef', 'uint8_t', 'void', 'while'
]
/** In Python two slashes divide. */
const COMMENTS = { c: /\/\*[\s\S]*?\*\/|\/\/[^\n]*/, python: /#[^\n]*/ }
/** @typedef {keyof typeof COMMENTS} Syntax c: that of JavaScript, too */
/** @type {[string, RegExp][]} */ const PARTS = [
  ['string', /'[^'\n]*'|"[^"\n]*"|`[^`]*`/], ['number', /\b\d[\w.]*/],
  ['word', new RegExp(`\\b(?:${WORDS.join('|')})\\b`)]
]
/** @param {Syntax} syntax */
const patternOf = syntax => new RegExp([`(?<comment>${COMMENTS[syntax].source})`,
  ...PARTS.map(([name, { source }]) => `(?<${name}>${source})`)].join('|'), 'g')
const ALL = { c: patternOf('c'), python: patternOf('python') }
/** What a piece can be. */
const KINDS = ['comment', ...PARTS.map(([name]) => name)]

/**
 * Pieces of code with what they are.
 * @param {string} code @param {Syntax} [syntax]
 * @returns {{ kind: string | null, text: string }[]} which, joined, are the code again
 */
export function highlight(code, syntax = 'c') {
  /** @type {{ kind: string | null, text: string }[]} */ const parts = []
  let at = 0
  for (const match of code.matchAll(ALL[syntax])) {
    if (match.index > at) parts.push({ kind: null, text: code.slice(at, match.index) })
    parts.push({ kind: KINDS.find(name => match.groups?.[name] !== undefined) ?? null, text: match[0] })
    at = match.index + match[0].length
  }
  if (at < code.length) parts.push({ kind: null, text: code.slice(at) })
  return parts
}

/** @param {string} code @param {Syntax} [syntax] */
const colored = (code, syntax) => (
  h('code', {}, highlight(code, syntax).map(({ kind, text }) => (kind ? h('span', { className: `code-${kind}` }, text) : text))))

/** @param {string} code @param {string} label what a screen reader calls it @param {Syntax} [syntax] */
export const codeBlock = (code, label, syntax) => (
  h('pre', { 'className': 'code', 'tabindex': '0', 'role': 'region', 'aria-label': label }, colored(code, syntax)))

/**
 * A field for code: the words that are typed lie, unseen, over the same words in colour.
 * @param {HTMLTextAreaElement} field
 */
export function codeField(field) {
  const shown = h('pre', { 'className': 'code-shown', 'aria-hidden': 'true' })
  const follow = () => { shown.scrollLeft = field.scrollLeft }
  // A last line without words has a height only with something on it.
  const draw = () => {
    shown.replaceChildren(colored(`${field.value}\n`))
    follow()
  }
  field.classList.add('code-over')
  field.addEventListener('input', draw)
  field.addEventListener('scroll', follow)
  draw()
  return h('div', { className: 'code-field' }, shown, field)
}
