/** The explanation of a pinned cell below a figure: the page's inspector, with the page's keys. */

import { mountInspector } from '../inspector/index.js'
import { activeElementNear, targetOf } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */
/** @import { InspectorView } from '../inspector/index.js' */

/**
 * Mounts an explanation, hidden.
 * @param {HTMLElement} panel @param {HTMLElement} root with the figure and the panel @param {Context} context
 */
export function mountExplanation(panel, root, context) {
  const inspector = mountInspector(panel, context), hasFocus = () => panel.contains(activeElementNear(panel))
  /** Outside the panel. */ let lastFocus = /** @type {HTMLElement | null} */ (activeElementNear(root))
  root.addEventListener('focusin', event => {
    if (!hasFocus()) lastFocus = targetOf(event)
  })
  root.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !context.get().cell || root.querySelector(':popover-open')) return
    // A dialog or the slides around the element stay open.
    event.preventDefault()
    event.stopPropagation()
    context.pinCell(null)
  })
  return {
    /** @param {Partial<InspectorView>} view @param {boolean} isPressed by the reader, who wants to see it */
    update(view, isPressed) {
      const losesFocus = !view.pinned && hasFocus()
      panel.hidden = !view.pinned
      if (!view.pinned) panel.classList.remove('is-pressed')
      inspector.update(view)
      if (losesFocus) lastFocus?.focus()
      if (isPressed && view.pinned && view.explanation) panel.classList.add('is-pressed')
    }
  }
}
