/** The same words, queries and keys: attention weights under every positional encoding. */

import { probabilities } from '../lib/color.js'
import { panels } from '../lib/panels.js'
import { tensorOf } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'compare'
export const controls = ['base', 'dModel', 'seed']
/** @type {string[]} */ export const pickers = []

const SCHEMES = ['none', 'sinusoidal', 'random', 'halves', 'neighbours', 'biased']

/** @param {Run} run @param {View} view */
export function data(run, { room }) {
  const [words] = run.streams.text.tokens
  return { panels: SCHEMES.map(word => ({
    ...slice(tensorOf(run, room.parts[word]), { row: 1, col: 2, rowLabels: words, colLabels: words }), word,
    domain: probabilities()
  })) }
}

/** @type {Stage['picture']} */
export const picture = (run, { room }) => (
  { part: slice(tensorOf(run, room.parts.sinusoidal), { row: 1, col: 2 }), domain: probabilities() })

/** @type {Mount<typeof data>} */
export const mount = (container, context) => panels(container, context, 'lab.compare')
