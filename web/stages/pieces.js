/** A source or a target as tokens, each with its id. */

import { mountChips } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText } from '../lib/dom.js'
import { MAX_TOKENS, mountTokenWindow } from '../lib/token_window.js'
import { mountVocabulary } from '../lib/vocabulary.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'pieces'
export const controls = ['padding']
/** @type {string[]} */ export const pickers = []

const EDGES = /^<.*>$/

/** A text's tokens with their ids, and the whole vocabulary. @param {Run} run @param {View<'pieces'>} view */
export function data(run, { sentence, room }) {
  const { tokens: all, ids: numbers, vocabulary, isAnswer, languages = [] } = run.streams[room.parts.stream]
  const [tokens, ids] = [all[sentence] ?? all[0], numbers[sentence] ?? numbers[0]]
  const used = new Set(ids)
  return {
    isAnswer: Boolean(isAnswer), languages, pieces: tokens.map((token, i) => ({ token, id: ids[i] })),
    vocabulary: vocabulary.map((token, id) => ({ token, id, isUsed: used.has(id) }))
  }
}

/** The thumbnail: one cell per token, fainter for special tokens. @type {Stage<'pieces'>['picture']} */
export function picture(run, { room }) {
  const [tokens] = run.streams[room.parts.stream].tokens
  const values = Float32Array.from(tokens, token => (EDGES.test(token) ? 0.15 : 0.55))
  return { part: { rows: 1, cols: tokens.length, values }, domain: probabilityDomain() }
}

const createPiece = () => h('span', { className: 'merge-piece' })
const createSentence = () => h('li', {}, h('q'), h('small', { className: 'sentence-cost' }),
  h('span', { className: 'merge-pieces' }))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  /** @param {number} _ @param {number} col */
  const look = (_, col) => highlight(col)
  const span = mountTokenWindow(container, t, () => highlight())
  const list = mountChips(container, { onHover: look, onPress: look, onLeave: () => highlight() })
  const sentences = h('ul', { className: 'said-twice' })
  const compared = h('section', { className: 'search' }, h('h2', {}, t('stages.pieces.languages')), sentences)
  container.append(compared)
  const heading = h('h2')
  const vocabularySection = h('section', { className: 'known' }, heading)
  container.append(vocabularySection)
  const all = mountVocabulary(vocabularySection, t)
  /** @type {ReturnType<typeof data>} */ let latest

  /** @param {number} [col] */
  function highlight(col) {
    const pieces = latest.pieces.slice(...span.rangeOf(latest.pieces.length, MAX_TOKENS)),
      highlightedId = pieces[col ?? -1]?.id
    list.update([{ name: '', chips: pieces.map(piece => ({
      text: piece.token, note: String(piece.id), isFaint: EDGES.test(piece.token),
      isHighlighted: piece.id === highlightedId
    })) }])
    all.update(latest.vocabulary, highlightedId)
  }
  return {
    update(next) {
      latest = next
      setText(heading, t(!next.isAnswer ? 'stages.pieces.read' : 'stages.pieces.written'))
      highlight()
      compared.hidden = next.languages.length === 0
      syncChildren(sentences, next.languages, createSentence, (sentence, { lang, text, bytes, tokens }) => {
        const [quote, cost, list] = sentence.children
        quote.lang = lang
        setText(quote, text)
        setText(cost, t('stages.pieces.cost', { tokens: tokens.length, bytes }))
        syncChildren(list, tokens, createPiece, setText)
      })
    },
    mark() {},
    destroy: all.destroy
  }
}
