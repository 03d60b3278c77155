/** Lines and dots over two axes, as SVG. All points are in the units of the axes. */

import { h, childIndex, syncChildren, setAttributes, setText, svg, targetOf } from './dom.js'
import { setCellData } from './origin.js'
import { formatTick, listTicks } from './ticks.js'

/** @import { Cell } from '../types.d.ts' */

const EDGE = { left: 44, right: 12, top: 12, bottom: 40 }
const TICK_DISTANCE = 64

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
 * @param {{ selectCell?(cell: Cell): void, pinCell?(cell: Cell): void }} [handlers] for dots that are cells
 */
export function mountPlot(container, { selectCell, pinCell } = {}) {
  /** @param {string} kind */
  const layer = kind => svg('g', { class: kind })
  const [grid, ticks, lines, dots] = ['plot-grid', 'plot-ticks', 'plot-lines', 'plot-dots'].map(layer)
  const [xName, yName] = [svg('text', { class: 'plot-name' }), svg('text', { class: 'plot-name' })]
  const root = svg('svg', { class: 'plot', role: 'img' }, grid, lines, dots, ticks, xName, yName)
  container.append(h('div', { className: 'plot-slot' }, root))
  /** @type {NonNullable<PlotView['dots']>} */ let current = []
  /** @param {((cell: Cell) => void) | undefined} handler @returns {(event: Event) => void} */
  const withCell = handler => event => {
    const cell = current[childIndex(dots, targetOf(event))]?.cell
    if (cell) handler?.(cell)
  }
  dots.addEventListener('pointerover', withCell(selectCell))
  dots.addEventListener('click', withCell(pinCell))

  return {
    /** @param {PlotView} view */
    update(view) {
      const { width, height = 220, lines: paths = [], dots: points = [] } = view
      const innerSize = { x: width - EDGE.left - EDGE.right, y: height - EDGE.top - EDGE.bottom }
      /** @param {number} value */
      const toX = value => EDGE.left + ((value - view.x[0]) / (view.x[1] - view.x[0] || 1)) * innerSize.x
      /** @param {number} value */
      const toY = value => EDGE.top + (1 - (value - view.y[0]) / (view.y[1] - view.y[0] || 1)) * innerSize.y
      current = points
      setAttributes(root, { width, height, viewBox: `0 0 ${width} ${height}` })
      root.setAttribute('aria-label', view.label)
      const xs = listTicks(view.x, Math.floor(innerSize.x / TICK_DISTANCE))
      const ys = listTicks(view.y, Math.max(2, Math.floor(innerSize.y / (TICK_DISTANCE / 1.5))))
      syncChildren(grid, [...ys.map(y => `M${EDGE.left} ${toY(y)}h${innerSize.x}`), ...xs.map(x => `M${toX(x)} ${EDGE.top}v${innerSize.y}`)],
        () => svg('path'), (path, d) => path.setAttribute('d', d))
      const marks = [
        ...xs.map(x => ({ x: toX(x), y: height - EDGE.bottom + 16, anchor: 'middle', text: formatTick(x, xs) })),
        ...ys.map(y => ({ x: EDGE.left - 6, y: toY(y) + 4, anchor: 'end', text: formatTick(y, ys) }))]
      syncChildren(ticks, marks, () => svg('text'), (text, { x, y, anchor, text: words }) => {
        setAttributes(text, { x, y, 'text-anchor': anchor })
        setText(text, words)
      })
      syncChildren(lines, paths, () => svg('path'), (path, { points: list, kind = '' }) => {
        path.setAttribute('class', kind)
        path.setAttribute('d', list.map(([x, y], i) => `${i ? 'L' : 'M'}${toX(x).toFixed(2)} ${toY(y).toFixed(2)}`).join(''))
      })
      syncChildren(dots, points, () => svg('circle'), (dot, { at, kind = '', cell, title }) => {
        const r = kind.includes('is-chosen') ? 6 : kind.includes('is-small') ? 2 : 3.5
        setAttributes(dot, { class: kind, cx: toX(at[0]).toFixed(2), cy: toY(at[1]).toFixed(2), r })
        if (cell) setCellData(dot, cell.name, cell.index)
        else dot.removeAttribute('data-cell')
        dot.replaceChildren(...(title ? [svg('title', {}, title)] : []))
      })
      setAttributes(xName, { 'x': EDGE.left + innerSize.x / 2, 'y': height - 6, 'text-anchor': 'middle' })
      setAttributes(yName, { 'x': 4, 'y': EDGE.top + 2, 'text-anchor': 'start' })
      setText(xName, view.xName ?? '')
      setText(yName, view.yName ?? '')
    }
  }
}
