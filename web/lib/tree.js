/** The beginnings a beam search followed: one column a step, those that went on in ink, the best in colour. */

import { h, setText, svg } from './dom.js'
import { fixed } from './number.js'

const [COLUMN, ROW, LEFT, TOP] = [92, 30, 56, 20]

/** Places of all branches: per step, the ones that go on first. */
function arrange(nodes) {
  const counts = new Map()
  return nodes.map(({ step }) => {
    const row = counts.get(step) ?? 0
    counts.set(step, row + 1)
    return { x: LEFT + step * COLUMN, y: TOP + row * ROW }
  })
}

function ancestors(nodes, best) {
  const path = new Set()
  for (let i = best; i >= 0 && i !== null; i = nodes[i].parent) path.add(i)
  return path
}

/**
 * Mounts an empty tree.
 * @param {Element} container
 */
export function tree(container) {
  const root = svg('svg', { class: 'tree', 'aria-hidden': 'true' })
  const words = h('p', { className: 'visually-hidden' })
  container.append(root, words)
  return {
    /**
     * @param {{ token: string, parent: number, step: number, score: number, isKept: boolean }[]} nodes
     * @param {number} best
     */
    update(nodes, best) {
      const places = arrange(nodes)
      const path = ancestors(nodes, best)
      const kind = (i) => (path.has(i) ? 'is-best' : nodes[i].isKept ? 'is-kept' : 'is-dropped')
      const [width, height] = ['x', 'y'].map((key) => Math.max(...places.map((place) => place[key])) + 64)
      for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) root.setAttribute(name, value)
      const line = ({ parent }, i) => {
        const { x, y } = places[i]
        const from = parent < 0 ? { x: 8, y: TOP } : { x: places[parent].x + 44, y: places[parent].y }
        const bend = (from.x + x - 8) / 2
        return svg('path', { class: kind(i), d: `M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${y} ${x - 8} ${y}` })
      }
      const word = ({ token, score }, i) => svg('g', { class: kind(i) },
        svg('text', { x: places[i].x, y: places[i].y + 4 }, token),
        svg('text', { class: 'tree-score', x: places[i].x + 16, y: places[i].y + 4 }, fixed(score)))
      const order = nodes.map((_, i) => i).sort((a, b) => path.has(a) - path.has(b))
      root.replaceChildren(...order.map((i) => line(nodes[i], i)), ...nodes.map(word))
      setText(words, [...path].reverse().map((i) => `${nodes[i].token} ${fixed(nodes[i].score)}`).join(', '))
    }
  }
}
