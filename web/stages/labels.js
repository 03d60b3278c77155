/** The answer of a classification head: scores of labels become probabilities. */

import { mountBars } from '../lib/chart.js'
import { probabilityDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { commonDomain } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'
import { sliceRows } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'labels'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** Scores, probabilities, and the answer that is read from them. @param {Run} run @param {View<'labels'>} view */
export function data(run, view) {
  const { scores, probabilities } = view.room.parts
  return {
    before: sliceMatrix(run, scores, view), after: sliceMatrix(run, probabilities, view),
    domain: commonDomain(run, scores), answer: run.classification?.text ?? ''
  }
}

/** @type {Stage<'labels'>['picture']} */
export const picture = (run, view) => (
  { part: sliceMatrix(run, view.room.parts.probabilities, view), domain: probabilityDomain() })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const answer = h('p', { className: 'label-answer' })
  const heading = h('h2'), slot = h('div', { className: 'chart-slot is-low' })
  container.append(answer, h('section', {}, heading, slot))
  const fig = mountFigure(container, context)
  const [before, after] = [fig.matrix(), fig.matrix()]
  const chart = mountBars(slot)
  /** @type {ReturnType<typeof data>} */ let latest
  let selected = 0

  function drawBars() {
    const { after: part } = latest, row = Math.min(selected, part.rows - 1)
    const label = part.rows === 1 ? t('stages.labels.bars') : t('stages.labels.barsOf', { row: part.rowLabels[row] })
    setText(heading, label)
    const { palette } = context.theme()
    chart.update({ part: sliceRows(part, row, 1), chosen: -1, row: 0, width: context.width(), label, palette })
  }
  return {
    update(next) {
      latest = next
      setText(answer, t('stages.labels.answer', { answer: next.answer }))
      const titles = { before: t('stages.labels.scores'), after: t('stages.labels.probabilities') }
      before.update(next.before, { title: titles.before, domain: next.domain, dense: true })
      const { rowLabels: alignTo } = next.before
      after.update(next.after, { title: titles.after, domain: probabilityDomain(), dense: true, alignTo })
      drawBars()
      fig.legend([{ domain: next.domain, text: titles.before }, { domain: probabilityDomain(), text: titles.after }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => ({ title: titles[name], part: next[name] })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current || current.index.length < 3) return
      selected = current.index[1]
      drawBars()
    },
    destroy: chart.destroy
  }
}
