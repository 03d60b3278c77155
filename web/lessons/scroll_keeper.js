/** Keeps in the window of the page what a step points at. */

import { findElement } from '../lib/dom.js'
import { isPresenting } from '../lib/present.js'

/** The margin above and below a target after scrolling. */
const SCROLL_MARGIN = 24
/** Elements that are scrolled to as a whole, if they fit into the window. */
const FIGURE_SELECTOR = '.matrix, .product'
/** The maximum distance of a title above a target that is scrolled to together with it. */
const MAX_TITLE_DISTANCE = 64

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
 * The range from the title of the room and the controls below it to the end of a figure, if the target and half of the
 * figure fit together with them.
 * @param {Element} element @param {DOMRect} figureBox @param {number} height
 */
function rangeFromTitle(element, figureBox, height) {
  const top = findElement(document, '.stage').getBoundingClientRect().top + SCROLL_MARGIN, end = top + height
  const areVisible = element.getBoundingClientRect().bottom <= end && (figureBox.top + figureBox.bottom) / 2 <= end
  return areVisible && { top, bottom: Math.min(figureBox.bottom, end) }
}

/**
 * The vertical range that should be visible: the title of the room with the target, else the whole figure of a target,
 * if it fits, else the target with a title right above it.
 * @param {Element} element @param {number} height of the window below what stays at its top
 */
function visibleRange(element, height) {
  const box = element.getBoundingClientRect()
  // On a slide the title of the figure and its controls matter more than its last rows.
  if (isPresenting()) return { top: box.top, bottom: Math.min(box.bottom, box.top + height) }
  const figureBox = element.closest(FIGURE_SELECTOR)?.getBoundingClientRect()
  const fromTitle = figureBox && rangeFromTitle(element, figureBox, height)
  if (fromTitle) return fromTitle
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
/** Entering the slide mode, pressing a cell and opening the inspector keep the place. @param {Event} event */
const isElsewhere = event => !(event instanceof KeyboardEvent && event.key.toLowerCase() === 'p') &&
  !(event.target instanceof Element && event.target.closest(event.type === 'pointerdown' ? '.inspector, .heat' : '.inspector'))

/**
 * Keeps a target visible until the reader scrolls: content above it may still be rendered, and a closing dialog or a
 * lifted finger interrupts a scroll.
 */
export function createScrollKeeper() {
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
      // On a phone the inspector is a card over the page, which covers more when it is opened.
      for (const box of [document.body, findElement(document, '.inspector')]) resizeObserver.observe(box)
      listenerController = new AbortController()
      const { signal } = listenerController
      for (const type of SCROLL_EVENTS) {
        addEventListener(type, event => isElsewhere(event) && release(), { passive: true, signal })
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
