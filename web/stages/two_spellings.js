/** One number written in two ways: a power, and exp of a logarithm. Line by line, and the angles of both in float32. */

import { signed } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { formula } from '../lib/formula.js'
import { brief, exact, fixed } from '../lib/number.js'
import { panels } from '../lib/panels.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { matrixOf, tensorOf } from '../lib/run.js'
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
  const both = domainOf(run, byPower, byLog)
  const pair = Math.min(PAIR, tensorOf(run, rate).shape[0] - 1)
  /** @param {string} name */
  const value = name => tensorOf(run, name).data[pair]
  return {
    pair, base: run.settings.base, dModel: run.settings.dModel, times: run.times,
    panels: [
      { ...matrixOf(run, byPower, view), word: 'by_power', domain: both },
      { ...matrixOf(run, byLog, view), word: 'by_log', domain: both },
      { ...matrixOf(run, apart, view), word: 'apart', domain: signed(peak(tensorOf(run, apart)) || 1e-9) }
    ],
    numbers: [
      ...Object.entries({ twice, power, exponent, rate }).map(([word, name]) => (
        { word, text: exact(value(name)), cell: { name, index: [pair] } })),
      { word: 'most', text: brief(tensorOf(run, most).data[0]), cell: { name: most, index: [] } },
      ...Object.entries(run.times ?? {}).map(([word, time]) => ({ word: `time_${word}`, text: `${fixed(time, 2)} ms` }))
    ]
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.by_log, view)

/** From the paper's power to what code computes. */
const LINES = [
  'omega_i = frac{1}{n^{2 i / d}} = n^{- 2 i / d}', 'n = e^{"ln\u00a0" n}',
  'omega_i = ( e^{"ln\u00a0" n} )^{- 2 i / d} = e^{- 2 i · "ln\u00a0" n / d}'
]

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  container.append(h('div', { className: 'derivation' },
    LINES.map(line => h('div', { className: 'equation' }, formula(line.replaceAll('omega', 'ω'))))))
  return panels(container, context, 'lab.two_spellings')
}
