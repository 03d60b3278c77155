/** The weights of cross-attention, from each token of the target to those of the source. */

import { mountArcs } from '../lib/arcs.js'
import { probabilityDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { sliceMatrix } from '../lib/run.js'
import { cellIndexOf } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'cross'
/** @type {string[]} */ export const controls = []
export const pickers = ['head']

/**
 * The weights of one head, the token that each query generates next, and the first row.
 * @param {Run} run @param {View<'cross'>} view
 */
export function data(run, view) {
  const weights = sliceMatrix(run, view.room.parts.weights, view)
  const steps = run.decoding?.steps ?? []
  return { weights, next: steps.map(({ token }) => token), row: Math.min(view.row, weights.rows - 1) }
}

/** @type {Stage<'cross'>['picture']} */
export const picture = (run,
  view) => ({ part: sliceMatrix(run, view.room.parts.weights, view), domain: probabilityDomain() })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const slot = h('div')
  const lines = mountArcs(slot, { onHover: at => context.selectCell(strongest(at)) })
  container.append(h('section', {}, heading, slot))
  const fig = mountFigure(container, context)
  const weights = fig.matrix()
  container.append(h('p', { className: 'note' }, t('stages.weights.caution')))
  /** @type {ReturnType<typeof data>} */ let latest
  /** @type {number | null} */ let row = null

  /** The cell with the largest weight of a row. @param {number} at */
  function strongest(at) {
    const { weights: part } = latest
    const values = part.values.slice(at * part.cols, (at + 1) * part.cols)
    return { name: part.name, index: cellIndexOf(part, at, values.indexOf(Math.max(...values))) }
  }
  function drawLines() {
    const at = Math.min(row ?? latest.row, latest.weights.rows - 1)
    const label = t('stages.cross.reads', { token: latest.weights.rowLabels[at], next: latest.next[at] ?? '' })
    setText(heading, label)
    lines.update({ part: latest.weights, row: at, width: Math.min(context.width(), 880), label })
  }
  return {
    update(next) {
      latest = next
      const title = t('stages.cross.weights')
      /** @type {Follow} */
      const follow = ({ name, index }) => (name === next.weights.name ? { row: index[2] } : null)
      drawLines()
      weights.update(next.weights, { title, domain: probabilityDomain(), follow })
      fig.legend([{ domain: probabilityDomain(), text: t('frame.share') }])
      fig.numbers(t('frame.numbers'), [{ title, part: next.weights }])
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || current?.name !== latest.weights.name) return
      row = current.index[2]
      drawLines()
    },
    destroy() {}
  }
}
