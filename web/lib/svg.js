/** A figure as SVG, from the same values and colors as the canvas: pure functions, tested without a canvas. */

import { TICK_OPACITY, hasTick, lettering, tickBox } from './heatmap_paint.js'
import { leftStep, slantedStep } from './labels.js'
import { dimensions, endsOf, fixed } from './number.js'

/** @import { Domain, Palette, Piece, Scale, Slice } from '../types.d.ts' */
/** @import { HeatmapView } from './heatmap.js' */
/** @import { HeatView } from './matrix.js' */

const FONT = 'system-ui, "Apple SD Gothic Neo", "Noto Sans KR", sans-serif'
const PAD = 24
const GAP = 28
const LABEL = 12
const LEGEND = { width: 144, height: 8, steps: 48 }
/** @type {Record<string, string>} */ const SHIFTS = { '_': 'sub', '^': 'super' }

/** @typedef {{ part: Slice, view: HeatView }} Drawing a matrix with the view it was drawn by */
/** @typedef {{ left: Drawing, right: Drawing, product: Drawing, bias?: Drawing }} Sheet of a product */
/** @typedef {Piece & { x: number, y: number }} Placed */
/** @typedef {Piece & { left: number, top: number }} Block with where its first cell is */
/** @typedef {{ domain: Domain, scale: Scale, text: string }} Key of a scale of colors */

