/** Paints a matrix, or a part of it: colors, dashes, gaps and numbers, and the marks above them. */

import { mixWithInk } from './color.js'
import { readZoom, getContext2d } from './dom.js'
import { fontFamily } from './font.js'
import { formatFixed } from './number.js'

/** @import { Color } from './color.js' */
/** @import { Band, GridMarks, HeatmapView, Square } from './heatmap.js' */

/** Cells from 9 pixels on have gaps and shorter dashes; from 3 pixels on they have dashes at all. */
const [MIN_GAP_SIZE, MIN_TICK_SIZE] = [9, 3]
/** From this many pixels on, an outline has its light line inside the cell. */
const MIN_RINGED_SIZE = 12
export const TICK_OPACITY = 0.6

/** Ranges of painted rows and columns, ends excluded. */
/** @typedef {{ rows: [number, number], cols: [number, number] }} Part */

/** @param {Float32Array} values @param {number} decimals */
function maxLength(values, decimals) {
  let longest = 0
  for (const value of values) longest = Math.max(longest, formatFixed(value, decimals).length)
  return longest
}

const DECIMALS = [2, 1]
const MIN_FONT_SIZE = 8.5

/**
 * The decimals and font size of a matrix's numbers: two decimals, or one where two do not fit into every cell; none of
 * integers. Null where not even one fits.
 * @param {Pick<HeatmapView, 'cell' | 'values' | 'plain' | 'isInteger'>} view
 */
export function numberFormat({ cell: { width, height }, values, plain, isInteger }) {
  if (plain || width < (isInteger ? 14 : 24) || height < (isInteger ? 14 : 15)) return null
  for (const decimals of isInteger ? [0] : DECIMALS) {
    const size = Math.min(13, height * 0.56, (width - 4) / (maxLength(values, decimals) * 0.6))
    if (size >= MIN_FONT_SIZE) return { decimals, size }
  }
  return null
}

/** The dash in a negative cell. @param {HeatmapView['cell']} cell @param {number} row @param {number} col */
export function tickBox({ width, height }, row, col) {
  const left = width < MIN_GAP_SIZE ? 0.5 : width * 0.32
  return { x: col * width + left, y: Math.round((row + 0.5) * height - 0.5), width: width - 2 * left, height: 1 }
}

/** Whether a cell without its number gets a dash. @param {number} value @param {HeatmapView['cell']} cell */
export const hasTick = (value, { width, height }) => (
  value < 0 && Number.isFinite(value) && Math.min(width, height) >= MIN_TICK_SIZE)

/**
 * Device pixels per CSS pixel of a canvas, including the enlargement of a slide.
 * @param {HTMLCanvasElement} canvas
 */
const pixelRatio = canvas => (globalThis.devicePixelRatio || 1) * readZoom(canvas)

/**
 * Clears a canvas over some cells; its context's origin is the first cell of the matrix.
 * @param {HTMLCanvasElement} canvas @param {HeatmapView['cell']} cell @param {Part} part
 */
export function prepare(canvas, cell, { rows, cols }) {
  const ratio = pixelRatio(canvas)
  const [left, top] = [cols[0] * cell.width, rows[0] * cell.height]
  const [width, height] = [(cols[1] - cols[0]) * cell.width, (rows[1] - rows[0]) * cell.height]
  const [canvasWidth, canvasHeight] = [width, height].map(length => Math.max(1, Math.round(length * ratio)))
  // A new size clears a canvas, too.
  const hasSize = canvas.width === canvasWidth && canvas.height === canvasHeight
  if (!hasSize) Object.assign(canvas, { width: canvasWidth, height: canvasHeight })
  for (const [name, length] of Object.entries({ width, height, left, top })) {
    canvas.style.setProperty(name, `${length}px`)
  }
  const ctx = getContext2d(canvas)
  ctx.setTransform(ratio, 0, 0, ratio, -left * ratio, -top * ratio)
  if (hasSize) ctx.clearRect(left, top, width, height)
  return ctx
}

/**
 * The edges of cells in device pixels.
 * @param {[number, number]} span @param {number} size
 */
const cellEdges = ([first, end], size) => Array.from({ length: end - first + 1 }, (_, i) => Math.round(i * size))

/** @type {Map<Color, number>} */ const dashColors = new Map()

/** The color of a dash on a color. @param {Color} color */
function dashColor(color) {
  const cached = dashColors.get(color) ?? mixWithInk(color, TICK_OPACITY)
  dashColors.set(color, cached)
  return cached
}

/**
 * Colors and dashes, pixel by pixel: a row of cells is computed once and copied to its height.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Part} part @param {boolean} hasTicks
 */
