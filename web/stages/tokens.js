/** Sentences cut into tokens. */

import { chips } from '../lib/chips.js'
import { chance } from '../lib/color.js'

export const id = 'tokens'
export const controls = ['tokenizer']
export const pickers = []

/** Every sentence with its tokens, and which one is chosen. */
export function data(run, { sentence, room }) {
  const { texts, tokens, lengths } = run.streams[room.parts.stream]
  return { sentences: texts.map((text, i) => ({ text, tokens: tokens[i].slice(0, lengths[i]), chosen: i === sentence })) }
}

/** The map's stamp: where there is a token. */
export function picture(run, { room }) {
  const { padding } = run.streams[room.parts.stream]
  const [rows, cols] = [padding.length, padding[0].length]
  return { part: { rows, cols, values: padding.flat().map((pad) => (pad ? 0 : 0.55)) }, domain: chance() }
}

export function mount(container, context) {
  const cell = (row, col) => ({ name: 'ids', index: [row, col] })
  const list = chips(container, {
    onLook: (row, col) => context.look(cell(row, col)),
    onPress: (row, col) => context.press(cell(row, col)),
    onLeave: context.leave, onRow: (row) => context.set({ sentence: row })
  })
  let shown = null
  let lit = null
  const draw = () => list.update(shown.sentences.map(({ text, tokens, chosen }, row) => ({
    name: text, chosen, chips: tokens.map((token, col) => ({
      text: token, note: String(col), lit: lit?.name === 'ids' && lit.index[0] === row && lit.index[1] === col
    }))
  })))
  return {
    update(next) {
      shown = next
      draw()
    },
    mark({ current }) {
      lit = current
      if (shown) draw()
    },
    destroy() {}
  }
}
