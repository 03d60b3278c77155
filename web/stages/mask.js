/** Scores that must not count are replaced by minus infinity. */

import { signed } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { attentionAt, attentionMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'mask'
export const tensors = ['self_attn.masked_scores']
export const controls = ['causal', 'tgtIsCausal', 'padding']
export const pickers = ['sentence', 'head']

/** The attention of the decoder that may not look ahead. */
const IS_MASKED = /decoder.*self_attn$/

/** The scores before and after masking, on one scale; and whether nothing is masked there. */
export const data = (run, { sentence, head, place }) => ({
  before: attentionMatrix(run, `${attentionAt(place)}scores`, sentence, head),
  after: attentionMatrix(run, `${attentionAt(place)}masked_scores`, sentence, head),
  domain: signed(peak(tensorOf(run, `${attentionAt(place)}scores`))),
  isOpen: IS_MASKED.test(place ?? '') && run.settings.tgtIsCausal === false
})

export const picture = (run, { sentence, head, place }) => ({
  part: attentionMatrix(run, `${attentionAt(place)}masked_scores`, sentence, head),
  domain: signed(peak(tensorOf(run, `${attentionAt(place)}scores`)))
})

const twin = ({ name, index }) => (/scores$/.test(name) ? { row: index[2], col: index[3] } : null)

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
      open.hidden = !next.isOpen
      const titles = { before: t('stages.mask.before'), after: t('stages.mask.after') }
      before.update(next.before, { title: titles.before, domain, follow: twin, pair: true })
      after.update(next.after, { title: titles.after, domain, follow: twin, pair: true })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), ['before', 'after'].map((name) => ({ title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
