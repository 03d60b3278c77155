/** Dropout: some cells to 0, the rest scaled up. Before the first layer, and in training inside every layer. */

import { factor, signed } from '../lib/color.js'
import { dropped } from '../lib/dropped.js'
import { dropoutNames, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'dropout'
export const tensors = ['dropout', 'dropout.mask']
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence']

/** The matrix before and after and, in training, the mask between them: 0 where a cell is dropped, else the factor. */
export function data(run, { sentence, place }) {
  const names = dropoutNames(run, place)
  if (!names) return null
  const part = (name) => sentenceMatrix(run, name, sentence)
  const domain = signed(Math.max(peak(tensorOf(run, names.before)), peak(tensorOf(run, names.after))))
  const mask = tensorOf(run, names.mask)
  return {
    before: part(names.before), mask: mask ? part(names.mask) : null, after: part(names.after),
    scale: 1 / (1 - run.settings.dropout), domain,
    domains: { before: domain, mask: factor(mask ? peak(mask) : 1), after: domain },
    legend: [{ domain }]
  }
}

export function picture(run, { sentence, place }) {
  const name = dropoutNames(run, place)?.after
  return name ? { part: sentenceMatrix(run, name, sentence), domain: signed(peak(tensorOf(run, name))) } : null
}

const placeOf = ({ index }) => ({ row: index[1], col: index[2] })

export const mount = (container, context) => dropped(container, context, placeOf)
