/** Copies text; where a page may not, as without https, it displays the text to be copied by hand. */

import { h, setText } from './dom.js'

const SHOWN_FOR = 4000

/**
 * @param {{ done: string, byHand: string }} words
 * @returns {{ copy(text: string): Promise<void>, elements: Element[] }} elements: the status line and
 *   the text
 */
export function copying({ done, byHand }) {
  const said = h('span', { role: 'status', className: 'menu-said' })
  const field = h('textarea', {
    'className': 'menu-field', 'readonly': true, 'hidden': true, 'rows': '3', 'aria-label': byHand
  })
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  /** @param {string} text */
  async function copy(text) {
    clearTimeout(timer)
    setText(said, '')
    try {
      await navigator.clipboard.writeText(text)
      field.hidden = true
      setText(said, done)
      timer = setTimeout(() => setText(said, ''), SHOWN_FOR)
    } catch {
      setText(said, byHand)
      field.hidden = false
      field.value = text
      field.select()
    }
  }
  return { copy, elements: [field, said] }
}
