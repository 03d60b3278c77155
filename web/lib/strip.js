/** Strip plots: values as dots on a number line, one line per list, all on one scale. */

import { h, syncChildren, setAttributes, setText, svg } from './dom.js'
import { formatFixed } from './number.js'
import { setSliceData } from './origin.js'

/** @import { Slice } from '../types.d.ts' */

const [MAX_WIDTH, HEIGHT, EDGE, BASE] = [640, 56, 16, 36]
/**
 * Dots are zero-length lines with round caps. They are divided among a few paths, since only dots of different paths
 * get darker where they overlap.
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

/** @param {Element} element @param {Line} line @param {number} maxMagnitude @param {number} width */
function fillLine(element, { name, part, row, values, mean, deviation, chosen }, maxMagnitude, width) {
  setSliceData(element, part, row)
  const [text, picture] = element.children
  const [spread, axis, dots, dot, meanMark, ends] = picture.children
  /** @param {number} value */
  const toX = value => EDGE + ((value + maxMagnitude) / (2 * maxMagnitude)) * (width - 2 * EDGE)
  setText(text, name)
  picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
  picture.setAttribute('aria-label', name)
  const hasMean = Number.isFinite(mean) && Number.isFinite(deviation), visibility = hasMean ? 'visible' : 'hidden'
  const center = hasMean ? mean : 0, spreadSize = hasMean ? deviation : 0
  setAttributes(spread,
    { x: toX(center - spreadSize), y: BASE - 18, width: toX(spreadSize) - toX(-spreadSize), height: 18, visibility })
  axis.setAttribute('d', `M${EDGE} ${BASE}H${width - EDGE}M${toX(0)} ${BASE}v5`)
  setAttributes(meanMark, { d: `M${toX(center)} ${BASE - 22}V${BASE}`, visibility })
  const xs = Array.from(values, toX).filter((x, i) => i !== chosen && Number.isFinite(x))
  syncChildren(dots, LAYERS, () => svg('path'), (path, layer) => {
    const layerXs = xs.filter((_, i) => i % LAYERS.length === layer)
    path.setAttribute('d', layerXs.map(x => `M${x.toFixed(2)} ${BASE - 9}h0`).join(''))
  })
  const isChosenFinite = Number.isFinite(values[chosen])
  setAttributes(dot, { cx: isChosenFinite ? toX(values[chosen]) : 0, visibility: isChosenFinite ? 'visible' : 'hidden' })
  syncChildren(ends, [-maxMagnitude, 0, maxMagnitude], () => svg('text', { 'y': HEIGHT - 3, 'text-anchor': 'middle' }), (end, value) => {
    setAttributes(end, { x: toX(value) })
    setText(end, formatFixed(value, 1))
  })
}

/**
 * Mounts empty number lines.
 * @param {Element} container
 */
export function mountStrips(container) {
  const root = h('div', { className: 'strips' })
  container.append(root)
  return {
    /**
     * @param {Line[]} lines
     * @param {number} available in pixels
     */
    update(lines, available) {
      const width = Math.min(MAX_WIDTH, available)
      // Before the page is laid out, the width is 0; a second update follows.
      if (width <= 2 * EDGE) return
      const magnitudes = lines.flatMap(({ values }) => Array.from(values, Math.abs).filter(Number.isFinite))
      const maxMagnitude = Math.max(1, ...magnitudes)
      syncChildren(root, lines, createLine, (element, line) => fillLine(element, line, maxMagnitude, width))
    }
  }
}
