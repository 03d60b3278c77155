/** The heads side by side, mixed by the output projection. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { entriesOf } from '../lib/product.js'
import { biasRow, matrixOf, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'output'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence']

/** Joined heads, output weight, bias and the final vectors. @param {Run} run @param {View} view */
export function data(run, view) {
  const { x, weight, bias, y, heads } = view.room.parts
  return {
    group: tensorOf(run, x).shape[tensorOf(run, x).shape.length - 1] / heads,
    left: matrixOf(run, x, view), right: weightMatrix(run, weight), bias: biasRow(run, bias),
    product: matrixOf(run, y, view),
    domains: {
      values: signed(Math.max(peak(tensorOf(run, x)), peak(tensorOf(run, y)))),
      weights: signed(peak(tensorOf(run, weight)))
    }
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
    update({ group, left, right, bias, product, domains }) {
      const titles = {
        left: t('stages.output.joined'), right: 'W_O^T', bias: 'b_O', product: t('stages.output.result')
      }
      setFormula(sheet.corner, bias ? 'O = H W_O^T + b_O' : 'O = H W_O^T')
      sheet.update({ left, right, ...(bias && { bias }), product }, {
        titles, groups: { left: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: titles.product }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), entriesOf(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
