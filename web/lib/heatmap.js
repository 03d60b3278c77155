/**
 * A matrix on a canvas, with a cell cursor for mouse, touch and keyboard. Screen readers see a grid whose only cell is
 * the one under the cursor. Masked cells and non-finite values are hatched; negative ones without a number have
 * a dash, so that the sign never depends on color alone.
 */

import { readZoom, h, setAttributes, setText, uniqueId } from './dom.js'
import { outline, paint, paintMarks, prepare } from './heatmap_paint.js'
import { setSliceData } from './origin.js'
import { visibleRect, onViewportChange } from './viewport.js'

/** @import { Palette, Scale, Slice } from '../types.d.ts' */
/** @import { Part } from './heatmap_paint.js' */

/** The duration of the animation in the style sheet, in milliseconds. */
const PULSE_MS = 900
/** Matrices with more cells are painted only where they are visible, plus a margin in pixels. */
const [LARGE, MARGIN] = [8192, 200]
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/**
 * @typedef {object} HeatmapView
 * @property {string} label the accessible name
 * @property {number} rows
 * @property {number} cols
 * @property {Float32Array} values row-major
 * @property {Scale} scale
 * @property {Palette} palette
 * @property {{ width: number, height: number }} cell in CSS pixels
 * @property {(row: number, col: number) => string} describe the description of a cell for screen readers
 * @property {number} [group] columns that belong together, as the columns of one head
 * @property {((row: number, col: number) => boolean) | null} [crossed] cells drawn as crossed out
 * @property {((row: number, col: number) => boolean) | null} [masked] cells that a mask hides, drawn hatched
 * @property {boolean} [isInteger] numbers without decimals
 * @property {boolean} [plain] colors without numbers
 * @property {boolean} [isPaper] nothing can be scrolled, so everything is painted
 * @property {Slice} [part] whose cells these are
 */

/**
 * @typedef {{ row: number, col: number }} Square a cell by its row and column
 * @typedef {{ row?: number, col?: number }} Band a row, a column or one cell
 * @typedef {object} GridMarks
 * @property {Square | null} [current] the selected cell
 * @property {boolean} [pinned]
 * @property {Band | null} [band] the row, column or cell that belongs to it
 * @property {Square[]} [cells] its sources
 * @property {boolean} [isChosen] whether the reader selected it; else it is only the first cell of the room
 */

/**
 * The cell that an arrow, Home, End or page key leads to, or null.
 * @param {string} key @param {Square} cell @param {HeatmapView} view @param {boolean} control
 */
function nextCell(key, { row, col }, view, control) {
  const [down, right] = ARROWS[key] ?? [0, 0]
  if (down || right) return clamp({ row: row + down, col: col + right }, view)
  if (key === 'Home') return clamp({ row: control ? 0 : row, col: 0 }, view)
  if (key === 'End') return clamp({ row: control ? Infinity : row, col: Infinity }, view)
  if (key === 'PageUp') return clamp({ row: row - 8, col }, view)
  if (key === 'PageDown') return clamp({ row: row + 8, col }, view)
  return null
}

/** @param {Square} cell @param {HeatmapView} view */
const clamp = ({ row, col }, view) => ({
  row: Math.min(view.rows - 1, Math.max(0, row)), col: Math.min(view.cols - 1, Math.max(0, col))
})

/** @param {HeatmapView} view @returns {Part} */
const allCells = ({ rows, cols }) => ({ rows: [0, rows], cols: [0, cols] })

/**
 * The cells that a rectangle covers.
 * @param {HeatmapView} view @param {{ left: number, right: number, top: number, bottom: number }} box @returns {Part}
 */
function coveredCells({ rows, cols, cell: { width, height } }, { left, right, top, bottom }) {
  /** @param {number} from @param {number} to @param {number} size @param {number} count @returns {[number, number]} */
  const span = (from, to, size, count) => {
    const first = Math.min(count, Math.max(0, Math.floor(from / size)))
    return [first, Math.max(first, Math.min(count, Math.ceil(to / size)))]
  }
  return { rows: span(top, bottom, height, rows), cols: span(left, right, width, cols) }
}

/** @param {[number, number]} outerRange @param {[number, number]} innerRange */
const contains = (outerRange, innerRange) => innerRange[0] >= innerRange[1] ||
  (outerRange[0] <= innerRange[0] && outerRange[1] >= innerRange[1])

const RETURN_EVENT = 'return'

/** Returns the focus to a grid, at its last cell. @param {Element | null} grid */
export const returnFocus = grid => grid?.dispatchEvent(new Event(RETURN_EVENT))

/**
 * Mounts an empty heatmap.
 * @param {Element} container
 * @param {{ onSelect(cell: Square): void, onPin(cell: Square): void, onEdit(cell: Square): void,
 *   onLeave(): void }} handlers
 *   onSelect: mouse or arrow keys; onPin: click, tap, Enter; onEdit: a double click, or Enter on a pinned cell;
 *   onLeave: neither the mouse nor the focus is on the heatmap any more
 */
