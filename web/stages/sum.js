/** Embedding and positional encoding, added cell by cell. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { entryNames, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak, slice } from '../lib/slice.js'

export const id = 'sum'
export const tensors = ['sum']
export const controls = []
export const pickers = ['sentence']

/** Both summands and the sum, on one scale. */
export function data(run, { sentence, place }) {
  const { embedding, positions, sum } = entryNames(run, place)
  if (!tensorOf(run, positions)) return null
  const result = sentenceMatrix(run, sum, sentence)
  const { rows, rowLabels } = result
  return {
    embedding: sentenceMatrix(run, embedding, sentence),
    positions: slice(tensorOf(run, positions), { row: 0, col: 1, rows, rowLabels }),
    result,
    domain: signed(Math.max(...[embedding, positions, sum].map((name) => peak(tensorOf(run, name)))))
  }
}

export function picture(run, { sentence, place }) {
  const { positions, sum } = entryNames(run, place)
  if (!tensorOf(run, positions)) return null
  return { part: sentenceMatrix(run, sum, sentence), domain: signed(peak(tensorOf(run, sum))) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const embedding = fig.matrix()
  const positions = fig.matrix()
  const result = fig.matrix()
  return {
    update(next) {
      const { domain, ...parts } = next
      const names = Object.values(parts).map(({ name }) => name)
      const follow = ({ name, index }) => {
        const [row, col] = index.slice(-2)
        return names.includes(name) && row < next.result.rows ? { row, col } : null
      }
      const shown = Object.entries({ embedding, positions, result }).map(([key, part]) => {
        const title = t(`stages.sum.${key}`)
        part.update(parts[key], { title, domain, dense: true, follow })
        return { title, part: parts[key] }
      })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), shown)
    },
    mark: fig.mark,
    destroy() {}
  }
}
