/** A table of colored numbers, for values that are not a tensor of the run. */

import { ARROWS } from './chips.js'
import { h, syncChildren, setText } from './dom.js'
import { createSlicedWorker } from './scheduling.js'
import { mountTokenWindow } from './token_window.js'

/** @import { BuiltElement, Child } from '../types.d.ts' */

/**
 * @typedef {object} GridCell
 * @property {string} text
 * @property {string} [note] smaller, after the text
 * @property {{ css: string, ink: string } | null} [color]
 * @property {boolean} [isMarked]
 *
 * A line with its cells, or with a function from a column to its cell, for tables of which only a part is drawn.
 * @typedef {{ key: string, head: Child, level?: number, isTitle?: boolean,
 *   cells: GridCell[] | ((col: number) => GridCell) }} Line
 * @typedef {Omit<Line, 'cells'> & { cells: GridCell[] }} RenderedLine
 */

/**
 * A table with more cells than this is drawn in pieces of a few cells, for a millisecond per frame: the first use of a
 * font takes longer than drawing a whole line.
 */
const [MANY_CELLS, CELLS_PER_PIECE, FRAME_MS] = [600, 6, 1]

/** How much of a frame a press scrolls it by: a column stays visible. */
const SCROLLED = 0.75

/**
 * Fades the right edge of a frame while its table goes on there, and shows a button that scrolls it.
 * @param {HTMLElement} frame @param {Element} table @param {string} label of the button
 */
function markCutEdge(frame, table, label) {
  const behavior = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth')
  const more = h('div', { className: 'grid-more', hidden: true }, h('button', { type: 'button', className: 'quiet', onclick: () => (
    frame.scrollBy({ left: frame.clientWidth * SCROLLED, behavior: behavior() })) }, label))
  frame.prepend(more)
  const mark = () => {
    frame.classList.toggle('is-cut', frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1)
    more.hidden = table.clientWidth <= frame.clientWidth
  }
  frame.addEventListener('scroll', mark, { passive: true })
  const observer = new ResizeObserver(mark)
  for (const element of [frame, table]) observer.observe(element)
}

/** @param {boolean} isPressable */
const createCell = isPressable => h('td', isPressable ? { tabindex: '-1' } : {}, h('span'))

/** @param {BuiltElement<HTMLElement>} element @param {GridCell} cell */
function fillCell(element, { text, note = '', color, isMarked = false }) {
  setText(element.firstChild, text)
  if (note && element.children.length === 1) element.append(h('small'))
  if (element.children.length > 1) setText(element.lastChild, note)
  element.style.setProperty('background', color?.css ?? '')
  element.style.setProperty('color', color?.ink ?? '')
  element.classList.toggle('is-marked', isMarked)
}

/** Limits of the drawn columns: the more lines a table has, the fewer columns are drawn at once. */
const [MIN_COLUMNS, MAX_COLUMNS, MAX_CELLS] = [16, 64, 1536]
/** @param {number} lines */
const maxColumns = lines => Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, Math.floor(MAX_CELLS / Math.max(1, lines))))

/**
 * @param {Element} container @param {string} label @param {import('../types.d.ts').Translate} t
 * @param {(key: string, col: number) => void} [onPress] what a press on a cell does; by keyboard, arrow keys move from
 *   cell to cell
 */
