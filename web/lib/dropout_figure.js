/** The figure of dropout: a matrix before, the mask, and the matrix after, with every dropped cell crossed out. */

import { h, setText } from './dom.js'
import { figure } from './figure.js'
import { fixed } from './number.js'
import { ofSlice } from './origin.js'

/** @import { Cell, Context, Domain, Slice } from '../types.d.ts' */
/** @import { Band } from './heatmap.js' */

/**
 * @typedef {object} DroppedData
 * @property {Slice} before
 * @property {Slice | null} mask
 * @property {Slice} after
 * @property {number} scale what retained values are multiplied by
 * @property {Record<Part, Domain>} domains
 * @property {{ domain: Domain, key?: string }[]} legend
 * @typedef {'before' | 'mask' | 'after'} Part
 */

/** @type {Part[]} */
const PARTS = ['before', 'mask', 'after']
/** A matrix of so few columns fits its numbers into half of the room. */
const NARROW = 8

/**
 * Mounts the figure of a stage with dropout.
 * @param {HTMLElement} container
 * @param {Context} context
 * @param {(cell: Cell) => Band} place where a cell of these tensors is
 */
export function dropoutFigure(container, context, place) {
  const { t } = context
  const fig = figure(container, context)
  const before = fig.matrix()
  const middle = h('div', { className: 'step' })
  fig.body.append(middle)
  const matrices = { before, mask: fig.matrix(middle), after: fig.matrix() }
  const note = h('p', { className: 'note' })
  container.append(note)
  return {
    /** @param {DroppedData} next */
    update(next) {
      const { domains } = next
      const parts = PARTS.filter(name => next[name])
      const partOf = (/** @type {Part} */ name) => /** @type {Slice} */ (next[name])
      const names = parts.map(name => partOf(name).name)
      const follow = (/** @type {Cell} */ cell) => (names.includes(cell.name) ? place(cell) : null)
      const { mask } = next
      const crossed = mask && (
        (/** @type {number} */ row, /** @type {number} */ col) => mask.values[row * mask.cols + col] === 0)
      const pair = next.before.cols <= NARROW
      fig.body.classList.toggle('is-pair', pair)
      middle.hidden = matrices.mask.element.hidden = !mask
      for (const name of parts) {
        const title = t(`stages.dropout.${name}`)
        const extra = name === 'before' ? {} : { crossed }
        matrices[name].update(partOf(name), { title, domain: domains[name], dense: true, pair, follow, ...extra })
      }
      ofSlice(note, mask ?? next.after)
      const count = mask?.values.filter(x => x === 0).length
      setText(note, mask
        ? t('stages.dropout.kept', { scale: fixed(next.scale), dropped: count, total: mask.values.length })
        : t('stages.dropout.idle'))
      fig.legend(next.legend.map(({ domain, key }) => ({ domain, text: key && t(key) })))
      fig.numbers(t('frame.numbers'), parts.map(name => ({ title: t(`stages.dropout.${name}`), part: partOf(name) })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
