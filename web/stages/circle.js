/**
 * One pair of channels as a point that moves around a circle with the position, or along a spiral in three dimensions.
 */

import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFacts } from '../lib/facts.js'
import { mountFigure } from '../lib/figure.js'
import { formatFixed } from '../lib/number.js'
import { mountPlot } from '../lib/plot.js'
import { sliceMatrix, getTensor, sliceVector } from '../lib/run.js'
import { createSegments } from '../lib/segments.js'
import { positionLabels, slice, waveMatrix } from '../lib/slice.js'
import { mountSpace } from '../lib/space.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */

export const id = 'circle'
export const controls = ['base', 'dModel', 'maxLength']
/** @type {string[]} */ export const pickers = []

const SIZE = 340
/** From this width on, both pictures are side by side. */
const [WIDE, GAP] = [560, 32]
const RANGE = 1.15

/**
 * Every pair over the positions, interpolated points, and the distance of each point from the center.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { pairs: name, radius, wave } = view.room.parts
  const pairs = getTensor(run, name)
  const rowLabels = positionLabels(run.streams.text.tokens[0], pairs.shape[1])
  return {
    pairs: Array.from({ length: pairs.shape[0] }, (_, pair) => slice(pairs, {
      row: 1, col: 2, fixed: [pair, 0, 0], rowLabels, colLabels: [`sin ${2 * pair}`, `cos ${2 * pair + 1}`]
    })),
    radius: sliceMatrix(run, radius, view, { colLabels: rowLabels.map((_, i) => String(i)) }),
    wave: waveMatrix(getTensor(run, wave)),
    rate: sliceVector(run, view.room.parts.rate, 'ω'), domain: signedDomain(1)
  }
}

/** @type {Stage['picture']} */
export function picture(run, { room }) {
  const pairs = getTensor(run, room.parts.pairs)
  return { part: slice(pairs, { row: 1, col: 2, fixed: [0, 0, 0] }), domain: signedDomain(1) }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const choices = createSegments(t('lab.circle.pair'), (/** @type {number} */ pair) => selectPair(pair))
  const flat = h('section', {}, h('h2', {}, t('lab.circle.flat')))
  const deep = h('section', {}, h('h2', {}, t('lab.circle.deep')))
  const numbers = h('div', { className: 'panel-facts' })
  container.append(choices.element, h('div', { className: 'side-by-side' }, flat, deep), numbers)
  const circle = mountPlot(flat, context)
  const spiral = mountSpace(deep, { ...context, help: t('lab.circle.turn') })
  const list = mountFacts(numbers, context)
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const [points, radius] = [fig.matrix(), fig.matrix()]
  /** @type {ReturnType<typeof data>} */ let latest
  let chosen = { pair: 0, position: 1 }

  /** @param {Partial<typeof chosen>} patch */
  function choose(patch) {
    chosen = { ...chosen, ...patch }
    draw()
  }
  /** Selects a pair, and with it a cell for the inspector. @param {number} pair */
  const selectPair = pair => context.pinCell({ name: latest.pairs[pair].name, index: [pair, chosen.position, 0] })
  /**
   * The dots of all positions.
   * @template At
   * @param {Slice} part @param {{ pair: number, position: number }} chosen
   * @param {(x: number, y: number, k: number) => At} at
   */
  const dotsOf = ({ name, rows, values }, { pair, position }, at) => Array.from({ length: rows }, (_, k) => ({
    at: at(values[2 * k + 1], values[2 * k], k), kind: k === position ? 'is-chosen' : '', title: latest.pairs[0].rowLabels[k],
    cell: { name, index: [pair, k, 0] }
  }))

  function draw() {
    const pair = Math.min(chosen.pair, latest.pairs.length - 1)
    const part = latest.pairs[pair]
    const position = Math.min(chosen.position, part.rows - 1)
    chosen = { pair, position }
    choices.update(latest.pairs.map((_, value) => ({ value, text: String(value) })), pair)
    const { wave } = latest
    const width = context.width()
    const size = Math.min(SIZE, width >= WIDE ? Math.floor((width - GAP) / 2) : width)
    /** @type {[number, number][]} */
    const fine = Array.from({ length: wave.rows }, (_, i) => (
      [wave.values[i * wave.cols + 2 * pair + 1], wave.values[i * wave.cols + 2 * pair]]))
    /** @param {number} fraction */
    const toHeight = fraction => 2 * fraction - 1
    circle.update({
      width: size, height: size, x: [-RANGE, RANGE], y: [-RANGE, RANGE], xName: `cos · ${2 * pair + 1}`,
      yName: `sin · ${2 * pair}`, label: t('lab.circle.flat'),
      lines: [{ points: fine, kind: 'is-thin' },
        { points: [[0, 0], [part.values[2 * position + 1], part.values[2 * position]]] }],
      dots: dotsOf(part, chosen, (x, y) => /** @type {[number, number]} */ ([x, y]))
    })
    spiral.update({
      size, label: t('lab.circle.deep'), axes: ['cos', 'sin', t('lab.position')],
      points: fine.map(([x, y], i) => [x, y, toHeight(i / (wave.rows - 1))]),
      dots: dotsOf(part, chosen, (x, y, k) => [x, y, toHeight(k / (part.rows - 1))])
    })
    const { radius: radii, rate } = latest
    list.update([
      { name: t('lab.circle.place'), text: part.rowLabels[position] },
      { name: t('lab.circle.turned'), text: formatFixed(rate.values[pair], 4), cell: { name: rate.name, index: [pair] } },
      { name: t('lab.circle.far'), text: formatFixed(radii.values[pair * radii.cols + position], 4),
        cell: { name: radii.name, index: [pair, position] } }
    ])
    points.update(part, { title: t('lab.circle.points', { pair }), domain: latest.domain, dense: true, pair: true })
    fig.numbers(t('frame.numbers'), [{ title: t('lab.circle.points', { pair }), part },
      { title: t('lab.circle.radius'), part: radii }])
  }
  return {
    update(next) {
      latest = next
      draw()
      radius.update(next.radius, { title: t('lab.circle.radius'), domain: next.domain, dense: true, pair: true })
      fig.legend([{ domain: next.domain }])
    },
    mark(marks) {
      fig.mark(marks)
      const { current } = marks
      if (!latest || !current || ![latest.pairs[0].name, latest.radius.name].includes(current.name)) return
      const [pair, position] = current.index
      if (pair !== chosen.pair || position !== chosen.position) choose({ pair, position })
    },
    destroy() {}
  }
}
