/** Draws a figure as SVG, from the same values and colors as the canvas, with pure functions. */

import { fontFamily } from './font.js'
import { TICK_OPACITY, hasTick, numberFormat, tickBox } from './heatmap_paint.js'
import { leftStep, slantedStep } from './labels.js'
import { formatShape, scaleEnds, formatFixed } from './number.js'

/** @import { Domain, Palette, Piece, Scale, Slice } from '../types.d.ts' */
/** @import { HeatmapView, Square } from './heatmap.js' */
/** @import { HeatView } from './matrix.js' */

const PAD = 24
const GAP = 28
const LABEL = 12
const LEGEND = { width: 144, height: 8, steps: 48 }
/** @type {Record<string, string>} */ const SHIFTS = { '_': 'sub', '^': 'super' }

/**
 * @typedef {{ part: Slice, view: HeatView, chosen?: Square | null }} Drawing a matrix, the options it was drawn with,
 *   and the cell that the reader has chosen
 */
/**
 * @typedef {{ left: Drawing, right: Drawing, product: Drawing, bias?: Drawing }} ProductDrawing the parts of a product
 */
/** @typedef {Piece & { x: number, y: number }} Placed */
/** @typedef {Piece & { left: number, top: number }} Block left, top: the offset of the first cell */
/** @typedef {{ domain: Domain, scale: Scale, text: string }} LegendEntry a color scale and its meaning */

