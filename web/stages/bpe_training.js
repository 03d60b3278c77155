/** Trains byte-pair encoding on the reader's text: counts all pairs and merges the most frequent one, repeatedly. */

import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText } from '../lib/dom.js'
import { mountScrubber, scrubberLabels } from '../lib/scrubber.js'

/** @import { BpeStep, BuiltElement, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'bpe_training'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The maximum number of words that are drawn. */
const MAX_WORDS = 80

/** Nothing from the run: the reader types the text. */
export const data = () => ({})

/** The thumbnail: one cell per token of the run, by the rank of its merge. @type {Stage<'bpe_training'>['picture']} */
export function picture(run, { sentence, room }) {
  const { ids: all, merges } = run.streams[room.parts.stream]
  const ranks = (all[sentence] ?? all[0]).map(id => merges?.[id]?.at(-1)?.rank ?? -1)
  const max = Math.max(1, ...ranks)
  return { part: { rows: 1, cols: ranks.length, values: Float32Array.from(ranks, rank => (rank + 1) / (max + 1)) },
    domain: probabilityDomain() }
}

const createPiece = () => h('span', { className: 'merge-piece' })
const createWord = () => h('span', { className: 'merge-pieces' })
const createPair = () => h('li', {}, h('span', { className: 'merge-pieces' }, createPiece(), createPiece()),
  h('span', { className: 'learning-bar' }), h('small'))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, reportError } = context
  let step = 0
  /** @type {ReturnType<typeof setTimeout> | 0} */ let waiting = 0
  let serial = 0
  const area = h('textarea', {
    rows: 3, spellcheck: 'false', oninput: () => {
      clearTimeout(waiting)
      waiting = setTimeout(restart, 150)
    }
  })
  area.value = t('stages.bpe_training.sample')
  const walk = h('div')
  const heading = h('h2')
  const pairs = h('ol', { className: 'learning-pairs' })
  const words = h('div', { className: 'learning-words' })
  const more = h('p', { className: 'note' })
  const root = h('section', { className: 'learning' },
    h('label', {}, t('stages.bpe_training.text'), area), walk, heading, pairs,
    h('h2', {}, t('stages.bpe_training.rewritten')), words, more)
  container.append(root)
  const line = mountScrubber(walk, scrubberLabels(t), to => {
    step = to
    show()
  })

  function restart() {
    step = 0
    line.stop()
    show()
  }
  /**
   * @param {BuiltElement<HTMLElement>} item @param {BpeStep['pairs'][number]} entry @param {number} i
   * @param {BpeStep} learned
   */
  function fillPair(item, { pair, count }, i, { merge, pairs: [{ count: max }] }) {
    const [both, bar, text] = item.children
    pair.forEach((piece, k) => setText(both.children[k], piece))
    bar.style.setProperty('--share', String(count / max))
    setText(text, String(count))
    item.classList.toggle('is-chosen', i === 0 && merge !== null)
  }
  /**
   * Draws a word in tokens and highlights the pair that is merged next.
   * @param {Element} box @param {string[]} word @param {BpeStep} now
   */
  function fillWord(box, word, { merge }) {
    syncChildren(box, word, createPiece, setText)
    /** @type {number[]} */ const lefts = []
    word.forEach((piece, i) => {
      const isPair = piece === merge?.pair[0] && word[i + 1] === merge.pair[1]
      if (isPair && lefts.at(-1) !== i - 1) lefts.push(i)
    })
    for (const [i, piece] of [...box.children].entries()) {
      piece.classList.toggle('is-left', lefts.includes(i))
      piece.classList.toggle('is-right', lefts.includes(i - 1))
    }
  }
  /** @param {BpeStep} learned */
  function draw(learned) {
    const { count, merge, words: all } = learned
    walk.hidden = count === 0
    line.update(step, count)
    setText(heading, merge ? t('stages.bpe_training.next', { left: merge.pair[0], right: merge.pair[1], count: merge.count })
      : t(count ? 'stages.bpe_training.done' : 'stages.bpe_training.none', { count }))
    syncChildren(pairs, learned.pairs, createPair,
      (item, pair, i) => fillPair(/** @type {BuiltElement<HTMLElement>} */ (item), pair, i, learned))
    syncChildren(words, all.slice(0, MAX_WORDS), createWord, (box, word) => fillWord(box, word, learned))
    setText(more, all.length > MAX_WORDS ? t('stages.bpe_training.more', { count: all.length - MAX_WORDS }) : '')
  }
  function show() {
    serial += 1
    const ownSerial = serial
    root.setAttribute('aria-busy', 'true')
    runQuery('bpeStep', { text: area.value, step }).then(learned => {
      if (ownSerial !== serial) return
      draw(learned)
      root.setAttribute('aria-busy', 'false')
    }).catch(reportError)
  }
  show()
  return {
    update() {},
    mark() {},
    destroy() {
      serial += 1
      clearTimeout(waiting)
      line.destroy()
    }
  }
}
