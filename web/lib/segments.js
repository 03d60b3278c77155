/** A segmented control: a row of alternatives, one of which is selected. */

import { h, uniqueId } from './dom.js'

/** More options become a scrolling list. */
const MAX_SEGMENTS = 48

/** Scrolls the list alone until one option is visible. @param {HTMLElement} list @param {HTMLElement} one */
function scrollToOption(list, { offsetTop: top, offsetHeight: height }) {
  const { scrollTop, clientHeight } = list
  if (top < scrollTop || top + height > scrollTop + clientHeight) list.scrollTop = top - (clientHeight - height) / 2
}

/**
 * @template Value
 * @param {string} title @param {(value: Value) => void} choose
 */
export function createSegments(title, choose) {
  const group = uniqueId('segments')
  const list = h('div', { className: 'segments' })
  /** @type {string[]} */ let current = []
  return {
    element: h('fieldset', { className: 'control' }, h('legend', {}, title), list),
    /** @param {{ value: Value, text: string, title?: string }[]} options @param {Value} chosen */
    update(options, chosen) {
      const words = options.map(({ text }) => text)
      if (words.join('\n') !== current.join('\n')) {
        list.replaceChildren(...options.map(({ value, text }) => h('label', {},
          h('input', { type: 'radio', name: group, value: String(value), onchange: () => choose(value) }),
          h('span', {}, text))))
        current = words
        list.classList.toggle('is-long', words.length > MAX_SEGMENTS)
      }
      options.forEach(({ value, title: optionTitle }, i) => {
        const input = /** @type {HTMLElement} */ (list.children[i].firstChild)
        if (input instanceof HTMLInputElement) input.checked = value === chosen
        list.children[i].title = optionTitle ?? ''
      })
      const chosenIndex = options.findIndex(({ value }) => value === chosen)
      if (words.length > MAX_SEGMENTS && chosenIndex >= 0) scrollToOption(list,
        /** @type {HTMLElement} */ (list.children[chosenIndex]))
    }
  }
}
