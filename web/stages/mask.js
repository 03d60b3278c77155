/** Scores that must not count are replaced by minus infinity. */

import { signed } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { matrixOf, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'mask'
export const controls = ['causal', 'tgtIsCausal', 'padding']
export const pickers = ['sentence', 'head']

/**
 * The scores before and after masking, on one scale; and whether nothing is masked where something might be.
 * @param {Run} run @param {View} view
 */
export const data = (run, view) => ({
  before: matrixOf(run, view.room.parts.scores, view), after: matrixOf(run, view.room.parts.masked, view),
  domain: signed(peak(tensorOf(run, view.room.parts.scores))),
  isOpen: view.room.parts.kind === 'masked' && !view.room.parts.isCausal
})

/** @type {Stage['picture']} */
export const picture = (run, view) => ({
  part: matrixOf(run, view.room.parts.masked, view), domain: signed(peak(tensorOf(run, view.room.parts.scores)))
})

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  fig.body.classList.add('is-pair')
  const before = fig.matrix()
  const after = fig.matrix()
  const open = h('p', { className: 'note', hidden: true }, t('stages.mask.open'))
  container.append(open)
  return {
    update(next) {
      const { domain } = next
      const names = [next.before.name, next.after.name]
      /** @type {Follow} */
      const twin = ({ name, index }) => (names.includes(name) ? { row: index[2], col: index[3] } : null)
      open.hidden = !next.isOpen
      const titles = { before: t('stages.mask.before'), after: t('stages.mask.after') }
      before.update(next.before, { title: titles.before, domain, follow: twin, pair: true })
      after.update(next.after, { title: titles.after, domain, follow: twin, pair: true })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
