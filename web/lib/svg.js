/** A figure as an SVG picture, from the same values and colours as the canvas: pure functions, tested without one. */

import { numberSize } from './heatmap.js'
import { dimensions, fixed } from './number.js'

const FONT = 'system-ui, "Apple SD Gothic Neo", "Noto Sans KR", sans-serif'
const PAD = 24
const GAP = 28
const LABEL = 12
const LEGEND = { width: 144, height: 8, steps: 48 }

const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const round = (x) => Math.round(x * 100) / 100
const written = (attributes) => Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`).join('')
const tag = (name, attributes, inside = '') => `<${name}${written(attributes)}>${inside}</${name}>`

/** Roughly how wide a word is: East Asian letters are square. */
const widthOf = (text) => [...text].reduce((sum, letter) => sum + (letter > '\u1100' ? 1 : 0.58), 0) * LABEL
const widest = (labels) => labels.reduce((most, text) => Math.max(most, widthOf(text)), 0)

/** A title such as `W_Q^T`, its scripts set as such. */
function titled(text) {
  return text.split(/(?=[_^])/).map((piece) => {
    const shift = { _: 'sub', '^': 'super' }[piece[0]]
    if (!shift) return escape(piece)
    return tag('tspan', { 'baseline-shift': shift, 'font-size': 10 }, escape(piece.slice(1).replace(/[{}]/g, '')))
  }).join('')
}

function cellsOf({ part, view }) {
  const { cell, scale, palette, crossed, decimals = 2 } = view
  const size = numberSize({ ...view, values: part.values })
  return Array.from(part.values, (value, i) => {
    const [row, col] = [Math.floor(i / part.cols), i % part.cols]
    const [x, y] = [round(col * cell.width), round(row * cell.height)]
    const colour = Number.isFinite(value) ? scale.at(value) : { css: palette.paper, ink: palette.ink }
    const box = tag('rect', { x, y, width: round(cell.width), height: round(cell.height), fill: colour.css })
    if (!size && !crossed?.(row, col)) return box
    return box + tag('text', {
      x: round(x + cell.width / 2), y: round(y + cell.height / 2), fill: colour.ink, 'font-size': round(size || 9),
      'text-anchor': 'middle', 'dominant-baseline': 'central'
    }, crossed?.(row, col) ? '×' : fixed(value, decimals))
  }).join('')
}

/** The lines between cells, the wider ones between groups, and the frame. */
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

/** One matrix with its title, shape and labels: its picture and how much room it takes. */
function block({ part, view }) {
  const { cell, palette, title } = view
  const left = widest(part.rowLabels) + 10
  const rotated = part.colLabels.some((text) => widthOf(text) + 4 > cell.width)
  const words = part.colLabels.some((text) => !/^\d*$/.test(text))
  const step = rotated && !words ? Math.ceil((widest(part.colLabels) + 6) / cell.width) : 1
  const top = 20 + (rotated && words ? widest(part.colLabels) * 0.71 + 10 : 20)
  const label = (attributes, text) => (
    tag('text', { 'font-size': LABEL, fill: palette.muted, ...attributes }, escape(text)))
  const rows = part.rowLabels.map((text, r) => label({
    x: -8, y: round((r + 0.5) * cell.height), 'text-anchor': 'end', 'dominant-baseline': 'central'
  }, text))
  const columns = part.colLabels.flatMap((text, c) => {
    if (c % step) return []
    const x = round((c + 0.5) * cell.width)
    return [rotated && words ? label({ transform: `translate(${x} -6) rotate(-45)` }, text)
      : label({ x, y: -6, 'text-anchor': 'middle' }, text)]
  })
  const shape = tag('tspan', { 'font-size': LABEL, 'font-weight': 400, fill: palette.muted },
    dimensions([part.rows, part.cols]))
  const heading = tag('text', { x: 0, y: 14, 'font-size': 14, 'font-weight': 600, fill: palette.ink },
    `${titled(title)} ${shape}`)
  const body = tag('g', { transform: `translate(${round(left)} ${round(top)})` },
    cellsOf({ part, view }) + linesOf({ part, view }) + rows.join('') + columns.join(''))
  const overhang = rotated && words ? widest(part.colLabels) * 0.71 : 0
  return {
    svg: heading + body, width: Math.max(left + part.cols * cell.width + overhang, widthOf(title) + 80),
    height: top + part.rows * cell.height
  }
}

function legendBlock({ domain, scale, text }, palette) {
  const { width, height, steps } = LEGEND
  const bars = Array.from({ length: steps }, (_, i) => tag('rect', {
    x: round((i * width) / steps), y: 0, width: round(width / steps + 0.5), height,
    fill: scale.at(domain.min + ((domain.max - domain.min) * i) / (steps - 1)).css
  })).join('')
  const ends = domain.kind === 'chance' ? ['0', '0.5', '1'] : [fixed(domain.min), '0', fixed(domain.max)]
  const texts = ends.map((end, i) => tag('text', {
    x: (i * width) / 2, y: height + 14, 'font-size': LABEL, fill: palette.muted,
    'text-anchor': ['start', 'middle', 'end'][i]
  }, end))
  const note = tag('text', { x: width + 12, y: height, 'font-size': LABEL, fill: palette.muted }, titled(text))
  return { svg: bars + texts.join('') + note, width: width + 12 + widthOf(text), height: height + 18 }
}

/** Puts pieces next to each other while they fit, then below. */
function flow(pieces, most) {
  let [x, y, line, width] = [0, 0, 0, 0]
  const placed = pieces.map((piece) => {
    if (x > 0 && x + piece.width > most) [x, y, line] = [0, y + line + GAP, 0]
    const at = { ...piece, x, y }
    line = Math.max(line, piece.height)
    width = Math.max(width, x + piece.width)
    x += piece.width + GAP
    return at
  })
  const moved = ({ svg, x: left, y: above }) => (
    tag('g', { transform: `translate(${round(left)} ${round(above)})` }, svg))
  return { svg: placed.map(moved).join(''), width, height: y + line }
}

/**
 * @param {{ title: string, matrices: { part: import('./slice.js').Slice, view: object }[],
 *   legends: { domain: object, scale: object, text: string }[], palette: object, room?: number }} figure matrices with
 *   the views they were drawn by
 * @returns {{ svg: string, width: number, height: number }}
 */
export function figureSvg({ title, matrices, legends, palette, room = 960 }) {
  const body = flow(matrices.map(block), room)
  const keys = flow(legends.map((one) => legendBlock(one, palette)), room)
  const width = Math.ceil(Math.max(body.width, keys.width, widthOf(title) * 1.5) + 2 * PAD)
  const height = Math.ceil(PAD + 32 + body.height + GAP + keys.height + PAD)
  const at = (y, inside) => tag('g', { transform: `translate(${PAD} ${round(y)})` }, inside)
  const heading = tag('text', { x: 0, y: 14, 'font-size': 18, 'font-weight': 650, fill: palette.ink }, escape(title))
  const svg = tag('svg', {
    xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': FONT
  }, tag('title', {}, escape(title)) + tag('rect', { width, height, fill: palette.paper }) + at(PAD, heading) +
    at(PAD + 32, body.svg) + at(PAD + 32 + body.height + GAP, keys.svg))
  return { svg, width, height }
}
