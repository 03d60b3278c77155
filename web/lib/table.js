/** The same matrices as HTML tables with every digit, built only while the reader has them open. */

import { h, keep, setText } from './dom.js'
import { symbol } from './formula.js'
import { dimensions, exact } from './number.js'
import { ofSlice } from './origin.js'

/** @import { Slice } from '../types.d.ts' */

const MAX_CELLS = 4096

/** @typedef {{ title: string, part: Slice }} Shown */

/** The content of each table. @type {WeakMap<HTMLTableElement, (string | number)[]>} */ const contents = new WeakMap()

/** The number of rows that fit. @param {Slice} part */
const rowsOf = part => Math.min(part.rows, Math.max(1, Math.floor(MAX_CELLS / part.cols)))

/** The content of a table, with its numbers. @param {Shown} view @returns {(string | number)[]} */
const sayingOf = ({ title, part }) => [
  title, part.rows, part.cols, ...part.rowLabels, ...part.colLabels, ...part.values.slice(0, rowsOf(part) * part.cols)
]

/**
 * Selecting a cell changes no number, and laying out thousands of cells takes a browser a second, so tables with the
 * same content are kept.
 * @param {HTMLTableElement} table @param {Shown} view
 */
function fillTable(table, view) {
  ofSlice(table, view.part)
  const last = contents.get(table), saying = sayingOf(view)
  if (last?.length === saying.length && saying.every((one, i) => Object.is(one, last[i]))) return
  contents.set(table, saying)
  build(table, view)
}

/** @param {HTMLTableElement} table @param {Shown} view */
function build(table, { title, part }) {
  const rows = rowsOf(part)
  /** @param {number} r @param {number} c */
  const cell = (r, c) => h('td', {}, exact(part.values[r * part.cols + c]))
  table.replaceChildren(
    h('caption', {}, symbol(title), ' ', dimensions([part.rows, part.cols])),
    h('thead', {}, h('tr', {}, h('td'), part.colLabels.map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, Array.from({ length: rows }, (_, r) => h('tr', {},
      h('th', { scope: 'row' }, part.rowLabels[r]), Array.from({ length: part.cols }, (_, c) => cell(r, c)))))
  )
  if (rows < part.rows) table.tBodies[0].append(h('tr', {}, h('th', { scope: 'row' }, '…')))
}

/**
 * Mounts a collapsed list of tables.
 * @param {Element} container
 */
export function tables(container) {
  const summary = h('summary')
  const list = h('div', { className: 'tables', tabindex: '0', role: 'group' })
  const details = h('details', { className: 'numbers' }, summary, list)
  container.append(details)
  /** @type {Shown[]} */ let items = []
  const fill = () => {
    keep(list, details.open ? items : [], () => h('table'), fillTable)
  }
  details.addEventListener('toggle', fill)
  return {
    /** @param {string} title @param {Shown[]} next */
    update(title, next) {
      items = next
      setText(summary, title)
      list.setAttribute('aria-label', title)
      fill()
    }
  }
}
