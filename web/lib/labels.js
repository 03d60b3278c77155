/** Labels along the edge of a matrix: straight if they fit, slanted if they are words, thinned out if they are many. */

import { h, syncChildren, getContext2d, setText } from './dom.js'
import { fontFamily } from './font.js'
import { visibleRect, onViewportChange } from './viewport.js'

const FONT_SIZE = '13px'
const LINE = 14
const MAX_WIDTH = 108
/** The minimum distance of numbers. */
const MIN_DISTANCE = 8
const SLANT = Math.SQRT1_2
/** The minimum distance of slanted labels. */
const SLANTED_LINE = 16
/** Of more labels than this, only every n-th is built, and only within a margin in pixels around the window. */
const [MANY, MARGIN] = [128, 400]

/** @type {Map<string, number>} */ const widths = new Map()
/** @type {CanvasRenderingContext2D | null} */ let ctx = null

/** @param {string} text */
function measureText(text) {
  let width = widths.get(text)
  if (width === undefined) {
    ctx ??= getContext2d(document.createElement('canvas'))
    ctx.font = `${FONT_SIZE} ${fontFamily()}`
    if (widths.size > 5000) widths.clear()
    width = Math.min(MAX_WIDTH, ctx.measureText(text).width)
    widths.set(text, width)
  }
  return width
}

/** @param {string[]} labels */
const areNumeric = labels => labels.every(text => /^\d*$/.test(text))
const DIGITS = [...'0123456789']

/** @param {string[]} labels */
const maxLength = labels => labels.reduce((max, { length }) => Math.max(max, length), 0)

/** The width of the widest label. @param {string[]} labels @returns {number} */
export function maxWidth(labels) {
  // Thousands of numbers are not all measured: none is wider than its length times the widest digit.
  if (labels.length > MANY && areNumeric(labels)) return maxLength(labels) * maxWidth(DIGITS)
  return labels.reduce((max, text) => Math.max(max, measureText(text)), 0)
}

/** Every n-th row label is displayed. @param {number} cell height */
export const leftStep = cell => Math.ceil(LINE / cell)

/** Every n-th slanted column label is displayed. @param {number} cell width */
export const slantedStep = cell => Math.ceil(SLANTED_LINE / cell)

/** The width for row labels. @param {string[]} labels */
export const leftWidth = labels => Math.ceil(maxWidth(labels)) + 10

/**
 * The layout of column labels for a cell width: the height, the overhang at the right, and the step.
 * @param {string[]} labels
 * @param {number} cell
 */
export function planTopLabels(labels, cell) {
  const width = maxWidth(labels)
  const numberStep = Math.ceil((width + MIN_DISTANCE) / cell)
  if (areNumeric(labels)) return { slanted: false, step: numberStep, height: 20, overhang: 0 }
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
export function mountLabels(container, side) {
  const strip = h('div', { 'className': `labels labels-${side}`, 'aria-hidden': 'true' })
  container.append(strip)
  let lastKey = ''
  /** Positions of labels, the step, and all texts. */
  let cellSize = 0, labelStep = 1, isSlanted = false
  /** @type {string[]} */ let texts = []
  /** The highlighted label, where it is not built. */
  const extraLabel = h('span', { className: 'is-active' })
  const [offset, extent] = side === 'left' ? ['top', 'height'] : ['left', 'width']
  /** @param {HTMLElement} span @param {number} index */
  function place(span, index) {
    setText(span, texts[index])
    span.dataset.at = String(index)
    span.style.setProperty(offset, `${(index + 0.5) * cellSize}px`)
  }
  /** The distance that keeps two labels from overlapping. @param {number} a @param {number} b */
  const minDistance = (a, b) => (side === 'left' ? LINE : isSlanted ? SLANTED_LINE
    : (measureText(texts[a]) + measureText(texts[b])) / 2 + 2)
  /**
   * Whether a label makes way for the highlighted one.
   * @param {number} index @param {number | null | undefined} active
   */
  const isCovered = (index, active) => labelStep > 1 && active !== null && active !== undefined && index !== active &&
    active < texts.length && Math.abs(index - active) * cellSize < minDistance(index, active)
  /** @param {number[]} built */
  const build = built => syncChildren(strip, built, () => h('span'), (span, index) => {
    place(span, index)
    span.classList.toggle('is-thinned', index % labelStep !== 0)
  })
  const buildVisible = onViewportChange(strip, () => {
    if (texts.length <= MANY) return
    const box = visibleRect(strip, MARGIN), [from, to] = side === 'left' ? [box.top, box.bottom] : [box.left, box.right]
    const first = Math.max(0, Math.ceil(from / cellSize / labelStep)) * labelStep,
      end = Math.min(texts.length, to / cellSize)
    extraLabel.remove()
    build(Array.from({ length: Math.max(0, Math.ceil((end - first) / labelStep)) }, (_, i) => first + i * labelStep))
  })
  return {
    element: strip,
    /** @param {{ items: string[], cell: number, room: number, slanted?: boolean, step?: number }} view */
    update({ items, cell, room: size, slanted = false, step = side === 'left' ? leftStep(cell) : 1 }) {
      const viewKey = [cell, size, slanted, step, ...items].join('\n')
      if (viewKey === lastKey) return
      lastKey = viewKey
      strip.classList.toggle('is-slanted', slanted)
      strip.style.setProperty(side === 'left' ? 'width' : 'height', `${size}px`)
      strip.style.setProperty(extent, `${items.length * cell}px`)
      cellSize = cell
      labelStep = step
      isSlanted = slanted
      texts = items
      extraLabel.remove()
      if (items.length > MANY) buildVisible()
      else build([...items.keys()])
    },
    /** @param {number | null | undefined} active the label to highlight */
    mark(active) {
      extraLabel.remove()
      let isBuilt = false
      for (const span of /** @type {Iterable<HTMLElement>} */ (strip.children)) {
        const index = Number(span.dataset.at), isActive = index === active
        span.classList.toggle('is-active', isActive)
        span.classList.toggle('is-covered', isCovered(index, active))
        isBuilt ||= isActive
      }
      if (isBuilt || active === null || active === undefined || active >= texts.length) return
      place(extraLabel, active)
      strip.append(extraLabel)
    }
  }
}
