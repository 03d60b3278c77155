/** The vocabulary, and every sentence as a row of ids. */

import { mountChips } from '../lib/chips.js'
import { signedDomain } from '../lib/color.js'
import { h, targetOf } from '../lib/dom.js'
import { mountVocabulary } from '../lib/vocabulary.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'ids'
export const controls = ['tokenizer']
/** @type {string[]} */ export const pickers = []

/**
 * The vocabulary with the used entries, and the ids of all sentences.
 * @param {Run} run @param {View<'ids'>} view
 */
export function data(run, { sentence, room }) {
  const { ids: all, vocabulary, tokens, padding } = run.streams[room.parts.stream]
  const used = new Set(all.flat())
  return {
    vocabulary: vocabulary.map((token, id) => ({ token, id, isUsed: used.has(id) })),
    sentences: all.map((ids, i) => ({ ids, tokens: tokens[i], padding: padding[i], chosen: i === sentence }))
  }
}

/** The thumbnail: the ids themselves. @type {Stage<'ids'>['picture']} */
export function picture(run, { room }) {
  const { ids, vocabulary } = run.streams[room.parts.stream]
  const part = { rows: ids.length, cols: ids[0].length, values: Float32Array.from(ids.flat()) }
  return { part, domain: signedDomain(vocabulary.length) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const sentences = h('section', {}, h('h2', {}, t('stages.ids.sentences')))
  const vocabularySection = h('section', {}, h('h2', {}, t('stages.ids.vocabulary')))
  container.append(sentences, vocabularySection)
  const words = mountVocabulary(vocabularySection, t)
  const list = mountChips(sentences, {
    onHover: (row, col) => highlight(idAt(row, col)), onPress: (row, col) => highlight(idAt(row, col)),
    onLeave: () => highlight(null), onRow: row => context.set({ sentence: row })
  }, { inline: true })
  /** @type {ReturnType<typeof data>} */ let latest
  /** @type {number | null} */ let highlightedId = null

  /** @param {number} row @param {number} col */
  const idAt = (row, col) => latest.sentences[row].ids[col]
  function draw() {
    list.update(latest.sentences.map(({ ids, tokens, padding, chosen }, row) => ({
      name: String(row), chosen,
      chips: ids.map((number, col) => (
        { text: String(number), note: tokens[col], isFaint: padding[col], isHighlighted: number === highlightedId }))
    })))
    words.update(latest.vocabulary, highlightedId)
  }
  /** @param {number | null} number */
  const highlight = number => {
    highlightedId = number
    if (latest) draw()
  }
  words.list.addEventListener('pointerover', event => {
    const entry = targetOf(event).closest('li')
    if (entry) highlight(Number(entry.dataset.id))
  })
  words.list.addEventListener('pointerleave', () => highlight(null))
  return {
    update(next) {
      latest = next
      draw()
    },
    mark() {},
    destroy: words.destroy
  }
}
