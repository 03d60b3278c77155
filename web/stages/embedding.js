/** Ids look up their rows in the embedding table. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { labelsOf, matrixOf, tensorOf } from '../lib/run.js'
import { peak, slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'embedding'
export const controls = ['dModel', 'seed']
export const pickers = ['sentence']

/** The table, the rows one sentence takes out of it, and the ids that say which. @param {Run} run @param {View} view */
export function data(run, view) {
  const { weight: name, out, stream } = view.room.parts
  const weight = tensorOf(run, name)
  const words = labelsOf(run, weight, 0)
  const rowLabels = words?.map((token, i) => `${token} · ${i}`)
  const { ids } = run.streams[stream] ?? { ids: [[]] }
  return {
    table: slice(weight, { row: 0, col: 1, rowLabels }),
    result: matrixOf(run, out, view), ids: ids[view.sentence] ?? ids[0], domain: signed(peak(weight))
  }
}

/** @type {Stage['picture']} */
export function picture(run, view) {
  const { weight, out } = view.room.parts
  return { part: matrixOf(run, out, view), domain: signed(peak(tensorOf(run, weight))) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const table = fig.matrix()
  const result = fig.matrix()
  return {
    update({ table: all, result: taken, ids, domain }) {
      const titles = { table: t('stages.embedding.table'), result: t('stages.embedding.result') }
      const labels = [...all.rowLabels, ...taken.rowLabels]
      /** @type {Follow} */
      const usedBy = ({ name, index }) => (name === taken.name ? { row: ids[index[1]] } : null)
      /** @type {Follow} */
      const uses = ({ name, index }) => {
        const row = name === all.name ? ids.indexOf(index[0]) : -1
        return row < 0 ? null : { row }
      }
      table.update(all, { title: titles.table, domain, dense: true, alignTo: labels, follow: usedBy })
      result.update(taken, { title: titles.result, domain, dense: true, alignTo: labels, follow: uses })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), [{ title: titles.table, part: all }, { title: titles.result, part: taken }])
    },
    mark: fig.mark,
    destroy() {}
  }
}
