/** What dropout does to a matrix: before, the mask between, after, with every dropped cell struck out. */

import { h, setText } from './dom.js'
import { figure } from './figure.js'
import { fixed } from './number.js'
import { ofSlice } from './origin.js'

const PARTS = ['before', 'mask', 'after']
/** A matrix of so many columns keeps its numbers in half of the room. */
const NARROW = 8

/**
 * Mounts the view of a stage that drops.
 * @param {HTMLElement} container
 * @param {object} context
 * @param {(cell: { index: number[] }) => { row: number, col: number }} place where a cell of these tensors stands
 */
export function dropped(container, context, place) {
  const { t } = context
  const fig = figure(container, context)
  const before = fig.matrix()
  const middle = h('div', { className: 'step' })
  fig.body.append(middle)
  const matrices = { before, mask: fig.matrix(middle), after: fig.matrix() }
  const note = h('p', { className: 'note' })
  container.append(note)
  return {
    /** @param {{ before: object, mask: object | null, after: object, scale: number, domains: object }} next */
    update(next) {
      const { domains } = next
      const shown = PARTS.filter(name => next[name])
      const names = shown.map(name => next[name].name)
      const follow = cell => (names.includes(cell.name) ? place(cell) : null)
      const drops = next.mask?.values
      const crossed = drops && ((row, col) => drops[row * next.mask.cols + col] === 0)
      const pair = next.before.cols <= NARROW
      fig.body.classList.toggle('is-pair', pair)
      middle.hidden = !next.mask
      for (const name of shown) {
        const title = t(`stages.dropout.${name}`)
        const extra = name === 'before' ? {} : { crossed }
        matrices[name].update(next[name], { title, domain: domains[name], dense: true, pair, follow, ...extra })
      }
      if (drops) ofSlice(note, next.mask)
      const count = drops?.filter(x => x === 0).length
      setText(note, drops
        ? t('stages.dropout.kept', { scale: fixed(next.scale), dropped: count, total: drops.length })
        : t('stages.dropout.idle'))
      fig.legend(next.legend.map(({ domain, key }) => ({ domain, text: key && t(key) })))
      fig.numbers(t('frame.numbers'), shown.map(name => ({ title: t(`stages.dropout.${name}`), part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
