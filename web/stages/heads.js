/** Weights times values: what each head brings back. */

import { chance, signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionAt, attentionMatrix, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'heads'
export const tensors = ['self_attn.heads']
export const controls = ['heads']
export const pickers = ['sentence', 'head']

/** Weights (in training what dropout leaves of them), values and their product for one head. */
export function data(run, { sentence, head, place }) {
  const [all, kept, v, heads] = ['weights', 'dropout.output', 'v', 'heads'].map((name) => attentionAt(place) + name)
  const weights = tensorOf(run, kept) ? kept : all
  return {
    left: attentionMatrix(run, weights, sentence, head),
    right: sentenceMatrix(run, v, sentence, head),
    product: sentenceMatrix(run, heads, sentence, head),
    domain: signed(Math.max(peak(tensorOf(run, v)), peak(tensorOf(run, heads))))
  }
}

export function picture(run, { sentence, place }) {
  const name = `${attentionAt(place)}heads`
  return { part: sentenceMatrix(run, name, sentence), domain: signed(peak(tensorOf(run, name))) }
}

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
      sheet.update({ left, right, product }, { titles, domains: { left: chance(), right: domain, product: domain } })
      fig.legend([{ domain: chance(), text: t('frame.share') }, { domain, text: titles.product }])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, product }).map(([name, part]) => (
        { title: titles[name], part })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
