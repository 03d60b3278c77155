/** A shift of positions: the table multiplied by a matrix that rotates every pair equals the shifted table. */

import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFacts } from '../lib/facts.js'
import { mountFigure } from '../lib/figure.js'
import { formatBrief, formatFixed } from '../lib/number.js'
import { sliceMatrix, getTensor } from '../lib/run.js'
import { positionLabels } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'rotation'
export const controls = ['shift', 'base', 'dModel']
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View} view */
export function data(run, view) {
  const { here, matrix, moved: shifted, there, angle, most } = view.room.parts
  const [words] = run.streams.text.tokens
  const { shift } = run.settings
  const rowLabels = positionLabels(words, words.length)
  /** @param {string} name @param {number} i @param {number} [digits] */
  const single = (name, i, digits) => (
    { text: digits ? formatFixed(getTensor(run, name).data[i], digits) : formatBrief(getTensor(run, name).data[i]),
      cell: { name, index: [i] } })
  return {
    left: sliceMatrix(run, here, view, { rowLabels }),
    right: sliceMatrix(run, matrix, view, {}), product: sliceMatrix(run, shifted, view, { rowLabels }),
    there: sliceMatrix(run, there, view, { rowLabels: rowLabels.map((_, k) => String(k + shift)) }),
    numbers: [{ word: 'angle', ...single(angle, 0, 4) }, { word: 'apart', ...single(most, 0) },
      { word: 'back', ...single(most, 1) }],
    domain: signedDomain(1), shift
  }
}

/** @type {Stage['picture']} */
export const picture = (run,
  view) => ({ part: sliceMatrix(run, view.room.parts.matrix, view), domain: signedDomain(1) })

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const numbers = h('div', { className: 'panel-facts' })
  container.append(numbers)
  const list = mountFacts(numbers, context)
  const fig = mountFigure(container, context)
  const product = fig.product()
  const there = fig.matrix()
  return {
    update(next) {
      const { left, right, product: result, domain, shift } = next
      const titles = {
        left: t('lab.rotation.here'), right: t('lab.rotation.matrix', { shift }),
        product: t('lab.rotation.moved')
      }
      list.update(next.numbers.map(({ word, ...one }) => ({ name: t(`lab.rotation.${word}`), ...one })))
      product.update({ left, right, product: result },
        { titles, domains: { left: domain, right: domain, product: domain } })
      const title = t('lab.rotation.there', { shift })
      /** @type {Follow} */
      const follow = ({ name, index }) => (name === result.name ? { row: index[0], col: index[1] } : null)
      there.update(next.there, { title, domain, dense: true, follow })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), [
        { title: titles.left, part: left }, { title: titles.right, part: right },
        { title: titles.product, part: result }, { title, part: next.there }])
    },
    mark: fig.mark,
    destroy() {}
  }
}
