/** A coordinate plane with arrows and points that can be dragged, or moved with the arrow keys. */

import { h, setAttributes, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { formatTick, listTicks } from '../lib/ticks.js'

const STEP = 0.1
/** The width and the height of the picture in pixels. */
const SIZE = 360
const HEAD = 9
/** The height below an axis that its numbers and its name take; with less, the name stands above. */
const NAME_ROOM = 36
/** How many numbers an axis has at most, and the part of it at either end that has none. */
const [MAX_TICKS, END_ROOM] = [6, 0.05]
/** @type {Record<string, number[]>} */
const KEYS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }

/** @param {number} value */
const roundToStep = value => Math.round(value / STEP) * STEP

/** A point as text. @param {number[]} point */
export const formatPoint = ([x, y]) => `(${formatFixed(x, 1)}, ${formatFixed(y, 1)})`

/**
 * The numbers of an axis, without those at the origin and at its ends.
 * @param {[number, number]} ends
 */
function listNumbers([low, high]) {
  const values = listTicks([low, high], MAX_TICKS), room = (high - low) * END_ROOM
  return values.filter(value => value !== 0 && value - low > room && high - value > room)
    .map(value => ({ value, text: formatTick(value, values) }))
}

/**
 * @param {{ x: [number, number], y: [number, number], label: string, xLabel?: string, yLabel?: string }} options
 *   the range of both axes
 */
