/**
 * A matrix on a canvas, with a cell cursor for mouse, finger and keyboard. Screen readers meet it as a grid whose one
 * rendered cell is the cell under the cursor. What is not finite is hatched; what is negative and shows no number
 * carries a dash, so that the sign never rests on colour alone.
 */

import { h, penOf, setAll, setText, uniqueId } from './dom.js'
import { fixed } from './number.js'
import { ofSlice } from './origin.js'

/** @import { Palette, Scale, Slice } from '../types.d.ts' */

/** A dash lies inside cells from 9 on, as gaps do between them; from side to side in narrower ones. */
const [GAP_FROM, TICK_FROM] = [9, 3]
export const TICK_OPACITY = 0.6
/** As long as the animation in the style sheet. */
const PULSE = 900
const FONT = 'system-ui, "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR", sans-serif'
/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/**
 * @typedef {object} HeatmapView
 * @property {string} label what a screen reader calls the matrix
 * @property {number} rows
 * @property {number} cols
 * @property {Float32Array} values row-major
 * @property {Scale} scale
 * @property {Palette} palette
 * @property {{ width: number, height: number }} cell in CSS pixels
 * @property {(row: number, col: number) => string} describe the sentence read out for a cell
 * @property {number} [group] columns that belong together, as the columns of one head
 * @property {((row: number, col: number) => boolean) | null} [crossed] cells drawn as struck out
 * @property {boolean} [plain] colours without numbers
 * @property {Slice} [part] whose cells these are
 */

/**
 * @typedef {{ row: number, col: number }} Square a cell by its row and column
 * @typedef {{ row?: number, col?: number }} Band a row, a column or one cell
 * @typedef {object} GridMarks
 * @property {Square | null} [current] the cell looked at
 * @property {boolean} [pinned]
 * @property {Band | null} [band] what belongs to it
 * @property {Square[]} [cells] the cells it was made from
 * @property {boolean} [isAsked] whether the reader has pointed at it; else it is only where the room begins
 */

/** @param {Float32Array} values @param {number} decimals */
function letters(values, decimals) {
  let longest = 0
  for (const value of values) longest = Math.max(longest, fixed(value, decimals).length)
  return longest
}

const DECIMALS = [2, 1]
const SMALLEST_NUMBER = 8.5

/**
 * How the numbers of a matrix are written: with two decimals, or one where only that fits every cell, and at which
 * font size. Null where the cells are too small for either.
 * @param {Pick<HeatmapView, 'cell' | 'values' | 'plain'>} view
 */
export function lettering({ cell: { width, height }, values, plain }) {
  if (plain || width < 24 || height < 15) return null
  for (const decimals of DECIMALS) {
    const size = Math.min(13, height * 0.56, (width - 6) / (letters(values, decimals) * 0.56))
    if (size >= SMALLEST_NUMBER) return { decimals, size }
  }
  return null
}

/** The dash in a negative cell. @param {HeatmapView['cell']} cell @param {number} row @param {number} col */
export function tickBox({ width, height }, row, col) {
  const left = width < GAP_FROM ? 0.5 : width * 0.32
  return { x: col * width + left, y: Math.round((row + 0.5) * height - 0.5), width: width - 2 * left, height: 1 }
}

