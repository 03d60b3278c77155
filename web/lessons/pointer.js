/** Points at something on the page: a ring around cells of a matrix, or an outline of an element. */

import { findElement, h } from '../lib/dom.js'

/** @import { ModulePath } from '../rooms/graph.js' */

const ROOM = 3
/** The margin above and below what is scrolled to. */
const SPACE = 24
/** The frames of a figure that are scrolled to as a whole, if the window has room for them. */
const WHOLE = '.matrix, .product'
/** The maximum distance of a title above a place, to be scrolled to with it. */
const NEAR = 64

/** @typedef {{ grid: HTMLElement, here: (number | null)[], counts: number[] }} Found */

/**
 * The grid that displays these cells, and the range of its rows and columns; null stands for all of them.
 * @param {Element} stage @param {{ tensor: string, index: (number | null)[] }} place @returns {Found | null}
 */
function findCells(stage, { tensor, index }) {
  /** @type {NodeListOf<HTMLElement>} */ const grids = stage.querySelectorAll(`.heat[data-tensor="${tensor}"]`)
  for (const grid of grids) {
    const first = (grid.dataset.first ?? '').split(',').map(Number)
    const axes = (grid.dataset.axes ?? '').split(',').map(Number)
    const counts = ['aria-rowcount', 'aria-colcount'].map(name => Number(grid.getAttribute(name)))
    const here = axes.map(axis => {
      const place = axis < 0 ? null : index[axis]
      return place === null ? null : place - first[axis]
    })
    const isShown = here.every((place, i) => place === null || (place >= 0 && place < counts[i])) &&
      index.every((place, axis) => axes.includes(axis) || place === null || place === first[axis])
    if (isShown && grid.checkVisibility()) return { grid, here, counts }
  }
  return null
}

/** A ring around cells; it is inside the grid and scrolls with it. @param {Found} found */
function ring({ grid, here: [row, col], counts: [rows, cols] }) {
  /** @param {number | null} place @param {number} count */
  const part = (place, count) => (place === null ? [0, 1] : [place / count, 1 / count])
  const [[left, across], [top, down]] = [part(col, cols), part(row, rows)]
  const element = h('span', { className: 'pointer', style: {
    left: `calc(${left * 100}% - ${ROOM}px)`, top: `calc(${top * 100}% - ${ROOM}px)`,
    width: `calc(${across * 100}% + ${2 * ROOM}px)`, height: `calc(${down * 100}% + ${2 * ROOM}px)`
  } })
  grid.append(element)
  grid.classList.add('has-pointer')
  return element
}

/** The lower edge of what stays at the top of the window after scrolling: top line, map or lesson. */
const topOf = () => Math.max(...['.top', '.map', '.lesson', '.lesson-line'].map(selector => {
  /** @type {HTMLElement | null} */ const element = document.querySelector(selector)
  if (!element) return 0
  const { position, top } = getComputedStyle(element)
  return position === 'sticky' ? parseFloat(top) + element.offsetHeight : 0
}))

/**
 * The range that the window has to show for a place: its whole figure, if that fits, else the place with a title right
 * above it.
 * @param {Element} element @param {number} height of the window below what stays at its top
 */
function stretchOf(element, height) {
  const own = element.getBoundingClientRect()
  const whole = element.closest(WHOLE)?.getBoundingClientRect()
  if (whole && whole.height <= height) return whole
  const title = element.closest('.stage section')?.querySelector(':scope > h2')?.getBoundingClientRect()
  const top = title && own.top > title.top && own.top - title.bottom < NEAR ? title.top : own.top
  return { top, bottom: Math.min(own.bottom, top + height) }
}

/**
 * Scrolls a place into its frame and the window, no further than needed, and never past the question.
 * @param {Element} element @param {Element | null} question
 * @returns {boolean} whether the window had to be scrolled
 */
