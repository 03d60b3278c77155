/** Strip plots: values as dots on a number line, one line per list, all on one scale. */

import { h, keep, setAll, setText, svg } from './dom.js'
import { fixed } from './number.js'
import { ofSlice } from './origin.js'

/** @import { Slice } from '../types.d.ts' */

const [WIDEST, HEIGHT, EDGE, BASE] = [640, 56, 16, 36]
/**
 * Dots are zero-length lines with round caps, many to a path; those of different paths get darker where they overlap.
 */
const LAYERS = [0, 1, 2, 3, 4, 5]

/**
 * @typedef {{ name: string, part: Slice, row: number, values: Float32Array, mean: number, deviation: number,
 *   chosen: number }} Line a row of a matrix
 */

function createLine() {
  const name = h('p', { className: 'strip-name' })
  const picture = svg('svg', { class: 'strip-line', role: 'img' },
    svg('rect', { class: 'strip-spread' }), svg('path', { class: 'strip-axis' }), svg('g', { class: 'strip-dots' }),
    svg('circle', { class: 'strip-chosen', r: 5, cy: BASE - 9 }),
    svg('path', { class: 'strip-mean' }), svg('g', { class: 'strip-ends' }))
  return h('div', { className: 'strip' }, name, picture)
}

/** @param {Element} element @param {Line} line @param {number} reach @param {number} width */
function fillLine(element, { name, part, row, values, mean, deviation, chosen }, reach, width) {
  ofSlice(element, part, row)
  const [text, picture] = element.children
  const [spread, axis, dots, dot, middle, ends] = picture.children
  /** @param {number} value */
  const px = value => EDGE + ((value + reach) / (2 * reach)) * (width - 2 * EDGE)
  setText(text, name)
  picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
  picture.setAttribute('aria-label', name)
  const box = { x: px(mean - deviation), y: BASE - 18, width: px(deviation) - px(-deviation), height: 18 }
  setAll(spread, box)
  axis.setAttribute('d', `M${EDGE} ${BASE}H${width - EDGE}M${px(0)} ${BASE}v5`)
  middle.setAttribute('d', `M${px(mean)} ${BASE - 22}V${BASE}`)
  const places = Array.from(values, px).filter((x, i) => i !== chosen && Number.isFinite(x))
  keep(dots, LAYERS, () => svg('path'), (path, layer) => {
    const own = places.filter((_, i) => i % LAYERS.length === layer)
    path.setAttribute('d', own.map(x => `M${x.toFixed(2)} ${BASE - 9}h0`).join(''))
  })
  const isThere = Number.isFinite(values[chosen])
  setAll(dot, { cx: isThere ? px(values[chosen]) : 0, visibility: isThere ? 'visible' : 'hidden' })
  keep(ends, [-reach, 0, reach], () => svg('text', { 'y': HEIGHT - 3, 'text-anchor': 'middle' }), (end, value) => {
    setAll(end, { x: px(value) })
    setText(end, fixed(value, 1))
  })
}

/**
 * Mounts empty number lines.
 * @param {Element} container
 */
export function strips(container) {
  const root = h('div', { className: 'strips' })
  container.append(root)
  return {
    /**
     * @param {Line[]} lines
     * @param {number} room in pixels
     */
    update(lines, room) {
      const width = Math.min(WIDEST, room)
      // A page that is not laid out yet has no room; it says so once it has.
      if (width <= 2 * EDGE) return
      const reach = Math.max(1, ...lines.flatMap(({ values }) => Array.from(values, Math.abs)))
      keep(root, lines, createLine, (element, line) => fillLine(element, line, reach, width))
    }
  }
}
