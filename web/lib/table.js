/** The matrices of a figure as HTML tables with every digit, built only while the reader has them open. */

import { h, syncChildren, setText } from './dom.js'
import { renderSymbol } from './formula.js'
import { formatShape, formatExact } from './number.js'
import { setSliceData } from './origin.js'

/** @import { Slice } from '../types.d.ts' */

const MAX_CELLS = 4096

/** @typedef {{ title: string, part: Slice }} TableView */

/** The content of each table. @type {WeakMap<HTMLTableElement, (string | number)[]>} */ const contents = new WeakMap()

/** The number of rows that fit. @param {Slice} part */
const rowsOf = part => Math.min(part.rows, Math.max(1, Math.floor(MAX_CELLS / part.cols)))

/** The content of a table, with its numbers. @param {TableView} view @returns {(string | number)[]} */
const contentOf = ({ title, part }) => [
  title, part.rows, part.cols, ...part.rowLabels, ...part.colLabels, ...part.values.slice(0, rowsOf(part) * part.cols)
]

/**
 * Builds a table, unless it has the same content already: laying out thousands of cells takes a browser a second, and
 * selecting a cell changes no number.
 * @param {HTMLTableElement} table @param {TableView} view
 */
function fillTable(table, view) {
  setSliceData(table, view.part)
  const last = contents.get(table), content = contentOf(view)
  if (last?.length === content.length && content.every((value, i) => Object.is(value, last[i]))) return
  contents.set(table, content)
  build(table, view)
}

/** @param {HTMLTableElement} table @param {TableView} view */
function build(table, { title, part }) {
  const rows = rowsOf(part)
  /** @param {number} r @param {number} c */
  const cell = (r, c) => h('td', {}, formatExact(part.values[r * part.cols + c]))
  table.replaceChildren(
    h('caption', {}, renderSymbol(title), ' ', formatShape([part.rows, part.cols])),
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
  /** @type {TableView[]} */ let items = []
  const fill = () => {
    syncChildren(list, details.open ? items : [], () => h('table'), fillTable)
  }
  details.addEventListener('toggle', fill)
  return {
    /** @param {string} title @param {TableView[]} next */
    update(title, next) {
      items = next
      setText(summary, title)
      list.setAttribute('aria-label', title)
      fill()
    }
  }
}
