/** Weights times values: what each head brings back. */

import { chance, signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionMatrix, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'heads'
export const tensors = ['self_attn.heads']
export const controls = ['heads']
export const pickers = ['sentence', 'head']

/** Weights, values and their product for one head. */
export const data = (run, { sentence, head }) => ({
  left: attentionMatrix(run, 'self_attn.weights', sentence, head),
  right: sentenceMatrix(run, 'self_attn.v', sentence, head),
  product: sentenceMatrix(run, 'self_attn.heads', sentence, head),
  domain: signed(Math.max(peak(tensorOf(run, 'self_attn.v')), peak(tensorOf(run, 'self_attn.heads'))))
})

export const picture = (run, { sentence }) => ({
  part: sentenceMatrix(run, 'self_attn.heads', sentence), domain: signed(peak(tensorOf(run, 'self_attn.heads')))
})

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
      fig.legend([{ domain: chance(), text: t('frame.chance') }, { domain, text: titles.product }])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, product }).map(([name, part]) => (
        { title: titles[name], part })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
