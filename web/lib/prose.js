/**
 * Running text: `backticks` mark code, `[words](source=2026-11-20)` is a link that changes the state, and
 * `[words](glossary=token)` is a term.
 */

import { h } from './dom.js'

const MARKED = /(`[^`]+`|\[[^\]]+\]\([^)]+\))/
const LINK = /^\[(.+)\]\((.+)\)$/

/**
 * Prevents line breaks between a bracket and the word before it, and inside a date, `-ㅇ`, `top-k`, `GPT-2` and
 * `--check`.
 * @param {string} text
 */
const joinUnbreakable = text => text.replace(/(?<!\s)\(/g, '\u2060(')
  .replace(/(?<=\d)[-/](?=\d)|(?<=[A-Za-z])-(?=\d|[a-z](?![a-z]))/g, '\u2060$&\u2060').replace(/(?<=[‘“])-(?=\p{L})/gu, '-\u2060')
  .replace(/--(?=[a-z])/g, '-\u2060-\u2060')

/**
 * Splits a text into plain text, code, and links that change the state. A particle stays beside the bracket or the
 * quotation mark before it.
 * @param {string} text
 * @returns {{ text: string, isCode?: boolean, change?: string }[]}
 */
export function splitProse(text) {
  // Before it is split, since a particle may follow a link.
  return text.replace(/[’”)](?=\p{L})/gu, '$&\u2060').split(MARKED).filter(Boolean).map(piece => {
    const [, words, change] = LINK.exec(piece) ?? []
    if (words) return { text: joinUnbreakable(words), change }
    return piece.startsWith('`') ? { text: piece.slice(1, -1), isCode: true } : { text: joinUnbreakable(piece) }
  })
}

/**
 * A text as nodes.
 * @param {string} text
 * @param {(words: string, change: string) => Node} [createLink] makes the element of a link
 * @returns {Node[]}
 */
export const renderProse = (text, createLink) => splitProse(text).map(({ text: words, isCode, change }) => {
  if (change && createLink) return createLink(words, change)
  return isCode ? h('code', {}, words) : document.createTextNode(words)
})