function paintColors(ctx, { cols, values, scale, cell, crossed }, part, hasTicks) {
  const { width, height } = ctx.canvas, ratio = pixelRatio(ctx.canvas)
  const image = ctx.createImageData(width, height), pixels = new Uint32Array(image.data.buffer)
  const columnEdges = cellEdges(part.cols, cell.width * ratio), rowEdges = cellEdges(part.rows, cell.height * ratio)
  const [first, end] = part.cols, line = new Uint32Array(width), dashed = new Uint32Array(width)
  const inset = Math.max(0, Math.round(tickBox(cell, 0, 0).x * ratio)), dashHeight = Math.max(1, Math.round(ratio))
  for (let row = part.rows[0]; row < part.rows[1]; row++) {
    for (let col = first; col < end; col++) {
      const value = values[row * cols + col], color = Number.isFinite(value) ? scale.at(value) : null
      const [from, to] = [columnEdges[col - first], columnEdges[col - first + 1]], packed = color?.packed ?? 0
      line.fill(packed, from, to)
      if (!hasTicks) continue
      dashed.fill(packed, from, to)
      if (color && hasTick(value, cell) && !crossed?.(row, col)) {
        dashed.fill(dashColor(color), from + inset, Math.max(from + inset + 1, to - inset))
      }
    }
    const [top, bottom] = [rowEdges[row - part.rows[0]], Math.min(height, rowEdges[row - part.rows[0] + 1])]
    for (let y = top; y < bottom; y++) pixels.set(line, y * width)
    const middle = Math.round((top + bottom - dashHeight) / 2)
    if (hasTicks) for (let y = middle; y < Math.min(bottom, middle + dashHeight); y++) pixels.set(dashed, y * width)
  }
  ctx.putImageData(image, 0, 0)
}

/** @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Part} part */
function paintGaps(ctx, view, part) {
  const { cols, cell: { width, height }, group, palette } = view
  const [top, bottom] = part.rows.map(row => row * height), [left, right] = part.cols.map(col => col * width)
  ctx.fillStyle = palette.paper
  if (Math.min(width, height) >= MIN_GAP_SIZE) {
    for (let c = Math.max(1, part.cols[0]); c < part.cols[1]; c++) ctx.fillRect(c * width - 0.5, top, 1, bottom - top)
    for (let r = Math.max(1, part.rows[0]); r < part.rows[1]; r++) ctx.fillRect(left, r * height - 0.5, right - left, 1)
  }
  const step = group && group < cols ? group : cols
  for (let c = step; c < cols; c += step) ctx.fillRect(c * width - 2, top, 4, bottom - top)
}

/** @param {HeatmapView} view @param {number} row @param {number} col */
const isHatched = ({ values, cols, masked }, row, col) => (
  !Number.isFinite(values[row * cols + col]) || Boolean(masked?.(row, col)))

/**
 * Hatches a range of cells in a row.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {number} row @param {number} col
 * @param {number} count
 */
function hatch(ctx, view, row, col, count) {
  const { height } = view.cell, left = col * view.cell.width, width = count * view.cell.width
  ctx.save()
  ctx.beginPath()
  ctx.rect(left + 1, row * height + 1, width - 2, height - 2)
  ctx.clip()
  ctx.beginPath()
  for (let x = -height; x < width; x += 5) {
    ctx.moveTo(left + x, (row + 1) * height)
    ctx.lineTo(left + x + height, row * height)
  }
  ctx.strokeStyle = view.palette.muted
  ctx.globalAlpha = 0.45
  ctx.lineWidth = 1
  ctx.stroke()
  ctx.restore()
}

/**
 * Hatches adjacent cells as one area where there are no gaps, since a causal mask over a long text has very many.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Part} part @param {number} row
 */
