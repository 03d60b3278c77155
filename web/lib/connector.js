/** A connector from the right edge of one element to the left edges of others. */

import { readZoom } from './dom.js'

const ARROW = 4

/**
 * Writes the connector's path in the coordinates of `root`; empty where the elements stand below each other.
 * @param {Element} path
 * @param {Element} root
 * @param {Element | null} from
 * @param {Iterable<Element>} to
 * @param {{ gap?: number, inset?: number, hasArrows?: boolean }} [options] gap: pixels between the vertical line and
 *   the ends, at most half of the space; inset: pixels left free before each end
 */
export function drawConnector(path, root, from, to, { gap = 10, inset = 3, hasArrows = false } = {}) {
  const box = root.getBoundingClientRect()
  const factor = readZoom(root)
  /** @param {Element} element */
  const measureSides = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return {
      left: (left - box.left) / factor, right: (right - box.left) / factor,
      y: ((top + bottom) / 2 - box.top) / factor
    }
  }
  const ends = [...to].map(measureSides)
  const start = from && measureSides(from)
  if (!start || !ends.length || ends[0].left < start.right) return path.setAttribute('d', '')
  const x = ends[0].left - Math.min(gap, (ends[0].left - start.right) / 2)
  const lines = ends.map(({ left, y }) => {
    const end = left - inset
    const arrow = hasArrows ? `m${-ARROW} ${-ARROW}l${ARROW} ${ARROW}l${-ARROW} ${ARROW}` : ''
    return `M${x} ${start.y}V${y}H${end}${arrow}`
  })
  return path.setAttribute('d', `M${start.right} ${start.y}H${x}${lines.join('')}`)
}
