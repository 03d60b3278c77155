/** Lists the exceptions in a matrix that is mostly 0.00, the largest first, each with a link to its cell. */

import { h, syncChildren, setText } from './dom.js'
import { formatExact, formatFixed } from './number.js'
import { setCellData } from './origin.js'
import { cellIndexOf } from './slice.js'

/** @import { BuiltElement, Cell, Slice, Translate } from '../types.d.ts' */

/** Smaller values are written as 0.00. */
const ROUNDS_TO_ZERO = 0.005
/** In smaller matrices exceptions are easy to see, and above this fraction they are none. The list is limited, too. */
const [MIN_CELLS, MAX_FRACTION, MAX_COUNT] = [40, 0.25, 24]

/**
 * Indices of the values that are not written as 0.00, the largest first; null where they are too many.
 * @param {ArrayLike<number>} values
 */
export function findNonzero(values) {
  if (values.length < MIN_CELLS) return null
  /** @type {number[]} */ const indices = []
  for (let i = 0; i < values.length && indices.length <= values.length * MAX_FRACTION; i++) {
    if (!(Math.abs(values[i]) < ROUNDS_TO_ZERO)) indices.push(i)
  }
  if (indices.length === 0 || indices.length > values.length * MAX_FRACTION) return null
  return indices.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b)
}

const createEntry = () => h('li', {}, h('button', { type: 'button', className: 'cell-link' }), h('span'))

/** @param {Element} container @param {{ t: Translate, press: (cell: Cell) => void }} context */
export function mountNonzeroList(container, { t, press }) {
  const summary = h('summary')
  const list = h('ol', { className: 'nonzero-list' })
  const more = h('p', { className: 'note' })
  const element = h('details', { className: 'nonzero', hidden: true, ontoggle: () => draw() }, summary, list, more)
  container.append(element)
  /** @type {{ part: Slice, indices: number[] } | null} */ let current = null

  /** @param {Slice} part @returns {(item: BuiltElement<HTMLElement>, index: number) => void} */
  const fill = part => (item, at) => {
    const [row, col] = [Math.floor(at / part.cols), at % part.cols], index = cellIndexOf(part, row, col)
    const link = item.firstChild
    setText(link, formatFixed(part.values[at]))
    link.title = formatExact(part.values[at])
    link.onclick = () => press({ name: part.name, index })
    setCellData(link, part.name, index)
    setText(item.lastChild, t('frame.nonzero.at', { row: part.rowLabels[row], col: part.colLabels[col] }))
  }
  function draw() {
    if (!current || !element.open) return
    const { part, indices } = current
    syncChildren(list, indices.slice(0, MAX_COUNT), createEntry, fill(part))
    more.hidden = indices.length <= MAX_COUNT
    setText(more, t('frame.nonzero.more', { count: indices.length - MAX_COUNT }))
  }
  return {
    /** @param {Slice} part */
    update(part) {
      const indices = findNonzero(part.values)
      element.hidden = !indices
      current = indices && { part, indices }
      if (indices) setText(summary, t('frame.nonzero.show', { count: indices.length, total: part.values.length }))
      draw()
    }
  }
}
