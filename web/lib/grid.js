/** A table whose cells have a color and a number, for values that are no tensor of the run. */

import { h, keep, setText } from './dom.js'
import { inSlices } from './scheduling.js'
import { tokenWindow } from './token_window.js'

/** @import { BuiltElement, Child } from '../types.d.ts' */

/**
 * @typedef {object} GridCell
 * @property {string} text
 * @property {string} [note] smaller, after the text
 * @property {{ css: string, ink: string } | null} [color]
 * @property {boolean} [isMarked]
 *
 * A line; its cells, or a function that makes the cell of a column, for tables of which only a part is drawn.
 * @typedef {{ key: string, head: Child, level?: number, isTitle?: boolean,
 *   cells: GridCell[] | ((col: number) => GridCell) }} Line
 * @typedef {Omit<Line, 'cells'> & { cells: GridCell[] }} Drawn
 */

/**
 * A table with more cells is drawn in pieces of this many cells per line, frame by frame: the first use of a font takes
 * longer than a whole line.
 */
const [MANY_CELLS, TOGETHER, SLICE] = [600, 6, 1]

const createCell = () => h('td', {}, h('span'))

/** @param {BuiltElement<HTMLElement>} element @param {GridCell} cell */
function fillCell(element, { text, note = '', color, isMarked = false }) {
  setText(element.firstChild, text)
  if (note && element.children.length === 1) element.append(h('small'))
  if (element.children.length > 1) setText(element.lastChild, note)
  element.style.setProperty('background', color?.css ?? '')
  element.style.setProperty('color', color?.ink ?? '')
  element.classList.toggle('is-marked', isMarked)
}

/** Columns and cells that are drawn at once: a table of many lines has fewer columns. */
const [MIN_COLUMNS, MAX_COLUMNS, MAX_CELLS] = [16, 64, 1536]
/** @param {number} lines */
const columnsFor = lines => Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, Math.floor(MAX_CELLS / Math.max(1, lines))))

/**
 * @param {Element} container @param {string} label @param {import('../types.d.ts').Translate} t
 * @param {(key: string, col: number) => void} [press] what a press on a cell does
 */
export function grid(container, label, t, press) {
  const span = tokenWindow(container, t, () => draw())
  /** @type {{ corner: string, columns: string[], lines: Line[] }} */ let current
  let first = 0
  const heads = h('tr')
  const body = h('tbody')
  const table = h('table', { className: 'grid' }, h('thead', {}, heads), body)
  const frame = h('div', { 'className': 'grid-frame', 'tabindex': '0', 'role': 'region', 'aria-label': label }, table)
  container.append(frame)
  table.addEventListener('click', ({ target }) => {
    const cell = target instanceof Element ? target.closest('td') : null
    const row = /** @type {HTMLElement | null} */ (cell?.parentElement)
    if (cell && row) press?.(row.dataset.key ?? '', first + cell.cellIndex - 1)
  })
  /** @type {WeakMap<Element, Child>} */ const named = new WeakMap()
  const createLine = () => h('tr', {}, h('th', { scope: 'row' }))
  /**
   * The cells of the head of a line, and placeholders for the rest.
   * @param {BuiltElement<HTMLElement>} row @param {Drawn} line
   */
  function beginLine(row, { key, head, level = 0, isTitle = false, cells }) {
    const [first] = row.children
    row.dataset.key = key
    row.className = `level-${level}`
    row.classList.toggle('is-title', isTitle)
    if (named.get(first) !== head) first.replaceChildren(/** @type {Node | string} */ (head))
    named.set(first, head)
    while (row.children.length > cells.length + 1) row.lastElementChild?.remove()
    while (row.children.length < cells.length + 1) row.append(createCell())
  }
  /** @param {{ line: Drawn, at: number, from: number, to: number }} piece cells of a line */
  const fillPiece = ({ line, at, from, to }) => {
    if (at === body.children.length) body.append(createLine())
    const row = /** @type {BuiltElement<HTMLElement>} */ (body.children[at])
    if (from === 0) beginLine(row, line)
    line.cells.slice(from, to).forEach((cell, i) => (
      fillCell(/** @type {BuiltElement<HTMLElement>} */ (row.children[from + i + 1]), cell)))
  }
  const fillRest = inSlices(fillPiece, SLICE)
  function draw() {
    const [from, end] = span.of(current.columns.length, columnsFor(current.lines.length))
    const columns = current.columns.slice(from, end)
    const lines = current.lines.map(({ cells, ...line }) => ({
      ...line, cells: typeof cells === 'function' ? columns.map((_, i) => cells(from + i)) : cells.slice(from, end)
    }))
    first = from
    keep(heads, [current.corner, ...columns], () => h('th', { scope: 'col' }), setText)
    while (body.children.length > lines.length) body.lastElementChild?.remove()
    const isLarge = lines.length * columns.length > MANY_CELLS, width = isLarge ? TOGETHER : Infinity
    const pieces = lines.flatMap((line, at) => {
      const count = Math.max(1, Math.ceil(line.cells.length / width))
      return Array.from({ length: count }, (_, i) => (
        { line, at, from: i ? i * width : 0, to: (i + 1) * width }))
    })
    const start = isLarge ? 1 : pieces.length
    pieces.slice(0, start).forEach(fillPiece)
    return fillRest(pieces.slice(start))
  }
  return {
    element: frame,
    /** Includes a column in the drawn range from the next update on. @param {number} col */
    seek: col => span.seek(col),
    /**
     * @param {string} corner @param {string[]} columns @param {Line[]} lines
     * @returns {Promise<void>} resolves when everything is drawn
     */
    update(corner, columns, lines) {
      current = { corner, columns, lines }
      return draw()
    }
  }
}
