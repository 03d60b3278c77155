/** The activation of the feed-forward network: every unit by itself, through one curve. */

import { curve } from '../lib/curve.js'
import { h, setText } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { ofSlice } from '../lib/origin.js'
import { domainOf } from '../lib/picture.js'
import { matrixOf } from '../lib/run.js'
import { segments } from '../lib/segments.js'
import { cellOf, columnsOf, indexOf } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'activation'
export const controls = ['activation']
/** @type {string[]} */ export const pickers = []

/**
 * Units before and after the activation, and its curve as the kernel computes it.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { before, after, kind } = view.room.parts
  return {
    kind, curve: run.curves[kind], before: matrixOf(run, before, view), after: matrixOf(run, after, view),
    domain: domainOf(run, before)
  }
}

/** The order of units. @typedef {'index' | 'mean' | 'row'} Sorting */
/** @type {Sorting[]} */
const SORTINGS = ['index', 'mean', 'row']
/** The reader's order is kept from layer to layer. @type {Sorting} */
let sorting = 'index'

/**
 * The order of a layer's units by magnitude: on average over all tokens, or for one of them.
 * @param {Slice} after @param {Sorting} by @param {number} row the token looked at
 */
export function unitsBy({ rows, cols, values }, by, row) {
  const lines = by === 'row' ? [row] : Array.from({ length: rows }, (_, line) => line)
  const strength = Array.from({ length: cols }, (_, col) => (
    lines.reduce((sum, line) => sum + values[line * cols + col], 0) / lines.length))
  const places = Array.from({ length: cols }, (_, col) => col)
  return by === 'index' ? places : places.sort((one, other) => strength[other] - strength[one])
}

/** @type {Stage['picture']} */
export function picture(run, view) {
  const { before, after } = view.room.parts
  return { part: matrixOf(run, after, view), domain: domainOf(run, before) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const slot = h('div')
  const silent = h('p', { className: 'note' })
  const order = segments(t('stages.activation.sort'), (/** @type {Sorting} */ by) => {
    sorting = by
    context.set({})
  })
  container.append(h('section', {}, heading, slot, silent), order.element)
  const fig = figure(container, context)
  const before = fig.matrix()
  const after = fig.matrix()
  const bend = curve(slot)
  /** @type {ReturnType<typeof data>} */ let latest
  let look = { row: 0, col: -1 }

  function drawCurve() {
    const { rows, cols, values, rowLabels } = latest.before
    const row = Math.min(look.row, rows - 1)
    const points = Array.from({ length: cols }, (_, col) => (
      { x: values[row * cols + col], y: latest.after.values[row * cols + col] }))
    const label = t('stages.activation.curve', { token: rowLabels[row] })
    setText(heading, label)
    setText(silent, t('stages.activation.silent', { count: points.filter(({ y }) => y === 0).length, total: cols }))
    ofSlice(silent, latest.after, row)
    const cells = [latest.before, latest.after].map(part => ({ name: part.name, index: indexOf(part, row, look.col) }))
    bend.update({ line: latest.curve, points, cells, chosen: look.col, label })
  }
  /**
   * Only the drawing is sorted: comparisons with another run need the original order.
   * @param {ReturnType<typeof data>} next
   */
  function sorted(next) {
    const row = Math.min(look.row, next.after.rows - 1)
    order.update(SORTINGS.map(value => (
      { value, text: t(`stages.activation.by.${value}`, { token: next.after.rowLabels[row] }) })), sorting)
    if (sorting === 'index') return next
    const places = unitsBy(next.after, sorting, row)
    return { ...next, before: columnsOf(next.before, places), after: columnsOf(next.after, places) }
  }
  return {
    update(unsorted) {
      const next = sorted(unsorted)
      latest = unsorted
      const titles = { before: t('stages.activation.before'), after: t('stages.activation.after') }
      /** @type {Follow} */
      const twin = ({ name, index }) => ([next.before.name, next.after.name].includes(name)
        ? cellOf(next.after, { name: next.after.name, index }) : null)
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
      look = { row: current.index[1], col: current.index[2] }
      drawCurve()
    },
    destroy() {}
  }
}
