/** Dropout of attention weights: in training some shares are withdrawn, the others raised. */

import { chance, factor } from '../lib/color.js'
import { dropped } from '../lib/dropped.js'
import { attentionMatrix, dropoutNames, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'attention_dropout'
export const tensors = []
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence', 'head']

/** One head's weights, its mask and what is left of the weights. */
export function data(run, { sentence, head, place }) {
  const names = dropoutNames(run, place, 'a')
  if (!names) return null
  const part = (name) => attentionMatrix(run, name, sentence, head)
  return {
    before: part(names.before), mask: part(names.mask), after: part(names.after),
    scale: 1 / (1 - run.settings.dropout),
    domains: { before: chance(), mask: factor(peak(tensorOf(run, names.mask))), after: chance() },
    legend: [{ domain: chance(), key: 'frame.share' }]
  }
}

export function picture(run, { sentence, head, place }) {
  const name = dropoutNames(run, place, 'a')?.after
  return name ? { part: attentionMatrix(run, name, sentence, head), domain: chance() } : null
}

const placeOf = ({ index }) => ({ row: index[2], col: index[3] })

export const mount = (container, context) => dropped(container, context, placeOf)
