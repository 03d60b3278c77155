/** Global shortcuts: Escape unpins, arrows go to the next room, P presents, Ctrl+Z undoes. */

import { targetOf } from '../lib/dom.js'
import { returnTo } from '../lib/heatmap.js'

/** @type {Record<string, string>} */ const ROOM_LINKS = { ArrowLeft: '.way-prev', ArrowRight: '.way-next' }
/** @type {Record<string, string>} */
const LESSON_WAYS = { ArrowLeft: '.lesson-back', ArrowRight: '.lesson-next' }
/** The keys that a presenter's remote sends. @type {Record<string, string>} */
const CLICKS = { PageUp: 'ArrowLeft', PageDown: 'ArrowRight' }
const USES_ARROWS = 'input, textarea, select, dialog, .heat, .chip, .frame, [tabindex="0"]'

/** @typedef {{ isPinned(): boolean, release(): void, leave(): void, undo(): void, redo(): void }} Acts */

const isPresenting = () => document.documentElement.hasAttribute('data-present')

/**
 * Left and right go from room to room or step to step, wherever nothing else uses them.
 * @param {KeyboardEvent} event @param {HTMLElement} stage
 */
function lead(event, stage) {
  const key = isPresenting() ? CLICKS[event.key] ?? event.key : event.key
  const way = ROOM_LINKS[key]
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.defaultPrevented
  if (!way || !isPlain || targetOf(event).closest(USES_ARROWS)) return
  const inLesson = document.querySelector('.lesson:not([hidden]) .lesson-ways')
  /** @type {HTMLElement | null} */
  const link = inLesson ? inLesson.querySelector(LESSON_WAYS[key]) : stage.querySelector(way)
  if (!link) return
  if (isPresenting()) event.preventDefault()
  link.click()
}

/**
 * P toggles the slide mode: the figure first and as wide as the window. Since everything moves, it scrolls to
 * the title.
 * @param {KeyboardEvent} event
 */
function present(event) {
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.defaultPrevented
  if (event.key.toLowerCase() !== 'p' || !isPlain || targetOf(event).closest('input, textarea, select, dialog')) return
  document.documentElement.toggleAttribute('data-present')
  scrollTo({ top: 0, behavior: 'instant' })
}

/** @param {KeyboardEvent} event @param {Pick<Acts, 'undo' | 'redo'>} acts */
function takeBack(event, { undo, redo }) {
  const isStep = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
  if (!isStep || targetOf(event).matches('input, textarea')) return
  event.preventDefault()
  if (event.shiftKey) redo()
  else undo()
}

/**
 * Listens to the keys of the whole page.
 * @param {{ stage: HTMLElement, inspector: HTMLElement }} page
 * @param {Acts} acts
 */
export function keys({ stage, inspector }, acts) {
  /** The matrix that had the focus last; following sources moves the focus away from it, into the inspector. */
  /** @type {HTMLElement | null} */ let grid = null
  stage.addEventListener('focusin', event => {
    const target = targetOf(event)
    if (target.matches('.heat[role="grid"]')) grid = target
  })
  /** The focused element of the inspector disappears with the cell, so the focus is returned to the matrix. */
  function release() {
    const { activeElement } = document
    const isAway = activeElement === document.body || inspector.contains(activeElement)
    acts.release()
    if (!isAway) return
    returnTo(grid)
    if (document.activeElement !== grid) stage.focus({ preventScroll: true })
  }
  addEventListener('keydown', event => {
    const isFree = !event.defaultPrevented && !document.querySelector('dialog[open]')
    if (event.key === 'Escape' && isFree) {
      const field = targetOf(event).closest('[data-field]')
      if (field instanceof HTMLElement) field.blur()
      else if (acts.isPinned()) release()
      else if (isPresenting()) document.documentElement.removeAttribute('data-present')
      else acts.leave()
    }
    lead(event, stage)
    present(event)
    takeBack(event, acts)
  })
}
