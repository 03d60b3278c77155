/** The sentences in tokens. */

import { mountChips } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'tokens'
export const controls = ['tokenizer']
/** @type {string[]} */ export const pickers = []

/** Every sentence with its tokens, and the selected one. @param {Run} run @param {View<'tokens'>} view */
export function data(run, { sentence, room }) {
  const { texts, tokens, lengths } = run.streams[room.parts.stream]
  return { sentences: texts.map((text, i) =>
    ({ text, tokens: tokens[i].slice(0, lengths[i]), chosen: i === sentence })) }
}

/** The thumbnail: where there is a token. @type {Stage<'tokens'>['picture']} */
export function picture(run, { room }) {
  const { padding } = run.streams[room.parts.stream]
  const [rows, cols] = [padding.length, padding[0].length]
  const values = Float32Array.from(padding.flat(), pad => (pad ? 0 : 0.55))
  return { part: { rows, cols, values }, domain: probabilityDomain() }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  /** @type {ReturnType<typeof data>} */ let latest
  /** @param {number} [row] @param {number} [col] */
  const light = (row, col) => {
    const highlightedToken = latest.sentences[row ?? -1]?.tokens[col ?? -1]
    list.update(latest.sentences.map(({ text, tokens, chosen }) => ({
      name: text, chosen, chips: tokens.map((token,
        i) => ({ text: token, note: String(i), isHighlighted: token === highlightedToken }))
    })))
  }
  const list = mountChips(container, {
    onHover: light, onPress: light, onLeave: () => light(), onRow: row => context.set({ sentence: row })
  })
  return {
    update(next) {
      latest = next
      light()
    },
    mark() {},
    destroy() {}
  }
}
