/** Dropout of attention weights: in training some weights are set to 0, the others scaled up. */

import { probabilityDomain, factorDomain } from '../lib/color.js'
import { mountDropoutFigure } from '../lib/dropout_figure.js'
import { sliceMatrix, getTensor } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Cell, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'attention_dropout'
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence', 'head']

/**
 * One head's weights, its mask and the dropped-out weights.
 * @param {Run} run @param {View<'attention_dropout'>} view
 */
export function data(run, view) {
  const { weights, mask, dropped } = view.room.parts
  return {
    before: sliceMatrix(run, weights, view), mask: sliceMatrix(run, mask, view),
    after: sliceMatrix(run, dropped ?? weights, view),
    scale: 1 / (1 - run.settings.dropout),
    domains: { before: probabilityDomain(), mask: factorDomain(peak(getTensor(run, mask))),
      after: probabilityDomain() },
    legend: [{ domain: probabilityDomain(), key: 'frame.share' }]
  }
}

/** @type {Stage<'attention_dropout'>['picture']} */
export function picture(run, view) {
  const { weights, dropped } = view.room.parts
  return { part: sliceMatrix(run, dropped ?? weights, view), domain: probabilityDomain() }
}

/** @param {Cell} cell */
const squareIn = ({ index }) => ({ row: index[2], col: index[3] })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountDropoutFigure(container, context, squareIn)
