/** The keys of the slide mode: P turns it on and off, and a presenter's remote goes from slide to slide. */

import { targetOf } from '../lib/dom.js'
import { isPresenting, togglePresenting } from '../lib/present.js'

/** The keys that a presenter's remote sends. @type {Record<string, 'back' | 'forward'>} */
const REMOTE_KEYS = { PageUp: 'back', PageDown: 'forward' }
/** On the opening nothing else uses the arrows. @type {Record<string, 'back' | 'forward'>} */
const ARROWS = { ArrowLeft: 'back', ArrowRight: 'forward' }
/** The ways of the opening, of a lesson, of a room; the first that can be pressed is. */
const WAYS = {
  back: '.opening .scrub-back, .lesson:not([hidden]) .lesson-back, .way-prev',
  forward: '.opening .scrub-on, .lesson:not([hidden]) .lesson-next, .way-next'
}
/** What is moved by dragging, and by the arrows while it has the focus. */
const DRAGGABLE = '.plane-handle, input[type="range"]'
const PAGES = 'textarea, select, dialog, [contenteditable="true"]'
const WRITES = `${PAGES}, input:not([type="range"], [type="radio"], [type="checkbox"], [readonly])`

/** Leaves the arrows to the slides after a drag; who got there with Tab keeps them. */
function releaseFocusAfterDrag() {
  /** @type {HTMLElement | SVGElement | null} */ let dragged = null
  addEventListener('pointerdown', event => { dragged = targetOf(event).closest(DRAGGABLE) }, { capture: true })
  addEventListener('pointerup', () => {
    if (isPresenting()) dragged?.blur()
    dragged = null
  }, { capture: true })
}

/** @param {KeyboardEvent} event */
const hasModifier = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey

/** @param {HTMLElement} way */
const canPress = way => way.checkVisibility() && !way.matches('[disabled]')

/**
 * After the last step of the opening comes the first lesson, whose link the slide mode hides.
 * @param {'back' | 'forward'} direction
 */
function findWay(direction) {
  /** @type {HTMLElement | null} */ const start = document.querySelector('.opening .is-start')
  const ways = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(WAYS[direction])])
  return ways.find(canPress) ?? (direction === 'forward' ? start : null)
}

export function listenToSlideKeys() {
  releaseFocusAfterDrag()
  // Before the matrix or the slider that has the focus: a remote has no other keys.
  addEventListener('keydown', event => {
    // A field of one line has no use for PageDown.
    const needsKey = event.key in REMOTE_KEYS ? PAGES : WRITES
    if (!isPresenting() || hasModifier(event) || targetOf(event).closest(needsKey)) return
    const isOpening = document.documentElement.hasAttribute('data-opening')
    const direction = REMOTE_KEYS[event.key] ?? (isOpening ? ARROWS[event.key] : undefined)
    const way = direction && findWay(direction)
    if (!way) return
    event.preventDefault()
    event.stopPropagation()
    way.click()
  }, { capture: true })
  addEventListener('keydown', event => {
    if (event.key.toLowerCase() !== 'p' || hasModifier(event) || event.defaultPrevented || targetOf(event).closest(WRITES)) return
    togglePresenting()
  })
}
