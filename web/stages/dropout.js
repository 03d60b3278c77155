/** Dropout: some cells are set to 0, the rest scaled up. Before the first layer, and in training inside every layer. */

import { factor } from '../lib/color.js'
import { dropoutFigure } from '../lib/dropout_figure.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { matrixOf, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Cell, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'dropout'
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence']

/**
 * The matrix before and after, and the mask between them: 0 where a cell is dropped, else the factor. Without dropout
 * there is no mask.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { before, mask, after } = view.room.parts, hasMask = run.tensors.has(mask)
  const domain = domainOf(run, before, after)
  return {
    before: matrixOf(run, before, view), mask: hasMask ? matrixOf(run, mask, view) : null,
    after: matrixOf(run, after, view),
    scale: 1 / (1 - run.settings.dropout), domain,
    domains: { before: domain, mask: factor(hasMask ? peak(tensorOf(run, mask)) : 1), after: domain },
    legend: [{ domain }]
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.after, view)

/** @param {Cell} cell */
const placeOf = ({ index }) => ({ row: index[1], col: index[2] })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => dropoutFigure(container, context, placeOf)
