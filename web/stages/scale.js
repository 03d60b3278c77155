/** Scores before and after they are divided by the square root of the head size. */

import { signed } from '../lib/color.js'
import { figure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { h } from '../lib/dom.js'
import { attentionAt, attentionMatrix, headSize, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'scale'
export const tensors = []
export const controls = ['scale']
export const pickers = ['head']

/** The products q · k, the scores made of them, on one scale. */
export const data = (run, { head, place }) => ({
  size: headSize(run), isDivided: run.settings.scale,
  before: attentionMatrix(run, `${attentionAt(place)}dots`, 0, head),
  after: attentionMatrix(run, `${attentionAt(place)}scores`, 0, head),
  domain: signed(peak(tensorOf(run, `${attentionAt(place)}dots`)))
})

export const picture = (run, { head, place }) => ({
  part: attentionMatrix(run, `${attentionAt(place)}scores`, 0, head),
  domain: signed(peak(tensorOf(run, `${attentionAt(place)}dots`)))
})

const twin = ({ name, index }) => (/(dots|scores)$/.test(name) ? { row: index[2], col: index[3] } : null)

export function mount(container, context) {
  const { t } = context
  const equation = h('div', { className: 'equation' })
  container.append(equation)
  const fig = figure(container, context)
  const before = fig.matrix()
  const after = fig.matrix()
  return {
    update(next) {
      const { domain, size, isDivided, after: { rowLabels: alignTo } } = next
      const titles = { before: t('stages.scale.before'), after: t('stages.scale.after') }
      setFormula(equation, isDivided ? `S = frac{Q K^T}{sqrt{${size}}}` : 'S = Q K^T')
      before.update(next.before, { title: titles.before, domain, follow: twin, alignTo })
      after.update(next.after, { title: titles.after, domain, follow: twin, alignTo })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), ['before', 'after'].map((name) => ({ title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
