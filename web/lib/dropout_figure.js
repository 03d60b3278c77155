/** The figure of dropout: a matrix before, the mask, and the matrix after, with every dropped cell crossed out. */

import { h, setText } from './dom.js'
import { mountFigure } from './figure.js'
import { formatFixed } from './number.js'
import { setSliceData } from './origin.js'

/** @import { Cell, Context, Domain, Slice } from '../types.d.ts' */
/** @import { Band } from './heatmap.js' */

/**
 * @typedef {object} DroppedData
 * @property {Slice} before
 * @property {Slice | null} mask
 * @property {Slice} after
 * @property {number} scale the factor of the retained values
 * @property {Record<Part, Domain>} domains
 * @property {{ domain: Domain, key?: string }[]} legend
 * @typedef {'before' | 'mask' | 'after'} Part
 */

/** @type {Part[]} */
const PARTS = ['before', 'mask', 'after']
/** A matrix with at most this many columns fits into half of the width with its numbers. */
const NARROW = 8

/**
 * Mounts the figure of a stage with dropout.
 * @param {HTMLElement} container
 * @param {Context} context
 * @param {(cell: Cell) => Band} markOf the row, column or cell to mark for a cell of these tensors
 */
export function mountDropoutFigure(container, context, markOf) {
  const { t } = context
  const fig = mountFigure(container, context)
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
      const getPart = (/** @type {Part} */ name) => /** @type {Slice} */ (next[name])
      const names = parts.map(name => getPart(name).name)
      const follow = (/** @type {Cell} */ cell) => (names.includes(cell.name) ? markOf(cell) : null)
      const { mask } = next
      const crossed = mask && (
        (/** @type {number} */ row, /** @type {number} */ col) => mask.values[row * mask.cols + col] === 0)
      const isPair = next.before.cols <= NARROW
      fig.body.classList.toggle('is-pair', isPair)
      middle.hidden = matrices.mask.element.hidden = !mask
      for (const name of parts) {
        const title = t(`stages.dropout.${name}`)
        const extra = name === 'before' ? {} : { crossed }
        matrices[name].update(getPart(name),
          { title, domain: domains[name], dense: true, pair: isPair, follow, ...extra })
      }
      setSliceData(note, mask ?? next.after)
      const count = mask?.values.filter(x => x === 0).length
      setText(note, mask
        ? t('stages.dropout.kept', { scale: formatFixed(next.scale), dropped: count, total: mask.values.length })
        : t('stages.dropout.idle'))
      fig.legend(next.legend.map(({ domain, key }) => ({ domain, text: key && t(key) })))
      fig.numbers(t('frame.numbers'), parts.map(name => ({ title: t(`stages.dropout.${name}`), part: getPart(name) })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
