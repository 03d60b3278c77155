/** Queries times keys: the score of every pair of tokens, for one head. */

import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { listEntries } from '../lib/product.js'
import { sliceHead, sliceMatrix, kvHeadIndex, sliceTransposedHead } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'scores'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'head']

/**
 * Queries, transposed keys and the products of all pairs, which are the scores if they are not scaled.
 * @param {Run} run @param {View<'scores'>} view
 */
export function data(run, view) {
  const { q, k, dots, scores, heads, kvHeads = heads } = view.room.parts
  const name = dots ?? scores
  return {
    left: sliceHead(run, q, heads, view),
    right: sliceTransposedHead(run, k, kvHeads, { ...view, head: kvHeadIndex(view) }),
    product: sliceMatrix(run, name, view),
    domains: {
      vectors: commonDomain(run, q, k),
      scores: commonDomain(run, name)
    }
  }
}

/** @type {Stage<'scores'>['picture']} */
export function picture(run, view) {
  const { dots, scores } = view.room.parts
  const name = dots ?? scores
  return createPicture(run, name, view)
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, product, domains }) {
      const titles = { left: 'Q', right: 'K^T', product: t('stages.scores.result') }
      setFormula(sheet.corner, 'Q K^T')
      sheet.update({ left, right, product }, {
        titles, domains: { left: domains.vectors, right: domains.vectors, product: domains.scores }
      })
      fig.legend([{ domain: domains.vectors, text: 'Q, K' }, { domain: domains.scores, text: titles.product }])
      fig.numbers(t('frame.numbers'), listEntries(titles, { left, right, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
