/** Rotary positions: every pair of a head's dimensions is rotated by an angle proportional to the position. */

import { signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFacts } from '../lib/facts.js'
import { mountFigure } from '../lib/figure.js'
import { formatFixed } from '../lib/number.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { mountPlot } from '../lib/plot.js'
import { sliceHead, sliceMatrix, kvHeadIndex } from '../lib/run.js'
import { cellIndexOf } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */

export const id = 'rotary'
export const controls = ['positions']
export const pickers = ['sentence', 'part', 'head']

const SIZE = 320
/** The range of the axes, relative to the longer of the two arrows. */
const RANGE = 1.15

/**
 * The queries or keys of one head, before and after the rotation, and the cosine and sine of every angle.
 * @param {Run} run @param {View<'rotary'>} view
 */
export function data(run, view) {
  const { rotated, tables, heads, kvHeads = heads, layout, choices, ...parts } = view.room.parts
  const part = choices.find(choice => choice === view.part) ?? choices[0]
  const isKeys = part === 'k'
  const [from, to, { cos, sin }] = [rotated[part], parts[part], tables[part]]
  /** @param {string} name */
  const head = name => (isKeys ? sliceHead(run, name, kvHeads, { ...view, head: kvHeadIndex(view) })
    : sliceHead(run, name, heads, view))
  return {
    layout, letter: isKeys ? 'K' : 'Q', before: head(from), after: head(to),
    cos: sliceMatrix(run, cos, view), sin: sliceMatrix(run, sin, view),
    domains: { vectors: commonDomain(run, from, to), tables: signedDomain(1) }
  }
}

/** @type {Stage<'rotary'>['picture']} */
export function picture(run, view) {
  const { choices, ...parts } = view.room.parts
  const name = parts[choices[0]]
  return createPicture(run, name, view)
}

/** The columns of a pair. @param {{ layout: string, cos: { cols: number } }} shown @param {number} pair */
export const columnsOf = ({ layout, cos: { cols: half } }, pair) => (
  layout === 'interleaved' ? [2 * pair, 2 * pair + 1] : [pair, pair + half])

/**
 * The pair of a column, or the last pair for a channel that is not rotated.
 * @param {{ layout: string, cos: { cols: number } }} shown @param {number} col
 */
export const pairOf = ({ layout, cos: { cols: half } }, col) => (
  col >= 2 * half ? half - 1 : layout === 'interleaved' ? Math.floor(col / 2) : col % half)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const slot = h('div')
  const numbers = h('div')
  container.append(h('section', {}, heading, slot, numbers))
  const rotationPlot = mountPlot(slot, context)
  const list = mountFacts(numbers, context)
  const fig = mountFigure(container, context)
  const [before, after, cos, sin] = [fig.matrix(), fig.matrix(), fig.matrix(), fig.matrix()]
  /** @type {ReturnType<typeof data>} */ let latest
  let selected = { row: 1, pair: 0 }

  function drawRotation() {
    const row = Math.min(selected.row, latest.before.rows - 1)
    const pair = Math.min(selected.pair, latest.cos.cols - 1)
    const columns = columnsOf(latest, pair)
    /** @param {Slice} part */
    const at = part => /** @type {[number, number]} */ (columns.map(col => part.values[row * part.cols + col]))
    const [from, to] = [at(latest.before), at(latest.after)]
    const range = RANGE * Math.max(1e-6, Math.hypot(...from), Math.hypot(...to))
    const label = t('stages.rotary.pair', { pair, token: latest.before.rowLabels?.[row] ?? String(row) })
    setText(heading, label)
    /** @param {Slice} part @param {[number, number]} point @param {string} kind */
    const dot = (part, point, kind) => ({
      at: point, kind, title: part.name, cell: { name: part.name, index: cellIndexOf(part, row, columns[0]) }
    })
    const size = Math.min(SIZE, context.width())
    rotationPlot.update({
      width: size, height: size, x: [-range, range], y: [-range, range], label,
      xName: `${latest.letter}[${columns[0]}]`, yName: `${latest.letter}[${columns[1]}]`,
      lines: [{ points: [[0, 0], from], kind: 'is-thin' }, { points: [[0, 0], to] }],
      dots: [dot(latest.before, from, ''), dot(latest.after, to, 'is-chosen')]
    })
    /** @param {string} name @param {Slice} part */
    const entry = (name, part) => ({
      name: t(`stages.rotary.${name}`), text: formatFixed(part.values[row * part.cols + pair], 4),
      cell: { name: part.name, index: cellIndexOf(part, row, pair) }
    })
    list.update([entry('cos', latest.cos), entry('sin', latest.sin)])
  }
  return {
    update(next) {
      latest = next
      const views = { before: next.domains.vectors, after: next.domains.vectors, cos: next.domains.tables,
        sin: next.domains.tables }
      const matrices = { before, after, cos, sin }
      const names = /** @type {(keyof typeof matrices)[]} */ (Object.keys(matrices))
      /** @param {string} name */
      const title = name => t(`stages.rotary.${name}`)
      for (const name of names) {
        matrices[name].update(next[name], { title: title(name), domain: views[name], dense: true })
      }
      drawRotation()
      fig.legend([{ domain: next.domains.vectors, text: next.letter }, { domain: next.domains.tables, text: 'cos, sin' }])
      fig.numbers(t('frame.numbers'), names.map(name => ({ title: title(name), part: next[name] })))
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current) return
      const isVector = [latest.before.name, latest.after.name].includes(current.name)
      const isTable = [latest.cos.name, latest.sin.name].includes(current.name)
      if (!isVector && !isTable) return
      const [row, col] = current.index.slice(-2)
      selected = { row, pair: isTable ? col : pairOf(latest, col % latest.before.cols) }
      drawRotation()
    },
    destroy() {}
  }
}
