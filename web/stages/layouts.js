/** Two layouts of the same table: sines and cosines interleaved, or all sines first. */

import { signedDomain } from '../lib/color.js'
import { formatBrief } from '../lib/number.js'
import { mountPanels } from '../lib/panels.js'
import { sliceMatrix, getTensor } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'layouts'
export const controls = ['dModel', 'base']
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View} view */
export function data(run, view) {
  const { interleaved, concatenated, sorted, most } = view.room.parts
  return {
    panels: Object.entries({ interleaved, concatenated, sorted }).map(([word, name]) => (
      { ...sliceMatrix(run, name, view), word, domain: signedDomain(1) })),
    numbers: [{ word: 'most', text: formatBrief(getTensor(run, most).data[0]), cell: { name: most, index: [] } }]
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => (
  { part: sliceMatrix(run, view.room.parts.concatenated, view), domain: signedDomain(1) })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountPanels(container, context, 'lab.layouts')
