/** Two naive positional encodings: the index added to the embeddings, and the index divided by the length. */

import { formatFixed } from '../lib/number.js'
import { mountPanels } from '../lib/panels.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix, getTensor } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'first_ideas'
export const controls = ['dModel', 'seed']
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View} view */
export function data(run, view) {
  const { words, grown, norms, hops, shares: fractions } = view.room.parts
  const rowLabels = run.streams.text.tokens[0]
  const both = commonDomain(run, words, grown)
  const lengths = [1, 2, 3].map(times => `T = ${times * rowLabels.length}`)
  return {
    panels: [
      { ...sliceMatrix(run, words, view, { rowLabels }), word: 'words', domain: both },
      { ...sliceMatrix(run, grown, view, { rowLabels }), word: 'grown', domain: both },
      { ...sliceMatrix(run, norms, view, { rowLabels: ['|x|', '|x + k|'], colLabels: rowLabels }), word: 'norms',
        domain: commonDomain(run, norms) },
      { ...sliceMatrix(run, fractions, view, { rowLabels: lengths, colLabels: rowLabels }), word: 'shares',
        domain: commonDomain(run, fractions) }
    ],
    numbers: lengths.map((_, i) => ({ word: `hop${i + 1}`, text: formatFixed(getTensor(run, hops).data[i], 4),
      cell: { name: hops, index: [i] } }))
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.grown, view)

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountPanels(container, context, 'lab.first_ideas')
