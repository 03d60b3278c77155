/** Marks a step's target on the page: a ring around cells of a matrix, or an outline of an element. */

import { findElement, h } from '../lib/dom.js'

/** @import { ModulePath } from '../rooms/graph.js' */

const RING_MARGIN = 3
/** The margin above and below a target after scrolling. */
const SCROLL_MARGIN = 24
/** Elements that are scrolled to as a whole, if they fit into the window. */
const FIGURE_SELECTOR = '.matrix, .product'
/** The maximum distance of a title above a target that is scrolled to together with it. */
const MAX_TITLE_DISTANCE = 64

/** @typedef {{ grid: HTMLElement, here: (number | null)[], counts: number[] }} FoundCells */

/**
 * The grid that displays these cells, and the range of its rows and columns; null stands for all of them.
 * @param {Element} stage @param {{ tensor: string, index: (number | null)[] }} place @returns {FoundCells | null}
 */
function findCells(stage, { tensor, index }) {
  /** @type {NodeListOf<HTMLElement>} */ const grids = stage.querySelectorAll(`.heat[data-tensor="${tensor}"]`)
  for (const grid of grids) {
    const first = (grid.dataset.first ?? '').split(',').map(Number)
    const axes = (grid.dataset.axes ?? '').split(',').map(Number)
    const counts = ['aria-rowcount', 'aria-colcount'].map(name => Number(grid.getAttribute(name)))
    const selected = axes.map(axis => {
      const place = axis < 0 ? null : index[axis]
      return place === null ? null : place - first[axis]
    })
    const isDisplayed = selected.every((place, i) => place === null || (place >= 0 && place < counts[i])) &&
      index.every((place, axis) => axes.includes(axis) || place === null || place === first[axis])
    if (isDisplayed && grid.checkVisibility()) return { grid, here: selected, counts }
  }
  return null
}

/** A ring around cells; it is inside the grid and scrolls with it. @param {FoundCells} found */
function drawRing({ grid, here: [row, col], counts: [rows, cols] }) {
  /** @param {number | null} place @param {number} count */
  const fractionOf = (place, count) => (place === null ? [0, 1] : [place / count, 1 / count])
  const [[left, width], [top, height]] = [fractionOf(col, cols), fractionOf(row, rows)]
  const element = h('span', { className: 'pointer', style: {
    left: `calc(${left * 100}% - ${RING_MARGIN}px)`, top: `calc(${top * 100}% - ${RING_MARGIN}px)`,
    width: `calc(${width * 100}% + ${2 * RING_MARGIN}px)`, height: `calc(${height * 100}% + ${2 * RING_MARGIN}px)`
  } })
  grid.append(element)
  grid.classList.add('has-pointer')
  return element
}

/**
 * The lower edge of the sticky elements that lie above a target: top line, map or lesson, but not what is beside it.
 * @param {Element} target
 */
function stickyBottom(target) {
  const { left, right } = target.getBoundingClientRect()
  return Math.max(...['.top', '.map', '.lesson'].map(selector => {
    /** @type {HTMLElement | null} */ const element = document.querySelector(selector)
    const box = element?.getBoundingClientRect()
    if (!element || !box || box.right <= left || box.left >= right) return 0
    const { position, top } = getComputedStyle(element)
    return position === 'sticky' ? parseFloat(top) + element.offsetHeight : 0
  }))
}

/** The upper edge of what covers the bottom of the window: on a narrow screen the closed inspector. */
function coveredFrom() {
  const inspector = findElement(document, '.inspector')
  const isSheet = inspector.checkVisibility() && getComputedStyle(inspector).position === 'fixed'
  return isSheet ? inspector.getBoundingClientRect().top : innerHeight
}

/**
 * The vertical range that should be visible: the whole figure of a target, if it fits, else the target with a title
 * right above it.
 * @param {Element} element @param {number} height of the window below what stays at its top
 */
function visibleRange(element, height) {
  const box = element.getBoundingClientRect()
  const figureBox = element.closest(FIGURE_SELECTOR)?.getBoundingClientRect()
  if (figureBox && figureBox.height <= height) return figureBox
  const title = element.closest('.stage section')?.querySelector(':scope > h2')?.getBoundingClientRect()
  const top = title && box.top > title.top && box.top - title.bottom < MAX_TITLE_DISTANCE ? title.top : box.top
  return { top, bottom: Math.min(box.bottom, top + height) }
}

/**
 * Scrolls a place into its frame and the window, no further than needed, and never past the question.
 * @param {Element} element @param {Element | null} question
 * @returns {boolean} whether the window had to be scrolled
 */
