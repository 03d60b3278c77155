/** A function as a curve, and points on it. */

import { h, keep, setAll, svg } from './dom.js'
import { fixed } from './number.js'
import { ofCell } from './origin.js'

/** @import { Cell, Curve } from '../types.d.ts' */

const [WIDTH, HEIGHT, EDGE] = [360, 200, 24]

/**
 * Mounts an empty curve.
 * @param {Element} container
 */
export function curve(container) {
  const line = svg('path', { class: 'curve-line' })
  const dots = svg('g', { class: 'curve-dots' })
  const axes = svg('path', { class: 'curve-axes' })
  const mark = svg('circle', { class: 'curve-mark', r: '5' })
  const [from, to] = [svg('tspan'), svg('tspan')]
  const name = svg('text', { class: 'curve-name' }, from, ' → ', to)
  const look = { class: 'curve', role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}` }
  const root = svg('svg', look, axes, line, dots, mark, name)
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
      const reach = Math.max(1, ...points.map(point => Math.abs(point.x)))
      const low = Math.min(0, ...y)
      /** @param {number} value */
      const px = value => EDGE + ((value + reach) / (2 * reach)) * (WIDTH - 2 * EDGE)
      /** @param {number} value */
      const py = value => HEIGHT - EDGE - ((value - low) / (reach - low)) * (HEIGHT - 2 * EDGE)
      const inside = Array.from(x, (_, i) => i).filter(i => Math.abs(x[i]) <= reach)
      line.setAttribute('d', inside.map((i, n) => `${n ? 'L' : 'M'}${px(x[i])} ${py(y[i])}`).join(''))
      axes.setAttribute('d', `M${EDGE} ${py(0)}H${WIDTH - EDGE}M${px(0)} ${EDGE}V${HEIGHT - EDGE}`)
      keep(dots, points, () => svg('circle', { r: '2.5' }), (dot, point) => {
        setAll(dot, { cx: px(point.x), cy: py(point.y) })
      })
      const at = points[chosen]
      mark.toggleAttribute('hidden', !at)
      name.toggleAttribute('hidden', !at)
      root.setAttribute('aria-label', label)
      if (!at) return
      setAll(mark, { cx: px(at.x), cy: py(at.y) })
      ;[from, to].forEach((element, i) => {
        element.textContent = fixed(i ? at.y : at.x)
        ofCell(element, cells[i].name, cells[i].index)
      })
      setAll(name, {
        'x': px(at.x) + (at.x > 0 ? -10 : 10), 'y': py(at.y) - 10, 'text-anchor': at.x > 0 ? 'end' : 'start'
      })
    }
  }
}