/** Whether a cell without its number gets a dash. @param {number} value @param {HeatmapView['cell']} cell */
export const hasTick = (value, { width, height }) => (
  value < 0 && Number.isFinite(value) && Math.min(width, height) >= TICK_FROM)

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function prepare(canvas, width, height) {
  const ratio = globalThis.devicePixelRatio || 1
  const [w, hgt] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))]
  if (canvas.width !== w) canvas.width = w
  if (canvas.height !== hgt) canvas.height = hgt
  canvas.style.setProperty('width', `${width}px`)
  canvas.style.setProperty('height', `${height}px`)
  const pen = penOf(canvas)
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  return pen
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {HTMLCanvasElement} stamp */
function paintColours(pen, view, stamp) {
  const { rows, cols, values, scale, cell } = view
  stamp.width = cols
  stamp.height = rows
  const ink = penOf(stamp)
  const image = ink.createImageData(cols, rows)
  const pixels = new Uint32Array(image.data.buffer)
  for (let i = 0; i < pixels.length; i++) pixels[i] = Number.isFinite(values[i]) ? scale.at(values[i]).packed : 0
  ink.putImageData(image, 0, 0)
  pen.imageSmoothingEnabled = false
  pen.drawImage(stamp, 0, 0, cols * cell.width, rows * cell.height)
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view */
function paintGaps(pen, view) {
  const { rows, cols, cell, group, palette } = view
  const [width, height] = [cols * cell.width, rows * cell.height]
  pen.fillStyle = palette.paper
  if (Math.min(cell.width, cell.height) >= GAP_FROM) {
    for (let c = 1; c < cols; c++) pen.fillRect(c * cell.width - 0.5, 0, 1, height)
    for (let r = 1; r < rows; r++) pen.fillRect(0, r * cell.height - 0.5, width, 1)
  }
  const step = group && group < cols ? group : cols
  for (let c = step; c < cols; c += step) pen.fillRect(c * cell.width - 2, 0, 4, height)
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {number} row @param {number} col */
function hatch(pen, view, row, col) {
  const { width, height } = view.cell
  pen.save()
  pen.beginPath()
  pen.rect(col * width + 1, row * height + 1, width - 2, height - 2)
  pen.clip()
  pen.beginPath()
  for (let x = -height; x < width; x += 5) {
    pen.moveTo(col * width + x, (row + 1) * height)
    pen.lineTo(col * width + x + height, row * height)
  }
  pen.strokeStyle = view.palette.muted
  pen.globalAlpha = 0.45
  pen.lineWidth = 1
  pen.stroke()
  pen.restore()
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {number} row @param {number} col */
function cross(pen, view, row, col) {
  const { width, height } = view.cell
  const arm = Math.min(width, height) * 0.22
  const [x, y] = [(col + 0.5) * width, (row + 0.5) * height]
  pen.strokeStyle = view.palette.muted
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(x - arm, y - arm)
  pen.lineTo(x + arm, y + arm)
  pen.moveTo(x + arm, y - arm)
  pen.lineTo(x - arm, y + arm)
  pen.stroke()
}

/**
 * @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {{ decimals: number, size: number }} written
 * @param {number} row @param {number} col @param {number} value
 */
function writeNumber(pen, view, { decimals, size }, row, col, value) {
  const { width, height } = view.cell
  const finite = Number.isFinite(value)
  pen.fillStyle = finite ? view.scale.at(value).ink : view.palette.ink
  if (!finite) {
    const half = pen.measureText(fixed(value)).width / 2 + 3
    pen.save()
    pen.fillStyle = view.palette.paper
    pen.fillRect((col + 0.5) * width - half, (row + 0.5) * height - size * 0.6, half * 2, size * 1.2)
    pen.restore()
  }
  pen.fillText(fixed(value, decimals), (col + 0.5) * width, (row + 0.5) * height + size * 0.04)
}

/**
 * @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {number} row @param {number} col
 * @param {number} value
 */
function tick(pen, view, row, col, value) {
  const { x, y, width, height } = tickBox(view.cell, row, col)
  pen.fillStyle = view.scale.at(value).ink
  pen.globalAlpha = TICK_OPACITY
  pen.fillRect(x, y, width, height)
  pen.globalAlpha = 1
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view */
function paintCells(pen, view) {
  const written = lettering(view)
  if (written) pen.font = `${written.size}px ${FONT}`
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  for (let row = 0; row < view.rows; row++) {
    for (let col = 0; col < view.cols; col++) {
      const value = view.values[row * view.cols + col]
      if (!Number.isFinite(value)) hatch(pen, view, row, col)
      if (view.crossed?.(row, col)) cross(pen, view, row, col)
      else if (written) writeNumber(pen, view, written, row, col, value)
      else if (hasTick(value, view.cell)) tick(pen, view, row, col, value)
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {Square} cell @param {string} colour
 * @param {number} weight
 */
function outline(pen, { cell, palette }, { row, col }, colour, weight) {
  pen.lineWidth = weight + 2
  pen.strokeStyle = palette.paper
  pen.strokeRect(col * cell.width + 1, row * cell.height + 1, cell.width - 2, cell.height - 2)
  pen.lineWidth = weight
  pen.strokeStyle = colour
  pen.strokeRect(col * cell.width + 0.5, row * cell.height + 0.5, cell.width - 1, cell.height - 1)
}

/**
 * Draws the frame of a row or column, and veils everything else once the reader has pointed at something.
 * @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {Band} band @param {boolean} [isAsked]
 */
function paintBand(pen, { rows, cols, cell, palette }, { row, col }, isAsked) {
  const [width, height] = [cols * cell.width, rows * cell.height]
  const box = [
    col === undefined ? 0 : col * cell.width, row === undefined ? 0 : row * cell.height,
    col === undefined ? width : cell.width, row === undefined ? height : cell.height
  ]
  if (isAsked) {
    pen.globalAlpha = 0.62
    pen.fillStyle = palette.paper
    pen.beginPath()
    pen.rect(0, 0, width, height)
    pen.rect(box[0], box[1], box[2], box[3])
    pen.fill('evenodd')
    pen.globalAlpha = 1
  }
  pen.strokeStyle = palette.accent
  pen.lineWidth = 1.5
  pen.strokeRect(box[0] + 0.75, box[1] + 0.75, box[2] - 1.5, box[3] - 1.5)
}

/** @param {CanvasRenderingContext2D} pen @param {HeatmapView} view @param {GridMarks} marks */
function paintMarks(pen, view, marks) {
  const { band, current, cells = [], pinned, isAsked } = marks
  if (band?.row !== undefined && band.col !== undefined) {
    outline(pen, view, { row: band.row, col: band.col }, view.palette.accent, 1.5)
  } else if (band) paintBand(pen, view, band, isAsked)
  else for (const cell of cells) outline(pen, view, cell, view.palette.accent, 1.5)
  if (current) outline(pen, view, current, view.palette.ink, pinned ? 2.5 : 1.5)
}

/**
 * The cell an arrow, Home, End or page key leads to, or null.
 * @param {string} key @param {Square} cell @param {HeatmapView} view @param {boolean} control
 */
function moved(key, { row, col }, view, control) {
  const [down, right] = MOVES[key] ?? [0, 0]
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

const RETURN = 'return'

/** Takes the keyboard back into a grid, to the cell where it was last. @param {Element | null} grid */
export const returnTo = grid => grid?.dispatchEvent(new Event(RETURN))

/**
 * Mounts an empty heatmap.
 * @param {Element} container
 * @param {{ onLook(cell: Square): void, onPress(cell: Square): void, onEdit(cell: Square): void,
 *   onLeave(): void }} handlers
 *   look: mouse or arrow keys; press: click, tap, Enter; edit: a double click, or Enter on a pinned cell; leave:
 *   neither mouse nor focus is here any more
 */
export function heatmap(container, { onLook, onPress, onEdit, onLeave }) {
  const stamp = document.createElement('canvas')
  const cells = h('canvas', { 'aria-hidden': 'true' })
  const overlay = h('canvas', { 'className': 'heat-marks', 'aria-hidden': 'true', 'hidden': true })
  const active = h('div', { role: 'gridcell', id: uniqueId('cell') })
  const row = h('div', { role: 'row', className: 'visually-hidden' }, active)
  const grid = h('div', { className: 'heat', role: 'grid', tabindex: '0' }, cells, overlay, row)
  container.append(grid)
  /** @type {HeatmapView} */ let view
  /** @type {GridMarks} */ let marks = {}
  let cursor = { row: 0, col: 0 }
  /** Where the reader was last: marks and the mouse move the cursor, and leave this alone. */
  let stood = cursor

  const announce = () => {
    setAll(row, { 'aria-rowindex': cursor.row + 1 })
    setAll(active, { 'aria-colindex': cursor.col + 1 })
    setText(active, view.describe(cursor.row, cursor.col))
  }
  /** A canvas takes its memory when it is first drawn on, so one without marks stays away. */
  const drawMarks = () => {
    overlay.hidden = !(marks.current || marks.band || marks.cells?.length)
    if (overlay.hidden) return
    paintMarks(prepare(overlay, view.cols * view.cell.width, view.rows * view.cell.height), view, marks)
  }
  /** @param {Square} cell */
  const place = cell => {
    cursor = cell
    announce()
    onLook(cell)
  }
  /** Where a cell is pinned, the pin goes along. @param {Square} cell */
  const step = cell => {
    cursor = cell
    announce()
    onPress(cell)
  }
  /** @param {MouseEvent} event */
  const under = event => {
    const box = grid.getBoundingClientRect()
    return clamp({
      row: Math.floor((event.clientY - box.top) / view.cell.height),
      col: Math.floor((event.clientX - box.left) / view.cell.width)
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
    stood = cursor
    announce()
    onPress(cursor)
  })
  grid.addEventListener('dblclick', () => view && onEdit(cursor))
  grid.addEventListener('keydown', event => {
    if (!view || event.altKey || event.metaKey) return
    const next = moved(event.key, cursor, view, event.ctrlKey)
    const isPinned = marks.pinned && marks.current?.row === cursor.row && marks.current.col === cursor.col
    if (next && isPinned) step(next)
    else if (next) place(next)
    else if (event.key === 'Enter' && isPinned) onEdit(cursor)
    else if (event.key === 'Enter' || event.key === ' ') onPress(cursor)
    else return
    stood = cursor
    event.preventDefault()
  })
  grid.addEventListener('focus', () => {
    if (!view || !grid.matches(':focus-visible')) return
    place(cursor)
    stood = cursor
  })
  grid.addEventListener(RETURN, () => {
    if (view) cursor = clamp(stood, view)
    grid.focus()
  })

  return {
    /** @param {HeatmapView} next */
    update(next) {
      view = next
      cursor = clamp(cursor, view)
      const [width, height] = [view.cols * view.cell.width, view.rows * view.cell.height]
      setAll(grid, {
        'aria-label': view.label, 'aria-rowcount': view.rows, 'aria-colcount': view.cols,
        'aria-activedescendant': active.id
      })
      if (view.part) ofSlice(grid, view.part)
      const pen = prepare(cells, width, height)
      paintColours(pen, view, stamp)
      paintGaps(pen, view)
      paintCells(pen, view)
      announce()
      drawMarks()
    },
    /** Frames cells that have changed, for a moment. @param {Square[]} changed */
    pulse(changed) {
      const sheet = h('canvas', { 'className': 'heat-marks heat-pulse', 'aria-hidden': 'true' })
      grid.append(sheet)
      const pen = prepare(sheet, view.cols * view.cell.width, view.rows * view.cell.height)
      for (const cell of changed) outline(pen, view, cell, view.palette.accent, 1.5)
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