function hatchRuns(ctx, view, { cols: [first, end] }, row) {
  for (let col = first, from = first; col < end; from = ++col) {
    while (col < end && isHatched(view, row, col)) col++
    if (col > from) hatch(ctx, view, row, from, col - from)
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {number} row @param {number} col */
function cross(ctx, view, row, col) {
  const { width, height } = view.cell
  const arm = Math.min(width, height) * 0.22
  const [x, y] = [(col + 0.5) * width, (row + 0.5) * height]
  ctx.strokeStyle = view.palette.muted
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(x - arm, y - arm)
  ctx.lineTo(x + arm, y + arm)
  ctx.moveTo(x + arm, y - arm)
  ctx.lineTo(x - arm, y + arm)
  ctx.stroke()
}

/**
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {{ decimals: number, size: number }} written
 * @param {number} row @param {number} col @param {number} value
 */
function writeNumber(ctx, view, { decimals, size }, row, col, value) {
  const { width, height } = view.cell
  // A masked weight is 0 and no rounded number, so it has no decimals.
  const hatched = isHatched(view, row, col), text = formatFixed(value, hatched ? 0 : decimals)
  ctx.fillStyle = Number.isFinite(value) ? view.scale.at(value).ink : view.palette.ink
  if (hatched) {
    const half = ctx.measureText(text).width / 2 + 3
    ctx.save()
    ctx.fillStyle = view.palette.paper
    ctx.fillRect((col + 0.5) * width - half, (row + 0.5) * height - size * 0.6, half * 2, size * 1.2)
    ctx.restore()
  }
  ctx.fillText(text, (col + 0.5) * width, (row + 0.5) * height + size * 0.04)
}

/**
 * Numbers, non-finite values and crossed-out cells.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Part} part
 * @param {ReturnType<typeof numberFormat>} format
 */
function paintCells(ctx, view, part, format) {
  if (format) ctx.font = `${format.size}px ${fontFamily()}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  const mergesHatching = view.cell.width < MIN_GAP_SIZE
  for (let row = part.rows[0]; row < part.rows[1]; row++) {
    if (mergesHatching) hatchRuns(ctx, view, part, row)
    for (let col = part.cols[0]; col < part.cols[1]; col++) {
      const value = view.values[row * view.cols + col]
      if (isHatched(view, row, col) && !mergesHatching) hatch(ctx, view, row, col, 1)
      if (view.crossed?.(row, col)) cross(ctx, view, row, col)
      else if (format) writeNumber(ctx, view, format, row, col, value)
    }
  }
}

/**
 * Paints a part of a matrix on a canvas that lies over that part.
 * @param {HTMLCanvasElement} canvas @param {HeatmapView} view @param {Part} part
 */
export function paint(canvas, view, part) {
  const ctx = prepare(canvas, view.cell, part), format = numberFormat(view)
  paintColors(ctx, view, part, !format)
  paintGaps(ctx, view, part)
  paintCells(ctx, view, part, format)
}

/**
 * Outlines a cell: a line, with a light one inside it; outside it for a narrow cell, whose color it would cover.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Square} cell @param {string} color
 * @param {number} weight
 */
export function outline(ctx, { cell, palette }, { row, col }, color, weight) {
  const inset = Math.min(cell.width, cell.height) < MIN_RINGED_SIZE ? -1 : 1
  ctx.lineWidth = weight + 2
  ctx.strokeStyle = palette.paper
  ctx.strokeRect(col * cell.width + inset, row * cell.height + inset, cell.width - 2 * inset, cell.height - 2 * inset)
  ctx.lineWidth = weight
  ctx.strokeStyle = color
  ctx.strokeRect(col * cell.width + 0.5, row * cell.height + 0.5, cell.width - 1, cell.height - 1)
}

/**
 * Outlines a row or column, and dims everything else once the reader has selected something.
 * @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {Band} band
 * @param {boolean} [isChosen]
 */
function paintBand(ctx, { rows, cols, cell, palette }, { row, col }, isChosen) {
  const [width, height] = [cols * cell.width, rows * cell.height]
  const box = [
    col === undefined ? 0 : col * cell.width, row === undefined ? 0 : row * cell.height,
    col === undefined ? width : cell.width, row === undefined ? height : cell.height
  ]
  if (isChosen) {
    ctx.globalAlpha = 0.62
    ctx.fillStyle = palette.paper
    ctx.beginPath()
    ctx.rect(0, 0, width, height)
    ctx.rect(box[0], box[1], box[2], box[3])
    ctx.fill('evenodd')
    ctx.globalAlpha = 1
  }
  ctx.strokeStyle = palette.accent
  ctx.lineWidth = 1.5
  ctx.strokeRect(box[0] + 0.75, box[1] + 0.75, box[2] - 1.5, box[3] - 1.5)
}

/** @param {CanvasRenderingContext2D} ctx @param {HeatmapView} view @param {GridMarks} marks */
export function paintMarks(ctx, view, marks) {
  const { band, current, cells = [], pinned, isChosen } = marks
  if (band?.row !== undefined && band.col !== undefined) {
    outline(ctx, view, { row: band.row, col: band.col }, view.palette.accent, 1.5)
  } else if (band) paintBand(ctx, view, band, isChosen)
  else for (const cell of cells) outline(ctx, view, cell, view.palette.accent, 1.5)
  if (current) outline(ctx, view, current, view.palette.ink, pinned ? 2.5 : 1.5)
}
