/** The explanation of a pinned cell below a figure: the page's inspector, with the page's keys. */

import { mountInspector } from '../inspector/index.js'
import { activeElementNear, targetOf } from '../lib/dom.js'

/** @import { Context } from '../types.d.ts' */
/** @import { InspectorView } from '../inspector/index.js' */

/** The fraction of the window that the panel leaves at least, and pixels between the panel and a pressed cell. */
const MIN_FREE = 0.55, GAP = 8

/** The bottom of the selected cell of a matrix in the window. @param {Element | null | undefined} grid */
function cellBottom(grid) {
  const row = grid?.querySelector('[aria-rowindex]')
  if (!grid || !row) return 0
  const { top, height } = grid.getBoundingClientRect()
  return top + height * Number(row.ariaRowIndex) / Number(grid.ariaRowCount)
}

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
      if (!isPressed || !view.pinned || !view.explanation || panel.classList.contains('is-pressed')) return
      panel.classList.add('is-pressed')
      // What was pressed stays visible above the panel.
      scrollBy(0, Math.max(0, cellBottom(lastFocus?.closest('[role="grid"]')) + GAP - MIN_FREE * innerHeight))
    }
  }
}