/** @param {unknown} text */
export const escape = text => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
/** @param {number} x */
export const round = x => Math.round(x * 100) / 100
/** @param {Record<string, unknown>} attributes */
const formatAttributes = attributes => Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`).join('')
/** @param {string} name @param {Record<string, unknown>} attributes @param {string} [content] */
export const tag = (name, attributes, content = '') => `<${name}${formatAttributes(attributes)}>${content}</${name}>`

/** The approximate width of a text: East Asian characters are square. @param {string} text */
const estimateWidth = text => [...text].reduce((sum, character) => sum + (character > '\u1100' ? 1 : 0.62), 0) * LABEL
/** @param {string[]} labels */
const maxWidth = labels => labels.reduce((max, text) => Math.max(max, estimateWidth(text)), 0)

/** A title such as `W_Q^T`, with its sub- and superscripts. @param {string} text */
function titleSvg(text) {
  return text.split(/(?=[_^])/).map(piece => {
    const shift = SHIFTS[piece[0]]
    if (!shift) return escape(piece)
    return tag('tspan', { 'baseline-shift': shift, 'font-size': 10 }, escape(piece.slice(1).replace(/[{}]/g, '')))
  }).join('')
}

/** @param {HeatmapView['cell']} cell @param {number} row @param {number} col @param {string} fill */
function drawTick(cell, row, col, fill) {
  const box = Object.entries(tickBox(cell, row, col)).map(([key, value]) => [key, round(value)])
  return tag('rect', { ...Object.fromEntries(box), fill, opacity: TICK_OPACITY })
}

/** @param {Drawing} drawing */
function drawCells({ part, view }) {
  const { cell, scale, palette, crossed, masked } = view
  const format = numberFormat({ ...view, values: part.values })
  return Array.from(part.values, (value, i) => {
    const [row, col] = [Math.floor(i / part.cols), i % part.cols]
    const [x, y] = [round(col * cell.width), round(row * cell.height)]
    const color = Number.isFinite(value) ? scale.at(value) : { css: palette.paper, ink: palette.ink }
    const box = tag('rect', { x, y, width: round(cell.width), height: round(cell.height), fill: color.css })
    if (!format && !crossed?.(row, col)) return hasTick(value, cell) ? box + drawTick(cell, row, col, color.ink) : box
    return box + tag('text', {
      'x': round(x + cell.width / 2), 'y': round(y + cell.height / 2), 'fill': color.ink,
      'font-size': round(format?.size ?? 9), 'text-anchor': 'middle', 'dominant-baseline': 'central'
    }, crossed?.(row, col) ? '×' : formatFixed(value, masked?.(row, col) ? 0 : format?.decimals))
  }).join('')
}

/** The lines between cells, wider ones between groups, and the frame. @param {Drawing} drawing */
function drawLines({ part, view }) {
  const { cell, group, palette } = view
  const [width, height] = [part.cols * cell.width, part.rows * cell.height]
  const frame = tag('rect', { width: round(width), height: round(height), fill: 'none', stroke: palette.line })
  if (!group || group >= part.cols) return frame
  const gaps = Array.from({ length: Math.ceil(part.cols / group) - 1 }, (_, i) => tag('rect', {
    x: round((i + 1) * group * cell.width - 2), y: 0, width: 4, height: round(height), fill: palette.paper
  }))
  return gaps.join('') + frame
}

/** A border around the chosen cell. @param {Drawing} drawing */
function drawChosen({ view: { cell, palette }, chosen }) {
  return chosen ? tag('rect', {
    'x': round(chosen.col * cell.width), 'y': round(chosen.row * cell.height), 'width': round(cell.width),
    'height': round(cell.height), 'fill': 'none', 'stroke': palette.ink, 'stroke-width': 2
  }) : ''
}

/** @param {Palette} palette @param {Record<string, unknown>} attributes @param {string} text */
const drawLabel = (palette, attributes, text) => (
  tag('text', { 'font-size': LABEL, 'fill': palette.muted, ...attributes }, escape(text)))

/** Row labels, thinned out where rows are low, as on the page. @param {Drawing} drawing */
function drawRowLabels({ part, view: { cell, palette } }) {
  const step = leftStep(cell.height)
  const svg = part.rowLabels.map((text, r) => (r % step ? '' : drawLabel(palette, {
    'x': -8, 'y': round((r + 0.5) * cell.height), 'text-anchor': 'end', 'dominant-baseline': 'central'
  }, text))).join('')
  return { svg, room: maxWidth(part.rowLabels) + 10 }
}

/** Column labels: slanted where words do not fit, thinned out where columns are narrow. @param {Drawing} drawing */
function drawColumnLabels({ part, view: { cell, palette } }) {
  const longest = maxWidth(part.colLabels)
  const isSlanted = longest + 4 > cell.width && part.colLabels.some(text => !/^\d*$/.test(text))
  const straight = longest + 4 > cell.width ? Math.ceil((longest + 6) / cell.width) : 1
  const step = isSlanted ? slantedStep(cell.width) : straight
  const svg = part.colLabels.map((text, c) => {
    if (c % step) return ''
    const x = round((c + 0.5) * cell.width)
    return isSlanted ? drawLabel(palette, { transform: `translate(${x} -6) rotate(-45)` }, text)
      : drawLabel(palette, { x, 'y': -6, 'text-anchor': 'middle' }, text)
  }).join('')
  const reach = isSlanted ? longest * 0.71 : 0
  return { svg, room: isSlanted ? reach + 14 : 20, overhang: reach }
}

const NO_LABELS = { svg: '', room: 0, overhang: 0 }

/**
 * One matrix with its title, shape and labels: its picture, its size, and the offset of its first cell. Beside a factor
 * with the same rows or columns it needs no labels for them.
 * @param {Drawing} drawing @param {{ hasRows?: boolean, hasColumns?: boolean, hasTitle?: boolean }} [has]
 * @returns {Block}
 */
function drawMatrix({ part, view, chosen }, { hasRows = true, hasColumns = true, hasTitle = true } = {}) {
  const { cell, palette, title } = view
  const rows = hasRows ? drawRowLabels({ part, view }) : NO_LABELS
  const columns = hasColumns ? drawColumnLabels({ part, view }) : NO_LABELS
  const [left, top] = [rows.room, (hasTitle ? 20 : 0) + columns.room]
  const shape = tag('tspan', { 'font-size': LABEL, 'font-weight': 400, 'fill': palette.muted },
    formatShape([part.rows, part.cols]))
  const heading = !hasTitle ? '' : tag('text',
    { 'x': 0, 'y': 14, 'font-size': 14, 'font-weight': 600, 'fill': palette.ink },
    `${titleSvg(title)} ${shape}`)
  const body = tag('g', { transform: `translate(${round(left)} ${round(top)})` },
    drawCells({ part, view }) + drawLines({ part, view }) + drawChosen({ part, view, chosen }) + rows.svg + columns.svg)
  return {
    svg: heading + body, left, top, height: top + part.rows * cell.height,
    width: Math.max(left + part.cols * cell.width + columns.overhang, hasTitle ? estimateWidth(title) + 80 : 0)
  }
}

const SHEET_GAP = 12

/**
 * A product in the page's layout: the right factor above, the left at the left, the product where they cross.
 * @param {ProductDrawing} sheet @returns {Piece}
 */
function drawProduct({ left, right, bias, product }) {
  const [first, second] = [drawMatrix(left), drawMatrix(right)]
  const third = bias && drawMatrix(bias, { hasColumns: false, hasTitle: false })
  const result = drawMatrix(product, { hasRows: false, hasColumns: false })
  const cross = Math.max(first.width, first.left + left.part.cols * left.view.cell.width) + SHEET_GAP +
    Math.max(second.left, third?.left ?? 0)
  const below = second.height + (third ? SHEET_GAP / 2 + third.height : 0)
  const row = Math.max(below + SHEET_GAP + result.top, first.top)
  const placed = [
    { ...second, x: cross - second.left, y: 0 }, { ...first, x: 0, y: row - first.top },
    ...(third ? [{ ...third, x: cross - third.left, y: second.height + SHEET_GAP / 2 }] : []),
    { ...result, x: cross, y: row - result.top }
  ]
  return {
    svg: placed.map(translatePiece).join(''), width: Math.max(...placed.map(piece => piece.x + piece.width)),
    height: Math.max(...placed.map(piece => piece.y + piece.height))
  }
}

/** @param {LegendEntry} key @param {Palette} palette @returns {Piece} */
function drawLegend({ domain, scale, text }, palette) {
  const { width, height, steps } = LEGEND
  const bars = Array.from({ length: steps }, (_, i) => tag('rect', {
    x: round((i * width) / steps), y: 0, width: round(width / steps + 0.5), height,
    fill: scale.at(domain.min + ((domain.max - domain.min) * i) / (steps - 1)).css
  })).join('')
  const ends = scaleEnds(domain)
  const texts = ends.map((end, i) => tag('text', {
    'x': (i * width) / 2, 'y': height + 14, 'font-size': LABEL, 'fill': palette.muted,
    'text-anchor': ['start', 'middle', 'end'][i]
  }, end))
  const note = tag('text', { 'x': width + 12, 'y': height, 'font-size': LABEL, 'fill': palette.muted }, titleSvg(text))
  return { svg: bars + texts.join('') + note, width: width + 12 + estimateWidth(text), height: height + 18 }
}

/** @param {string} text @param {Palette} palette @returns {Piece} */
function drawNote(text, palette) {
  const words = tag('text', { 'x': 0, 'y': LEGEND.height, 'font-size': LABEL, 'fill': palette.muted }, escape(text))
  return { svg: words, width: estimateWidth(text), height: LEGEND.height + 18 }
}

/** @param {Placed} placed */
const translatePiece = ({ svg, x, y }) => tag('g', { transform: `translate(${round(x)} ${round(y)})` }, svg)

/** Stacks pieces. @param {Piece[]} pieces @returns {Piece} */
function stackPieces(pieces) {
  let y = 0
  const placed = pieces.map(piece => {
    const placed = { ...piece, x: 0, y }
    y += piece.height + GAP
    return placed
  })
  return {
    svg: placed.map(translatePiece).join(''), width: Math.max(...placed.map(({ width }) => width)), height: Math.max(0, y - GAP)
  }
}

/**
 * Puts pieces side by side while they fit, then below.
 * @param {Piece[]} pieces @param {number} max @returns {Piece}
 */
function flowPieces(pieces, max) {
  let [x, y, lineHeight, width] = [0, 0, 0, 0]
  const placed = pieces.map(piece => {
    if (x > 0 && x + piece.width > max) [x, y, lineHeight] = [0, y + lineHeight + GAP, 0]
    const placed = { ...piece, x, y }
    lineHeight = Math.max(lineHeight, piece.height)
    width = Math.max(width, x + piece.width)
    x += piece.width + GAP
    return placed
  })
  return { svg: placed.map(translatePiece).join(''), width, height: y + lineHeight }
}

/**
 * @param {{ title: string, subtitle?: string, matrices: (Drawing | ProductDrawing)[], legends: LegendEntry[], palette:
 *   Palette, note?: string, above?: Piece[], below?: Piece[], room?: number }} figure
 *   note: text after the legends; above, below: the other pieces of the figure; room: the maximum width of a line, in
 *   pixels
 * @returns {Piece}
 */
export function drawFigure({
  title, subtitle = '', matrices, legends, palette, note = '', above = [], below = [], room = 960
}) {
  const figures = flowPieces(matrices.map(drawing => ('product' in drawing ? drawProduct(drawing) : drawMatrix(drawing))), room)
  const body = stackPieces([...above, figures, ...below])
  const head = subtitle ? 56 : 32
  const blocks = legends.map(entry => drawLegend(entry, palette))
  const keys = flowPieces(note ? [...blocks, drawNote(note, palette)] : blocks, room)
  const width = Math.ceil(Math.max(body.width, keys.width, estimateWidth(title) * 1.5,
    estimateWidth(subtitle) * 1.1) + 2 * PAD)
  const height = Math.ceil(PAD + head + body.height + GAP + keys.height + PAD)
  /** @param {number} y @param {string} content */
  const place = (y, content) => tag('g', { transform: `translate(${PAD} ${round(y)})` }, content)
  const heading = tag('text', { 'x': 0, 'y': 14, 'font-size': 18, 'font-weight': 650, 'fill': palette.ink },
    escape(title))
  const provenance = subtitle && tag('text', { 'x': 0, 'y': 36, 'font-size': 13, 'fill': palette.muted }, escape(subtitle))
  const svg = tag('svg', {
    'xmlns': 'http://www.w3.org/2000/svg', width, height, 'viewBox': `0 0 ${width} ${height}`, 'font-family': fontFamily()
  }, tag('title', {}, escape(title)) + tag('rect', { width, height, fill: palette.paper }) +
  place(PAD, heading + provenance) + place(PAD + head, body.svg) + place(PAD + head + body.height + GAP, keys.svg))
  return { svg, width, height }
}
