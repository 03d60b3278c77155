/** Attention weights times values: what each head reads. */

import { probabilityDomain } from '../lib/color.js'
import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { listEntries } from '../lib/product.js'
import { sliceHead, sliceMatrix, kvHeadIndex } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'heads'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'head']

/**
 * Weights (in training after dropout), values and their product: for all heads side by side, or, where some share their
 * values, for one head, since only then the columns line up.
 * @param {Run} run @param {View<'heads'>} view
 */
export function data(run, view) {
  const { weights, dropped, v, out, heads, kvHeads = heads } = view.room.parts
  const isShared = kvHeads < heads
  const [right, product] = isShared
    ? [sliceHead(run, v, kvHeads, { ...view, head: kvHeadIndex(view) }), sliceHead(run, out, heads, view)]
    : [sliceMatrix(run, v, view), sliceMatrix(run, out, view)]
  return {
    left: sliceMatrix(run, dropped ?? weights, view), right, product, isShared,
    domain: commonDomain(run, v, out)
  }
}

/** @type {Stage<'heads'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, product, domain, isShared }) {
      const titles = {
        left: t('stages.heads.weights'), right: t('stages.heads.values'), product: t(`stages.heads.${isShared ? 'result' : 'results'}`)
      }
      setFormula(sheet.corner, 'H = A V')
      sheet.update({ left, right, product }, { titles, domains: { left: probabilityDomain(), right: domain,
        product: domain } })
      fig.legend([{ domain: probabilityDomain(), text: t('frame.share') }, { domain, text: titles.product }])
      fig.numbers(t('frame.numbers'), listEntries(titles, { left, right, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
