/** The building: every stage with a stamp of its tensor, wired as the numbers flow. Click a room to enter it. */

import { scale } from './lib/color.js'
import { h, setText, svg } from './lib/dom.js'
import { dimensions } from './lib/number.js'
import { tensorOf } from './lib/run.js'
import { thumb } from './lib/thumb.js'
import { inputs, outputOf, stages } from './stages/index.js'
import { DEFAULTS, toHash } from './state.js'

const ROW = 44
const LANE = 14
const LEFT = 9

/** Every wire as a pair of rows; and the lane of each room: 0, or 1 for one that joins from the side. */
export function plan() {
  const rows = new Map(stages.map(({ id }, row) => [id, row]))
  const wires = stages.flatMap(({ id }, row) => (
    (inputs[id] ?? [stages[row - 1]?.id]).map((from) => [rows.get(from), row])))
  const lanes = stages.map(({ id }, row) => (row > 0 && inputs[id]?.length === 0 ? 1 : 0))
  return { wires, lanes }
}

const x = (lane) => LEFT + lane * LANE
const y = (row) => (row + 0.5) * ROW

function path([from, to], lanes) {
  const between = lanes.slice(from + 1, to)
  const side = between.some((lane) => lane === 0) ? 1 : Math.max(lanes[from], lanes[to])
  const bend = (x0, y0, x1, y1) => `C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`
  const [x0, x1, xs] = [x(lanes[from]), x(lanes[to]), x(side)]
  if (x0 === x1 && (side === lanes[from] || between.length === 0)) return `M${x0} ${y(from)}V${y(to)}`
  if (between.length === 0) return `M${x0} ${y(from)}${bend(x0, y(from), x1, y(to))}`
  if (lanes[from] !== lanes[to]) return `M${x0} ${y(from)}V${y(to - 1)}${bend(x0, y(to - 1), x1, y(to))}`
  return `M${x0} ${y(from)}${bend(x0, y(from), xs, y(from + 1))}V${y(to - 1)}${bend(xs, y(to - 1), x1, y(to))}`
}

function wiring() {
  const { wires, lanes } = plan()
  const height = stages.length * ROW
  return svg('svg', { class: 'wires', 'aria-hidden': 'true', width: '36', height, viewBox: `0 0 36 ${height}` },
    wires.map((wire) => svg('path', { d: path(wire, lanes) })),
    lanes.map((lane, row) => svg('circle', { cx: x(lane), cy: y(row), r: '4', 'data-stage': stages[row].id })))
}

function room(stage, { t, set }) {
  const stamp = h('span', { className: 'stamp' })
  const shape = h('small', { className: 'shape' })
  const link = h('a', { onclick: (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    set({ stage: stage.id }, 'push')
  } }, stamp, h('span', { className: 'room-text' }, h('span', {}, t(`stages.${stage.id}.name`)), shape))
  return { element: h('li', { 'data-stage': stage.id }, link), link, shape, picture: thumb(stamp), stamp }
}

/** Restarts the pulse of a stamp. */
function pulse(stamp) {
  stamp.classList.remove('is-changed')
  requestAnimationFrame(() => stamp.classList.add('is-changed'))
}

/**
 * Mounts the map.
 * @param {Element} container
 * @param {{ t: Function, set(patch: object, history?: string): void }} context
 */
export function map(container, context) {
  const rooms = stages.map((stage) => room(stage, context))
  const wires = wiring()
  container.setAttribute('aria-label', context.t('map.label'))
  container.append(wires, h('ol', {}, rooms.map(({ element }) => element)))
  let current = null

  function enter(stage) {
    if (current === stage) return
    current = stage
    const { link } = rooms[stages.findIndex(({ id }) => id === stage)]
    requestAnimationFrame(() => link.scrollIntoView({ block: 'nearest', inline: 'center' }))
  }
  return {
    /** @param {object | null} run @param {object} state @param {'light' | 'dark'} mode */
    update(run, state, mode) {
      const rest = toHash({ ...state, stage: DEFAULTS.stage, cell: null })
      rooms.forEach(({ link, shape, picture, stamp }, i) => {
        const here = stages[i].id === state.stage
        link.setAttribute('href', `#${rest}&stage=${stages[i].id}`)
        if (here) link.setAttribute('aria-current', 'step')
        else link.removeAttribute('aria-current')
        wires.querySelectorAll('circle')[i].classList.toggle('is-current', here)
        if (!run) return
        const { part, domain } = stages[i].picture(run, state)
        if (picture.update(part, scale(domain, mode))) pulse(stamp)
        const output = outputOf(stages[i])
        setText(shape, output ? dimensions(tensorOf(run, output).shape) : '')
      })
      enter(state.stage)
    }
  }
}