function scrollTo(element, question) {
  const { left, right } = element.getBoundingClientRect()
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  const frame = element.closest('.frame')
  const box = frame?.getBoundingClientRect()
  if (frame && box && (left < box.left || right > box.right)) {
    frame.scrollBy({ left: left - box.left - SCROLL_MARGIN, behavior })
  }
  const lid = stickyBottom(frame ?? element)
  const { top, bottom } = visibleRange(element, coveredFrom() - lid - 2 * SCROLL_MARGIN)
  const overTop = top - lid - SCROLL_MARGIN
  const overBottom = bottom - coveredFrom() + SCROLL_MARGIN
  const isSticky = ['.lesson', '.lesson-bar'].some(selector => (
    getComputedStyle(findElement(document, selector)).position === 'sticky'))
  const maxDistance = question &&
    !isSticky ? Math.max(0, question.getBoundingClientRect().top - lid - SCROLL_MARGIN / 2) : Infinity
  const distance = overTop < 0 ? overTop : overBottom > 0 ? Math.min(overTop, overBottom, maxDistance) : 0
  if (Math.abs(distance) < 1) return false
  scrollBy({ top: distance, behavior })
  return true
}

/** Milliseconds after which a scroll counts as finished: one that stops at the end of the page fires no event. */
const SCROLL_TIMEOUT = 1000
/** The maximum number of repeated scrolls: at the end of the page, a target may never reach its place. */
const MAX_TRIES = 4
/** Events by which a reader scrolls elsewhere. */
const SCROLL_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown']
/** Entering the slide mode keeps the place. @param {Event} event */
const isScrollKey = event => !(event instanceof KeyboardEvent && event.key.toLowerCase() === 'p')

/**
 * Keeps a target visible until the reader scrolls: content above it may still be rendered, and a closing dialog or a
 * lifted finger interrupts a scroll.
 */
function createScrollKeeper() {
  /** @type {{ element: Element, asked: Element | null } | null} */ let target = null
  // A running scroll continues to where the place was, even if the place has become visible or another is kept.
  let isScrolling = false
  let timeout = 0, tries = 0
  function scrollAgain() {
    if (!target?.element.isConnected || !scrollTo(target.element, target.asked)) return
    isScrolling = true
    clearTimeout(timeout)
    timeout = window.setTimeout(() => { if (tries++ < MAX_TRIES) scrollAgain() }, SCROLL_TIMEOUT)
  }
  addEventListener('scrollend', () => {
    const hasArrived = isScrolling
    isScrolling = false
    if (hasArrived) scrollAgain()
  })
  const resizeObserver = new ResizeObserver(scrollAgain)
  /** @type {AbortController | null} */ let listenerController = null
  const release = () => {
    target = null
    clearTimeout(timeout)
    resizeObserver.disconnect()
    listenerController?.abort()
  }
  return {
    release,
    /** @param {Element} element @param {Element | null} question */
    keep(element, question) {
      release()
      target = { element, asked: question }
      tries = 0
      scrollAgain()
      resizeObserver.observe(document.body)
      listenerController = new AbortController()
      const { signal } = listenerController
      for (const type of SCROLL_EVENTS) {
        addEventListener(type, event => isScrollKey(event) && release(), { passive: true, signal })
      }
    },
    /** The same place after a new rendering, perhaps elsewhere. @param {Element} element */
    renew(element) {
      if (!target || target.element === element) return
      target.element = element
      scrollAgain()
    }
  }
}

/** @param {HTMLElement} stage */
export function createPointer(stage) {
  /** @type {{ key: string, element: Element | null }} */ let lastTarget = { key: '', element: null }
  const scrollKeeper = createScrollKeeper()
  function clear() {
    lastTarget.element?.classList.remove('is-pointed')
    for (const element of document.querySelectorAll('.pointer')) element.remove()
    for (const element of document.querySelectorAll('.has-pointer')) element.classList.remove('has-pointer')
  }
  return {
    /**
     * @param {import('./index.js').Place | null} target @param {string} key scrolls there when it is another
     * @param {Element | null} [question] text that has to stay visible
     */
    point(target, key, question = null) {
      clear()
      if (!target) return scrollKeeper.release()
      const isElement = target.selector !== undefined
      const place = isElement ? null : findCells(stage, target)
      const element = isElement ? document.querySelector(target.selector) : place && drawRing(place)
      if (isElement) element?.classList.add('is-pointed')
      if (element && key !== lastTarget.key) scrollKeeper.keep(element, question)
      else if (element) scrollKeeper.renew(element)
      lastTarget = { key: element ? key : lastTarget.key, element }
    },
    clear() {
      clear()
      scrollKeeper.release()
    }
  }
}
