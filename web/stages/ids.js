/** The vocabulary, and every sentence as a row of ids. */

import { chips } from '../lib/chips.js'
import { signed } from '../lib/color.js'
import { h, keep, setText } from '../lib/dom.js'

export const id = 'ids'
export const controls = ['tokenizer']
export const pickers = []

/** The vocabulary with how often each entry is used, and the ids of all sentences. */
export function data(run, { sentence, room }) {
  const { ids: all, vocabulary, tokens, padding } = run.streams[room.parts.stream]
  const counts = new Map()
  for (const number of all.flat()) counts.set(number, (counts.get(number) ?? 0) + 1)
  return {
    vocabulary: vocabulary.map((token, number) => ({ token, number, count: counts.get(number) ?? 0 })),
    sentences: all.map((ids, i) => ({ ids, tokens: tokens[i], padding: padding[i], chosen: i === sentence }))
  }
}

/** The map's stamp: the ids themselves. */
export function picture(run, { room }) {
  const { ids, vocabulary } = run.streams[room.parts.stream]
  const part = { rows: ids.length, cols: ids[0].length, values: Float32Array.from(ids.flat()) }
  return { part, domain: signed(vocabulary.length) }
}

const createEntry = () => h('li', {}, h('span', { className: 'vocab-id' }), h('span', { className: 'vocab-token' }))

export function mount(container, context) {
  const { t } = context
  const sentences = h('section', {}, h('h2', {}, t('stages.ids.sentences')))
  const vocabulary = h('ol', { className: 'vocabulary' })
  container.append(sentences, h('section', {}, h('h2', {}, t('stages.ids.vocabulary')), vocabulary))
  const list = chips(sentences, {
    onLook: (row, col) => light(idAt(row, col)), onPress: (row, col) => light(idAt(row, col)),
    onLeave: () => light(null), onRow: row => context.set({ sentence: row })
  }, { inline: true })
  let shown = null
  let lit = null

  const idAt = (row, col) => shown.sentences[row].ids[col]
  function draw() {
    list.update(shown.sentences.map(({ ids, tokens, padding, chosen }, row) => ({
      name: String(row), chosen,
      chips: ids.map((number, col) => (
        { text: String(number), note: tokens[col], faint: padding[col], lit: number === lit }))
    })))
    keep(vocabulary, shown.vocabulary, createEntry, (entry, { token, number, count }) => {
      setText(entry.children[0], String(number))
      setText(entry.children[1], token)
      entry.classList.toggle('is-lit', number === lit)
      entry.classList.toggle('is-faint', count === 0)
    })
  }
  const light = number => {
    lit = number
    if (shown) draw()
  }
  vocabulary.addEventListener('pointerover', event => {
    const entry = event.target.closest('li')
    if (entry) light([...vocabulary.children].indexOf(entry))
  })
  vocabulary.addEventListener('pointerleave', () => light(null))
  return {
    update(next) {
      shown = next
      draw()
    },
    mark() {},
    destroy() {}
  }
}
