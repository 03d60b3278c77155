/**
 * Writes the cells that an element displays into its data attributes, so that scripts and tests can look
 * them up.
 */

import { cellName } from './cell.js'
import { cellIndexOf } from './slice.js'

/** @import { Cell, Slice } from '../types.d.ts' */

/** @param {Element} element @param {string} name @param {string} text */
const setIfChanged = (element, name, text) => element.getAttribute(name) !== text && element.setAttribute(name, text)

/**
 * Sets the cell of an element, or the row that starts with it.
 * @param {Element} element @param {string} name @param {number[]} index
 */
export const setCellData = (element, name, index) => setIfChanged(element, 'data-cell', cellName({ name, index }))

/** The cell of an element. @param {HTMLElement} element @returns {Cell} */
export function cellAt(element) {
  const [, name, index] = /** @type {RegExpExecArray} */ (/^(.+)\[(.+)\]$/.exec(element.dataset.cell ?? ''))
  return { name, index: index.split(', ').map(Number) }
}

/**
 * Sets the matrix of an element, or one row of it.
 * @param {Element} element
 * @param {Slice} part
 * @param {number} [row]
 */
export function setSliceData(element, part, row) {
  const [rows, cols] = part.axis
  setIfChanged(element, 'data-tensor', part.name)
  setIfChanged(element, 'data-first', cellIndexOf(part, row ?? 0, 0).join())
  setIfChanged(element, 'data-axes', [row === undefined ? rows : -1, cols].join())
  if (part.order) setIfChanged(element, 'data-order', part.order.join())
  else element.removeAttribute('data-order')
  if (part.rowOrder) setIfChanged(element, 'data-row-order', part.rowOrder.join())
  else element.removeAttribute('data-row-order')
}
