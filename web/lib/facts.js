/** Labeled numbers. Those that are cells of a tensor link to their explanations. */

import { h, syncChildren, setText } from './dom.js'
import { setCellData } from './origin.js'

/** @import { Cell } from '../types.d.ts' */

/**
 * @typedef {object} Fact
 * @property {string} name
 * @property {string} text the number as it is written
 * @property {Cell} [cell] its cell
 */

/**
 * Mounts an empty list.
 * @param {Element} container
 * @param {{ pinCell(cell: Cell): void }} handlers
 */
export function mountFacts(container, { pinCell }) {
  const list = h('dl', { className: 'facts-line' })
  container.append(list)
  /** @type {WeakMap<Element, Cell>} */ const cells = new WeakMap()
  const create = () => h('div', {}, h('dt'), h('dd', {}, h('span'), h('button', {
    type: 'button', className: 'cell-link', onclick: ({ currentTarget }) => pinCell(/** @type {Cell} */ (cells.get(currentTarget)))
  })))
  return {
    /** @param {Fact[]} items */
    update(items) {
      syncChildren(list, items, create, (item, { name, text, cell }) => {
        const [plainText, link] = item.lastChild.children
        setText(item.firstChild, name)
        plainText.hidden = Boolean(cell)
        link.hidden = !cell
        setText(plainText, cell ? '' : text)
        setText(link, cell ? text : '')
        if (!cell) return
        cells.set(link, cell)
        setCellData(link, cell.name, cell.index)
      })
    }
  }
}
