/** The concatenated heads, mixed by the output projection. */

import { scale, signed } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { grid } from '../lib/grid.js'
import { fixed } from '../lib/number.js'
import { domainOf, pictureOf } from '../lib/picture.js'
import { thumbnail } from '../lib/thumbnail.js'
import { setFormula } from '../lib/formula.js'
import { entriesOf } from '../lib/product.js'
import { biasRow, matrixOf, tensorOf, weightMatrix } from '../lib/run.js'
import { peak } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'output'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence']

/** Concatenated heads, output weight, bias and the result. @param {Run} run @param {View} view */
export function data(run, view) {
  const { x, weight, bias, y, heads } = view.room.parts
  return {
    run, added: { x, weight, heads }, sentence: view.sentence,
    group: tensorOf(run, x).shape[tensorOf(run, x).shape.length - 1] / heads,
    left: matrixOf(run, x, view), right: weightMatrix(run, weight), bias: biasRow(run, bias),
    product: matrixOf(run, y, view),
    domains: {
      values: domainOf(run, x, y),
      weights: domainOf(run, weight)
    }
  }
}

/** @type {Stage['picture']} */
export const picture = (run, view) => pictureOf(run, view.room.parts.y, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, ask, theme, fails } = context
  const fig = figure(container, context)
  const sheet = fig.product()
  const heads = h('section', { className: 'heads-add' }, h('h2', {}, t('stages.output.added')),
    h('p', { className: 'note' }, t('stages.output.addedWhat')))
  container.append(heads)
  const table = grid(heads, t('stages.output.added'), t)
  /** @type {ReturnType<typeof thumbnail>[]} */ const pictures = []
  /** @type {Run | null} */ let latest = null
  /**
   * The contribution of each head: a small picture, and its norm at every position.
   * @param {ReturnType<typeof data>} next
   */
  async function add({ run, added: question, sentence, product: { rows, rowLabels } }) {
    const isNew = latest !== run
    latest = run
    if (isNew) heads.setAttribute('aria-busy', 'true')
    const all = await ask('contributions', { ...question, isTwin: 'which' in context })
    if (latest !== run) return
    const max = Math.max(1e-6, ...all.map(one => peak({ data: one.norms })))
    const peaks = Math.max(1e-6, ...all.map(one => one.peak))
    const { mode } = theme(), colors = scale(signed(max), mode)
    table.update(t('stages.output.adds'), rowLabels, all.map(({ pictures: shownAs, norms }, head) => {
      const picture = pictures[head] ??= thumbnail(h('span', { className: 'stamp' }))
      picture.update(shownAs[sentence], scale(signed(peaks), mode))
      const name = named[head] ??= h('span', { className: 'head-adds' },
        picture.element, t('stages.parts.head', { head }))
      return { key: String(head), head: name, cells: (/** @type {number} */ i) => {
        const length = norms[sentence * rows + i]
        return { text: fixed(length), color: colors.at(length) }
      } }
    }))
    heads.setAttribute('aria-busy', 'false')
  }
  /** @type {HTMLElement[]} */ const named = []
  return {
    update(next) {
      const { group, left, right, bias, product, domains } = next
      add(next).catch(fails)
      const titles = {
        left: t('stages.output.joined'), right: 'W_O^T', bias: 'b_O', product: t('stages.output.result')
      }
      setFormula(sheet.corner, bias ? 'O = H W_O^T + b_O' : 'O = H W_O^T')
      sheet.update({ left, right, ...(bias && { bias }), product }, {
        titles, groups: { left: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: titles.product }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), entriesOf(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {
      latest = null
    }
  }
}
