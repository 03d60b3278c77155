/** Models trained on short texts and tested on long ones: the accuracy of each positional encoding, by position. */

import { probabilityDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { mountPlot } from '../lib/plot.js'
import { getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { PlotView } from '../lib/plot.js' */

export const id = 'extrapolation'
export const controls = ['seed']
/** @type {string[]} */ export const pickers = []

const SCHEMES = ['none', 'sinusoidal', 'learned', 'rotary', 'alibi']
const GAP = 32
const MIN_WIDTH = 300
/** The upper end of the axis, with space for its name. */
const TOP = 1.15

/**
 * For every scheme the probability at every position, and its means up to and beyond the trained length.
 * @param {Run} run @param {View} view
 */
export function data(run, { room: { parts } }) {
  const accuracies = getTensor(run, parts.shares)
  return {
    accuracies: slice(accuracies, { row: 0, col: 1, rowLabels: SCHEMES }),
    means: slice(getTensor(run, parts.means), { row: 0, col: 1, rowLabels: SCHEMES }),
    trained: run.lengths?.trained ?? 0
  }
}

/** @type {Stage['picture']} */
export const picture = (run, { room }) => (
  { part: slice(getTensor(run, room.parts.shares), { row: 0, col: 1 }), domain: probabilityDomain() })

/**
 * One scheme as a curve from the first position with a predecessor, with a line at the trained length.
 * @param {Slice} part @param {number} scheme @param {number} trained @returns {Pick<PlotView, 'lines' | 'dots'>}
 */
function curve({ name, values, cols }, scheme, trained) {
  /** @type {[number, number][]} */
  const points = Array.from({ length: cols - 1 }, (_, i) => [i + 1, values[scheme * cols + i + 1]])
  return {
    lines: [{ points: [[trained - 0.5, 0], [trained - 0.5, 1]], kind: 'is-thin' }, { points, kind: 'is-main' }],
    dots: points.map(at => ({ at, kind: 'is-small', cell: { name, index: [scheme, at[0]] } }))
  }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const names = SCHEMES.map(scheme => t(`lab.extrapolation.${scheme}`))
  const fig = mountFigure(container, context)
  const [accuracies, means] = [fig.matrix(), fig.matrix()]
  // Outside the frame: there it wraps and is exported with the figure.
  const panes = h('div', { className: 'panes-grid' })
  container.append(panes)
  const plots = names.map(name => {
    const element = h('div', {}, h('h2', {}, name))
    panes.append(element)
    return mountPlot(element, context)
  })
  return {
    update(next) {
      const { trained } = next
      const sides = ['within', 'past'].map(side => t(`lab.extrapolation.${side}`, { trained }))
      const all = { ...next.accuracies, rowLabels: names }
      const each = { ...next.means, rowLabels: names, colLabels: sides }
      accuracies.update(all, { title: t('lab.extrapolation.shares'), domain: probabilityDomain(), dense: true })
      means.update(each, { title: t('lab.extrapolation.means'), domain: probabilityDomain() })
      const isWide = context.width() >= 2 * MIN_WIDTH + GAP
      const width = isWide ? Math.floor((context.width() - GAP) / 2) : context.width()
      plots.forEach((plot, scheme) => plot.update({
        width, height: 180, x: [0, next.accuracies.cols], y: [0, TOP], xName: t('lab.extrapolation.place'),
        yName: t('lab.extrapolation.share'), label: `${names[scheme]}: ${t('lab.extrapolation.shares')}`,
        ...curve(next.accuracies, scheme, trained)
      }))
      fig.legend([{ domain: probabilityDomain() }])
      fig.numbers(t('frame.numbers'), [{ title: t('lab.extrapolation.shares'), part: all },
        { title: t('lab.extrapolation.means'), part: each }])
    },
    mark: fig.mark,
    destroy() {}
  }
}
