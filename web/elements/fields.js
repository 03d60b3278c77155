/** The fields of a model above its figure, in which the reader writes another text. */

import { h, targetOf } from '../lib/dom.js'
import { mountFields } from '../shell/fields.js'
import fields from '../style/fields.css'
import inElements from '../style/element_fields.css'

/** @import { Companion } from './figure.js' */
/** @import { Context } from '../types.d.ts' */

export const fieldStyles = [fields, inElements]

/** @param {Context} context @returns {Companion} */
export function mountFieldLine(context) {
  const parts = [false, true].map(isLong => mountFields({ isLong }, context))
  const line = h('div', { className: 'field-line', onkeydown: event => {
    if (event.key === 'Escape') targetOf(event).blur()
  }, onclick: event => {
    // An example that is chosen by keyboard disappears.
    if (event.detail === 0 && targetOf(event).closest('.examples')) line.querySelector('input')?.focus()
  } }, parts.map(({ element }) => element))
  return {
    elements: [line],
    update: (run, _, problems) => parts.forEach(part => part.update(context.get(), problems, run))
  }
}
