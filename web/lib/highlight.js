/** Source code with comments, strings, numbers and key words told apart; no more than that. */

import { h } from './dom.js'

const WORDS = [
  'const', 'double', 'else', 'enum', 'export', 'float', 'for', 'function', 'if', 'import', 'in', 'int', 'int32_t',
  'let', 'new', 'null', 'of', 'return', 'size_t', 'static', 'struct', 'true', 'false', 'typedef', 'uint8_t', 'void',
  'while'
]
/** @type {[string, RegExp][]} */ const PARTS = [
  ['comment', /\/\*[\s\S]*?\*\/|\/\/[^\n]*/], ['string', /'[^'\n]*'|"[^"\n]*"|`[^`]*`/],
  ['number', /\b\d[\w.]*/], ['word', new RegExp(`\\b(?:${WORDS.join('|')})\\b`)]
]
const ALL = new RegExp(PARTS.map(([name, { source }]) => `(?<${name}>${source})`).join('|'), 'g')

/**
 * Pieces of code with what they are.
 * @param {string} code
 * @returns {{ kind: string | null, text: string }[]} which, joined, are the code again
 */
export function highlight(code) {
  /** @type {{ kind: string | null, text: string }[]} */ const parts = []
  let at = 0
  for (const match of code.matchAll(ALL)) {
    if (match.index > at) parts.push({ kind: null, text: code.slice(at, match.index) })
    const part = PARTS.find(([name]) => match.groups?.[name] !== undefined)
    parts.push({ kind: part?.[0] ?? null, text: match[0] })
    at = match.index + match[0].length
  }
  if (at < code.length) parts.push({ kind: null, text: code.slice(at) })
  return parts
}

/** @param {string} code @param {string} label what a screen reader calls it */
export const codeBlock = (code, label) => (
  h('pre', { 'className': 'code', 'tabindex': '0', 'role': 'region', 'aria-label': label }, h('code', {},
    highlight(code).map(({ kind, text }) => (kind ? h('span', { className: `code-${kind}` }, text) : text)))))
