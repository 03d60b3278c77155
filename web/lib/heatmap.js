/**
 * A matrix on a canvas, with a cell cursor for mouse, touch and keyboard. Screen readers see a grid whose only cell is
 * the one under the cursor. Non-finite values are hatched; negative ones without a number have a dash, so that the sign
 * never depends on color alone.
 */

import { enlargement, h, setAll, setText, uniqueId } from './dom.js'
import { outline, paint, paintMarks, prepare } from './heatmap_paint.js'
import { ofSlice } from './origin.js'
import { visibleRect, onViewportChange } from './viewport.js'

/** @import { Palette, Scale, Slice } from '../types.d.ts' */
/** @import { Part } from './heatmap_paint.js' */

/** As long as the animation in the style sheet. */
const PULSE = 900
/** Larger matrices are only painted where they are visible, and so many pixels around. */
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
 * @property {boolean} [isAsked] whether the reader selected it; else it is only the first cell of the room
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
const wholeOf = ({ rows, cols }) => ({ rows: [0, rows], cols: [0, cols] })

/**
 * The cells that a rectangle covers.
 * @param {HeatmapView} view @param {{ left: number, right: number, top: number, bottom: number }} box @returns {Part}
 */
function cellsIn({ rows, cols, cell: { width, height } }, { left, right, top, bottom }) {
  /** @param {number} from @param {number} to @param {number} size @param {number} count @returns {[number, number]} */
  const span = (from, to, size, count) => {
    const first = Math.min(count, Math.max(0, Math.floor(from / size)))
    return [first, Math.max(first, Math.min(count, Math.ceil(to / size)))]
  }
  return { rows: span(top, bottom, height, rows), cols: span(left, right, width, cols) }
}

/** @param {[number, number]} outer @param {[number, number]} inner */
const holds = (outer, inner) => inner[0] >= inner[1] || (outer[0] <= inner[0] && outer[1] >= inner[1])

const RETURN = 'return'

/** Returns the focus to a grid, at its last cell. @param {Element | null} grid */
export const returnTo = grid => grid?.dispatchEvent(new Event(RETURN))

/**
 * Mounts an empty heatmap.
 * @param {Element} container
 * @param {{ onLook(cell: Square): void, onPress(cell: Square): void, onEdit(cell: Square): void,
 *   onLeave(): void }} handlers
 *   look: mouse or arrow keys; press: click, tap, Enter; edit: a double click, or Enter on a pinned cell;
 *   leave: neither mouse nor focus is here any more
 */
export function heatmap(container, { onLook, onPress, onEdit, onLeave }) {
  const cells = h('canvas', { 'aria-hidden': 'true' })
  const overlay = h('canvas', { 'className': 'heat-marks', 'aria-hidden': 'true', 'hidden': true })
  const active = h('div', { role: 'gridcell', id: uniqueId('cell') })
  const row = h('div', { role: 'row', className: 'visually-hidden' }, active)
  const grid = h('div', { className: 'heat', role: 'grid', tabindex: '0' }, cells, overlay, row)
  container.append(grid)
  /** @type {HeatmapView} */ let view
  /** @type {GridMarks} */ let marks = {}
  let cursor = { row: 0, col: 0 }
  /** The reader's last position: marks and the mouse move the cursor, but not this. */
  let readerCell = cursor
  /** The painted part; of a large matrix null until it is known what is visible. */
  /** @type {Part | null} */ let painted = null

  const announce = () => {
    setAll(row, { 'aria-rowindex': cursor.row + 1 })
    setAll(active, { 'aria-colindex': cursor.col + 1 })
    setText(active, view.describe(cursor.row, cursor.col))
  }
  /** A canvas allocates memory when it is first drawn on, so one without marks is not attached. */
  const drawMarks = () => {
    overlay.hidden = !painted || !(marks.current || marks.band || marks.cells?.length)
    if (painted && !overlay.hidden) paintMarks(prepare(overlay, view.cell, painted), view, marks)
  }
  const isLarge = () => view.cols * view.rows > LARGE && !view.isPaper
  /** Paints the visible part of a large matrix, unless it is painted already. @param {boolean} [isNew] */
  const paintSight = isNew => {
    if (!isLarge()) return
    const visible = cellsIn(view, visibleRect(grid, 0))
    if (!isNew && painted && holds(painted.rows, visible.rows) && holds(painted.cols, visible.cols)) return
    painted = cellsIn(view, visibleRect(grid, MARGIN))
    paint(cells, view, painted)
    drawMarks()
  }
  const paintSightLater = onViewportChange(grid, paintSight)
  const draw = () => {
    cells.classList.toggle('is-part', isLarge())
    if (isLarge()) return paintSightLater()
    painted = wholeOf(view)
    paint(cells, view, painted)
    return drawMarks()
  }
  /** @param {Square} cell */
  const place = cell => {
    cursor = cell
    announce()
    onLook(cell)
  }
  /** Where a cell is pinned, moving the cursor moves the pin. @param {Square} cell */
  const step = cell => {
    cursor = cell
    announce()
    onPress(cell)
  }
  /** @param {MouseEvent} event */
  const under = event => {
    const box = grid.getBoundingClientRect(), enlarged = enlargement(grid)
    return clamp({
      row: Math.floor((event.clientY - box.top) / enlarged / view.cell.height),
      col: Math.floor((event.clientX - box.left) / enlarged / view.cell.width)
    }, view)
  }

  grid.addEventListener('pointermove', event => {
    if (!view || event.pointerType === 'touch') return
    const cell = under(event)
    if (cell.row !== cursor.row || cell.col !== cursor.col || !marks.current) place(cell)
  })
  grid.addEventListener('pointerleave', event => event.pointerType !== 'touch' && onLeave())
  grid.addEventListener('blur', () => onLeave())
  grid.addEventListener('click', event => {
    if (!view) return
    cursor = under(event)
    readerCell = cursor
    announce()
    onPress(cursor)
  })
  grid.addEventListener('dblclick', () => view && onEdit(cursor))
  grid.addEventListener('keydown', event => {
    if (!view || event.altKey || event.metaKey) return
    const next = nextCell(event.key, cursor, view, event.ctrlKey)
    const isPinned = marks.pinned && marks.current?.row === cursor.row && marks.current.col === cursor.col
    if (next && isPinned) step(next)
    else if (next) place(next)
    else if (event.key === 'Enter' && isPinned) onEdit(cursor)
    else if (event.key === 'Enter' || event.key === ' ') onPress(cursor)
    else return
    readerCell = cursor
    event.preventDefault()
  })
  grid.addEventListener('focus', () => {
    if (!view || !grid.matches(':focus-visible')) return
    place(cursor)
    readerCell = cursor
  })
  grid.addEventListener(RETURN, () => {
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
      setAll(grid, {
        'aria-label': view.label, 'aria-rowcount': view.rows, 'aria-colcount': view.cols,
        'aria-activedescendant': active.id
      })
      if (view.part) ofSlice(grid, view.part)
      draw()
      announce()
    },
    /** Highlights changed cells briefly. @param {Square[]} changed */
    pulse(changed) {
      if (!painted) return
      const sheet = h('canvas', { 'className': 'heat-marks heat-pulse', 'aria-hidden': 'true' })
      grid.append(sheet)
      const ctx = prepare(sheet, view.cell, painted)
      for (const cell of changed) outline(ctx, view, cell, view.palette.accent, 1.5)
      setTimeout(() => sheet.remove(), PULSE)
    },
    /** @param {GridMarks} next */
    mark(next) {
      marks = next
      if (next.current) cursor = next.current
      if (view) drawMarks()
    }
  }
}
