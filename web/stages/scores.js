/** Queries meet keys: the score of every pair of tokens, for one head. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionAt, attentionMatrix, headSize, sentenceMatrix, tensorOf, turnedMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'scores'
export const tensors = ['self_attn.scores']
export const controls = ['heads']
export const pickers = ['sentence', 'head']

/** Queries, transposed keys and their scores. */
export function data(run, { sentence, head, place }) {
  const [q, k, scores] = ['q', 'k', 'scores'].map((name) => attentionAt(place) + name)
  return {
    divisor: run.settings.scale === false ? null : headSize(run),
    left: sentenceMatrix(run, q, sentence, head),
    right: turnedMatrix(run, k, sentence, head),
    product: attentionMatrix(run, scores, sentence, head),
    domains: {
      vectors: signed(Math.max(peak(tensorOf(run, q)), peak(tensorOf(run, k)))),
      scores: signed(peak(tensorOf(run, scores)))
    }
  }
}

export function picture(run, { sentence, head, place }) {
  const name = `${attentionAt(place)}scores`
  return { part: attentionMatrix(run, name, sentence, head), domain: signed(peak(tensorOf(run, name))) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ divisor, left, right, product, domains }) {
      const titles = { left: 'Q', right: 'K^T', product: t('stages.scores.result') }
      setFormula(sheet.corner, divisor ? `S = frac{Q K^T}{sqrt{${divisor}}}` : 'S = Q K^T')
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
