/** Shortcuts of the rooms: Escape unpins, arrows go to the next room, Ctrl+Z undoes. */

import { targetOf } from '../lib/dom.js'
import { returnFocus } from '../lib/heatmap.js'
import { isPresenting, togglePresenting } from '../lib/present.js'

/** @type {Record<string, string>} */ const ROOM_LINK_SELECTORS = { ArrowLeft: '.way-prev', ArrowRight: '.way-next' }
/** @type {Record<string, string>} */
const LESSON_LINK_SELECTORS = { ArrowLeft: '.lesson-back', ArrowRight: '.lesson-next' }
const USES_ARROWS = 'input:not([readonly]), textarea, select, dialog, .heat, .chip, .frame, [tabindex="0"]'

/** @typedef {{ isPinned(): boolean, release(): void, undo(): void, redo(): void }} KeyActions */

/**
 * Left and right go from room to room or step to step, wherever nothing else uses them.
 * @param {KeyboardEvent} event @param {HTMLElement} stage
 */
function navigate(event, stage) {
  const { key } = event
  const roomLink = ROOM_LINK_SELECTORS[key]
  const hasNoModifier = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.defaultPrevented
  if (!roomLink || !hasNoModifier || targetOf(event).closest(USES_ARROWS)) return
  const lessonNavigation = document.querySelector('.lesson:not([hidden]) .lesson-ways')
  /** @type {HTMLElement | null} */
  const link = lessonNavigation ? lessonNavigation.querySelector(LESSON_LINK_SELECTORS[key])
    : stage.querySelector(roomLink)
  if (!link) return
  if (isPresenting()) event.preventDefault()
  link.click()
}

/** @param {KeyboardEvent} event @param {Pick<KeyActions, 'undo' | 'redo'>} acts */
function undoOrRedo(event, { undo, redo }) {
  const isUndoKey = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
  if (!isUndoKey || targetOf(event).matches('input, textarea, [contenteditable]')) return
  event.preventDefault()
  if (event.shiftKey) redo()
  else undo()
}

/**
 * Listens to the keys of the whole page.
 * @param {{ stage: HTMLElement, inspector: HTMLElement }} page
 * @param {KeyActions} actions
 */
export function listenToKeys({ stage, inspector }, actions) {
  /** The matrix that had the focus last; following sources moves the focus away from it, into the inspector. */
  /** @type {HTMLElement | null} */ let lastGrid = null
  stage.addEventListener('focusin', event => {
    const target = targetOf(event)
    if (target.matches('.heat[role="grid"]')) lastGrid = target
  })
  /** The focused element of the inspector disappears with the cell, so the focus is returned to the matrix. */
  function release() {
    const { activeElement } = document
    const isFocusOutside = activeElement === document.body || inspector.contains(activeElement)
    actions.release()
    // On slides the arrows lead on again.
    if (isPresenting()) return /** @type {HTMLElement | null} */ (activeElement)?.blur()
    if (!isFocusOutside) return
    returnFocus(lastGrid)
    if (document.activeElement !== lastGrid) stage.focus({ preventScroll: true })
  }
  addEventListener('keydown', event => {
    const isUnhandled = !event.defaultPrevented && !document.querySelector('dialog[open], :popover-open')
    if (event.key === 'Escape' && isUnhandled) {
      const field = targetOf(event).closest('[data-field]')
      if (field instanceof HTMLElement) field.blur()
      else if (actions.isPinned()) release()
      else if (isPresenting()) togglePresenting(false)
    }
    navigate(event, stage)
    undoOrRedo(event, actions)
  })
}
