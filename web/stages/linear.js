/**
 * A linear layer, of the feed-forward network or the output: every output is a weighted sum of all inputs.
 */

import { formatInteger } from '../lib/number.js'
import { signedDomain } from '../lib/color.js'
import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { listEntries } from '../lib/product.js'
import { h, setText } from '../lib/dom.js'
import { ROW_COUNT, isLargeCount, largestIndices } from '../lib/large_tables.js'
import { sliceBias, getDescription, getAxisLabels, sliceMatrix, getTableRows, getTensor, sliceWeight } from '../lib/run.js'
import { pickColumns, peak, sliceRows, slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'linear'
export const controls = ['dimFeedforward']
/** @type {string[]} */ export const pickers = []

/**
 * The input rows that have outputs: for a long text, logits may exist only for the last tokens.
 * @param {Run} run @param {View<'linear'>} view
 */
function inputOf(run, view) {
  const { x, y } = view.room.parts, part = sliceMatrix(run, x, view), first = firstOf(run, y)
  return first ? sliceRows(part, first, part.rows - first) : part
}

/** The position of the first row. @param {Run} run @param {string} name */
const firstOf = (run, name) => getDescription(run, name).axes.at(-2)?.first ?? 0

/**
 * The largest logits at each position of a large vocabulary, with only their rows of the weight.
 * @param {Run} run @param {View<'linear'>} view
 */
function largestOnly(run, view) {
  const { x, weight, bias, y } = view.room.parts
  const result = getTensor(run, y), [, rows, cols] = result.shape, each = Math.max(1, Math.floor(ROW_COUNT / rows))
  const all = Array.from({ length: rows }, (_, row) => (
    largestIndices(result.data, (view.sentence * rows + row) * cols, cols, each + 1)))
  const order = [...new Set(all.flat())].sort((a, b) => a - b)
  const { shape } = getDescription(run, weight), some = getTableRows(run, weight, order)
  const labels = getAxisLabels(run, result, 2, view.sentence), colLabels = order.map(id => labels?.[id] ?? String(id))
  const right = slice(some, { row: 1, col: 0, colLabels })
  const fullBias = sliceBias(run, bias)
  return {
    left: inputOf(run, view), right: { ...right, shape, order }, bias: fullBias && pickColumns(fullBias, order),
    product: sliceMatrix(run, y, view, { order }), drawn: { count: order.length, total: cols }, first: firstOf(run, y),
    domains: { input: commonDomain(run, x), output: signedDomain(peak(result)), weights: signedDomain(some.peak) }
  }
}

/** Input, weight, bias and result. @param {Run} run @param {View<'linear'>} view */
export function data(run, view) {
  const { x, weight, bias, y } = view.room.parts
  if (isLargeCount(getDescription(run, weight).shape[0])) return largestOnly(run, view)
  return {
    drawn: null, first: firstOf(run, y),
    left: inputOf(run, view), right: sliceWeight(run, weight), bias: sliceBias(run, bias),
    product: sliceMatrix(run, y, view),
    domains: { input: commonDomain(run, x), output: commonDomain(run, y), weights: commonDomain(run, weight) }
  }
}

/** @type {Stage<'linear'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.y, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const note = h('p', { className: 'note', hidden: true })
  container.append(note)
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, bias, product, domains, drawn, first }) {
      note.hidden = !drawn && !first
      setText(note, [drawn && t('frame.find.likeliest', { ...drawn, total: formatInteger(drawn.total) }),
        first && t('frame.find.scored', { rows: product.rows, first: formatInteger(first) })].filter(Boolean).join(' '))
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
      fig.numbers(t('frame.numbers'), listEntries(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
