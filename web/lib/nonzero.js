/** Of a matrix that is mostly 0.00, the other values, the largest first, each a link to its cell. */

import { h, keep, setText } from './dom.js'
import { exact, fixed } from './number.js'
import { ofCell } from './origin.js'
import { indexOf } from './slice.js'

/** @import { BuiltElement, Cell, Slice, Translate } from '../types.d.ts' */

/** Smaller values are written as 0.00. */
const WRITTEN = 0.005
/** In smaller matrices they are easy to see, and above this fraction they are no exception. */
const [LEAST, SHARE, MOST] = [40, 0.25, 24]

/**
 * Indices of the values that are not written as 0.00, the largest first; null where they are too many.
 * @param {ArrayLike<number>} values
 */
export function exceptions(values) {
  if (values.length < LEAST) return null
  /** @type {number[]} */ const found = []
  for (let i = 0; i < values.length && found.length <= values.length * SHARE; i++) {
    if (!(Math.abs(values[i]) < WRITTEN)) found.push(i)
  }
  if (found.length === 0 || found.length > values.length * SHARE) return null
  return found.sort((one, other) => Math.abs(values[other]) - Math.abs(values[one]) || one - other)
}

const createEntry = () => h('li', {}, h('button', { type: 'button', className: 'cell-link' }), h('span'))

/** @param {Element} container @param {{ t: Translate, press: (cell: Cell) => void }} context */
export function nonZero(container, { t, press }) {
  const summary = h('summary')
  const list = h('ol', { className: 'nonzero-list' })
  const more = h('p', { className: 'note' })
  const element = h('details', { className: 'nonzero', hidden: true, ontoggle: () => draw() }, summary, list, more)
  container.append(element)
  /** @type {{ part: Slice, found: number[] } | null} */ let shown = null

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
    if (!shown || !element.open) return
    const { part, found } = shown
    keep(list, found.slice(0, MOST), createEntry, fill(part))
    more.hidden = found.length <= MOST
    setText(more, t('frame.nonzero.more', { count: found.length - MOST }))
  }
  return {
    /** @param {Slice} part */
    update(part) {
      const found = exceptions(part.values)
      element.hidden = !found
      shown = found && { part, found }
      if (found) setText(summary, t('frame.nonzero.show', { count: found.length, total: part.values.length }))
      draw()
    }
  }
}
