/** A labeled select element. */

import { h, syncChildren, setText, uniqueId } from '../../lib/dom.js'

/** @param {string} label @param {(value: string) => void} onChange */
export function createChoice(label, onChange) {
  const id = uniqueId('choice')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, onchange: () => onChange(select.value) })
  let lastKey = ''
  return {
    select,
    element: h('div', { className: 'theatre-choice' }, h('label', { for: id }, label), select),
    /**
     * @template {string | number} T
     * @param {readonly T[]} list @param {T} chosen @param {(value: T) => string} [formatValue]
     */
    fill(list, chosen, formatValue = String) {
      const key = list.map(formatValue).join('\n')
      if (key !== lastKey) syncChildren(select, [...list], () => h('option'), (option, value) => {
        option.value = String(value)
        setText(option, formatValue(value))
      })
      lastKey = key
      select.value = String(chosen)
    }
  }
}