export function createPlane({ x: [left, right], y: [bottom, top], label, xLabel = '', yLabel = '' }) {
  /** @param {number[]} point */
  const toPixel = ([x, y]) => [(x - left) / (right - left) * SIZE, (top - y) / (top - bottom) * SIZE]
  const root = svg('svg', { 'class': 'plane', 'viewBox': `0 0 ${SIZE} ${SIZE}`, 'role': 'group', 'aria-label': label })
  const [originX, originY] = toPixel([0, 0])
  /** @param {number} low @param {number} high */
  const integersIn = (low, high) => (
    Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => Math.ceil(low) + i))
  const ticks = svg('g', { 'class': 'plane-ticks', 'aria-hidden': 'true' },
    listNumbers([left, right]).map(({ value, text }) => svg('text', { x: toPixel([value, 0])[0], y: originY + 14 }, text)),
    listNumbers([bottom, top]).map(({ value, text }) => (
      svg('text', { class: 'is-upright', x: originX - 5, y: toPixel([0, value])[1] + 4 }, text))))
  root.append(
    svg('g', { class: 'plane-grid' },
      integersIn(left, right).map(x => svg('line', { x1: toPixel([x, 0])[0], x2: toPixel([x, 0])[0], y1: 0, y2: SIZE })),
      integersIn(bottom, top).map(y => svg('line', { y1: toPixel([0, y])[1], y2: toPixel([0, y])[1], x1: 0, x2: SIZE }))),
    svg('line', { class: 'plane-axis', x1: 0, x2: SIZE, y1: originY, y2: originY }),
    svg('line', { class: 'plane-axis', y1: 0, y2: SIZE, x1: originX, x2: originX }), ticks,
    svg('text', { class: 'plane-name', x: SIZE - 4, y: originY + (SIZE - originY < NAME_ROOM ? -6 : 30) }, xLabel),
    svg('text', { class: 'plane-name is-upright', x: originX + 6, y: 14 }, yLabel))

  /** A line from one point to another. @param {string} className */
  function addLine(className) {
    const line = svg('line', { class: className })
    root.append(line)
    return (/** @type {number[]} */ from, /** @type {number[]} */ to) => {
      const [[x1, y1], [x2, y2]] = [toPixel(from), toPixel(to)]
      setAttributes(line, { x1, y1, x2, y2 })
    }
  }
  /**
   * An arrow from the origin, with a name at its tip.
   * @param {string} className @param {string} [name]
   * @param {boolean} [isOpposite] whether the name stands on the inner side of the tip: the arrow may reach another
   */
  function addArrow(className, name = '', isOpposite = false) {
    const line = svg('line'), head = svg('path'), text = svg('text', {}, name)
    root.append(svg('g', { class: `plane-arrow ${className}` }, line, head, text))
    return (/** @type {number[]} */ to, /** @type {number[]} */ from = [0, 0]) => {
      const [[x1, y1], [x2, y2]] = [toPixel(from), toPixel(to)], length = Math.hypot(x2 - x1, y2 - y1)
      const [dx, dy] = length ? [(x2 - x1) / length, (y2 - y1) / length] : [0, 0]
      setAttributes(line, { x1, y1, x2: x2 - dx * HEAD, y2: y2 - dy * HEAD })
      head.setAttribute('d', length < 2 ? '' : `M${x2} ${y2}L${x2 - HEAD * dx - 5 * dy} ${y2 - HEAD * dy + 5 * dx}` +
        `L${x2 - HEAD * dx + 5 * dy} ${y2 - HEAD * dy - 5 * dx}Z`)
      // Near an edge the name stands above or below the tip, and towards the edge, so that it keeps off the arrow.
      const [isAtRight, isAtLeft] = [x2 > SIZE * 0.8, x2 < SIZE * 0.2]
      const x = isAtRight ? Math.min(SIZE - 4, x2 + 28) : isAtLeft ? Math.max(4, x2 - 28) : x2
      const anchor = isAtRight ? 'end' : isAtLeft ? 'start' : dx < -0.3 ? 'end' : dx > 0.3 ? 'start' : 'middle'
      const inner = y2 > SIZE * 0.7 ? y2 - 16 : y2 + 26
      if (isOpposite) return setAttributes(text, { x, 'y': inner, 'text-anchor': anchor })
      const isBeside = anchor === (dx < 0 ? 'end' : 'start')
      setAttributes(text, { 'x': x + (isBeside ? 14 * dx : 0), 'y': y2 + (isBeside ? 14 * dy + 5 : dy < 0 ? -12 : 24), 'text-anchor': anchor })
    }
  }
  /**
   * A point to be dragged.
   * @param {{ name: string, onmove: (point: number[]) => void }} options
   */
  function addHandle({ name, onmove }) {
    const handle = svg('g', { 'class': 'plane-handle', 'tabindex': '0', 'role': 'slider', 'aria-label': name, 'aria-valuemin': String(left),
      'aria-valuemax': String(right) }, svg('circle', { class: 'plane-reach', r: 22 }), svg('circle', { r: 7 }))
    root.append(handle)
    let point = [0, 0]
    /** @param {number[]} next */
    function move([x, y]) {
      onmove([Math.min(right, Math.max(left, roundToStep(x))), Math.min(top, Math.max(bottom, roundToStep(y)))])
    }
    /** @param {PointerEvent} event */
    function follow({ clientX, clientY }) {
      const matrix = root.getScreenCTM()
      if (!matrix) return
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse())
      move([left + x / SIZE * (right - left), top - y / SIZE * (top - bottom)])
    }
    handle.addEventListener('pointerdown', event => {
      handle.setPointerCapture(event.pointerId)
      handle.focus({ preventScroll: true })
      event.preventDefault()
    })
    // `touch-action: none` inside an SVG does not keep Chromium from scrolling, which would cancel the pointer.
    handle.addEventListener('touchstart', event => event.preventDefault(), { passive: false })
    handle.addEventListener('pointermove', event => handle.hasPointerCapture(event.pointerId) && follow(event))
    handle.addEventListener('keydown', event => {
      const change = KEYS[event.key]
      if (!change) return
      event.preventDefault()
      move([point[0] + change[0], point[1] + change[1]])
    })
    return (/** @type {number[]} */ next) => {
      point = next
      const [x, y] = toPixel(point)
      handle.setAttribute('transform', `translate(${x} ${y})`)
      setAttributes(handle, { 'aria-valuenow': point[0].toFixed(1), 'aria-valuetext': formatPoint(point) })
    }
  }
  return { element: h('div', { className: 'plane-box' }, root), root, toPixel, addLine, addArrow, addHandle }
}