export function mountGrid(container, label, t, onPress) {
  const tokenRange = mountTokenWindow(container, t, () => draw())
  /** @type {{ corner: string, columns: string[], lines: Line[] }} */ let current
  let first = 0
  const headRow = h('tr')
  const body = h('tbody')
  const table = h('table', { className: 'grid' }, h('thead', {}, headRow), body)
  const frame = h('div', { 'className': 'grid-frame', 'tabindex': '0', 'role': 'region', 'aria-label': label }, table)
  container.append(frame)
  markCutEdge(frame, table, t('frame.span.more'))
  /** @param {Event} event */
  function press({ target }) {
    const cell = target instanceof Element ? target.closest('td') : null
    const row = /** @type {HTMLElement | null} */ (cell?.parentElement)
    if (cell && row) onPress?.(row.dataset.key ?? '', first + cell.cellIndex - 1)
  }
  /** @param {HTMLElement} cell the one that the tab key reaches */
  function setTabStop(cell) {
    table.querySelector('td[tabindex="0"]')?.setAttribute('tabindex', '-1')
    cell.setAttribute('tabindex', '0')
  }
  /** @param {KeyboardEvent} event */
  function moveOrPress(event) {
    const cell = event.target instanceof HTMLTableCellElement ? event.target : null, step = ARROWS[event.key]
    if (!cell || !(step || ['Enter', ' '].includes(event.key))) return
    event.preventDefault()
    event.stopPropagation()
    if (!step) return press(event)
    // A title has no cells.
    const rows = [...body.children].filter(row => row.children.length > 1)
    const row = rows[rows.indexOf(/** @type {any} */ (cell.parentElement)) + step[0]]
    const next = row?.children[cell.cellIndex + step[1]]
    if (next instanceof HTMLTableCellElement && next.localName === 'td') next.focus()
    return undefined
  }
  table.addEventListener('click', press)
  if (onPress) {
    table.addEventListener('keydown', moveOrPress)
    table.addEventListener('focusin', ({ target }) => target instanceof HTMLTableCellElement && setTabStop(target))
  }
  /** @type {WeakMap<Element, Child>} */ const headContents = new WeakMap()
  const createLine = () => h('tr', {}, h('th', { scope: 'row' }))
  /**
   * The cells of the head of a line, and placeholders for the rest.
   * @param {BuiltElement<HTMLElement>} row @param {RenderedLine} line
   */
  function fillLineHead(row, { key, head, level = 0, isTitle = false, cells }) {
    const [first] = row.children
    row.dataset.key = key
    row.className = `level-${level}`
    row.classList.toggle('is-title', isTitle)
    if (headContents.get(first) !== head) first.replaceChildren(/** @type {Node | string} */ (head))
    headContents.set(first, head)
    while (row.children.length > cells.length + 1) row.lastElementChild?.remove()
    while (row.children.length < cells.length + 1) row.append(createCell(Boolean(onPress)))
  }
  /** @param {{ line: RenderedLine, at: number, from: number, to: number }} piece cells of a line */
  const fillPiece = ({ line, at, from, to }) => {
    if (at === body.children.length) body.append(createLine())
    const row = /** @type {BuiltElement<HTMLElement>} */ (body.children[at])
    if (from === 0) fillLineHead(row, line)
    if (onPress && !table.querySelector('td[tabindex="0"]')) body.querySelector('td')?.setAttribute('tabindex', '0')
    line.cells.slice(from, to).forEach((cell, i) => (
      fillCell(/** @type {BuiltElement<HTMLElement>} */ (row.children[from + i + 1]), cell)))
  }
  const fillRest = createSlicedWorker(fillPiece, FRAME_MS)
  function draw() {
    const [from, end] = tokenRange.rangeOf(current.columns.length, maxColumns(current.lines.length))
    const columns = current.columns.slice(from, end)
    const lines = current.lines.map(({ cells, ...line }) => ({
      ...line, cells: typeof cells === 'function' ? columns.map((_, i) => cells(from + i)) : cells.slice(from, end)
    }))
    first = from
    syncChildren(headRow, [current.corner, ...columns], () => h('th', { scope: 'col' }), setText)
    while (body.children.length > lines.length) body.lastElementChild?.remove()
    const isLarge = lines.length * columns.length > MANY_CELLS, width = isLarge ? CELLS_PER_PIECE : Infinity
    const pieces = lines.flatMap((line, at) => {
      const count = Math.max(1, Math.ceil(line.cells.length / width))
      return Array.from({ length: count }, (_, i) => (
        { line, at, from: i ? i * width : 0, to: (i + 1) * width }))
    })
    const firstCount = isLarge ? 1 : pieces.length
    pieces.slice(0, firstCount).forEach(fillPiece)
    return fillRest(pieces.slice(firstCount))
  }
  return {
    element: frame,
    /** Includes a column in the drawn range from the next update on. @param {number} col */
    seek: col => tokenRange.seek(col),
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
