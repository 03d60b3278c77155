/** A connector that leaves one element at its right and branches to others at their left, through the gap between. */

import { enlargement } from './dom.js'

const ARROW = 4

/**
 * Writes the connector's path in the coordinates of the element that contains both ends; empty where they stack.
 * @param {Element} path
 * @param {Element} root
 * @param {Element | null} from
 * @param {Iterable<Element>} to
 * @param {{ gap?: number, inset?: number, hasArrows?: boolean }} [options] gap: how far before its ends the connector
 *   goes up; the middle of a narrower gap
 */
export function drawConnector(path, root, from, to, { gap = 10, inset = 3, hasArrows = false } = {}) {
  const box = root.getBoundingClientRect()
  const enlarged = enlargement(root)
  /** @param {Element} element */
  const middleOf = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return {
      left: (left - box.left) / enlarged, right: (right - box.left) / enlarged,
      y: ((top + bottom) / 2 - box.top) / enlarged
    }
  }
  const ends = [...to].map(middleOf)
  const start = from && middleOf(from)
  if (!start || !ends.length || ends[0].left < start.right) return path.setAttribute('d', '')
  const x = ends[0].left - Math.min(gap, (ends[0].left - start.right) / 2)
  const lines = ends.map(({ left, y }) => {
    const end = left - inset
    const arrow = hasArrows ? `m${-ARROW} ${-ARROW}l${ARROW} ${ARROW}l${-ARROW} ${ARROW}` : ''
    return `M${x} ${start.y}V${y}H${end}${arrow}`
  })
  return path.setAttribute('d', `M${start.right} ${start.y}H${x}${lines.join('')}`)
}
