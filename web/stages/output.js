/** The heads side by side, mixed by the output projection. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionAt, biasRow, headSize, sentenceMatrix, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'output'
export const tensors = ['self_attn.output', 'self_attn.out_proj.weight', 'self_attn.out_proj.bias']
export const controls = []
export const pickers = ['sentence']

/** Joined heads, output weight, bias and the final vectors. */
export function data(run, { sentence, place }) {
  const [heads, weight, bias, output] = ['heads', 'out_proj.weight', 'out_proj.bias', 'output']
    .map((name) => attentionAt(place) + name)
  return {
    group: headSize(run),
    left: sentenceMatrix(run, heads, sentence),
    right: weightMatrix(run, weight),
    bias: biasRow(run, bias),
    product: sentenceMatrix(run, output, sentence),
    domains: {
      values: signed(Math.max(peak(tensorOf(run, heads)), peak(tensorOf(run, output)))),
      weights: signed(peak(tensorOf(run, weight)))
    }
  }
}

export function picture(run, { sentence, place }) {
  const name = `${attentionAt(place)}output`
  return { part: sentenceMatrix(run, name, sentence), domain: signed(peak(tensorOf(run, name))) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ group, left, right, bias, product, domains }) {
      const titles = {
        left: t('stages.output.joined'), right: 'W_O^T', bias: 'b_O', product: t('stages.output.result')
      }
      setFormula(sheet.corner, 'O = H W_O^T + b_O')
      sheet.update({ left, right, bias, product }, {
        titles, groups: { left: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: titles.product }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, bias, product }).map(([name, part]) => (
        { title: titles[name], part })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
