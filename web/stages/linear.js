/** A linear layer: every output weighs all inputs. The two of the feed-forward network, and the one to the logits. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { biasRow, inputOf, sentenceMatrix, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'linear'
export const tensors = []
export const controls = ['dimFeedforward']
export const pickers = []

/** Input, weight, bias and result. */
export function data(run, { place }) {
  const { name } = tensorOf(run, `${place}.output`)
  const input = inputOf(run, name)
  return {
    left: sentenceMatrix(run, input),
    right: weightMatrix(run, `${place}.weight`),
    bias: biasRow(run, `${place}.bias`),
    product: sentenceMatrix(run, name),
    domains: {
      input: signed(peak(tensorOf(run, input))), output: signed(peak(tensorOf(run, name))),
      weights: signed(peak(tensorOf(run, `${place}.weight`)))
    }
  }
}

export function picture(run, { place }) {
  const tensor = tensorOf(run, `${place}.output`)
  return { part: sentenceMatrix(run, tensor.name), domain: signed(peak(tensor)) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  return {
    update({ left, right, bias, product, domains }) {
      const titles = { left: t('stages.linear.input'), right: 'W^T', bias: 'b', product: t('stages.linear.result') }
      setFormula(sheet.corner, 'Y = X W^T + b')
      sheet.update({ left, right, bias, product }, {
        titles,
        domains: { left: domains.input, right: domains.weights, bias: domains.weights, product: domains.output }
      })
      fig.legend([
        { domain: domains.input, text: titles.left }, { domain: domains.weights, text: titles.right },
        { domain: domains.output, text: titles.product }
      ])
      fig.numbers(t('frame.numbers'), Object.entries({ left, right, bias, product }).map(([name, part]) => (
        { title: titles[name], part })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
