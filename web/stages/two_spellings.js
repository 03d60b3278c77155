/** One number written in two ways: a power, and exp of a logarithm. Line by line, and the angles of both in float32. */

import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { renderFormula } from '../lib/formula.js'
import { formatBrief, formatExact, formatFixed } from '../lib/number.js'
import { mountPanels } from '../lib/panels.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix, getTensor } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'two_spellings'
export const controls = ['base', 'dModel', 'maxLength']
/** @type {string[]} */ export const pickers = []

/** The pair that the lines are written for: the first whose rate is not 1. */
const PAIR = 1

/** @param {Run} run @param {View} view */
export function data(run, view) {
  const { twice, power, exponent, rate, by_power: byPower, by_log: byLog, apart, most } = view.room.parts
  const both = commonDomain(run, byPower, byLog)
  const pair = Math.min(PAIR, getTensor(run, rate).shape[0] - 1)
  /** @param {string} name */
  const value = name => getTensor(run, name).data[pair]
  return {
    pair, base: run.settings.base, dModel: run.settings.dModel, times: run.times,
    panels: [
      { ...sliceMatrix(run, byPower, view), word: 'by_power', domain: both },
      { ...sliceMatrix(run, byLog, view), word: 'by_log', domain: both },
      { ...sliceMatrix(run, apart, view), word: 'apart', domain: signedDomain(peak(getTensor(run, apart)) || 1e-9) }
    ],
    numbers: [
      ...Object.entries({ twice, power, exponent, rate }).map(([word, name]) => (
        { word, text: formatExact(value(name)), cell: { name, index: [pair] } })),
      { word: 'most', text: formatBrief(getTensor(run, most).data[0]), cell: { name: most, index: [] } },
      ...Object.entries(run.times ?? {}).map(([word, time]) => ({ word: `time_${word}`, text: `${formatFixed(time, 2)} ms` }))
    ]
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.by_log, view)

/** From the paper's power to what code computes. */
const LINES = [
  'omega_i = frac{1}{n^{2 i / d}} = n^{- 2 i / d}', 'n = e^{"ln\u00a0" n}',
  'omega_i = ( e^{"ln\u00a0" n} )^{- 2 i / d} = e^{- 2 i · "ln\u00a0" n / d}'
]

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  container.append(h('div', { className: 'derivation' },
    LINES.map(line => h('div', { className: 'equation' }, renderFormula(line.replaceAll('omega', 'ω'))))))
  return mountPanels(container, context, 'lab.two_spellings')
}
