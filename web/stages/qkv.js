/** One input, three weight matrices: queries, keys and values. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { attentionAt, biasRow, headSize, inputOf, sentenceMatrix, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

const PARTS = ['q', 'k', 'v']

export const id = 'qkv'
export const tensors = [
  ...PARTS.map((part) => `self_attn.${part}`), 'self_attn.in_proj_weight', 'self_attn.in_proj_bias'
]
export const controls = ['heads']
export const pickers = ['sentence', 'part']

/** Input, weight, bias and result of one of the three projections. */
export function data(run, { sentence, part, place }) {
  const at = attentionAt(place)
  const size = run.settings.dModel
  const start = PARTS.indexOf(part) * size
  const shown = PARTS.flatMap((name) => [`${at}${name}`, inputOf(run, `${at}${name}`)])
  return {
    part, group: headSize(run),
    left: sentenceMatrix(run, inputOf(run, `${at}${part}`), sentence),
    right: weightMatrix(run, `${at}in_proj_weight`, start, size),
    bias: biasRow(run, `${at}in_proj_bias`, start, size),
    product: sentenceMatrix(run, `${at}${part}`, sentence),
    domains: {
      values: signed(Math.max(...shown.map((name) => peak(tensorOf(run, name))))),
      weights: signed(peak(tensorOf(run, `${at}in_proj_weight`)))
    }
  }
}

export function picture(run, { sentence, part, place }) {
  const name = attentionAt(place) + part
  return { part: sentenceMatrix(run, name, sentence), domain: signed(peak(tensorOf(run, name))) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ part, group, domains, left, right, bias, product }) {
      const letter = part.toUpperCase()
      const titles = { left: t('stages.qkv.input'), right: `W_${letter}^T`, bias: `b_${letter}`, product: letter }
      setFormula(sheet.corner, `${letter} = X W_${letter}^T + b_${letter}`)
      sheet.update({ left, right, bias, product }, {
        titles, groups: { right: group, bias: group, product: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: `X, ${letter}` }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, bias, product }).map(([name, piece]) => (
        { title: titles[name], part: piece })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
