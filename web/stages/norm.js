/** A residual sum and its layer norm; at the end of a tower the norm alone. */

import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { formatFixed } from '../lib/number.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceHead, sliceMatrix, sliceVector } from '../lib/run.js'
import { mountStrips } from '../lib/strip.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'norm'
export const controls = ['normFirst', 'norm']
export const pickers = ['head']

/** Mean and variance of every row, in double, as in the explanation of a cell. @param {Slice} part */
function statistics({ rows, cols, values }) {
  return Array.from({ length: rows }, (_, row) => {
    const list = Array.from(values.slice(row * cols, (row + 1) * cols))
    const mean = list.reduce((sum, value) => sum + value, 0) / cols
    return { mean, variance: list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / cols }
  })
}

/** The change, the sum, the norm's input, gain and bias, and its result. @param {Run} run @param {View<'norm'>} view */
export function data(run, view) {
  const { x, weight, bias, y, residual, isFirst, isCentred, heads, stored } = view.room.parts
  /** @param {string} name */
  const part = name => (heads ? sliceHead(run, name, heads, { ...view, head: Math.min(view.head, heads - 1) })
    : sliceMatrix(run, name, view))
  const sums = residual && { input: part(residual.input), change: part(residual.change), sum: part(residual.sum) }
  const isOwn = Object.values(sums ?? {}).some(({ name }) => name === x)
  const matrices = { ...sums, ...(!isOwn && { before: part(x) }), after: part(y) }
  const gains = [weight, bias, stored].filter(name => name !== undefined)
  return {
    ...matrices, gain: weight ? sliceVector(run, weight, 'γ') : null, shift: bias ? sliceVector(run, bias, 'β') : null,
    stored: stored ? sliceVector(run, stored, 'γ − 1') : null,
    isFirst, isCentred, from: x, statistics: statistics(part(x)),
    domain: commonDomain(run, ...Object.values(matrices).map(({ name }) => name)),
    gains: commonDomain(run, ...gains)
  }
}

/** @type {Stage<'norm'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.y, view)

/** @typedef {'input' | 'change' | 'sum' | 'before' | 'stored' | 'gain' | 'shift' | 'after'} MatrixRole */

/** @type {MatrixRole[]} */
const POST = ['input', 'change', 'sum', 'before', 'stored', 'gain', 'shift', 'after']
/** @type {MatrixRole[]} */
const PRE = ['input', 'stored', 'gain', 'shift', 'after', 'change', 'sum']

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const lines = mountStrips(container)
  const fig = mountFigure(container, context)
  const slots = POST.map(() => {
    const element = h('div')
    fig.body.append(element)
    return { element, matrix: fig.matrix(element) }
  })
  /** @type {ReturnType<typeof data>} */ let latest
  let selected = { row: 0, col: -1 }

  function drawLines() {
    const inputs = [latest.before, latest.sum, latest.input]
    const normalized = /** @type {Slice} */ (inputs.find(part => part?.name === latest.from))
    const row = Math.min(selected.row, latest.after.rows - 1)
    /** @param {Slice} part @param {string} key @param {{ mean: number, variance: number }} statistics */
    const line = (part, key, { mean, variance }) => ({
      name: t(`stages.norm.${key}${latest.isCentred ? '' : 'Rms'}`, {
        token: part.rowLabels[row], mean: formatFixed(mean), variance: formatFixed(variance),
        rms: formatFixed(Math.sqrt(mean ** 2 + variance))
      }),
      part, row, values: part.values.slice(row * part.cols, (row + 1) * part.cols), mean,
      deviation: Math.sqrt(variance), chosen: selected.col
    })
    /** @param {Slice} part @param {string} key */
    const resultLine = (part, key) => line(part, key, statistics(part)[row])
    const sumLines = latest.isFirst && latest.sum ? [resultLine(latest.sum, 'lineSum')] : []
    lines.update([line(normalized, 'line', latest.statistics[row]), resultLine(latest.after, 'lineAfter'), ...sumLines],
      context.width())
  }
  /** @param {MatrixRole} name @param {boolean} isFirst */
  function titleOf(name, isFirst) {
    const key = name === 'input' && isFirst ? 'inputFirst' : name === 'after' && isFirst ? 'afterFirst' : name
    return t(`stages.norm.${key}`)
  }
  return {
    update(next) {
      latest = next
      const order = (next.isFirst ? PRE : POST).filter(name => next[name])
      const names = [next.input, next.change, next.sum, next.before, next.after].map(part => part?.name)
      /** @type {Follow} */
      const twin = ({ name, index }) => (
        names.includes(name) ? { row: index[1], col: Number(index.at(-1)) % next.after.cols } : null)
      const alignTo = next.after.rowLabels
      slots.forEach(({ element, matrix }, i) => {
        const part = next[order[i]]
        element.hidden = !part
        if (!part) return
        element.dataset.part = order[i]
        const domain = part.rows === 1 && part.axis[0] < 0 ? next.gains : next.domain
        matrix.update(part, { title: titleOf(order[i], next.isFirst), domain, dense: true, alignTo, follow: twin })
      })
      drawLines()
      fig.legend([{ domain: next.domain }, { domain: next.gains, text: next.shift ? 'γ, β' : 'γ' }])
      fig.numbers(t('frame.numbers'), order.map(name => (
        { title: titleOf(name, next.isFirst), part: /** @type {Slice} */ (next[name]) })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current || ![3, 4].includes(current.index.length) || current.index[1] >= latest.after.rows) return
      selected = { row: current.index[1], col: Number(current.index.at(-1)) % latest.after.cols }
      drawLines()
    },
    destroy() {}
  }
}
