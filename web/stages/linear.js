/** A linear layer: every output weighs all inputs. The two of the feed-forward network, and the one to the logits. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { entriesOf } from '../lib/product.js'
import { biasRow, matrixOf, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'linear'
export const controls = ['dimFeedforward']
/** @type {string[]} */ export const pickers = []

/** Input, weight, bias and result. @param {Run} run @param {View} view */
export function data(run, view) {
  const { x, weight, bias, y } = view.room.parts
  /** @param {string} name */
  const top = name => signed(peak(tensorOf(run, name)))
  return {
    left: matrixOf(run, x, view), right: weightMatrix(run, weight), bias: biasRow(run, bias),
    product: matrixOf(run, y, view),
    domains: { input: top(x), output: top(y), weights: top(weight) }
  }
}

/** @type {Stage['picture']} */
export function picture(run, view) {
  const { y } = view.room.parts
  return { part: matrixOf(run, y, view), domain: signed(peak(tensorOf(run, y))) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, bias, product, domains }) {
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
