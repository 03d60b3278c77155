/** Copies text to the clipboard; where that is not allowed, as without https, displays the text for copying by hand. */

import { h, setText } from './dom.js'

const DISPLAY_MS = 4000

/**
 * @param {{ done: string, byHand: string }} words
 * @returns {{ copy(text: string): Promise<void>, elements: Element[] }} elements: the status line and
 *   the text
 */
export function createClipboard({ done, byHand }) {
  const status = h('span', { role: 'status', className: 'menu-said' })
  const field = h('textarea', {
    'className': 'menu-field', 'readonly': true, 'hidden': true, 'rows': '3', 'aria-label': byHand
  })
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  /** @param {string} text */
  async function copy(text) {
    clearTimeout(timer)
    setText(status, '')
    try {
      await navigator.clipboard.writeText(text)
      field.hidden = true
      setText(status, done)
      timer = setTimeout(() => setText(status, ''), DISPLAY_MS)
    } catch {
      setText(status, byHand)
      field.hidden = false
      field.value = text
      field.select()
    }
  }
  return { copy, elements: [field, status] }
}
