/** Minimal syntax highlighting: comments, strings, numbers and keywords. */

import { h } from './dom.js'

const KEYWORDS = [
  'class', 'const', 'def', 'double', 'else', 'enum', 'export', 'extends', 'float', 'for', 'function', 'if', 'import',
  'in', 'int', 'int32_t', 'lambda', 'let', 'new', 'null', 'of', 'return', 'size_t', 'static', 'struct', 'super', 'this',
  'true', 'false', 'typedef', 'uint8_t', 'void', 'while'
]
/** In Python, `//` does not start a comment: it divides. */
const COMMENTS = { c: /\/\*[\s\S]*?\*\/|\/\/[^\n]*/, python: /#[^\n]*/ }
/** @typedef {keyof typeof COMMENTS} Syntax c: also for JavaScript */
/** @type {[string, RegExp][]} */ const PARTS = [
  ['string', /'[^'\n]*'|"[^"\n]*"|`[^`]*`/], ['number', /\b\d[\w.]*/],
  ['word', new RegExp(`\\b(?:${KEYWORDS.join('|')})\\b`)]
]
/** @param {Syntax} syntax */
const createPattern = syntax => new RegExp([`(?<comment>${COMMENTS[syntax].source})`,
  ...PARTS.map(([name, { source }]) => `(?<${name}>${source})`)].join('|'), 'g')
const PATTERNS = { c: createPattern('c'), python: createPattern('python') }
/** The kinds of tokens. */
const KINDS = ['comment', ...PARTS.map(([name]) => name)]

/**
 * Splits code into tokens with their kinds.
 * @param {string} code @param {Syntax} [syntax]
 * @returns {{ kind: string | null, text: string }[]} the code in pieces
 */
export function highlight(code, syntax = 'c') {
  /** @type {{ kind: string | null, text: string }[]} */ const parts = []
  let position = 0
  for (const match of code.matchAll(PATTERNS[syntax])) {
    if (match.index > position) parts.push({ kind: null, text: code.slice(position, match.index) })
    parts.push({ kind: KINDS.find(name => match.groups?.[name] !== undefined) ?? null, text: match[0] })
    position = match.index + match[0].length
  }
  if (position < code.length) parts.push({ kind: null, text: code.slice(position) })
  return parts
}

/** @param {string} code @param {Syntax} [syntax] */
const renderTokens = (code, syntax) => (
  h('code', {}, highlight(code, syntax).map(({ kind, text }) => (kind ? h('span', { className: `code-${kind}` }, text) : text))))

/** @param {string} code @param {string} label the accessible name @param {Syntax} [syntax] */
export const renderCode = (code, label, syntax) => (
  h('pre', { 'className': 'code', 'tabindex': '0', 'role': 'region', 'aria-label': label }, renderTokens(code, syntax)))

/**
 * A code editor: a transparent text field over the same text in color.
 * @param {HTMLTextAreaElement} field
 */
export function wrapCodeField(field) {
  const colors = h('pre', { 'className': 'code-shown', 'aria-hidden': 'true' })
  const syncScroll = () => { colors.scrollLeft = field.scrollLeft }
  // An empty last line needs a character to have a height.
  const draw = () => {
    colors.replaceChildren(renderTokens(`${field.value}\n`))
    syncScroll()
  }
  field.classList.add('code-over')
  field.addEventListener('input', draw)
  field.addEventListener('scroll', syncScroll)
  draw()
  return h('div', { className: 'code-field' }, colors, field)
}
