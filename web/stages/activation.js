/** The activation of the feed-forward network: one curve, applied to every unit. */

import { mountCurve } from '../lib/curve.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { setSliceData } from '../lib/origin.js'
import { commonDomain } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'
import { createSegments } from '../lib/segments.js'
import { findSquare, pickColumns, cellIndexOf } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'activation'
export const controls = ['activation']
export const pickers = ['head']

/**
 * Units before and after the activation, and its curve as the kernel computes it.
 * @param {Run} run @param {View<'activation'>} view
 */
export function data(run, view) {
  const { before, after, kind } = view.room.parts
  return {
    kind, curve: run.curves[kind], before: sliceMatrix(run, before, view), after: sliceMatrix(run, after, view),
    domain: commonDomain(run, before)
  }
}

/** The order of units. @typedef {'index' | 'mean' | 'row'} Sorting */
/** @type {Sorting[]} */
const SORTINGS = ['index', 'mean', 'row']
/** The reader's order applies to all layers. @type {Sorting} */
let sorting = 'index'

/**
 * The order of a layer's units by magnitude: on average over all tokens, or for one of them.
 * @param {Slice} after @param {Sorting} by @param {number} row the selected token
 */
export function unitsBy({ rows, cols, values }, by, row) {
  const lines = by === 'row' ? [row] : Array.from({ length: rows }, (_, line) => line)
  const strength = Array.from({ length: cols }, (_, col) => (
    lines.reduce((sum, line) => sum + values[line * cols + col], 0) / lines.length))
  const units = Array.from({ length: cols }, (_, col) => col)
  return by === 'index' ? units : units.sort((a, b) => strength[b] - strength[a])
}

/** @type {Stage<'activation'>['picture']} */
export function picture(run, view) {
  const { before, after } = view.room.parts
  return { part: sliceMatrix(run, after, view), domain: commonDomain(run, before) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const slot = h('div')
  const silent = h('p', { className: 'note silent-count' })
  const order = createSegments(t('stages.activation.sort'), (/** @type {Sorting} */ by) => {
    sorting = by
    context.set({})
  })
  container.append(h('section', {}, heading, slot, silent), order.element)
  const fig = mountFigure(container, context)
  const before = fig.matrix()
  const after = fig.matrix()
  const curveView = mountCurve(slot)
  /** @type {ReturnType<typeof data>} */ let latest
  let selected = { row: 0, col: -1 }

  function drawCurve() {
    const { rows, cols, values, rowLabels } = latest.before
    const row = Math.min(selected.row, rows - 1)
    const points = Array.from({ length: cols }, (_, col) => (
      { x: values[row * cols + col], y: latest.after.values[row * cols + col] }))
    const label = t('stages.activation.curve', { token: rowLabels[row] })
    setText(heading, label)
    setText(silent, t('stages.activation.silent', { count: points.filter(({ y }) => y === 0).length, total: cols }))
    setSliceData(silent, latest.after, row)
    const cells = [latest.before, latest.after].map(part =>
      ({ name: part.name, index: cellIndexOf(part, row, selected.col) }))
    curveView.update({ line: latest.curve, points, cells, chosen: selected.col, label })
  }
  /**
   * Sorts the units for drawing only, since comparisons with another run need the original order.
   * @param {ReturnType<typeof data>} next
   */
  function sortUnits(next) {
    const row = Math.min(selected.row, next.after.rows - 1)
    order.update(SORTINGS.map(value => (
      { value, text: t(`stages.activation.by.${value}`, { token: next.after.rowLabels[row] }) })), sorting)
    if (sorting === 'index') return next
    const units = unitsBy(next.after, sorting, row)
    return { ...next, before: pickColumns(next.before, units), after: pickColumns(next.after, units) }
  }
  return {
    update(unsorted) {
      const next = sortUnits(unsorted)
      latest = unsorted
      const titles = { before: t('stages.activation.before'), after: t('stages.activation.after') }
      /** @type {Follow} */
      const twin = ({ name, index }) => ([next.before.name, next.after.name].includes(name)
        ? findSquare(next.after, { name: next.after.name, index }) : null)
      before.update(next.before, { title: titles.before, domain: next.domain, dense: true, follow: twin })
      after.update(next.after, { title: titles.after, domain: next.domain, dense: true, follow: twin })
      drawCurve()
      fig.legend([{ domain: next.domain }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current || ![latest.before.name, latest.after.name].includes(current.name)) return
      selected = { row: current.index[1], col: current.index[2] }
      drawCurve()
    },
    destroy() {}
  }
}
