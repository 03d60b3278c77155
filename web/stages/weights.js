/** Softmax: each row of scores becomes weights that add up to 1. */

import { formatInteger } from '../lib/number.js'
import { mountBars } from '../lib/chart.js'
import { probabilityDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { renderFormula } from '../lib/formula.js'
import { largestIndices } from '../lib/large_tables.js'
import { commonDomain } from '../lib/picture.js'
import { getDescription, sliceMatrix } from '../lib/run.js'
import { pickColumns, sliceRows } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'weights'
export const controls = ['causal']
export const pickers = ['sentence', 'head']

/**
 * Masked scores, the weights, and the row to start with: the last token's, or the one that the model specifies.
 * @param {Run} run @param {View<'weights'>} view
 */
export function data(run, view) {
  const { masked, scores, weights } = view.room.parts
  const after = sliceMatrix(run, weights, view)
  const { of } = getDescription(run, weights).axes[2]
  const length = run.streams[of ?? '']?.lengths?.[view.sentence] ?? after.rows
  const row = run.focus && run.focus.of === of ? run.focus.row : length - 1
  return {
    before: sliceMatrix(run, masked, view), after, last: Math.max(0, Math.min(row, after.rows - 1)),
    domain: commonDomain(run, scores)
  }
}

/**
 * Whether a mask hides a cell: its score is minus infinity and its weight 0, unless the reader has changed the weight.
 * @param {{ before: Slice, after: Slice }} shown @returns {(row: number, col: number) => boolean}
 */
export const maskedCells = ({ before, after }) => (row, col) => (
  before.values[row * before.cols + col] === -Infinity && after.values[row * after.cols + col] === 0)

/** The maximum number of bars. */
const MAX_BARS = 64

/**
 * A row of weights; of a long row only the largest and the selected one, in order.
 * @param {Slice} part @param {number} row @param {number} col
 */
export function barsOf(part, row, col) {
  const own = sliceRows(part, row, 1)
  if (part.cols <= MAX_BARS) return { part: own, chosen: col }
  const largestColumns = largestIndices(own.values, 0, own.cols, MAX_BARS)
  const order = [...new Set([...largestColumns, ...(col < 0 ? [] : [col])])].sort((a, b) => a - b)
  return { part: pickColumns(own, order), chosen: order.indexOf(col) }
}

/** @type {Stage<'weights'>['picture']} */
export const picture = (run,
  view) => ({ part: sliceMatrix(run, view.room.parts.weights, view), domain: probabilityDomain() })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const before = fig.matrix()
  const after = fig.matrix()
  const equation = renderFormula('A_{i j} = frac{e^{S_{i j}}}{sum_k e^{S_{i k}}}')
  const heading = h('h2'), few = h('p', { className: 'note', hidden: true })
  const slot = h('div', { className: 'chart-slot is-low' })
  container.append(h('div', { className: 'beside' }, h('div', { className: 'beside-main' }, heading, slot, few),
    h('div', { className: 'equation' }, equation)), h('p', { className: 'note' }, t('stages.weights.caution')))
  const chart = mountBars(slot)
  /** @type {ReturnType<typeof data>} */ let latest
  /** @type {{ row: number | null, col: number }} */
  let selected = { row: null, col: -1 }
  /** @type {Follow} */
  const rowOf = ({ name, index }) => (
    [latest?.before.name, latest?.after.name].includes(name) ? { row: index[2] } : null)

  function drawBars() {
    const { rowLabels, rows } = latest.after
    const row = Math.min(selected.row ?? latest.last, rows - 1)
    const label = t('stages.weights.bars', { token: rowLabels[row] })
    const { palette } = context.theme()
    const some = barsOf(latest.after, row, selected.col), { cols } = some.part
    chart.update({ ...some, row: 0, width: context.width(), label, palette })
    setText(heading, label)
    few.hidden = cols === latest.after.cols
    setText(few, few.hidden ? '' : t('stages.weights.few', { count: cols, of: formatInteger(latest.after.cols) }))
  }
  return {
    update(next) {
      latest = next
      // Where nothing is masked, these are the scores as they were.
      const isMasked = next.before.values.includes(-Infinity)
      const titles = { before: t(isMasked ? 'stages.weights.before' : 'stages.weights.scores'), after: t('stages.weights.after') }
      before.update(next.before, { title: titles.before, domain: next.domain, follow: rowOf, pair: true })
      after.update(next.after, {
        title: titles.after, domain: probabilityDomain(), follow: rowOf, pair: true, masked: maskedCells(next)
      })
      drawBars()
      fig.legend([{ domain: next.domain, text: titles.before }, { domain: probabilityDomain(), text: t('frame.share') }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      const row = current && rowOf(current)?.row
      if (!latest || !current || row === null || row === undefined) return
      selected = { row, col: current.index[3] }
      drawBars()
    },
    destroy: chart.destroy
  }
}
