/**
 * A linear layer: every output is a weighted sum of all inputs. Those of the feed-forward network, and the
 * output layer.
 */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { entriesOf } from '../lib/product.js'
import { grouped } from '../lib/costs.js'
import { h, setText } from '../lib/dom.js'
import { ROW_COUNT, isMany, largest } from '../lib/large_tables.js'
import { biasRow, describedOf, labelsOf, matrixOf, someRows, tensorOf, weightMatrix } from '../lib/run.js'
import { columnsOf, peak, rowsOf, slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'linear'
export const controls = ['dimFeedforward']
/** @type {string[]} */ export const pickers = []

/**
 * The input rows that have outputs: for a long text, logits may exist only for the last tokens.
 * @param {Run} run @param {View} view
 */
function inputOf(run, view) {
  const { x, y } = view.room.parts, part = matrixOf(run, x, view), first = firstOf(run, y)
  return first ? rowsOf(part, first, part.rows - first) : part
}

/** The token of the first row. @param {Run} run @param {string} name */
const firstOf = (run, name) => describedOf(run, name).axes.at(-2)?.first ?? 0

/**
 * Of a large vocabulary the largest logits at each position: only their rows of the weight are read.
 * @param {Run} run @param {View} view
 */
function largestOnly(run, view) {
  const { x, weight, bias, y } = view.room.parts
  const result = tensorOf(run, y), [, rows, cols] = result.shape, each = Math.max(1, Math.floor(ROW_COUNT / rows))
  const all = Array.from({ length: rows }, (_, row) => (
    largest(result.data, (view.sentence * rows + row) * cols, cols, each + 1)))
  const order = [...new Set(all.flat())].sort((a, b) => a - b)
  const { shape } = describedOf(run, weight), some = someRows(run, weight, order)
  const labels = labelsOf(run, result, 2, view.sentence), colLabels = order.map(id => labels?.[id] ?? String(id))
  const right = slice(some, { row: 1, col: 0, colLabels })
  const whole = biasRow(run, bias)
  return {
    left: inputOf(run, view), right: { ...right, shape, order }, bias: whole && columnsOf(whole, order),
    product: matrixOf(run, y, view, { order }), drawn: { count: order.length, total: cols }, first: firstOf(run, y),
    domains: { input: domainOf(run, x), output: signed(peak(result)), weights: signed(some.peak) }
  }
}

/** Input, weight, bias and result. @param {Run} run @param {View} view */
export function data(run, view) {
  const { x, weight, bias, y } = view.room.parts
  if (isMany(describedOf(run, weight).shape[0])) return largestOnly(run, view)
  return {
    drawn: null, first: firstOf(run, y),
    left: inputOf(run, view), right: weightMatrix(run, weight), bias: biasRow(run, bias),
    product: matrixOf(run, y, view),
    domains: { input: domainOf(run, x), output: domainOf(run, y), weights: domainOf(run, weight) }
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.y, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const note = h('p', { className: 'note', hidden: true })
  container.append(note)
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, bias, product, domains, drawn, first }) {
      note.hidden = !drawn && !first
      setText(note, [drawn && t('frame.find.likeliest', { ...drawn, total: grouped(drawn.total) }),
        first && t('frame.find.scored', { rows: product.rows, first: grouped(first) })].filter(Boolean).join(' '))
      const titles = { left: t('stages.linear.input'), right: 'W^T', bias: 'b', product: t('stages.linear.result') }
      setFormula(sheet.corner, bias ? 'Y = X W^T + b' : 'Y = X W^T')
      sheet.update({ left, right, ...(bias && { bias }), product }, {
        titles,
        domains: { left: domains.input, right: domains.weights, bias: domains.weights, product: domains.output }
      })
      fig.legend([
        { domain: domains.input, text: titles.left }, { domain: domains.weights, text: titles.right },
        { domain: domains.output, text: titles.product }
      ])
      fig.numbers(t('frame.numbers'), entriesOf(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