/** @param {unknown} text */
export const escape = text => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
/** @param {number} x */
export const round = x => Math.round(x * 100) / 100
/** @param {Record<string, unknown>} attributes */
const attributeText = attributes => Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`).join('')
/** @param {string} name @param {Record<string, unknown>} attributes @param {string} [inside] */
export const tag = (name, attributes, inside = '') => `<${name}${attributeText(attributes)}>${inside}</${name}>`

/** The approximate width of a text: East Asian characters are square. @param {string} text */
const widthOf = text => [...text].reduce((sum, letter) => sum + (letter > '\u1100' ? 1 : 0.62), 0) * LABEL
/** @param {string[]} labels */
const widest = labels => labels.reduce((max, text) => Math.max(max, widthOf(text)), 0)

/** A title such as `W_Q^T`, with its sub- and superscripts. @param {string} text */
function titled(text) {
  return text.split(/(?=[_^])/).map(piece => {
    const shift = SHIFTS[piece[0]]
    if (!shift) return escape(piece)
    return tag('tspan', { 'baseline-shift': shift, 'font-size': 10 }, escape(piece.slice(1).replace(/[{}]/g, '')))
  }).join('')
}

/** @param {HeatmapView['cell']} cell @param {number} row @param {number} col @param {string} fill */
function tick(cell, row, col, fill) {
  const box = Object.entries(tickBox(cell, row, col)).map(([key, value]) => [key, round(value)])
  return tag('rect', { ...Object.fromEntries(box), fill, opacity: TICK_OPACITY })
}

/** @param {Drawing} drawing */
function cellsOf({ part, view }) {
  const { cell, scale, palette, crossed } = view
  const format = lettering({ ...view, values: part.values })
  return Array.from(part.values, (value, i) => {
    const [row, col] = [Math.floor(i / part.cols), i % part.cols]
    const [x, y] = [round(col * cell.width), round(row * cell.height)]
    const color = Number.isFinite(value) ? scale.at(value) : { css: palette.paper, ink: palette.ink }
    const box = tag('rect', { x, y, width: round(cell.width), height: round(cell.height), fill: color.css })
    if (!format && !crossed?.(row, col)) return hasTick(value, cell) ? box + tick(cell, row, col, color.ink) : box
    return box + tag('text', {
      'x': round(x + cell.width / 2), 'y': round(y + cell.height / 2), 'fill': color.ink,
      'font-size': round(format?.size ?? 9), 'text-anchor': 'middle', 'dominant-baseline': 'central'
    }, crossed?.(row, col) ? '×' : fixed(value, format?.decimals))
  }).join('')
}

/** The lines between cells, wider ones between groups, and the frame. @param {Drawing} drawing */
function linesOf({ part, view }) {
  const { cell, group, palette } = view
  const [width, height] = [part.cols * cell.width, part.rows * cell.height]
  const frame = tag('rect', { width: round(width), height: round(height), fill: 'none', stroke: palette.line })
  if (!group || group >= part.cols) return frame
  const gaps = Array.from({ length: Math.ceil(part.cols / group) - 1 }, (_, i) => tag('rect', {
    x: round((i + 1) * group * cell.width - 2), y: 0, width: 4, height: round(height), fill: palette.paper
  }))
  return gaps.join('') + frame
}

/** @param {Palette} palette @param {Record<string, unknown>} attributes @param {string} text */
const label = (palette, attributes, text) => (
  tag('text', { 'font-size': LABEL, 'fill': palette.muted, ...attributes }, escape(text)))

/** Row labels, thinned out where rows are low, as on the page. @param {Drawing} drawing */
function rowsOf({ part, view: { cell, palette } }) {
  const step = leftStep(cell.height)
  const svg = part.rowLabels.map((text, r) => (r % step ? '' : label(palette, {
    'x': -8, 'y': round((r + 0.5) * cell.height), 'text-anchor': 'end', 'dominant-baseline': 'central'
  }, text))).join('')
  return { svg, room: widest(part.rowLabels) + 10 }
}

/** Column labels: slanted where words do not fit, thinned out where columns are narrow. @param {Drawing} drawing */
function columnsOf({ part, view: { cell, palette } }) {
  const longest = widest(part.colLabels)
  const isSlanted = longest + 4 > cell.width && part.colLabels.some(text => !/^\d*$/.test(text))
  const straight = longest + 4 > cell.width ? Math.ceil((longest + 6) / cell.width) : 1
  const step = isSlanted ? slantedStep(cell.width) : straight
  const svg = part.colLabels.map((text, c) => {
    if (c % step) return ''
    const x = round((c + 0.5) * cell.width)
    return isSlanted ? label(palette, { transform: `translate(${x} -6) rotate(-45)` }, text)
      : label(palette, { x, 'y': -6, 'text-anchor': 'middle' }, text)
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
function block({ part, view }, { hasRows = true, hasColumns = true, hasTitle = true } = {}) {
  const { cell, palette, title } = view
  const rows = hasRows ? rowsOf({ part, view }) : NO_LABELS
  const columns = hasColumns ? columnsOf({ part, view }) : NO_LABELS
  const [left, top] = [rows.room, (hasTitle ? 20 : 0) + columns.room]
  const shape = tag('tspan', { 'font-size': LABEL, 'font-weight': 400, 'fill': palette.muted },
    dimensions([part.rows, part.cols]))
  const heading = !hasTitle ? '' : tag('text',
    { 'x': 0, 'y': 14, 'font-size': 14, 'font-weight': 600, 'fill': palette.ink },
    `${titled(title)} ${shape}`)
  const body = tag('g', { transform: `translate(${round(left)} ${round(top)})` },
    cellsOf({ part, view }) + linesOf({ part, view }) + rows.svg + columns.svg)
  return {
    svg: heading + body, left, top, height: top + part.rows * cell.height,
    width: Math.max(left + part.cols * cell.width + columns.overhang, hasTitle ? widthOf(title) + 80 : 0)
  }
}

const SHEET_GAP = 12

/**
 * A product in the page's layout: the right factor above, the left at the left, the product where they cross.
 * @param {Sheet} sheet @returns {Piece}
 */
function sheetOf({ left, right, bias, product }) {
  const [first, second] = [block(left), block(right)]
  const third = bias && block(bias, { hasColumns: false, hasTitle: false })
  const result = block(product, { hasRows: false, hasColumns: false })
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
    svg: placed.map(translated).join(''), width: Math.max(...placed.map(one => one.x + one.width)),
    height: Math.max(...placed.map(one => one.y + one.height))
  }
}

/** @param {Key} key @param {Palette} palette @returns {Piece} */
function legendBlock({ domain, scale, text }, palette) {
  const { width, height, steps } = LEGEND
  const bars = Array.from({ length: steps }, (_, i) => tag('rect', {
    x: round((i * width) / steps), y: 0, width: round(width / steps + 0.5), height,
    fill: scale.at(domain.min + ((domain.max - domain.min) * i) / (steps - 1)).css
  })).join('')
  const ends = endsOf(domain)
  const texts = ends.map((end, i) => tag('text', {
    'x': (i * width) / 2, 'y': height + 14, 'font-size': LABEL, 'fill': palette.muted,
    'text-anchor': ['start', 'middle', 'end'][i]
  }, end))
  const note = tag('text', { 'x': width + 12, 'y': height, 'font-size': LABEL, 'fill': palette.muted }, titled(text))
  return { svg: bars + texts.join('') + note, width: width + 12 + widthOf(text), height: height + 18 }
}

/** @param {string} text @param {Palette} palette @returns {Piece} */
function noteBlock(text, palette) {
  const words = tag('text', { 'x': 0, 'y': LEGEND.height, 'font-size': LABEL, 'fill': palette.muted }, escape(text))
  return { svg: words, width: widthOf(text), height: LEGEND.height + 18 }
}

/** @param {Placed} placed */
const translated = ({ svg, x, y }) => tag('g', { transform: `translate(${round(x)} ${round(y)})` }, svg)

/** Stacks pieces. @param {Piece[]} pieces @returns {Piece} */
function column(pieces) {
  let y = 0
  const placed = pieces.map(piece => {
    const at = { ...piece, x: 0, y }
    y += piece.height + GAP
    return at
  })
  return {
    svg: placed.map(translated).join(''), width: Math.max(...placed.map(({ width }) => width)), height: Math.max(0, y - GAP)
  }
}

/**
 * Puts pieces side by side while they fit, then below.
 * @param {Piece[]} pieces @param {number} max @returns {Piece}
 */
function flow(pieces, max) {
  let [x, y, line, width] = [0, 0, 0, 0]
  const placed = pieces.map(piece => {
    if (x > 0 && x + piece.width > max) [x, y, line] = [0, y + line + GAP, 0]
    const at = { ...piece, x, y }
    line = Math.max(line, piece.height)
    width = Math.max(width, x + piece.width)
    x += piece.width + GAP
    return at
  })
  return { svg: placed.map(translated).join(''), width, height: y + line }
}

/**
 * @param {{ title: string, subtitle?: string, matrices: (Drawing | Sheet)[], legends: Key[], palette: Palette,
 *   note?: string, above?: Piece[], below?: Piece[], room?: number }} figure
 *   matrices: a slice as `part` with the `view` it was drawn by, or `left`, `right`, `product` and perhaps `bias`, each
 *   such a pair; a note for after the legends; above and below: what else the figure has, as SVG with its size
 * @returns {Piece}
 */
export function figureSvg({
  title, subtitle = '', matrices, legends, palette, note = '', above = [], below = [], room = 960
}) {
  const figures = flow(matrices.map(one => ('product' in one ? sheetOf(one) : block(one))), room)
  const body = column([...above, figures, ...below])
  const head = subtitle ? 56 : 32
  const blocks = legends.map(one => legendBlock(one, palette))
  const keys = flow(note ? [...blocks, noteBlock(note, palette)] : blocks, room)
  const width = Math.ceil(Math.max(body.width, keys.width, widthOf(title) * 1.5, widthOf(subtitle) * 1.1) + 2 * PAD)
  const height = Math.ceil(PAD + head + body.height + GAP + keys.height + PAD)
  /** @param {number} y @param {string} inside */
  const at = (y, inside) => tag('g', { transform: `translate(${PAD} ${round(y)})` }, inside)
  const heading = tag('text', { 'x': 0, 'y': 14, 'font-size': 18, 'font-weight': 650, 'fill': palette.ink },
    escape(title))
  const provenance = subtitle && tag('text', { 'x': 0, 'y': 36, 'font-size': 13, 'fill': palette.muted }, escape(subtitle))
  const svg = tag('svg', {
    'xmlns': 'http://www.w3.org/2000/svg', width, height, 'viewBox': `0 0 ${width} ${height}`, 'font-family': FONT
  }, tag('title', {}, escape(title)) + tag('rect', { width, height, fill: palette.paper }) +
  at(PAD, heading + provenance) + at(PAD + head, body.svg) + at(PAD + head + body.height + GAP, keys.svg))
  return { svg, width, height }
}
