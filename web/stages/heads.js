/** Attention weights times values: what each head reads. */

import { probabilities } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { entriesOf } from '../lib/product.js'
import { headMatrix, matrixOf, sharedHead } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'heads'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'head']

/**
 * Weights (in training after dropout), values and their product: for all heads side by side, or, where some share their
 * values, for one head, since only then the columns line up.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { weights, kept: dropped, v, out, heads, kvHeads = heads } = view.room.parts
  const isShared = kvHeads < heads
  const [right, product] = isShared
    ? [headMatrix(run, v, kvHeads, { ...view, head: sharedHead(view) }), headMatrix(run, out, heads, view)]
    : [matrixOf(run, v, view), matrixOf(run, out, view)]
  return {
    left: matrixOf(run, dropped ?? weights, view), right, product,
    domain: domainOf(run, v, out)
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, product, domain }) {
      const titles = {
        left: t('stages.heads.weights'), right: t('stages.heads.values'), product: t('stages.heads.result')
      }
      setFormula(sheet.corner, 'H = A V')
      sheet.update({ left, right, product }, { titles, domains: { left: probabilities(), right: domain,
        product: domain } })
      fig.legend([{ domain: probabilities(), text: t('frame.share') }, { domain, text: titles.product }])
      fig.numbers(t('frame.numbers'), entriesOf(titles, { left, right, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
