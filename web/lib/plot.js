/** Lines and dots over two axes, as SVG, in the units of the axes. */

import { h, indexIn, keep, setAll, setText, svg, targetOf } from './dom.js'
import { fixed } from './number.js'
import { ofCell } from './origin.js'

/** @import { Cell } from '../types.d.ts' */

const EDGE = { left: 44, right: 12, top: 12, bottom: 40 }
const ROOM = 64
const ROUND_STEPS = [1, 2, 5, 10]

/** Round values between two ends, about as many as requested. @param {number[]} ends @param {number} count */
export function ticksOf([low, high], count) {
  const rough = (high - low) / Math.max(1, count)
  if (!(rough > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ROUND_STEPS.map(nice => nice * power).find(size => size >= rough * 0.999) ?? 10 * power
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/**
 * Integers as they are, others with as many decimals as the ticks need.
 * @param {number} value @param {number[]} ticks
 */
const formatTick = (value, ticks) => (
  fixed(value, ticks.every(Number.isInteger) ? 0 : ticks.some(tick => Math.abs(tick * 10 % 1) > 1e-6) ? 2 : 1))

/**
 * @typedef {object} PlotView
 * @property {number} width in pixels
 * @property {number} [height]
 * @property {[number, number]} x the ends of the axis
 * @property {[number, number]} y
 * @property {string} label for screen readers
 * @property {string} [xName]
 * @property {string} [yName]
 * @property {{ points: [number, number][], kind?: string }[]} [lines]
 * @property {{ at: [number, number], kind?: string, cell?: Cell, title?: string }[]} [dots]
 */

/**
 * Mounts an empty plot.
 * @param {Element} container
 * @param {{ look?(cell: Cell): void, press?(cell: Cell): void }} [handlers] for dots that are cells
 */
export function plot(container, { look, press } = {}) {
  /** @param {string} kind */
  const layer = kind => svg('g', { class: kind })
  const [grid, ticks, lines, dots] = ['plot-grid', 'plot-ticks', 'plot-lines', 'plot-dots'].map(layer)
  const [xName, yName] = [svg('text', { class: 'plot-name' }), svg('text', { class: 'plot-name' })]
  const root = svg('svg', { class: 'plot', role: 'img' }, grid, lines, dots, ticks, xName, yName)
  container.append(h('div', { className: 'plot-slot' }, root))
  /** @type {NonNullable<PlotView['dots']>} */ let current = []
  /** @param {((cell: Cell) => void) | undefined} act @returns {(event: Event) => void} */
  const onCell = act => event => {
    const cell = current[indexIn(dots, targetOf(event))]?.cell
    if (cell) act?.(cell)
  }
  dots.addEventListener('pointerover', onCell(look))
  dots.addEventListener('click', onCell(press))

  return {
    /** @param {PlotView} view */
    update(view) {
      const { width, height = 220, lines: paths = [], dots: points = [] } = view
      const inner = { x: width - EDGE.left - EDGE.right, y: height - EDGE.top - EDGE.bottom }
      /** @param {number} value */
      const px = value => EDGE.left + ((value - view.x[0]) / (view.x[1] - view.x[0] || 1)) * inner.x
      /** @param {number} value */
      const py = value => EDGE.top + (1 - (value - view.y[0]) / (view.y[1] - view.y[0] || 1)) * inner.y
      current = points
      setAll(root, { width, height, viewBox: `0 0 ${width} ${height}` })
      root.setAttribute('aria-label', view.label)
      const xs = ticksOf(view.x, Math.floor(inner.x / ROOM))
      const ys = ticksOf(view.y, Math.max(2, Math.floor(inner.y / (ROOM / 1.5))))
      keep(grid, [...ys.map(y => `M${EDGE.left} ${py(y)}h${inner.x}`), ...xs.map(x => `M${px(x)} ${EDGE.top}v${inner.y}`)],
        () => svg('path'), (path, d) => path.setAttribute('d', d))
      const marks = [
        ...xs.map(x => ({ x: px(x), y: height - EDGE.bottom + 16, anchor: 'middle', text: formatTick(x, xs) })),
        ...ys.map(y => ({ x: EDGE.left - 6, y: py(y) + 4, anchor: 'end', text: formatTick(y, ys) }))]
      keep(ticks, marks, () => svg('text'), (text, { x, y, anchor, text: words }) => {
        setAll(text, { x, y, 'text-anchor': anchor })
        setText(text, words)
      })
      keep(lines, paths, () => svg('path'), (path, { points: list, kind = '' }) => {
        path.setAttribute('class', kind)
        path.setAttribute('d', list.map(([x, y], i) => `${i ? 'L' : 'M'}${px(x).toFixed(2)} ${py(y).toFixed(2)}`).join(''))
      })
      keep(dots, points, () => svg('circle'), (dot, { at, kind = '', cell, title }) => {
        const r = kind.includes('is-chosen') ? 6 : kind.includes('is-small') ? 2 : 3.5
        setAll(dot, { class: kind, cx: px(at[0]).toFixed(2), cy: py(at[1]).toFixed(2), r })
        if (cell) ofCell(dot, cell.name, cell.index)
        else dot.removeAttribute('data-cell')
        dot.replaceChildren(...(title ? [svg('title', {}, title)] : []))
      })
      setAll(xName, { 'x': EDGE.left + inner.x / 2, 'y': height - 6, 'text-anchor': 'middle' })
      setAll(yName, { 'x': 4, 'y': EDGE.top + 2, 'text-anchor': 'start' })
      setText(xName, view.xName ?? '')
      setText(yName, view.yName ?? '')
    }
  }
}
