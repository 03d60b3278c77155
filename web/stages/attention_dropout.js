/** Dropout of attention weights: in training some weights are set to 0, the others scaled up. */

import { probabilities, factor } from '../lib/color.js'
import { dropoutFigure } from '../lib/dropout_figure.js'
import { matrixOf, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Cell, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'attention_dropout'
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence', 'head']

/** One head's weights, its mask and the dropped-out weights. @param {Run} run @param {View} view */
export function data(run, view) {
  const { weights, mask, kept: droppedOut } = view.room.parts
  return {
    before: matrixOf(run, weights, view), mask: matrixOf(run, mask, view),
    after: matrixOf(run, droppedOut ?? weights, view),
    scale: 1 / (1 - run.settings.dropout),
    domains: { before: probabilities(), mask: factor(peak(tensorOf(run, mask))), after: probabilities() },
    legend: [{ domain: probabilities(), key: 'frame.share' }]
  }
}

/** @type {Stage['picture']} */
export function picture(run, view) {
  const { weights, kept } = view.room.parts
  return { part: matrixOf(run, kept ?? weights, view), domain: probabilities() }
}

/** @param {Cell} cell */
const placeOf = ({ index }) => ({ row: index[2], col: index[3] })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => dropoutFigure(container, context, placeOf)
