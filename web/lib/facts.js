/** Labeled numbers; those that are cells link to their explanations. */

import { h, keep, setText } from './dom.js'
import { ofCell } from './origin.js'

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
 * @param {{ press(cell: Cell): void }} handlers
 */
export function facts(container, { press }) {
  const list = h('dl', { className: 'facts-line' })
  container.append(list)
  /** @type {WeakMap<Element, Cell>} */ const cells = new WeakMap()
  const create = () => h('div', {}, h('dt'), h('dd', {}, h('span'), h('button', {
    type: 'button', className: 'cell-link', onclick: ({ currentTarget }) => press(/** @type {Cell} */ (cells.get(currentTarget)))
  })))
  return {
    /** @param {Fact[]} items */
    update(items) {
      keep(list, items, create, (item, { name, text, cell }) => {
        const [plain, link] = item.lastChild.children
        setText(item.firstChild, name)
        plain.hidden = Boolean(cell)
        link.hidden = !cell
        setText(plain, cell ? '' : text)
        setText(link, cell ? text : '')
        if (!cell) return
        cells.set(link, cell)
        ofCell(link, cell.name, cell.index)
      })
    }
  }
}
