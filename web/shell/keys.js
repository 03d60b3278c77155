/** Keys that work wherever the reader is: Escape lets go of a cell, arrows lead on, Ctrl+Z takes back. */

import { returnTo } from '../lib/heatmap.js'

const WAYS = { ArrowLeft: '.way-prev', ArrowRight: '.way-next' }
const LESSON_WAYS = { ArrowLeft: '.lesson-back', ArrowRight: '.lesson-next' }
const USES_ARROWS = 'input, textarea, select, dialog, .heat, .chip, .frame, [tabindex="0"]'

/** Left and right lead from room to room or step to step, wherever nothing has a use of its own for them. */
function lead(event, stage) {
  const way = WAYS[event.key]
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.defaultPrevented
  if (!way || !isPlain || event.target.closest(USES_ARROWS)) return
  const inLesson = document.querySelector('.lesson:not([hidden]) .lesson-ways')
  const link = inLesson ? inLesson.querySelector(LESSON_WAYS[event.key]) : stage.querySelector(way)
  link?.click()
}

function takeBack(event, { undo, redo }) {
  const isStep = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
  if (!isStep || event.target.matches('input, textarea')) return
  event.preventDefault()
  if (event.shiftKey) redo()
  else undo()
}

/**
 * Listens to the keys of the whole page.
 * @param {{ stage: HTMLElement, inspector: HTMLElement }} page
 * @param {{ isPinned(): boolean, release(): void, leave(): void, undo(): void, redo(): void }} acts
 */
export function keys({ stage, inspector }, acts) {
  /** Where the keyboard last met a matrix; following sources leads away from it, into the inspector. */
  let grid = null
  stage.addEventListener('focusin', ({ target }) => {
    if (target.matches('.heat[role="grid"]')) grid = target
  })
  /** What the inspector had in focus goes with the cell, so a reader who was there, or nowhere, is taken back. */
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
      if (acts.isPinned()) release()
      else acts.leave()
    }
    lead(event, stage)
    takeBack(event, acts)
  })
}
