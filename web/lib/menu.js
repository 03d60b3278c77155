/** A button that opens a menu. */

import { h, uniqueId } from './dom.js'

/** @import { Child } from '../types.d.ts' */

/**
 * A press elsewhere and Escape close the menu.
 * @param {{ className: string, label: string, onopen?: () => void }} options @param {...Child} content
 */
export function createMenu({ className, label, onopen }, ...content) {
  const id = uniqueId('menu')
  const body = h('div', {
    className: 'menu-body', id, popover: 'auto',
    onbeforetoggle: (/** @type {ToggleEvent} */ { newState }) => newState === 'open' && onopen?.()
  }, ...content)
  const opener = h('button', { type: 'button', className: 'quiet menu-opener', popovertarget: id }, label)
  return h('div', { className }, opener, body)
}
