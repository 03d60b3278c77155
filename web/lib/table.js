/** The same matrices as real tables with every digit, built only while the reader has them open. */

import { h, keep, setText } from './dom.js'
import { symbol } from './formula.js'
import { dimensions, exact } from './number.js'
import { ofSlice } from './origin.js'

/** @import { Slice } from '../types.d.ts' */

const MOST_CELLS = 4096

/** @param {HTMLTableElement} table @param {{ title: string, part: Slice }} view */
function fillTable(table, { title, part }) {
  const rows = Math.min(part.rows, Math.max(1, Math.floor(MOST_CELLS / part.cols)))
  /** @param {number} r @param {number} c */
  const cell = (r, c) => h('td', {}, exact(part.values[r * part.cols + c]))
  ofSlice(table, part)
  table.replaceChildren(
    h('caption', {}, symbol(title), ' ', dimensions([part.rows, part.cols])),
    h('thead', {}, h('tr', {}, h('td'), part.colLabels.map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, Array.from({ length: rows }, (_, r) => h('tr', {},
      h('th', { scope: 'row' }, part.rowLabels[r]), Array.from({ length: part.cols }, (_, c) => cell(r, c)))))
  )
  if (rows < part.rows) table.tBodies[0].append(h('tr', {}, h('th', { scope: 'row' }, '…')))
}

/**
 * Mounts a closed list of tables.
 * @param {Element} container
 */
export function tables(container) {
  const summary = h('summary')
  const list = h('div', { className: 'tables', tabindex: '0', role: 'group' })
  const details = h('details', { className: 'numbers' }, summary, list)
  container.append(details)
  /** @type {{ title: string, part: Slice }[]} */ let items = []
  const fill = () => {
    keep(list, details.open ? items : [], () => h('table'), fillTable)
  }
  details.addEventListener('toggle', fill)
  return {
    /** @param {string} title @param {{ title: string, part: Slice }[]} next */
    update(title, next) {
      items = next
      setText(summary, title)
      list.setAttribute('aria-label', title)
      fill()
    }
  }
}
