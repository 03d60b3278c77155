/** Byte-pair encoding of a token: of all adjacent pairs, the one learned first is merged, until none is left. */

import { mountChipChooser } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText } from '../lib/dom.js'
import { MAX_TOKENS, mountTokenWindow } from '../lib/token_window.js'

/** @import { BuiltElement, Mount, Run, Stage, TokenMerge, View } from '../types.d.ts' */

export const id = 'bpe_merges'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The tokens of the text, each with its merges. @param {Run} run @param {View<'bpe_merges'>} view */
export function data(run, { sentence, room }) {
  const { tokens: all, ids: numbers, merges } = run.streams[room.parts.stream]
  const [tokens, ids] = [all[sentence] ?? all[0], numbers[sentence] ?? numbers[0]]
  return { pieces: tokens.map((token, i) => ({ token, id: ids[i], steps: merges?.[ids[i]] ?? [] })) }
}

/** The thumbnail: one cell per token, by its number of merges. @type {Stage<'bpe_merges'>['picture']} */
export function picture(run, view) {
  const counts = data(run, view).pieces.map(({ steps }) => steps.length)
  const max = Math.max(1, ...counts)
  const values = Float32Array.from(counts, count => count / max)
  return { part: { rows: 1, cols: counts.length, values }, domain: probabilityDomain() }
}

const createPiece = () => h('span', { className: 'merge-piece' })
const createStep = () => h('li', {}, h('span', { className: 'merge-pieces' }), h('small'))

/**
 * The pieces at a step and the pair to merge; after the last step the token itself.
 * @param {BuiltElement<HTMLElement>} item @param {Pick<TokenMerge, 'pieces' | 'at'> & { note: string }} step
 */
function fillStep(item, { pieces, at, note }) {
  const [list, text] = item.children
  syncChildren(list, pieces, createPiece, (piece, text) => setText(piece, text))
  for (const [i, piece] of [...list.children].entries()) {
    piece.classList.toggle('is-left', i === at)
    piece.classList.toggle('is-right', i === at + 1)
  }
  setText(text, note)
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, language } = context
  /** @type {ReturnType<typeof data>} */ let latest
  const span = mountTokenWindow(container, t, () => draw())
  const list = mountChipChooser(container, () => draw())
  const heading = h('h2')
  const ladder = h('ol', { className: 'merge-steps' })
  const note = h('p', { className: 'note' })
  container.append(h('section', { 'aria-live': 'polite' }, heading, ladder, note))

  function draw() {
    const pieces = latest.pieces.slice(...span.rangeOf(latest.pieces.length, MAX_TOKENS))
    const longest = pieces.reduce((max, { steps }, i) => (steps.length > pieces[max].steps.length ? i : max), 0)
    const at = list.chosenIndex(longest, pieces.length)
    const { token, steps } = pieces[at]
    list.update([{ name: '', chips: pieces.map((piece, i) => ({
      text: piece.token, note: String(piece.steps.length), isFaint: piece.steps.length === 0, isHighlighted: i === at
    })) }])
    setText(heading, t('stages.bpe_merges.of', { token, count: steps.length }))
    /** @param {number} value */
    const number = value => value.toLocaleString(language())
    const notes = steps.map(({ rank, count }) => (
      t(count === undefined ? 'stages.bpe_merges.rank' : 'stages.bpe_merges.counted', {
        rank: number(rank + 1), count: number(count ?? 0)
      })))
    syncChildren(ladder, [...steps.map((step, i) => ({ ...step, note: notes[i] })), { pieces: [token], at: -2, note: '' }],
      createStep, fillStep)
    setText(note, steps.length === 0 ? t('stages.bpe_merges.none') : '')
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
