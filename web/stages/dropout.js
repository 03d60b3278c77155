/** Dropout: some cells to 0, the rest scaled up. */

import { signed } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { fixed } from '../lib/number.js'
import { ofSlice } from '../lib/origin.js'
import { entryNames, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'

export const id = 'dropout'
export const tensors = ['dropout', 'dropout.mask']
export const controls = ['training', 'dropout', 'seed']
export const pickers = ['sentence']

/** The matrix before and after and, in training, the mask between them: 0 where a cell is dropped, else the factor. */
export function data(run, { sentence, place }) {
  const names = entryNames(run, place)
  if (!tensorOf(run, names.dropout)) return null
  const before = sentenceMatrix(run, names.sum, sentence)
  const after = sentenceMatrix(run, names.dropout, sentence)
  const mask = tensorOf(run, names.mask) ? sentenceMatrix(run, names.mask, sentence) : null
  const top = Math.max(peak(tensorOf(run, names.sum)), peak(tensorOf(run, names.dropout)))
  return { before, mask, after, scale: 1 / (1 - run.settings.dropout), domain: signed(top) }
}

export function picture(run, { sentence, place }) {
  const tensor = tensorOf(run, entryNames(run, place).dropout)
  return tensor && { part: sentenceMatrix(run, tensor.name, sentence), domain: signed(peak(tensor)) }
}

export function mount(container, context) {
  const { t } = context
  const fig = figure(container, context)
  const before = fig.matrix()
  const middle = h('div', { className: 'step' })
  fig.body.append(middle)
  const mask = fig.matrix(middle)
  const after = fig.matrix()
  const note = h('p', { className: 'note' })
  container.append(note)
  return {
    update(next) {
      const { domain, before: { name: from }, after: { name: to }, mask: drop } = next
      const twin = ({ name, index }) => (
        [from, drop?.name, to].includes(name) ? { row: index[1], col: index[2] } : null)
      const drops = next.mask?.values
      const crossed = drops && ((row, col) => drops[row * next.mask.cols + col] === 0)
      const draw = (name, part, extra) => {
        const title = t(`stages.dropout.${name}`)
        if (next[name]) part.update(next[name], { title, domain, dense: true, follow: twin, ...extra })
      }
      middle.hidden = !next.mask
      draw('before', before)
      draw('mask', mask, { crossed })
      draw('after', after, { crossed })
      if (drops) ofSlice(note, next.mask)
      const dropped = drops?.filter((x) => x === 0).length
      setText(note, drops
        ? t('stages.dropout.kept', { scale: fixed(next.scale), dropped, total: drops.length })
        : t('stages.dropout.idle'))
      fig.legend([{ domain, text: t('frame.signed') }])
      fig.numbers(t('frame.numbers'), ['before', 'mask', 'after'].filter((name) => next[name])
        .map((name) => ({ title: t(`stages.dropout.${name}`), part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
