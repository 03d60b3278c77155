/** Embedding and positional encoding, added cell by cell. */

import { mountFigure } from '../lib/figure.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix, getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'sum'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence']

/** Both summands and the sum, on one scale. @param {Run} run @param {View<'sum'>} view */
export function data(run, view) {
  const { vectors, table, out } = view.room.parts
  const result = sliceMatrix(run, out, view)
  const { rows, rowLabels } = result
  return {
    embedding: sliceMatrix(run, vectors, view),
    positions: slice(getTensor(run, table), { row: 0, col: 1, rows, rowLabels }),
    result,
    domain: commonDomain(run, vectors, table, out)
  }
}

/** @type {Stage<'sum'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const embedding = fig.matrix()
  const positions = fig.matrix()
  const result = fig.matrix()
  return {
    update(next) {
      const { domain, ...parts } = next
      const names = Object.values(parts).map(({ name }) => name)
      /** @type {Follow} */
      const follow = ({ name, index }) => {
        const [row, col] = index.slice(-2)
        return names.includes(name) && row < next.result.rows ? { row, col } : null
      }
      const entries = Object.entries({ embedding, positions, result }).map(([key, matrix]) => {
        const title = t(`stages.sum.${key}`)
        const part = parts[/** @type {keyof typeof parts} */ (key)]
        matrix.update(part, { title, domain, dense: true, follow })
        return { title, part }
      })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), entries)
    },
    mark: fig.mark,
    destroy() {}
  }
}
