/** The layout of a model without layers: rooms below each other, with connectors at their left. */

import { h, setText, svg } from '../lib/dom.js'

/** @import { Door, MapLayout } from './index.js' */
/** @import { Room } from '../types.d.ts' */

const ROW = 44
const LANE = 14
const LEFT = 9

/**
 * Connectors as pairs of rows, and the lane of each room: 0, or 1 for a room without inputs that joins from the side.
 * @param {Pick<Room, 'id' | 'from'>[]} rooms with the ids of those that flow into them
 */
export function computeWires(rooms) {
  const rows = new Map(rooms.map(({ id }, row) => [id, row]))
  const connectors = rooms.flatMap(({ from }, row) => from.map(id => [rows.get(id) ?? row, row]))
  const lanes = rooms.map(({ from }, row) => (row > 0 && from.length === 0 ? 1 : 0))
  return { wires: connectors, lanes }
}

/** @param {number} lane */
const x = lane => LEFT + lane * LANE
/** @param {number} row */
const y = row => (row + 0.5) * ROW

/** @param {number[]} wire @param {number[]} lanes */
function connectorPath([from, to], lanes) {
  const lanesBetween = lanes.slice(from + 1, to)
  const side = lanesBetween.some(lane => lane === 0) ? 1 : Math.max(lanes[from], lanes[to])
  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  const curveTo = (x0, y0, x1, y1) => `C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`
  const [x0, x1, xs] = [x(lanes[from]), x(lanes[to]), x(side)]
  if (x0 === x1 && (side === lanes[from] || lanesBetween.length === 0)) return `M${x0} ${y(from)}V${y(to)}`
  if (lanesBetween.length === 0) return `M${x0} ${y(from)}${curveTo(x0, y(from), x1, y(to))}`
  if (lanes[from] !== lanes[to]) return `M${x0} ${y(from)}V${y(to - 1)}${curveTo(x0, y(to - 1), x1, y(to))}`
  return `M${x0} ${y(from)}${curveTo(x0, y(from), xs, y(from + 1))}V${y(to - 1)}${curveTo(xs, y(to - 1), x1, y(to))}`
}

/** @param {Room[]} rooms */
function drawConnectors(rooms) {
  const { wires: connectors, lanes } = computeWires(rooms)
  const height = rooms.length * ROW
  return svg('svg', { 'class': 'wires', 'aria-hidden': 'true', 'width': '36', height, 'viewBox': `0 0 36 ${height}` },
    connectors.map(wire => svg('path', { d: connectorPath(wire, lanes) })),
    lanes.map((lane, row) => svg('circle', { 'cx': x(lane), 'cy': y(row), 'r': '4', 'data-room': rooms[row].id })))
}

/**
 * @param {Element} container
 * @param {Door[]} doors @returns {MapLayout}
 */
export function mountList(container, doors) {
  const connectors = drawConnectors(doors.map(({ room }) => room))
  const shapes = doors.map(({ link, shortName }) => {
    const shape = h('small', { className: 'shape' })
    link.append(h('span', { className: 'room-text' }, h('span', {}, shortName), shape))
    return shape
  })
  container.classList.remove('has-towers')
  container.replaceChildren(connectors, h('ol', {}, doors.map(({ element }) => element)))
  return {
    /** @param {Room} here the current room @param {((room: Room) => string) | null} shapeOf */
    update(here, shapeOf) {
      doors.forEach(({ room }, i) => {
        connectors.querySelectorAll('circle')[i].classList.toggle('is-current', room === here)
        if (shapeOf) setText(shapes[i], shapeOf(room))
      })
    }
  }
}
