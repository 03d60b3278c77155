/**
 * The five notebooks as documents: cells in JavaScript, the same in PyTorch, and what the source printed. Their
 * texts are in `web/words/<language>/notebooks`.
 */

import printed from '../printed.json' with { type: 'json' }
import first from './000.js'
import second from './001.js'
import third from './002.js'
import fourth from './003.js'
import fifth from './004.js'

/** @import { Item } from '../compare.js' */
/** @import { Patch } from '../../types.d.ts' */

/**
 * @typedef {object} Cell
 * @property {string} js
 * @property {string} py the same in PyTorch
 * @property {string[]} prints what the source printed at the same place, print by print
 * @property {string} [room] where the same can be looked at
 * @property {Patch} [state] and with which settings
 * @property {Record<string, [number, RegExp]>} [carries] settings of that room which the reader can change in the code:
 *   the number of a cell, and where they stand in it
 *
 * @typedef {{ id: string, cells: Cell[] }} Document
 * @typedef {{ title: string, source: string, cells: string[] }} DocumentTexts source: which document it follows; of a
 *   cell: what it does, and where the source says something that is not so
 */

/** What the sources printed, by id. */
export const ITEMS = new Map(/** @type {Item[]} */ (printed).map(item => [item.id, item]))

/** Numbers of an item as nested brackets, which both languages read alike. @param {string} id */
function literal(id) {
  const { printed: numbers = [], shape = [] } = ITEMS.get(id) ?? {}
  /** @param {string[]} list @param {number[]} shape @returns {string} */
  const nest = (list, [side, ...rest]) => {
    if (rest.length === 0) return `[${list.join(', ')}]`
    const size = list.length / side
    return `[${Array.from({ length: side }, (_, i) => nest(list.slice(i * size, (i + 1) * size), rest)).join(',\n  ')}]`
  }
  return nest(numbers, shape)
}

/** @param {string} code */
const filled = code => code.replace(/\{\{([\w.]+)\}\}/g, (_, id) => literal(id))

/** @type {Document[]} */
export const DOCUMENTS = [first, second, third, fourth, fifth].map(document => (
  { ...document, cells: document.cells.map(cell => ({ ...cell, js: filled(cell.js), py: filled(cell.py) })) }))
