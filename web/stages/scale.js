/** Scores before and after the division by the square root of the head size. */

import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { h } from '../lib/dom.js'
import { commonDomain } from '../lib/picture.js'
import { sliceMatrix, getTensor } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'scale'
export const controls = ['scale']
export const pickers = ['sentence', 'head']

/**
 * The products q · k and the scaled scores, on one color scale; more: a further divisor, since a GPT-2 may also divide
 * by the number of the layer.
 * @param {Run} run @param {View<'scale'>} view
 */
export function data(run, view) {
  const { dots, scores, q, heads, scale } = view.room.parts
  const { shape } = getTensor(run, q), size = shape.length === 4 ? shape[3] : shape[shape.length - 1] / heads
  return {
    size, isDivided: scale !== 1, more: Math.round(1 / (scale * Math.sqrt(size))),
    before: sliceMatrix(run, dots, view), after: sliceMatrix(run, scores, view), domain: commonDomain(run, dots)
  }
}

/** @type {Stage<'scale'>['picture']} */
export const picture = (run, view) => ({
  part: sliceMatrix(run, view.room.parts.scores, view), domain: commonDomain(run, view.room.parts.dots)
})

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const equation = h('div', { className: 'equation' })
  container.append(equation)
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const before = fig.matrix()
  const after = fig.matrix()
  return {
    update(next) {
      const names = [next.before.name, next.after.name]
      /** @type {Follow} */
      const twin = ({ name, index }) => (names.includes(name) ? { row: index[2], col: index[3] } : null)
      const { domain, size, isDivided, more, after: { rowLabels: alignTo } } = next
      const titles = { before: t('stages.scale.before'), after: t('stages.scale.after') }
      setFormula(equation, isDivided ? `S = frac{Q K^T}{${more > 1 ? `${more} × ` : ''}sqrt{${size}}}` : 'S = Q K^T')
      before.update(next.before, { title: titles.before, domain, follow: twin, alignTo, pair: 'first' })
      after.update(next.after, { title: titles.after, domain, follow: twin, alignTo, pair: 'second' })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
