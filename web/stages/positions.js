/** The positional encoding: curves over position, and its table. */

import { mountCurves } from '../lib/chart.js'
import { signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { getTensor } from '../lib/run.js'
import { peak, positionLabels, slice } from '../lib/slice.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

const MAX_CURVES = 16

export const id = 'positions'
export const controls = ['positional', 'positions', 'base', 'maxLength']
export const pickers = ['sentence']

/**
 * The table with the sentence's tokens beside their positions, and the length of the sentence.
 * @param {Run} run @param {View<'positions'>} view
 */
export function data(run, { sentence, room }) {
  const { table, stream } = room.parts
  const tensor = getTensor(run, table)
  const { tokens, lengths } = run.streams[stream ?? ''] ?? { tokens: [[]], lengths: [] }
  const names = tokens[sentence] ?? tokens[0]
  return {
    table: slice(tensor, { row: 0, col: 1, rowLabels: positionLabels(names, tensor.shape[0]) }),
    used: lengths[sentence] ?? names.length, domain: signedDomain(peak(tensor))
  }
}

/** @type {Stage<'positions'>['picture']} */
export function picture(run, { room }) {
  const tensor = getTensor(run, room.parts.table)
  return { part: slice(tensor, { row: 0, col: 1 }), domain: signedDomain(peak(tensor)) }
}

/**
 * The channels drawn as curves: all, or an evenly spaced selection and the highlighted one.
 * @param {number} count @param {number} chosen
 */
export function chosenCurves(count, chosen) {
  const step = Math.ceil(count / MAX_CURVES)
  const list = Array.from({ length: count }, (_, i) => i).filter(i => i % step === 0 || i === chosen)
  return { list, at: list.indexOf(chosen) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const slot = h('div', { className: 'chart-slot' })
  container.append(heading, slot)
  const fig = mountFigure(container, context)
  const table = fig.matrix()
  /** @type {ReturnType<typeof data>} */ let latest
  /** @type {{ position: number | null, dim: number }} */
  let selected = { position: null, dim: 0 }
  /** @param {number} position */
  const cell = position => ({ name: latest.table.name, index: [position, selected.dim] })
  const chart = mountCurves(slot, { onHover: p => context.selectCell(cell(p)), onPress: p => context.pinCell(cell(p)) })

  function drawCurves() {
    const { rows, cols, values } = latest.table
    const dim = Math.min(selected.dim, cols - 1)
    const { list, at } = chosenCurves(cols, dim)
    chart.update({
      series: list.map(i => Array.from({ length: rows }, (_, p) => values[p * cols + i])),
      chosen: at, at: selected.position, until: latest.used, label: t('stages.positions.chart', { dim }),
      title: t('stages.positions.position'), palette: context.theme().palette
    })
    setText(heading, t('stages.positions.curves', { dim }))
  }
  return {
    update(next) {
      latest = next
      const title = t('stages.positions.table')
      drawCurves()
      table.update(next.table, { title, domain: next.domain, dense: true })
      fig.legend([{ domain: next.domain }])
      fig.numbers(t('frame.numbers'), [{ title, part: next.table }])
    },
    mark(marks) {
      fig.mark(marks)
      if (!latest || marks.current?.name !== latest.table.name) return
      const [position, dim] = marks.current.index
      if (position === selected.position && dim === selected.dim) return
      selected = { position, dim }
      drawCurves()
    },
    destroy: chart.destroy
  }
}
