/** A search field for a large vocabulary, with a note on how many tokens are drawn. */

import { h, setText, uniqueId } from './dom.js'

/** Milliseconds of delay, long enough to continue typing. */
const SEARCH_DELAY = 120

/**
 * @param {Element} container @param {import('../types.d.ts').Translate} t
 * @param {(text: string) => void} search
 */
export function mountTokenSearch(container, t, search) {
  /** @type {ReturnType<typeof setTimeout> | 0} */ let waiting = 0
  const id = uniqueId('find')
  const input = h('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => search(input.value), SEARCH_DELAY)
  } })
  const note = h('p', { className: 'note', role: 'status' })
  const element = h('div', { className: 'finder', hidden: true }, h('label', { for: id }, t('frame.find.label')), input, note)
  container.append(element)
  return {
    element,
    get text() {
      return input.value
    },
    /** @param {string} noteText empty where all are drawn */
    update(noteText) {
      element.hidden = !noteText
      setText(note, noteText)
    },
    destroy: () => clearTimeout(waiting)
  }
}
