/** Minimal syntax highlighting: comments, strings, numbers and keywords. */

import { h } from './dom.js'

const WORDS = [
  'class', 'const', 'def', 'double', 'else', 'enum', 'export', 'extends', 'float', 'for', 'function', 'if', 'import',
  'in', 'int', 'int32_t', 'lambda', 'let', 'new', 'null', 'of', 'return', 'size_t', 'static', 'struct', 'super', 'this',
  'true', 'false', 'typedef', 'uint8_t', 'void', 'while'
]
/** In Python, two slashes divide. */
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
/** The kinds of tokens. */
const KINDS = ['comment', ...PARTS.map(([name]) => name)]

/**
 * Splits code into tokens with their kinds.
 * @param {string} code @param {Syntax} [syntax]
 * @returns {{ kind: string | null, text: string }[]} their texts joined are the code
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

/** @param {string} code @param {string} label the accessible name @param {Syntax} [syntax] */
export const codeBlock = (code, label, syntax) => (
  h('pre', { 'className': 'code', 'tabindex': '0', 'role': 'region', 'aria-label': label }, colored(code, syntax)))

/**
 * A code editor: a transparent text field over the same text in color.
 * @param {HTMLTextAreaElement} field
 */
export function codeField(field) {
  const colors = h('pre', { 'className': 'code-shown', 'aria-hidden': 'true' })
  const follow = () => { colors.scrollLeft = field.scrollLeft }
  // An empty last line needs a character to have a height.
  const draw = () => {
    colors.replaceChildren(colored(`${field.value}\n`))
    follow()
  }
  field.classList.add('code-over')
  field.addEventListener('input', draw)
  field.addEventListener('scroll', follow)
  draw()
  return h('div', { className: 'code-field' }, colors, field)
}
