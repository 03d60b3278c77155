/** The concatenated heads, mixed by the output projection. */

import { createScale, signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { mountGrid } from '../lib/grid.js'
import { formatFixed } from '../lib/number.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { thumbnail } from '../lib/thumbnail.js'
import { setFormula } from '../lib/formula.js'
import { listEntries } from '../lib/product.js'
import { sliceBias, sliceMatrix, getTensor, sliceWeight } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'output'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence']

/** Concatenated heads, output weight, bias and the result. @param {Run} run @param {View<'output'>} view */
export function data(run, view) {
  const { x, weight, bias, y, heads } = view.room.parts
  return {
    run, added: { x, weight, heads }, sentence: view.sentence,
    group: getTensor(run, x).shape[getTensor(run, x).shape.length - 1] / heads,
    left: sliceMatrix(run, x, view), right: sliceWeight(run, weight), bias: sliceBias(run, bias),
    product: sliceMatrix(run, y, view),
    domains: {
      values: commonDomain(run, x, y),
      weights: commonDomain(run, weight)
    }
  }
}

/** @type {Stage<'output'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.y, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, theme, reportError } = context
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  const heads = h('section', { className: 'heads-add' }, h('h2', {}, t('stages.output.added')),
    h('p', { className: 'note' }, t('stages.output.addedWhat')))
  container.append(heads)
  const table = mountGrid(heads, t('stages.output.added'), t)
  /** @type {ReturnType<typeof thumbnail>[]} */ const pictures = []
  /** @type {Run | null} */ let latest = null
  /**
   * The contribution of each head: a small picture, and its norm at every position.
   * @param {ReturnType<typeof data>} next
   */
  async function drawContributions({ run, added: question, sentence, product: { rows, rowLabels } }) {
    const isNew = latest !== run
    latest = run
    if (isNew) heads.setAttribute('aria-busy', 'true')
    const all = await runQuery('contributions', { ...question, isTwin: context.isTwin ?? false })
    if (latest !== run) return
    const max = Math.max(1e-6, ...all.map(item => peak({ data: item.norms })))
    const peaks = Math.max(1e-6, ...all.map(item => item.peak))
    const { mode } = theme(), colors = createScale(signedDomain(max), mode)
    table.update(t('stages.output.adds'), rowLabels, all.map(({ pictures: shownAs, norms }, head) => {
      const picture = pictures[head] ??= thumbnail(h('span', { className: 'stamp' }))
      picture.update(shownAs[sentence], createScale(signedDomain(peaks), mode))
      const name = named[head] ??= h('span', { className: 'head-adds' },
        picture.element, t('stages.ablation.head', { head }))
      return { key: String(head), head: name, cells: (/** @type {number} */ i) => {
        const length = norms[sentence * rows + i]
        return { text: formatFixed(length), color: colors.at(length) }
      } }
    }))
    heads.setAttribute('aria-busy', 'false')
  }
  /** @type {HTMLElement[]} */ const named = []
  return {
    update(next) {
      const { group, left, right, bias, product, domains } = next
      drawContributions(next).catch(reportError)
      const titles = {
        left: t('stages.output.joined'), right: 'W_O^T', bias: 'b_O', product: t('stages.output.result')
      }
      setFormula(sheet.corner, bias ? 'O = H W_O^T + b_O' : 'O = H W_O^T')
      sheet.update({ left, right, ...(bias && { bias }), product }, {
        titles, groups: { left: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: titles.product }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), listEntries(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {
      latest = null
    }
  }
}
