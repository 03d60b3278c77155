/** A table of positions added to a batch: sliced by tokens as it should be, and wrongly by sentences. */

import { signed } from '../lib/color.js'
import { brief } from '../lib/number.js'
import { panels } from '../lib/panels.js'
import { tensorOf } from '../lib/run.js'
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
  const of = (name, sentence, word) => ({
    ...slice(tensorOf(run, name), { row: 1, col: 2, fixed: [sentence, 0, 0], rowLabels }), word, domain: signed(1)
  })
  return {
    panels: [of(right, 0, 'right'), ...[0, 1, 2].map(sentence => of(wrong, sentence, `wrong${sentence}`))],
    numbers: ['right', 'wrong'].map((word, i) => ({ word: `spread_${word}`, text: brief(tensorOf(run, spread).data[i]),
      cell: { name: spread, index: [i] } }))
  }
}

/** @type {Stage['picture']} */
export function picture(run, { room }) {
  return { part: slice(tensorOf(run, room.parts.wrong), { row: 1, col: 2, fixed: [2, 0, 0] }), domain: signed(1) }
}

/** @type {Mount<typeof data>} */
export const mount = (container, context) => panels(container, context, 'lab.broadcasting')
