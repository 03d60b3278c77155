/** A relative position bias, which is added to the scores of attention, and the table it is looked up in. */

import { mountFigure } from '../lib/figure.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'relative'
/** @type {string[]} */ export const controls = []
export const pickers = ['head']

/** The bias of one head, and the table of all heads, on one scale. @param {Run} run @param {View<'relative'>} view */
export function data(run, view) {
  const { weight, bias, heads } = view.room.parts
  return {
    head: Math.min(view.head, heads - 1), bias: sliceMatrix(run, bias, view), table: sliceMatrix(run, weight),
    domain: commonDomain(run, weight)
  }
}

/** @type {Stage<'relative'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.bias, view)

/**
 * The row of the table that a cell was looked up in; null where several rows have its value.
 * @param {ReturnType<typeof data>} shown @param {number} value
 */
function bucketOf({ head, table: { rows, cols, values } }, value) {
  const rowsWithValue = Array.from({ length: rows }, (_, row) => row).filter(row => values[row * cols + head] === value)
  return rowsWithValue.length === 1 ? rowsWithValue[0] : null
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const bias = fig.matrix()
  const table = fig.matrix()
  return {
    update(next) {
      const { domain, head } = next
      /** @type {Follow} */
      const lookedUp = ({ name, index }) => {
        if (name !== next.bias.name) return null
        const row = bucketOf(next, next.bias.values[index[1] * next.bias.cols + index[2]])
        return row === null ? null : { row, col: head }
      }
      const titles = { bias: t('stages.relative.bias', { head }), table: t('stages.relative.table') }
      bias.update(next.bias, { title: titles.bias, domain, dense: true })
      table.update(next.table, { title: titles.table, domain, dense: true, follow: lookedUp })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), [{ title: titles.bias, part: next.bias }, { title: titles.table, part: next.table }])
    },
    mark: fig.mark,
    destroy() {}
  }
}