function show(element, question) {
  const { left, right } = element.getBoundingClientRect()
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  const frame = element.closest('.frame')
  const box = frame?.getBoundingClientRect()
  if (frame && box && (left < box.left || right > box.right)) {
    frame.scrollBy({ left: left - box.left - SPACE, behavior })
  }
  const { top, bottom } = stretchOf(element, innerHeight - topOf() - 2 * SPACE)
  const above = top - topOf() - SPACE
  const below = bottom - innerHeight + SPACE
  const stays = getComputedStyle(findElement(document, '.lesson')).position === 'sticky'
  const room = question && !stays ? Math.max(0, question.getBoundingClientRect().top - topOf() - SPACE / 2) : Infinity
  const by = above < 0 ? above : below > 0 ? Math.min(above, below, room) : 0
  if (Math.abs(by) < 1) return false
  scrollBy({ top: by, behavior })
  return true
}

/** Milliseconds after which a scroll counts as finished: one that stops at the end of the page fires no event. */
const SCROLL_TIMEOUT = 1000
/** How often such a scroll is repeated: at the end of the page, a place may stay below its target. */
const TRIES = 4
/** Events by which a reader scrolls elsewhere. */
const SCROLL_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown']
/** Entering the slide mode keeps the place. @param {Event} event */
const isMove = event => !(event instanceof KeyboardEvent && event.key.toLowerCase() === 'p')

/**
 * Keeps a place visible until the reader scrolls: content above it may still be rendered, and a closing dialog or a
 * lifted finger interrupts a scroll.
 */
function keeper() {
  /** @type {{ element: Element, asked: Element | null } | null} */ let kept = null
  // A running scroll continues to where the place was, even if the place has become visible or another is kept.
  let isOnWay = false
  let overdue = 0, tries = 0
  function again() {
    if (!kept?.element.isConnected || !show(kept.element, kept.asked)) return
    isOnWay = true
    clearTimeout(overdue)
    overdue = window.setTimeout(() => { if (tries++ < TRIES) again() }, SCROLL_TIMEOUT)
  }
  addEventListener('scrollend', () => {
    const hasArrived = isOnWay
    isOnWay = false
    if (hasArrived) again()
  })
  const drawn = new ResizeObserver(again)
  /** @type {AbortController | null} */ let listening = null
  const release = () => {
    kept = null
    clearTimeout(overdue)
    drawn.disconnect()
    listening?.abort()
  }
  return {
    release,
    /** @param {Element} element @param {Element | null} question */
    keep(element, question) {
      release()
      kept = { element, asked: question }
      tries = 0
      again()
      drawn.observe(document.body)
      listening = new AbortController()
      const { signal } = listening
      for (const type of SCROLL_EVENTS) {
        addEventListener(type, event => isMove(event) && release(), { passive: true, signal })
      }
    },
    /** The same place after a new rendering, perhaps elsewhere. @param {Element} element */
    renew(element) {
      if (!kept || kept.element === element) return
      kept.element = element
      again()
    }
  }
}

/** @param {HTMLElement} stage */
export function pointers(stage) {
  /** @type {{ key: string, element: Element | null }} */ let last = { key: '', element: null }
  const keeps = keeper()
  function clear() {
    last.element?.classList.remove('is-pointed')
    for (const one of document.querySelectorAll('.pointer')) one.remove()
    for (const one of document.querySelectorAll('.has-pointer')) one.classList.remove('has-pointer')
  }
  return {
    /**
     * @param {import('./index.js').Place | null} target @param {string} key scrolls there when it is another
     * @param {Element | null} [question] text that has to stay visible
     */
    point(target, key, question = null) {
      clear()
      if (!target) return keeps.release()
      const isElement = target.selector !== undefined
      const place = isElement ? null : findCells(stage, target)
      const element = isElement ? document.querySelector(target.selector) : place && ring(place)
      if (isElement) element?.classList.add('is-pointed')
      if (element && key !== last.key) keeps.keep(element, question)
      else if (element) keeps.renew(element)
      last = { key: element ? key : last.key, element }
    },
    clear() {
      clear()
      keeps.release()
    }
  }
}
