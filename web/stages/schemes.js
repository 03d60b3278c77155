/** The attention weights of the same words, queries and keys with every positional encoding. */

import { probabilityDomain } from '../lib/color.js'
import { mountPanels } from '../lib/panels.js'
import { getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'schemes'
export const controls = ['base', 'dModel', 'seed']
/** @type {string[]} */ export const pickers = []

const SCHEMES = ['none', 'sinusoidal', 'random', 'halves', 'neighbours', 'biased']

/** @param {Run} run @param {View} view */
export function data(run, { room }) {
  const [words] = run.streams.text.tokens
  return { panels: SCHEMES.map(word => ({
    ...slice(getTensor(run, room.parts[word]), { row: 1, col: 2, rowLabels: words, colLabels: words }), word,
    domain: probabilityDomain()
  })) }
}

/** @type {Stage['picture']} */
export const picture = (run, { room }) => (
  { part: slice(getTensor(run, room.parts.sinusoidal), { row: 1, col: 2 }), domain: probabilityDomain() })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => mountPanels(container, context, 'lab.schemes')
