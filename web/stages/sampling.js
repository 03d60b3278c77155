/** From logits to a token: divided by the temperature, softmax over the vocabulary, then top-k and top-p. */

import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText, targetOf } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { formatFixed } from '../lib/number.js'
import { cellAt, setCellData } from '../lib/origin.js'
import { isLargeCount, largestIndices } from '../lib/large_tables.js'
import { commonDomain } from '../lib/picture.js'
import { rankIndices } from '../lib/ranking.js'
import { getAxisLabels, sliceMatrix, getTensor } from '../lib/run.js'
import { createSlicedWorker, nextTask, waitForPaint } from '../lib/scheduling.js'

/** @import { BuiltElement, Decoding, Mount, Run, SamplingParts, Slice, Stage, View } from '../types.d.ts' */

export const id = 'sampling'
export const controls = ['temperature', 'topK', 'topP']
export const pickers = ['row']

/** @typedef {'logits' | 'tempered' | 'shares' | 'kept'} MatrixRole */

/** The matrices by their roles. */
/** @type {Record<MatrixRole, keyof SamplingParts>} */
const MATRICES = { logits: 'logits', tempered: 'tempered', shares: 'probabilities', kept: 'output' }

/** The maximum number of listed tokens. */
const MAX_TOKENS = 64
/** With a large vocabulary this many lines are drawn at once, the others frame by frame, about a millisecond each. */
const [FIRST_WORDS, SLICE] = [6, 1]

/**
 * All tokens of one step, the most probable first, and the matrices that contain this row.
 * @param {Run} run @param {View<'sampling'>} view
 */
export function data(run, view) {
  const names = view.room.parts, { rows } = /** @type {Decoding} */ (run.decoding)
  const row = rows[Math.min(view.row, rows.length - 1)]
  const distribution = getTensor(run, names.probabilities), V = distribution.shape[2]
  const labels = getAxisLabels(run, distribution, 2) ?? []
  // With a large vocabulary only the listed tokens are columns.
  const few = isLargeCount(V) ? largestIndices(distribution.data, row * V, V, MAX_TOKENS) : null
  const parts = /** @type {Record<MatrixRole, Slice>} */ (Object.fromEntries(
    Object.entries(MATRICES).map(([key, name]) => [key,
      sliceMatrix(run, names[name], view, few ? { order: few } : {})])))
  /** @param {string} name @param {number} word */
  const at = (name, word) => getTensor(run, name).data[row * V + word]
  const order = few ?? rankIndices(distribution.data.slice(row * V, (row + 1) * V))
  const words = order.map(word => ({
    word, token: labels[word], logit: at(names.logits, word), tempered: at(names.tempered, word),
    share: at(names.probabilities, word), kept: at(names.output, word), isKept: at(names.cut, word) > -Infinity
  }))
  const listed = words.slice(0, MAX_TOKENS)
  return {
    ...parts, row, step: view.row, temperature: run.settings.temperature, smoothing: run.smoothing ?? null,
    words, isLarge: few !== null, rest: { count: V - listed.length, share: unlistedProbability(words, few) },
    domain: commonDomain(run, names.logits)
  }
}

/**
 * The total probability of the tokens that are not listed.
 * @param {{ share: number }[]} words @param {number[] | null} few
 */
const unlistedProbability = (words, few) => {
  const total = (few ? words : words.slice(MAX_TOKENS)).reduce((sum, { share }) => sum + share, 0)
  return few ? Math.max(0, 1 - total) : total
}

/** @type {Stage<'sampling'>['picture']} */
export const picture = (run,
  view) => ({ part: sliceMatrix(run, view.room.parts.output, view), domain: probabilityDomain() })

/** @type {['logit' | 'tempered' | 'share' | 'kept', MatrixRole][]} */
const CELLS = [['logit', 'logits'], ['tempered', 'tempered'], ['share', 'shares'], ['kept', 'kept']]

function createWord() {
  const number = () => h('button', { type: 'button', className: 'cell-link word-number' })
  return h('li', { className: 'word' }, h('b', { className: 'word-token' }), number(), number(), number(),
    h('span', { className: 'word-track' }, h('span', { className: 'word-bar' }),
      h('span', { className: 'word-bar is-kept' })),
    number())
}

