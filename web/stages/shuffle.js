/** One attention over the same words in two orders: without positions, its outputs only change their order. */

import { h, syncChildren, setText } from '../lib/dom.js'
import { mountFacts } from '../lib/facts.js'
import { mountFigure } from '../lib/figure.js'
import { formatBrief } from '../lib/number.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix, sliceVector } from '../lib/run.js'

/** @import { BuiltElement, Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'shuffle'
export const controls = ['seed', 'dModel']
/** @type {string[]} */ export const pickers = []

/** @typedef {'bare' | 'placed'} Kind */
/** @typedef {'here' | 'there' | 'apart'} Line */

/** @type {Kind[]} */ const KINDS = ['bare', 'placed']
/** @type {Line[]} */ const LINES = ['here', 'there', 'apart']
/** Differences below this come from float32 rounding. */
const ROUNDING = 1e-5

/**
 * The outputs of both orders, word by word, and their difference, without positions and with them.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { parts } = view.room
  const rowLabels = run.streams.text.tokens[0]
  const named = KINDS.flatMap(kind => LINES.map(line => (
    /** @type {[string, Slice]} */ ([`${kind}_${line}`, sliceMatrix(run, parts[`${kind}_${line}`], view, { rowLabels })]))))
  const slices = /** @type {Record<`${Kind}_${Line}`, Slice>} */ (Object.fromEntries(named))
  const domain = commonDomain(run, ...named.map(([, { name }]) => name))
  return {
    ...slices, most: sliceVector(run, parts.most, '|Δ|'), domain,
    words: rowLabels, moved: run.streams.moved.tokens[0], order: run.order ?? []
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.placed_apart, view)

/** @param {BuiltElement<HTMLElement>} element @param {{ word: string, from: number }} word */
const fillWord = (element, { word, from }) => {
  setText(element.firstChild, word)
  setText(element.lastChild, String(from))
}

/** Words as boxes, each with its original position. @param {string} name */
function wordRow(name) {
  const list = h('div', { className: 'chips-list' })
  const element = h('div', { className: 'chips-row' }, h('span', { className: 'chips-name' }, name), list)
  return { element, update: (/** @type {{ word: string, from: number }[]} */ words) => syncChildren(list, words, () => (
    h('span', { className: 'chip' }, h('span'), h('small'))), fillWord) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const [first, second] = ['first', 'second'].map(name => wordRow(t(`lab.shuffle.${name}`)))
  container.append(h('div', { className: 'chips is-orders' }, first.element, second.element))
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const panes = KINDS.map(kind => {
    const verdict = h('p', { className: 'verdict' })
    const element = h('div', { className: 'pane-of' }, h('h2', {}, t(`lab.shuffle.${kind}`)), verdict)
    fig.body.append(element)
    const list = mountFacts(element, context)
    const matrices = LINES.map(line => ({ line, matrix: fig.matrix(element) }))
    return { kind, matrices, list, verdict }
  })
  return {
    update(next) {
      const { words, moved: permuted, most, domain } = next
      first.update(words.map((word, from) => ({ word, from })))
      second.update(next.order.map((from, i) => ({ word: permuted[i], from })))
      const visible = panes.flatMap(({ kind, matrices, list, verdict }, i) => {
        const names = LINES.map(line => next[`${kind}_${line}`].name)
        /** @type {Follow} */
        const follow = ({ name, index }) => (names.includes(name) ? { row: index.at(-2), col: index.at(-1) } : null)
        list.update([{ name: t('lab.shuffle.largest'), text: formatBrief(most.values[i]),
          cell: { name: most.name, index: [i] } }])
        setText(verdict, t(`lab.shuffle.${most.values[i] < ROUNDING ? 'same' : 'other'}`))
        return matrices.map(({ line, matrix }) => {
          const title = t(`lab.shuffle.${line}`)
          matrix.update(next[`${kind}_${line}`], { title, domain, dense: true, pair: true, follow })
          return { title: `${t(`lab.shuffle.${kind}`)}: ${title}`, part: next[`${kind}_${line}`] }
        })
      })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), visible)
    },
    mark: fig.mark,
    destroy() {}
  }
}
