/** Of a matrix that is mostly 0.00, the other values, the largest first, each a link to its cell. */

import { h, keep, setText } from './dom.js'
import { exact, fixed } from './number.js'
import { ofCell } from './origin.js'
import { indexOf } from './slice.js'

/** @import { BuiltElement, Cell, Slice, Translate } from '../types.d.ts' */

/** Smaller values are written as 0.00. */
const ROUNDS_TO_ZERO = 0.005
/** In smaller matrices they are easy to see, and above this fraction they are no exception. */
const [MIN_CELLS, MAX_FRACTION, MAX_COUNT] = [40, 0.25, 24]

/**
 * Indices of the values that are not written as 0.00, the largest first; null where they are too many.
 * @param {ArrayLike<number>} values
 */
export function exceptions(values) {
  if (values.length < MIN_CELLS) return null
  /** @type {number[]} */ const indices = []
  for (let i = 0; i < values.length && indices.length <= values.length * MAX_FRACTION; i++) {
    if (!(Math.abs(values[i]) < ROUNDS_TO_ZERO)) indices.push(i)
  }
  if (indices.length === 0 || indices.length > values.length * MAX_FRACTION) return null
  return indices.sort((one, other) => Math.abs(values[other]) - Math.abs(values[one]) || one - other)
}

const createEntry = () => h('li', {}, h('button', { type: 'button', className: 'cell-link' }), h('span'))

/** @param {Element} container @param {{ t: Translate, press: (cell: Cell) => void }} context */
export function nonZero(container, { t, press }) {
  const summary = h('summary')
  const list = h('ol', { className: 'nonzero-list' })
  const more = h('p', { className: 'note' })
  const element = h('details', { className: 'nonzero', hidden: true, ontoggle: () => draw() }, summary, list, more)
  container.append(element)
  /** @type {{ part: Slice, found: number[] } | null} */ let current = null

  /** @param {Slice} part @returns {(item: BuiltElement<HTMLElement>, at: number) => void} */
  const fill = part => (item, at) => {
    const [row, col] = [Math.floor(at / part.cols), at % part.cols], index = indexOf(part, row, col)
    const link = item.firstChild
    setText(link, fixed(part.values[at]))
    link.title = exact(part.values[at])
    link.onclick = () => press({ name: part.name, index })
    ofCell(link, part.name, index)
    setText(item.lastChild, t('frame.nonzero.at', { row: part.rowLabels[row], col: part.colLabels[col] }))
  }
  function draw() {
    if (!current || !element.open) return
    const { part, found: indices } = current
    keep(list, indices.slice(0, MAX_COUNT), createEntry, fill(part))
    more.hidden = indices.length <= MAX_COUNT
    setText(more, t('frame.nonzero.more', { count: indices.length - MAX_COUNT }))
  }
  return {
    /** @param {Slice} part */
    update(part) {
      const indices = exceptions(part.values)
      element.hidden = !indices
      current = indices && { part, found: indices }
      if (indices) setText(summary, t('frame.nonzero.show', { count: indices.length, total: part.values.length }))
      draw()
    }
  }
}
