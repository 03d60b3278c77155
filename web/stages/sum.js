/** Embedding and positional encoding, added cell by cell. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { sentenceMatrix, tensorOf, tokenLabels } from '../lib/run.js'
import { peak, slice } from '../lib/slice.js'

export const id = 'sum'
export const tensors = ['sum']
export const controls = []
export const pickers = ['sentence']

/** Both summands and the sum, on one scale. */
export function data(run, { sentence }) {
  const names = ['embedding', 'positional_encoding', 'sum']
  const rowLabels = tokenLabels(run, sentence)
  return {
    embedding: sentenceMatrix(run, 'embedding', sentence),
    positions: slice(tensorOf(run, 'positional_encoding'), { row: 0, col: 1, rows: rowLabels.length, rowLabels }),
    result: sentenceMatrix(run, 'sum', sentence),
    domain: signed(Math.max(...names.map((name) => peak(tensorOf(run, name)))))
  }
}

export const picture = (run, { sentence }) => ({
  part: sentenceMatrix(run, 'sum', sentence), domain: signed(peak(tensorOf(run, 'sum')))
})

/** The same token and dimension in another of the three matrices. */
function twin({ name, index }) {
  if (name === 'positional_encoding') return { row: index[0], col: index[1] }
  return name === 'embedding' || name === 'sum' ? { row: index[1], col: index[2] } : null
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
      const follow = (cell) => {
        const place = twin(cell)
        return place && place.row < next.result.rows ? place : null
      }
      const shown = Object.entries({ embedding, positions, result }).map(([key, part]) => {
        const title = t(`stages.sum.${key}`)
        part.update(parts[key], { title, domain, dense: true, follow })
        return { title, part: parts[key] }
      })
      fig.legend([{ domain, text: t('frame.signed') }])
      fig.numbers(t('frame.numbers'), shown)
    },
    mark: fig.mark,
    destroy() {}
  }
}
