/** Sines and cosines in turn, or all sines first: the same columns in another order. */

import { signed } from '../lib/color.js'
import { brief } from '../lib/number.js'
import { panels } from '../lib/panels.js'
import { matrixOf, tensorOf } from '../lib/run.js'

export const id = 'layouts'
export const controls = ['dModel', 'base']
export const pickers = []

export function data(run, view) {
  const { interleaved, concatenated, sorted, most } = view.room.parts
  return {
    panels: Object.entries({ interleaved, concatenated, sorted }).map(([word, name]) => (
      { ...matrixOf(run, name, view), word, domain: signed(1) })),
    numbers: [{ word: 'most', text: brief(tensorOf(run, most).data[0]), cell: { name: most, index: [] } }]
  }
}

export const picture = (run, view) => (
  { part: matrixOf(run, view.room.parts.concatenated, view), domain: signed(1) })

export const mount = (container, context) => panels(container, context, 'lab.layouts')
