/** Sentences cut into tokens. */

import { chips } from '../lib/chips.js'
import { probabilities } from '../lib/color.js'

export const id = 'tokens'
export const controls = ['tokenizer']
export const pickers = []

/** Every sentence with its tokens, and which one is chosen. */
export function data(run, { sentence, room }) {
  const { texts, tokens, lengths } = run.streams[room.parts.stream]
  return { sentences: texts.map((text, i) =>
    ({ text, tokens: tokens[i].slice(0, lengths[i]), chosen: i === sentence })) }
}

/** The map's stamp: where there is a token. */
export function picture(run, { room }) {
  const { padding } = run.streams[room.parts.stream]
  const [rows, cols] = [padding.length, padding[0].length]
  return { part: { rows, cols, values: padding.flat().map(pad => (pad ? 0 : 0.55)) }, domain: probabilities() }
}

export function mount(container, context) {
  let shown = null
  const light = (row, col) => {
    const lit = shown.sentences[row]?.tokens[col]
    list.update(shown.sentences.map(({ text, tokens, chosen }) => ({
      name: text, chosen, chips: tokens.map((token, i) => ({ text: token, note: String(i), lit: token === lit }))
    })))
  }
  const list = chips(container, {
    onLook: light, onPress: light, onLeave: () => light(), onRow: row => context.set({ sentence: row })
  })
  return {
    update(next) {
      shown = next
      light()
    },
    mark() {},
    destroy() {}
  }
}
