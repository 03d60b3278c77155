/** Dropout: some cells are set to 0, the rest scaled up. Before the first layer, and in training inside every layer. */

import { factorDomain } from '../lib/color.js'
import { mountDropoutFigure } from '../lib/dropout_figure.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix, getTensor } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Cell, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'dropout'
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence']

/**
 * The matrix before and after, and the mask between them: 0 where a cell is dropped, else the factor. Without dropout
 * there is no mask.
 * @param {Run} run @param {View<'dropout'>} view
 */
export function data(run, view) {
  const { before, mask, after } = view.room.parts, hasMask = run.tensors.has(mask)
  const domain = commonDomain(run, before, after)
  return {
    before: sliceMatrix(run, before, view), mask: hasMask ? sliceMatrix(run, mask, view) : null,
    after: sliceMatrix(run, after, view),
    scale: 1 / (1 - run.settings.dropout), domain,
    domains: { before: domain, mask: factorDomain(hasMask ? peak(getTensor(run, mask)) : 1), after: domain },
    legend: [{ domain }]
  }
}

/** @type {Stage<'dropout'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.after, view)

/** @param {Cell} cell */
const squareIn = ({ index }) => ({ row: index[1], col: index[2] })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountDropoutFigure(container, context, squareIn)
