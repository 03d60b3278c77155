/** What the small figures share: bars with numbers, sliders and buttons. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'

/**
 * A list of named bars.
 * @param {{ names: string[], className?: string, label: string, decimals?: number, max?: number }} options max: the
 *   value of a full bar; with the class `is-signed` bars begin in the middle, and negative ones extend to the left
 */
export function createBars({ names, className = '', label, decimals = 2, max = 1 }) {
  const rows = names.map(name => {
    const fill = h('span', { className: 'bar-fill' }), number = h('span', { className: 'bar-number' })
    return { fill, number, element: h('li', {}, h('b', {}, name), h('span', { className: 'bar-track' }, fill), number) }
  })
  const element = h('ol', { 'className': `bars ${className}`, 'aria-label': label }, rows.map(row => row.element))
  return {
    element,
    /** @param {number[]} values @param {number} [full] */
    show(values, full = max) {
      rows.forEach(({ fill, number, element: row }, i) => {
        fill.style.setProperty('width', `${Math.min(100, Math.abs(values[i]) / full * 100)}%`)
        row.classList.toggle('is-negative', values[i] < 0)
        setText(number, formatFixed(values[i], decimals))
      })
    }
  }
}

/**
 * A slider with its name and value.
 * @param {object} options
 * @param {string} options.name @param {number} options.min @param {number} options.max @param {number} options.step
 * @param {number} [options.decimals] @param {(value: number) => void} options.oninput
 */
export function createSlider({ name, min, max, step, decimals = 1, oninput }) {
  const id = uniqueId('slider'), output = h('output', { for: id })
  const input = h('input', { type: 'range', id, min: String(min), max: String(max), step: String(step),
    oninput: (/** @type {Event} */ event) => oninput(Number(/** @type {HTMLInputElement} */ (event.target).value)) })
  return {
    element: h('div', { className: 'figure-slider' }, h('label', { for: id }, name), input, output),
    /** @param {number} value */
    show(value) {
      input.value = String(value)
      setText(output, formatFixed(value, decimals))
    }
  }
}

/** @param {string} text @param {() => void} onclick */
export const createButton = (text, onclick) => h('button', { type: 'button', className: 'figure-button', onclick }, text)
