/** Explains a term of a step beside it; another press, and Escape, close the explanation. */

import { handleInternalClick, h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { loadGlossary } from '../words/index.js'

/** @import { Context, Patch } from '../types.d.ts' */
/** @typedef {typeof import('../words/en/glossary.json')} Words */

/** Pixels between the popover and its term, and the edges of the window. */
const MARGIN = 8

/** Below the term, or above it where there is no room. @param {HTMLElement} popover @param {HTMLElement} term */
function placeAt(popover, term) {
  const { left, top, bottom } = term.getBoundingClientRect(), { offsetWidth, offsetHeight } = popover
  const below = bottom + MARGIN, above = Math.max(MARGIN, top - MARGIN - offsetHeight)
  const y = below + offsetHeight <= innerHeight ? below : above
  popover.style.setProperty('left', `${Math.max(MARGIN, Math.min(left, innerWidth - offsetWidth - MARGIN))}px`)
  popover.style.setProperty('top', `${y}px`)
}

/**
 * @param {HTMLElement} container @param {Context} context
 * @param {boolean} hasGlossary whether the whole entry can be opened
 */
export function createTermPopover(container, { t, language, link, set, reportError }, hasGlossary) {
  const popover = h('div', { className: 'lesson-term', popover: 'auto', role: 'note', tabIndex: -1, autofocus: true })
  /** @param {Patch} patch */
  const createEntryLink = patch => h('a', { href: link(patch), onclick: handleInternalClick(() => {
    popover.hidePopover()
    set(patch)
  }) }, t('player.term'))
  /** @param {keyof Words['terms']} id @param {HTMLElement} term @param {Patch} patch */
  async function show(id, term, patch) {
    const { names, terms } = /** @type {Words} */ (await loadGlossary(language()))
    const entry = hasGlossary ? createEntryLink(patch) : ''
    popover.replaceChildren(h('b', {}, names[id]), h('p', {}, renderProse(terms[id])), entry)
    container.append(popover)
    popover.showPopover()
    placeAt(popover, term)
  }
  return (/** @type {Patch} */ patch, /** @type {HTMLElement} */ term) => {
    show(/** @type {keyof Words['terms']} */ (patch.glossary), term, patch).catch(reportError)
  }
}
