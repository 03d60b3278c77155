/**
 * Which cells of which tensor the numbers of an element are, as data of that element: whoever reads the page, a script
 * or a test, can look each of them up.
 */

import { cellName } from './cell.js'
import { indexOf } from './slice.js'

/** @import { Cell, Slice } from '../types.d.ts' */

/** @param {Element} element @param {string} name @param {string} text */
const set = (element, name, text) => element.getAttribute(name) !== text && element.setAttribute(name, text)

/**
 * The element writes one cell, or something about the row of cells that the index begins.
 * @param {Element} element @param {string} name @param {number[]} index
 */
export const ofCell = (element, name, index) => set(element, 'data-cell', cellName({ name, index }))

/** The cell an element writes. @param {HTMLElement} element @returns {Cell} */
export function cellAt(element) {
  const [, name, index] = /** @type {RegExpExecArray} */ (/^(.+)\[(.+)\]$/.exec(element.dataset.cell ?? ''))
  return { name, index: index.split(', ').map(Number) }
}

/**
 * The element writes a matrix, or one row of it.
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
