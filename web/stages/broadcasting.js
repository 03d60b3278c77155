/** A table of positions added to a batch: correctly sliced by tokens, and wrongly by sentences. */

import { signedDomain } from '../lib/color.js'
import { formatBrief } from '../lib/number.js'
import { mountPanels } from '../lib/panels.js'
import { getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'broadcasting'
export const controls = ['dModel', 'base']
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View} view */
export function data(run, { room }) {
  const { right, wrong, spread } = room.parts
  const rowLabels = run.streams.text.tokens[0]
  /** @param {string} name @param {number} sentence @param {string} word */
  const panelOf = (name, sentence, word) => ({
    ...slice(getTensor(run, name), { row: 1, col: 2, fixed: [sentence, 0, 0], rowLabels }), word,
    domain: signedDomain(1)
  })
  return {
    panels: [panelOf(right, 0, 'right'), ...[0, 1, 2].map(sentence => panelOf(wrong, sentence, `wrong${sentence}`))],
    numbers: ['right', 'wrong'].map((word, i) => ({ word: `spread_${word}`, text: formatBrief(getTensor(run, spread).data[i]),
      cell: { name: spread, index: [i] } }))
  }
}

/** @type {Stage['picture']} */
export function picture(run, { room }) {
  return { part: slice(getTensor(run, room.parts.wrong), { row: 1, col: 2, fixed: [2, 0, 0] }),
    domain: signedDomain(1) }
}

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountPanels(container, context, 'lab.broadcasting')
