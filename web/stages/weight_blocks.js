/** A weight as a GGUF file stores it: scales, minimums and codes of a block, and the values that they stand for. */

import { signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { formatExact } from '../lib/number.js'
import { getDescription, getTableRows } from '../lib/run.js'
import { numberLabels, peak, sliceGatheredRows, slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'weight_blocks'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** The first rows are drawn, and that of a pinned cell. */
const ROWS = 8
/** A block is wrapped into lines of so many values; each group of values with one scale has one or two. */
const COLUMNS = 16

/** Some rows of the weight, and their blocks. @param {Run} run @param {View<'weight_blocks'>} view */
export function data(run, { room: { parts: { weight } }, cell }) {
  const { name, shape, dtype } = getDescription(run, weight)
  const first = Array.from({ length: Math.min(ROWS, shape[0]) }, (_, i) => i)
  const order = [...new Set([...first, ...(cell?.name === name ? [cell.index[0]] : [])])]
  const { blocks, ...some } = getTableRows(run, name, order)
  const rows = sliceGatheredRows(some, shape, order, order.map(String))
  return { rows, blocks, dtype, domain: signedDomain(some.peak) }
}

/** Three digits of a scale or minimum. @param {number} value */
const formatBrief = value => formatExact(Number(value.toPrecision(3)))
/** @param {number} min @param {(value: number) => string} format */
const formatMin = (min, format) => (min < 0 ? `− ${format(-min)}` : `+ ${format(min)}`)

/**
 * The block of a cell: its codes and values in lines with the scale and the minimum, and how the cell is computed.
 * @param {ReturnType<typeof data>} data @param {number[]} index
 */
export function blockOf({ rows: { name, shape, rowOrder = [], values, cols }, blocks }, [row, col]) {
  const at = rowOrder.indexOf(row), { values: size, scales, mins, codes, center, bytes } = blocks[at]
  const start = col - col % size, group = cols / scales.length, hasMins = mins.some(Boolean)
  const rowLabels = Array.from({ length: size / COLUMNS }, (_, line) => {
    const first = start + line * COLUMNS, of = Math.floor(first / group)
    return first % group === 0 ? `× ${formatBrief(scales[of])}` : hasMins ? formatMin(mins[of], formatBrief) : ''
  })
  const lines = { colStart: start, rows: rowLabels.length, cols: COLUMNS, colLabels: numberLabels(COLUMNS), rowLabels }
  /** @param {Float32Array} data of the row */
  const wrap = data => ({ ...slice({ name, shape: [1, cols], data }, { col: 1, ...lines }), shape, fixed: [row, 0] })
  const rowValues = values.subarray(at * cols, (at + 1) * cols), of = Math.floor(col / group)
  const code = center ? `(${formatExact(codes[col])} − ${center})` : formatExact(codes[col])
  const product = `${formatExact(rowValues[col])} = ${formatExact(scales[of])} × ${code}`
  return {
    size, bytes, center, codes: wrap(Float32Array.from(codes)), values: wrap(rowValues),
    rule: center ? 'centered' : hasMins ? 'added' : 'plain',
    computation: hasMins ? `${product} ${formatMin(mins[of], formatExact)}` : product
  }
}

/** @type {Stage<'weight_blocks'>['picture']} */
export function picture(run, view) {
  const next = data(run, view)
  return { part: blockOf(next, [0, 0]).values, domain: next.domain }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  // The rows may be wide: they scroll by themselves, so that the block below stays visible.
  const scroller = h('div', { className: 'frame' }), rows = fig.matrix(scroller)
  const size = h('p', { className: 'note' }), rule = h('span'), computation = h('b', { role: 'status' })
  const howComputed = h('p', { className: 'note' }, rule, h('br'), computation)
  fig.body.append(scroller, h('div', { style: { width: '100%' } }, size, howComputed))
  const codes = fig.matrix(), values = fig.matrix()
  /** @type {ReturnType<typeof data>} */ let latest
  let index = [0, 0]

  function draw() {
    const { rows: part, dtype, domain } = latest, own = blockOf(latest, index)
    const titles = { rows: t('stages.weight_blocks.rows'), codes: t('stages.weight_blocks.codes'), values: t('stages.weight_blocks.values') }
    rows.update(part, { title: titles.rows, domain, dense: true, group: own.size })
    setText(rule, t(`stages.weight_blocks.${own.rule}`, { center: own.center }))
    setText(computation, own.computation)
    const { size: count, bytes } = own
    setText(size, t('stages.weight_blocks.size', { type: dtype, count, bytes, bits: 8 * bytes / count }))
    const codeDomain = signedDomain(peak({ data: own.codes.values })), alignTo = own.codes.rowLabels
    codes.update(own.codes, { title: titles.codes, domain: codeDomain, dense: true, alignTo, isInteger: true })
    values.update(own.values, { title: titles.values, domain, dense: true, alignTo })
    fig.legend([{ domain, text: titles.values }, { domain: codeDomain, text: titles.codes }])
    fig.numbers(t('frame.numbers'), [{ title: titles.rows, part }, { title: titles.codes, part: own.codes },
      { title: titles.values, part: own.values }])
  }
  return {
    update(next) {
      latest = next
      if (!next.rows.rowOrder?.includes(index[0])) index = [0, 0]
      draw()
    },
    mark(marks) {
      const { current } = marks
      if (latest && current?.name === latest.rows.name && latest.rows.rowOrder?.includes(current.index[0])) {
        ({ index } = current)
        draw()
      }
      fig.mark(marks)
    },
    destroy() {}
  }
}