/** @typedef {ReturnType<typeof data>['words'][number]} Word */

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const list = h('ol', { className: 'words' })
  const head = h('li', { 'className': 'word word-head', 'aria-hidden': 'true' },
    ['token', 'logit', 'tempered', 'share', '', 'kept'].map(key => (
      h('span', {}, key ? t(`stages.sampling.${key}`) : ''))))
  const heading = h('h2')
  const smoothing = h('p', { className: 'note', hidden: true })
  const rest = h('p', { className: 'note', hidden: true })
  container.append(h('section', {}, heading, h('ol', { className: 'words' }, head), list, rest, smoothing))
  const fig = mountFigure(container, context)
  const matrices = { shares: fig.matrix(), kept: fig.matrix() }
  /** @type {ReturnType<typeof data>} */ let latest

  list.addEventListener('click', event => {
    /** @type {HTMLElement | null} */ const button = targetOf(event).closest('.word-number')
    if (button) context.pinCell(cellAt(button))
  })
  /** @param {BuiltElement<HTMLElement>} item @param {Word} entry */
  function fillWord(item, entry) {
    const buttons = item.querySelectorAll('.word-number')
    /** @type {NodeListOf<HTMLElement>} */ const [bar, keptBar] = item.querySelectorAll('.word-bar')
    setText(item.firstChild, entry.token)
    CELLS.forEach(([key, part], i) => {
      const number = formatFixed(entry[key], i > 1 ? 3 : 2)
      setText(buttons[i], number)
      setCellData(buttons[i], latest[part].name, [0, latest.row, entry.word])
      buttons[i].setAttribute('aria-label', `${entry.token} ${t(`stages.sampling.${key}`)} ${number}`)
    })
    bar.style.setProperty('width', `${entry.share * 100}%`)
    keptBar.style.setProperty('width', `${entry.kept * 100}%`)
    item.classList.toggle('is-cut', !entry.isKept)
  }
  /** @param {{ entry: Word, at: number }} piece */
  const fillPiece = ({ entry, at }) => fillWord(/** @type {BuiltElement<HTMLElement>} */ (list.children[at]), entry)
  const fillRest = createSlicedWorker(fillPiece, SLICE)
  function drawFigures() {
    const titles = Object.fromEntries(CELLS.map(([key], i) => [Object.keys(MATRICES)[i], t(`stages.sampling.${key}`)]))
    for (const key of /** @type {const} */ (['shares', 'kept'])) {
      matrices[key].update(latest[key], { title: titles[key], domain: probabilityDomain() })
    }
    fig.legend([{ domain: probabilityDomain(), text: t('frame.probability') }])
    fig.numbers(t('frame.numbers'), /** @type {MatrixRole[]} */ (Object.keys(MATRICES)).map(key => (
      { title: titles[key], part: latest[key] })))
  }
  return {
    update(next) {
      latest = next
      smoothing.hidden = !next.smoothing
      if (next.smoothing) setText(smoothing, t('stages.sampling.smoothing', next.smoothing))
      setText(heading, t('stages.sampling.next', { step: next.step, token: next.logits.rowLabels[next.row] }))
      const pieces = next.words.slice(0, MAX_TOKENS).map((entry, at) => ({ entry, at }))
      const first = next.isLarge ? FIRST_WORDS : pieces.length
      syncChildren(list, pieces, createWord, (_, piece, at) => at < first && fillPiece(piece))
      fillRest(pieces.slice(first))
      const { count } = next.rest
      rest.hidden = count === 0
      setText(rest, count ? t('stages.sampling.rest', { count, share: formatFixed(next.rest.share, 3) }) : '')
      const last = next.words.findLastIndex(({ isKept }) => isKept)
      const isCut = last < next.words.length - 1
      for (const [i, item] of [...list.children].entries()) item.classList.toggle('is-last', isCut && i === last)
      if (!next.isLarge) drawFigures()
      else waitForPaint().then(nextTask).then(() => latest === next && drawFigures())
    },
    mark: fig.mark,
    destroy() {}
  }
}
