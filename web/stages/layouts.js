/** Sines and cosines interleaved, or all sines first: the same columns in another order. */

import { signed } from '../lib/color.js'
import { brief } from '../lib/number.js'
import { panels } from '../lib/panels.js'
import { matrixOf, tensorOf } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'layouts'
export const controls = ['dModel', 'base']
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View} view */
export function data(run, view) {
  const { interleaved, concatenated, sorted, most } = view.room.parts
  return {
    panels: Object.entries({ interleaved, concatenated, sorted }).map(([word, name]) => (
      { ...matrixOf(run, name, view), word, domain: signed(1) })),
    numbers: [{ word: 'most', text: brief(tensorOf(run, most).data[0]), cell: { name: most, index: [] } }]
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => (
  { part: matrixOf(run, view.room.parts.concatenated, view), domain: signed(1) })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => panels(container, context, 'lab.layouts')
