/** Queries times keys: the score of every pair of tokens, for one head. */

import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { entriesOf } from '../lib/product.js'
import { headMatrix, matrixOf, sharedHead, transposedHead } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'scores'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'head']

/**
 * Queries, transposed keys and the products of all pairs; the scores themselves where nothing scales them.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { q, k, dots, scores, heads, kvHeads = heads } = view.room.parts
  const name = dots ?? scores
  return {
    left: headMatrix(run, q, heads, view), right: transposedHead(run, k, kvHeads, { ...view, head: sharedHead(view) }),
    product: matrixOf(run, name, view),
    domains: {
      vectors: domainOf(run, q, k),
      scores: domainOf(run, name)
    }
  }
}

/** @type {Stage['picture']} */
export function picture(run, view) {
  const { dots, scores } = view.room.parts
  const name = dots ?? scores
  return pictureOf(run, name, view)
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, product, domains }) {
      const titles = { left: 'Q', right: 'K^T', product: t('stages.scores.result') }
      setFormula(sheet.corner, 'Q K^T')
      sheet.update({ left, right, product }, {
        titles, domains: { left: domains.vectors, right: domains.vectors, product: domains.scores }
      })
      fig.legend([{ domain: domains.vectors, text: 'Q, K' }, { domain: domains.scores, text: titles.product }])
      fig.numbers(t('frame.numbers'), entriesOf(titles, { left, right, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
