/** The fields of a model above its figure, in which the reader writes another text. */

import { h } from '../lib/dom.js'
import { mountFields } from '../shell/fields.js'
import fields from '../style/fields.css'
import inElements from '../style/element_fields.css'

/** @import { Companion } from './figure.js' */
/** @import { Context } from '../types.d.ts' */

export const fieldStyles = [fields, inElements]

/** @param {Context} context @returns {Companion} */
export function mountFieldLine(context) {
  const parts = [false, true].map(isLong => mountFields({ isLong }, context))
  return {
    elements: [h('div', { className: 'field-line' }, parts.map(({ element }) => element))],
    update: (run, _, problems) => parts.forEach(part => part.update(context.get(), problems, run))
  }
}