export function mountHeatmap(container, { onSelect, onPin, onEdit, onLeave }) {
  const cells = h('canvas', { 'aria-hidden': 'true' })
  const overlay = h('canvas', { 'className': 'heat-marks', 'aria-hidden': 'true', 'hidden': true })
  const active = h('div', { role: 'gridcell', id: uniqueId('cell') })
  const row = h('div', { role: 'row', className: 'visually-hidden' }, active)
  const grid = h('div', { className: 'heat', role: 'grid', tabindex: '0' }, cells, overlay, row)
  container.append(grid)
  /** @type {HeatmapView} */ let view
  /** @type {GridMarks} */ let marks = {}
  let cursor = { row: 0, col: 0 }
  /** The cell that the reader last selected: marks and the mouse move the cursor, but not this. */
  let readerCell = cursor
  /** The painted part; null for a large matrix until its visible part is known. */
  /** @type {Part | null} */ let painted = null

  const announce = () => {
    setAttributes(row, { 'aria-rowindex': cursor.row + 1 })
    setAttributes(active, { 'aria-colindex': cursor.col + 1 })
    setText(active, view.describe(cursor.row, cursor.col))
  }
  /** A canvas allocates memory when it is first drawn on, so the overlay stays untouched without marks. */
  const drawMarks = () => {
    overlay.hidden = !painted || !(marks.current || marks.band || marks.cells?.length)
    // Chromium prints what is cleared with clearRect as white, over the numbers below it.
    if (view.isPaper) overlay.width = 0
    if (painted && !overlay.hidden) paintMarks(prepare(overlay, view.cell, painted), view, marks)
  }
  const isLarge = () => view.cols * view.rows > LARGE && !view.isPaper
  /** Paints the visible part of a large matrix, unless it is painted already. @param {boolean} [isNew] */
  const paintVisible = isNew => {
    if (!isLarge()) return
    const visible = coveredCells(view, visibleRect(grid, 0))
    if (!isNew && painted && contains(painted.rows, visible.rows) && contains(painted.cols, visible.cols)) return
    painted = coveredCells(view, visibleRect(grid, MARGIN))
    paint(cells, view, painted)
    drawMarks()
  }
  const scheduleVisible = onViewportChange(grid, paintVisible)
  const draw = () => {
    cells.classList.toggle('is-part', isLarge())
    if (isLarge()) return scheduleVisible()
    painted = allCells(view)
    paint(cells, view, painted)
    return drawMarks()
  }
  /** @param {Square} cell */
  const moveTo = cell => {
    cursor = cell
    announce()
    onSelect(cell)
  }
  /** Moves the cursor, and the pin with it. @param {Square} cell */
  const movePin = cell => {
    cursor = cell
    announce()
    onPin(cell)
  }
  /** @param {MouseEvent} event */
  const cellAtPointer = event => {
    const box = grid.getBoundingClientRect(), zoom = readZoom(grid)
    return clamp({
      row: Math.floor((event.clientY - box.top) / zoom / view.cell.height),
      col: Math.floor((event.clientX - box.left) / zoom / view.cell.width)
    }, view)
  }

  grid.addEventListener('pointermove', event => {
    if (!view || event.pointerType === 'touch') return
    const cell = cellAtPointer(event)
    if (cell.row !== cursor.row || cell.col !== cursor.col || !marks.current) moveTo(cell)
  })
  grid.addEventListener('pointerleave', event => event.pointerType !== 'touch' && onLeave())
  grid.addEventListener('blur', () => onLeave())
  grid.addEventListener('click', event => {
    if (!view) return
    cursor = cellAtPointer(event)
    readerCell = cursor
    announce()
    onPin(cursor)
  })
  grid.addEventListener('dblclick', () => view && onEdit(cursor))
  grid.addEventListener('keydown', event => {
    if (!view || event.altKey || event.metaKey) return
    const next = nextCell(event.key, cursor, view, event.ctrlKey)
    const isPinned = marks.pinned && marks.current?.row === cursor.row && marks.current.col === cursor.col
    if (next && isPinned) movePin(next)
    else if (next) moveTo(next)
    else if (event.key === 'Enter' && isPinned) onEdit(cursor)
    else if (event.key === 'Enter' || event.key === ' ') onPin(cursor)
    else return
    readerCell = cursor
    event.preventDefault()
  })
  grid.addEventListener('focus', () => {
    if (!view || !grid.matches(':focus-visible')) return
    moveTo(cursor)
    readerCell = cursor
  })
  grid.addEventListener(RETURN_EVENT, () => {
    if (view) cursor = clamp(readerCell, view)
    grid.focus()
  })

  return {
    /** @param {HeatmapView} next */
    update(next) {
      view = next
      cursor = clamp(cursor, view)
      grid.style.setProperty('width', `${view.cols * view.cell.width}px`)
      grid.style.setProperty('height', `${view.rows * view.cell.height}px`)
      setAttributes(grid, {
        'aria-label': view.label, 'aria-rowcount': view.rows, 'aria-colcount': view.cols,
        'aria-activedescendant': active.id
      })
      if (view.part) setSliceData(grid, view.part)
      draw()
      announce()
    },
    /** Highlights changed cells briefly. @param {Square[]} changed */
    pulse(changed) {
      if (!painted) return
      const canvas = h('canvas', { 'className': 'heat-marks heat-pulse', 'aria-hidden': 'true' })
      grid.append(canvas)
      const ctx = prepare(canvas, view.cell, painted)
      for (const cell of changed) outline(ctx, view, cell, view.palette.accent, 1.5)
      setTimeout(() => canvas.remove(), PULSE_MS)
    },
    /** @param {GridMarks} next */
    mark(next) {
      marks = next
      if (next.current) cursor = next.current
      if (view) drawMarks()
    }
  }
}
