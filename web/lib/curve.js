/** A function as a curve, and points on it. */

import { h, syncChildren, setAttributes, svg } from './dom.js'
import { formatFixed } from './number.js'
import { setCellData } from './origin.js'

/** @import { Cell, Curve } from '../types.d.ts' */

const [WIDTH, HEIGHT, EDGE] = [360, 200, 24]

/**
 * Mounts an empty curve.
 * @param {Element} container
 */
export function mountCurve(container) {
  const line = svg('path', { class: 'curve-line' })
  const dots = svg('g', { class: 'curve-dots' })
  const axes = svg('path', { class: 'curve-axes' })
  const mark = svg('circle', { class: 'curve-mark', r: '5' })
  const [from, to] = [svg('tspan'), svg('tspan')]
  const name = svg('text', { class: 'curve-name' }, from, ' → ', to)
  const attributes = { class: 'curve', role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}` }
  const root = svg('svg', attributes, axes, line, dots, mark, name)
  container.append(h('div', { className: 'curve-slot' }, root))
  return {
    /**
     * @param {object} view
     * @param {Curve} view.line
     * @param {{ x: number, y: number }[]} view.points
     * @param {Cell[]} view.cells the cells of the x and y of the chosen point
     * @param {number} view.chosen the highlighted point, or -1
     * @param {string} view.label for screen readers
     */
    update({ line: { x, y }, points, cells, chosen, label }) {
      const maxX = Math.max(1, ...points.map(point => Math.abs(point.x)))
      const low = Math.min(0, ...y)
      /** @param {number} value */
      const px = value => EDGE + ((value + maxX) / (2 * maxX)) * (WIDTH - 2 * EDGE)
      /** @param {number} value */
      const py = value => HEIGHT - EDGE - ((value - low) / (maxX - low)) * (HEIGHT - 2 * EDGE)
      const visible = Array.from(x, (_, i) => i).filter(i => Math.abs(x[i]) <= maxX)
      line.setAttribute('d', visible.map((i, n) => `${n ? 'L' : 'M'}${px(x[i])} ${py(y[i])}`).join(''))
      axes.setAttribute('d', `M${EDGE} ${py(0)}H${WIDTH - EDGE}M${px(0)} ${EDGE}V${HEIGHT - EDGE}`)
      syncChildren(dots, points, () => svg('circle', { r: '2.5' }), (dot, point) => {
        setAttributes(dot, { cx: px(point.x), cy: py(point.y) })
      })
      const chosenPoint = points[chosen]
      mark.toggleAttribute('hidden', !chosenPoint)
      name.toggleAttribute('hidden', !chosenPoint)
      root.setAttribute('aria-label', label)
      if (!chosenPoint) return
      setAttributes(mark, { cx: px(chosenPoint.x), cy: py(chosenPoint.y) })
      ;[from, to].forEach((element, i) => {
        element.textContent = formatFixed(i ? chosenPoint.y : chosenPoint.x)
        setCellData(element, cells[i].name, cells[i].index)
      })
      setAttributes(name, {
        'x': px(chosenPoint.x) + (chosenPoint.x > 0 ? -10 : 10), 'y': py(chosenPoint.y) - 10, 'text-anchor': chosenPoint.x > 0 ? 'end' : 'start'
      })
    }
  }
}
