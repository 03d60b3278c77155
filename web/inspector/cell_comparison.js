/** A cell in both runs of a comparison, and the difference. */

import { h } from '../lib/dom.js'
import { formatBrief } from '../lib/number.js'

/** @import { Cell, Translate } from '../types.d.ts' */

/**
 * @param {{ here: number, there: number } | null} pair
 * @param {Cell} cell
 * @param {Translate} t
 */
export function renderComparison(pair, cell, t) {
  if (!pair) return ''
  const { here, there } = pair
  const difference = Object.is(here, there) ? 0 : there - here
  /** @param {string} name @param {number} value @param {boolean} isCurrent */
  const entry = (name, value, isCurrent) => h('div', { className: isCurrent ? 'is-current' : '' },
    h('dt', {}, t(`twin.${name}`)), h('dd', {}, formatBrief(value)))
  return h('dl', { className: 'compared' }, entry('here', here, !cell.isTwin), entry('there', there, Boolean(cell.isTwin)),
    entry('apart', difference, false))
}
