/**
 * Marks elements with the cells whose numbers they display, as data attributes, so that scripts and tests can look
 * them up.
 */

import { cellName } from './cell.js'
import { indexOf } from './slice.js'

/** @import { Cell, Slice } from '../types.d.ts' */

/** @param {Element} element @param {string} name @param {string} text */
const set = (element, name, text) => element.getAttribute(name) !== text && element.setAttribute(name, text)

/**
 * Marks an element with one cell, or with a row that the index begins.
 * @param {Element} element @param {string} name @param {number[]} index
 */
export const ofCell = (element, name, index) => set(element, 'data-cell', cellName({ name, index }))

/** The cell of an element. @param {HTMLElement} element @returns {Cell} */
export function cellAt(element) {
  const [, name, index] = /** @type {RegExpExecArray} */ (/^(.+)\[(.+)\]$/.exec(element.dataset.cell ?? ''))
  return { name, index: index.split(', ').map(Number) }
}

/**
 * Marks an element with a matrix, or one row of it.
 * @param {Element} element
 * @param {Slice} part
 * @param {number} [row]
 */
export function ofSlice(element, part, row) {
  const [rows, cols] = part.axis
  set(element, 'data-tensor', part.name)
  set(element, 'data-first', indexOf(part, row ?? 0, 0).join())
  set(element, 'data-axes', [row === undefined ? rows : -1, cols].join())
  if (part.order) set(element, 'data-order', part.order.join())
  else element.removeAttribute('data-order')
  if (part.rowOrder) set(element, 'data-row-order', part.rowOrder.join())
  else element.removeAttribute('data-row-order')
}
