/** The layout of the second figure: beside the first where both fit, else below it. */

import { h, measureWidth } from '../lib/dom.js'

/** @import { Translate } from '../types.d.ts' */

/** Half of a narrower room is too narrow for any figure. */
const NARROW = 560
const MARGINS = 32

/** Whether the page is as narrow as a phone's: the second figure is always below the first. */
export const isNarrow = () => matchMedia(`(max-width: ${NARROW + MARGINS - 1}px)`).matches

/** @param {Element} element */
const isOverflowing = element => (
  [...element.querySelectorAll('.frame, .words')].some(part => part.scrollWidth > part.clientWidth + 1))

/**
 * Wraps a figure in a frame with a place for another one.
 * @param {HTMLElement} first
 * @param {HTMLElement} top what is above both
 * @param {Translate} t
 */
export function mountSideBySide(first, top, t) {
  const heads = ['here', 'there'].map(name => (
    h('h2', { className: `twins-${name}`, hidden: true }, h('b', {}, t(`twin.${name}`)), ' ', h('span'))))
  const place = h('div', { className: 'stage-figure', hidden: true })
  const root = h('div', { className: 'twins' })
  const below = h('section', { 'className': 'twin-body', 'hidden': true, 'aria-label': t('twin.difference') },
    h('h2', {}, t('twin.difference')))
  first.replaceWith(root)
  root.append(heads[0], first, heads[1], place)
  root.before(top)
  root.after(below)
  /** The widest room at which figures side by side were cut off. */
  let maxNarrowWidth = NARROW - 1

  return {
    heads, place, below,
    /** @param {boolean} isOn */
    show(isOn) {
      if (isOn === root.classList.contains('is-on')) return
      root.classList.toggle('is-on', isOn)
      heads.forEach(head => { head.hidden = !isOn })
      below.hidden = !isOn
      if (!isOn) place.hidden = true
      root.classList.toggle('is-below', root.clientWidth <= maxNarrowWidth)
    },
    /**
     * After rendering: moves figures that were cut off side by side below one another.
     * @param {number} width they were drawn for
     */
    settle(width) {
      const room = root.clientWidth
      const isDrawnForWidth = measureWidth(first) === width
      const isSideBySide = !root.classList.contains('is-below')
      if (isSideBySide && isDrawnForWidth &&
        (isOverflowing(first) || isOverflowing(place))) maxNarrowWidth = Math.max(maxNarrowWidth, room)
      root.classList.toggle('is-below', room <= maxNarrowWidth)
    }
  }
}
