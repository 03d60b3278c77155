/** The layout of a model without layers: one room below the other, connected at the side. */

import { h, setText, svg } from '../lib/dom.js'

/** @import { Door, Plan } from './index.js' */
/** @import { Room } from '../types.d.ts' */

const ROW = 44
const LANE = 14
const LEFT = 9

/**
 * Every connector as a pair of rows, and the lane of each room: 0, or 1 for one that joins from the side.
 * @param {Pick<Room, 'id' | 'from'>[]} rooms with the ids of those that flow into them
 */
export function wiringOf(rooms) {
  const rows = new Map(rooms.map(({ id }, row) => [id, row]))
  const wires = rooms.flatMap(({ from }, row) => from.map(id => [rows.get(id) ?? row, row]))
  const lanes = rooms.map(({ from }, row) => (row > 0 && from.length === 0 ? 1 : 0))
  return { wires, lanes }
}

/** @param {number} lane */
const x = lane => LEFT + lane * LANE
/** @param {number} row */
const y = row => (row + 0.5) * ROW

/** @param {number[]} wire @param {number[]} lanes */
function path([from, to], lanes) {
  const between = lanes.slice(from + 1, to)
  const side = between.some(lane => lane === 0) ? 1 : Math.max(lanes[from], lanes[to])
  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  const bend = (x0, y0, x1, y1) => `C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`
  const [x0, x1, xs] = [x(lanes[from]), x(lanes[to]), x(side)]
  if (x0 === x1 && (side === lanes[from] || between.length === 0)) return `M${x0} ${y(from)}V${y(to)}`
  if (between.length === 0) return `M${x0} ${y(from)}${bend(x0, y(from), x1, y(to))}`
  if (lanes[from] !== lanes[to]) return `M${x0} ${y(from)}V${y(to - 1)}${bend(x0, y(to - 1), x1, y(to))}`
  return `M${x0} ${y(from)}${bend(x0, y(from), xs, y(from + 1))}V${y(to - 1)}${bend(xs, y(to - 1), x1, y(to))}`
}

/** @param {Room[]} rooms */
function wiring(rooms) {
  const { wires, lanes } = wiringOf(rooms)
  const height = rooms.length * ROW
  return svg('svg', { 'class': 'wires', 'aria-hidden': 'true', 'width': '36', height, 'viewBox': `0 0 36 ${height}` },
    wires.map(wire => svg('path', { d: path(wire, lanes) })),
    lanes.map((lane, row) => svg('circle', { 'cx': x(lane), 'cy': y(row), 'r': '4', 'data-room': rooms[row].id })))
}

/**
 * @param {Element} container
 * @param {Door[]} doors @returns {Plan}
 */
export function list(container, doors) {
  const wires = wiring(doors.map(({ room }) => room))
  const shapes = doors.map(({ link, shortName }) => {
    const shape = h('small', { className: 'shape' })
    link.append(h('span', { className: 'room-text' }, h('span', {}, shortName), shape))
    return shape
  })
  container.classList.remove('has-towers')
  container.replaceChildren(wires, h('ol', {}, doors.map(({ element }) => element)))
  return {
    /** @param {Room} here the current room @param {((room: Room) => string) | null} shapeOf */
    update(here, shapeOf) {
      doors.forEach(({ room }, i) => {
        wires.querySelectorAll('circle')[i].classList.toggle('is-current', room === here)
        if (shapeOf) setText(shapes[i], shapeOf(room))
      })
    }
  }
}
