/** Labels along the edge of a matrix: straight if they fit, slanted if they are words, thinned out if they are many. */

import { h, keep, contextOf, setText } from './dom.js'
import { visibleRect, onViewportChange } from './viewport.js'

const FONT = '13px system-ui, "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR", sans-serif'
const LINE = 14
const LONGEST = 108
/** The minimum distance of numbers. */
const MIN_DISTANCE = 8
const SLANT = Math.SQRT1_2
/** The minimum distance of slanted labels. */
const SLANTED_LINE = 16
/** Of more labels than this, thinned-out ones are not built, and the others only near the window. */
const [MANY, MARGIN] = [128, 400]

/** @type {Map<string, number>} */ const widths = new Map()
/** @type {CanvasRenderingContext2D | null} */ let ctx = null

/** @param {string} text */
function widthOf(text) {
  let width = widths.get(text)
  if (width === undefined) {
    ctx ??= contextOf(document.createElement('canvas'))
    ctx.font = FONT
    if (widths.size > 5000) widths.clear()
    width = Math.min(LONGEST, ctx.measureText(text).width)
    widths.set(text, width)
  }
  return width
}

/** @param {string[]} labels */
const numeric = labels => labels.every(text => /^\d*$/.test(text))
const DIGITS = [...'0123456789']

/** @param {string[]} labels */
const longestOf = labels => labels.reduce((max, { length }) => Math.max(max, length), 0)

/** The width of the widest label. @param {string[]} labels @returns {number} */
export function widest(labels) {
  // Thousands of numbers are not all measured: none is wider than its length times the widest digit.
  if (labels.length > MANY && numeric(labels)) return longestOf(labels) * widest(DIGITS)
  return labels.reduce((max, text) => Math.max(max, widthOf(text)), 0)
}

/** Every n-th row label is displayed. @param {number} cell height */
export const leftStep = cell => Math.ceil(LINE / cell)

/** Every n-th slanted column label is displayed. @param {number} cell width */
export const slantedStep = cell => Math.ceil(SLANTED_LINE / cell)

/** The width for row labels. @param {string[]} labels */
export const leftGutter = labels => Math.ceil(widest(labels)) + 10

/**
 * The layout of column labels for a cell width: the height, the overhang at the right, and the step.
 * @param {string[]} labels
 * @param {number} cell
 */
export function topPlan(labels, cell) {
  const width = widest(labels)
  const numberStep = Math.ceil((width + MIN_DISTANCE) / cell)
  if (numeric(labels)) return { slanted: false, step: numberStep, height: 20, overhang: 0 }
  if (width + 4 <= cell) return { slanted: false, step: 1, height: 20, overhang: 0 }
  return {
    slanted: true, step: slantedStep(cell), height: Math.ceil(width * SLANT) + 14,
    overhang: Math.max(0, Math.ceil(width * SLANT - cell / 2) + 6)
  }
}

/**
 * Mounts a strip of labels.
 * @param {Element} container
 * @param {'left' | 'top'} side
 */
export function labels(container, side) {
  const strip = h('div', { 'className': `labels labels-${side}`, 'aria-hidden': 'true' })
  container.append(strip)
  let lastKey = ''
  /** Positions of labels, the step, and all texts. */
  let cellSize = 0, every = 1, isSlanted = false
  /** @type {string[]} */ let texts = []
  /** The highlighted label, where it is not built. */
  const extra = h('span', { className: 'is-active' })
  const [offset, extent] = side === 'left' ? ['top', 'height'] : ['left', 'width']
  /** @param {HTMLElement} span @param {number} index */
  function place(span, index) {
    setText(span, texts[index])
    span.dataset.at = String(index)
    span.style.setProperty(offset, `${(index + 0.5) * cellSize}px`)
  }
  /** The distance that keeps two labels from overlapping. @param {number} one @param {number} other */
  const apart = (one, other) => (side === 'left' ? LINE : isSlanted ? SLANTED_LINE
    : (widthOf(texts[one]) + widthOf(texts[other])) / 2 + 2)
  /**
   * Whether a label makes way for the highlighted one.
   * @param {number} at @param {number | null | undefined} active
   */
  const makesWay = (at, active) => every > 1 && active !== null && active !== undefined && at !== active &&
    active < texts.length && Math.abs(at - active) * cellSize < apart(at, active)
  /** @param {number[]} built */
  const build = built => keep(strip, built, () => h('span'), (span, index) => {
    place(span, index)
    span.classList.toggle('is-thinned', index % every !== 0)
  })
  const buildSight = onViewportChange(strip, () => {
    if (texts.length <= MANY) return
    const box = visibleRect(strip, MARGIN), [from, to] = side === 'left' ? [box.top, box.bottom] : [box.left, box.right]
    const first = Math.max(0, Math.ceil(from / cellSize / every)) * every, end = Math.min(texts.length, to / cellSize)
    extra.remove()
    build(Array.from({ length: Math.max(0, Math.ceil((end - first) / every)) }, (_, i) => first + i * every))
  })
  return {
    element: strip,
    /** @param {{ items: string[], cell: number, room: number, slanted?: boolean, step?: number }} view */
    update({ items, cell, room, slanted = false, step = side === 'left' ? leftStep(cell) : 1 }) {
      const now = [cell, room, slanted, step, ...items].join('\n')
      if (now === lastKey) return
      lastKey = now
      strip.classList.toggle('is-slanted', slanted)
      strip.style.setProperty(side === 'left' ? 'width' : 'height', `${room}px`)
      strip.style.setProperty(extent, `${items.length * cell}px`)
      cellSize = cell
      every = step
      isSlanted = slanted
      texts = items
      extra.remove()
      if (items.length > MANY) buildSight()
      else build([...items.keys()])
    },
    /** @param {number | null | undefined} active the label to highlight */
    mark(active) {
      extra.remove()
      let isBuilt = false
      for (const span of /** @type {Iterable<HTMLElement>} */ (strip.children)) {
        const at = Number(span.dataset.at), isHere = at === active
        span.classList.toggle('is-active', isHere)
        span.classList.toggle('is-covered', makesWay(at, active))
        isBuilt ||= isHere
      }
      if (isBuilt || active === null || active === undefined || active >= texts.length) return
      place(extra, active)
      strip.append(extra)
    }
  }
}
