/** Queries meet keys: the score of every pair of tokens, for one head. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionMatrix, headSize, sentenceMatrix, tensorOf, tokenLabels } from '../lib/run.js'
import { peak, slice } from '../lib/slice.js'

export const id = 'scores'
export const tensors = ['self_attn.scores']
export const controls = ['heads']
export const pickers = ['sentence', 'head']

/** Queries, transposed keys and their scores. */
export function data(run, { sentence, head }) {
  const size = headSize(run)
  const keys = tensorOf(run, 'self_attn.k')
  return {
    size,
    left: sentenceMatrix(run, 'self_attn.q', sentence, head),
    right: slice(keys, {
      row: 2, col: 1, fixed: [sentence], rowStart: head * size, rows: size, colLabels: tokenLabels(run, sentence)
    }),
    product: attentionMatrix(run, 'self_attn.scores', sentence, head),
    domains: {
      vectors: signed(Math.max(peak(tensorOf(run, 'self_attn.q')), peak(keys))),
      scores: signed(peak(tensorOf(run, 'self_attn.scores')))
    }
  }
}

export const picture = (run, { sentence, head }) => ({
  part: attentionMatrix(run, 'self_attn.scores', sentence, head),
  domain: signed(peak(tensorOf(run, 'self_attn.scores')))
})

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ size, left, right, product, domains }) {
      const titles = { left: 'Q', right: 'K^T', product: t('stages.scores.result') }
      setFormula(sheet.corner, `S = frac{Q K^T}{sqrt{${size}}}`)
      sheet.update({ left, right, product }, {
        titles, domains: { left: domains.vectors, right: domains.vectors, product: domains.scores }
      })
      fig.legend([{ domain: domains.vectors, text: 'Q, K' }, { domain: domains.scores, text: titles.product }])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, product }).map(([name, part]) => (
        { title: titles[name], part })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
