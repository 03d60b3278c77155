/** WordPiece segmentation of a word: the longest piece at its beginning, then the longest continuation. */

import { mountChipChooser } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText } from '../lib/dom.js'

/** @import { BuiltElement, ExplainedWord, Mount, Run, Stage, Try, View } from '../types.d.ts' */

export const id = 'wordpiece'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The maximum number of lines per word. */
const MAX_LINES = 120

/**
 * The words of a text with all candidates that were tried.
 * @param {Run} run
 * @param {View<'wordpiece'>} view @returns {{ words: ExplainedWord[], vocabulary: string[] }}
 */
export function data(run, { room }) {
  const { cut, vocabulary } = run.streams[room.parts.stream]
  return { words: cut?.words ?? [], vocabulary }
}

/** The thumbnail: one cell per word, by its number of pieces. @type {Stage<'wordpiece'>['picture']} */
export function picture(run, view) {
  const counts = data(run, view).words.map(({ ids }) => ids.length)
  if (counts.length === 0) return null
  const max = Math.max(2, ...counts)
  return { part: { rows: 1, cols: counts.length, values: Float32Array.from(counts, count => count / max) },
    domain: probabilityDomain() }
}

const createLine = () => h('li', {}, h('span', { className: 'try-word' }, h('span'), h('b'), h('span')),
  h('code', { className: 'try-piece' }), h('small'))
const createPiece = () => h('span', { className: 'merge-piece' })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  /** @type {ReturnType<typeof data>} */ let latest
  const list = mountChipChooser(container, () => draw())
  const heading = h('h2')
  const lines = h('ol', { className: 'tries' })
  const more = h('p', { className: 'note' })
  const piecesLine = h('p', { className: 'merge-pieces' })
  const why = h('p', { className: 'note' })
  container.append(h('section', { 'className': 'search', 'aria-live': 'polite' }, heading, lines, more, piecesLine, why))

  /** @param {BuiltElement<HTMLElement>} line @param {Try} one @param {string} word */
  function fillLine(line, { piece, from, to, id }, word) {
    const [letters, name, text] = line.children
    const parts = [word.slice(0, from), word.slice(from, to), word.slice(to)]
    parts.forEach((part, i) => setText(letters.children[i], part))
    setText(name, piece)
    setText(text, id === undefined ? t('stages.wordpiece.none') : t('stages.wordpiece.found', { id }))
    line.classList.toggle('is-found', id !== undefined)
  }
  /** Why a word is unknown, or undefined. @param {ExplainedWord} word */
  function reason({ text, unknown, tries = [] }) {
    if (unknown === 'long') return t('stages.wordpiece.long', { count: [...text].length })
    const last = tries.at(-1)?.at(-1)
    return unknown ? t('stages.wordpiece.missing', { piece: last?.piece }) : ''
  }
  function draw() {
    const { words, vocabulary } = latest
    // Starts with the word that has the most candidates.
    const counts = words.map(({ tries = [] }) => tries.flat().length)
    const at = list.chosenIndex(counts.indexOf(Math.max(...counts)), words.length)
    list.update([{ name: '', chips: words.map(({ text, ids, unknown }, i) => (
      { text, note: String(ids.length), isFaint: Boolean(unknown), isHighlighted: i === at })) }])
    const word = words[at]
    const all = word?.tries?.flat() ?? []
    setText(heading, word ? t('stages.wordpiece.of', { word: word.text, count: all.length }) : t('stages.wordpiece.empty'))
    syncChildren(lines, all.slice(0, MAX_LINES), createLine,
      (line, item) => fillLine(/** @type {BuiltElement<HTMLElement>} */ (line), item, word.text))
    setText(more, all.length > MAX_LINES ? t('stages.wordpiece.more', { count: all.length - MAX_LINES }) : '')
    syncChildren(piecesLine, word?.ids ?? [], createPiece, (piece, number) => setText(piece, vocabulary[number]))
    setText(why, word ? reason(word) : '')
  }
  return {
    update(next) {
      latest = next
      draw()
    },
    mark() {},
    destroy() {}
  }
}
