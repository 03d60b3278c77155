/** A labeled select element. */

import { h, keep, setText, uniqueId } from '../../lib/dom.js'

/** @param {string} label @param {(value: string) => void} onChange */
export function choice(label, onChange) {
  const id = uniqueId('choice')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, onchange: () => onChange(select.value) })
  let filled = ''
  return {
    select,
    element: h('div', { className: 'theatre-choice' }, h('label', { for: id }, label), select),
    /**
     * @template {string | number} T
     * @param {readonly T[]} list @param {T} chosen @param {(value: T) => string} [textOf]
     */
    fill(list, chosen, textOf = String) {
      const now = list.map(textOf).join('\n')
      if (now !== filled) keep(select, [...list], () => h('option'), (option, value) => {
        option.value = String(value)
        setText(option, textOf(value))
      })
      filled = now
      select.value = String(chosen)
    }
  }
}
