/** A field to find a token among many, and a line on what is drawn of them. */

import { h, setText, uniqueId } from './dom.js'

/** Long enough to type on. */
const PAUSE = 120

/**
 * @param {Element} container @param {import('../types.d.ts').Translate} t
 * @param {(text: string) => void} search
 */
export function finder(container, t, search) {
  /** @type {ReturnType<typeof setTimeout> | 0} */ let waiting = 0
  const id = uniqueId('find')
  const input = h('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => search(input.value), PAUSE)
  } })
  const note = h('p', { className: 'note', role: 'status' })
  const element = h('div', { className: 'finder', hidden: true }, h('label', { for: id }, t('frame.find.label')), input, note)
  container.append(element)
  return {
    element,
    get text() {
      return input.value
    },
    /** @param {string} said nothing where all are drawn */
    update(said) {
      element.hidden = !said
      setText(note, said)
    },
    destroy: () => clearTimeout(waiting)
  }
}
