/** Sine and cosine: the table, and for one cell its pair, frequency, angle and wave. */

import { signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFacts } from '../lib/facts.js'
import { mountFigure } from '../lib/figure.js'
import { renderFormula } from '../lib/formula.js'
import { formatBrief, formatFixed } from '../lib/number.js'
import { mountPlot } from '../lib/plot.js'
import { sliceMatrix, getTensor, sliceVector } from '../lib/run.js'
import { positionLabels, slice, waveMatrix } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'waves'
export const controls = ['base', 'dModel', 'maxLength']
/** @type {string[]} */ export const pickers = []

/** @param {{ values: Float32Array, rows: number, cols: number }} part @param {number} col */
const column = ({ values, rows, cols }, col) => Array.from({ length: rows }, (_, row) => values[row * cols + col])

/**
 * The table, the intermediate values of each cell, and its waves interpolated between the positions.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { table, angle, rate, between, wave } = view.room.parts
  const [words] = run.streams.text.tokens
  const places = positionLabels(words, getTensor(run, table).shape[0])
  return {
    table: sliceMatrix(run, table, view, { rowLabels: places }),
    angle: sliceMatrix(run, angle, view, { rowLabels: places }),
    rate: sliceVector(run, rate, 'ω'), between: sliceMatrix(run, between), wave: waveMatrix(getTensor(run, wave)), used: words.length,
    domain: signedDomain(1), base: run.settings.base, dModel: run.settings.dModel
  }
}

/** @type {Stage['picture']} */
export function picture(run, { room }) {
  return { part: slice(getTensor(run, room.parts.table), { row: 0, col: 1 }), domain: signedDomain(1) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const rule = h('div', { className: 'equation' })
  const heading = h('h2')
  const slot = h('div')
  const numbers = h('div')
  container.append(h('div', { className: 'beside is-first' },
    h('div', { className: 'beside-main' }, heading, slot), h('div', { className: 'beside-facts' }, rule, numbers)))
  const wave = mountPlot(slot, context)
  const list = mountFacts(numbers, context)
  const fig = mountFigure(container, context)
  const table = fig.matrix()
  /** @type {ReturnType<typeof data>} */ let latest
  let selected = [1, 0]

  function draw() {
    const { table: part, between, wave: fine, angle, rate, used } = latest
    const [row, col] = [Math.min(selected[0], part.rows - 1), Math.min(selected[1], part.cols - 1)]
    const pair = Math.floor(col / 2)
    const name = col % 2 ? 'cos' : 'sin'
    const values = column(part, col)
    const ends = column(fine, col)
    setText(heading, t('lab.waves.wave', { dim: col, name }))
    const isBeside = context.width() >= 640
    wave.update({
      width: isBeside ? Math.round(context.width() * 0.6) : context.width(), height: 220,
      x: [0, part.rows - 1], y: [-1, 1], xName: t('lab.position'), label: t('lab.waves.wave', { dim: col, name }),
      lines: [{ points: ends.map((y, i) => [between.values[i], y]), kind: 'is-main' }],
      dots: values.map((y, k) => ({
        at: [k, y], cell: { name: part.name, index: [k, col] },
        kind: `${k === row ? 'is-chosen' : ''} ${k < used ? '' : 'is-faint'}`
      }))
    })
    const equation = `PE_{${row} , ${col}} = "${name}" ( frac{${row}}{${latest.base}^{${2 * pair} / ${latest.dModel}}} )`
    rule.replaceChildren(renderFormula(equation))
    list.update([
      { name: t('lab.waves.position'), text: String(row) },
      { name: t('lab.waves.pair'), text: String(pair) },
      { name: t('lab.waves.frequency'), text: formatBrief(rate.values[pair]), cell: { name: rate.name, index: [pair] } },
      { name: t('lab.waves.angle'), text: formatFixed(angle.values[row * angle.cols + pair], 4),
        cell: { name: angle.name, index: [row, pair] } },
      { name: `${name}(${t('lab.waves.angle')})`, text: formatFixed(part.values[row * part.cols + col], 4),
        cell: { name: part.name, index: [row, col] } }
    ])
  }
  return {
    update(next) {
      latest = next
      draw()
      table.update(next.table, { title: t('lab.waves.table'), domain: next.domain, dense: true })
      fig.legend([{ domain: next.domain }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['table', 'angle', 'rate']).map(name => (
        { title: t(`lab.waves.${name}`), part: next[name] })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current || ![latest.table.name, latest.angle.name].includes(current.name)) return
      selected = current.name === latest.table.name ? current.index : [current.index[0], current.index[1] * 2]
      draw()
    },
    destroy() {}
  }
}
