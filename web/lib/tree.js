/** The tree of a beam search: one column per step; retained branches are dark, the best one is colored. */

import { h, setAttributes, setText, svg } from './dom.js'
import { formatFixed } from './number.js'

const [COLUMN, ROW, LEFT, TOP] = [98, 28, 40, 16]
const WORD = 62
const LETTER = 9
const SCORE_WIDTH = 40

/** @typedef {{ token: string, parent: number, step: number, score: number, isKept: boolean }} BeamNode */

/** Positions of all nodes: a column per step, the best score at the top. @param {BeamNode[]} nodes */
function placeNodes(nodes) {
  return nodes.map(({ step, score }, i) => {
    /** @param {BeamNode} other @param {number} j */
    const isAbove = (other, j) => other.score > score || (other.score === score && j < i)
    const row = nodes.filter((node, j) => node.step === step && isAbove(node, j)).length
    return { x: LEFT + step * COLUMN, y: TOP + row * ROW }
  })
}

/** @param {BeamNode[]} nodes @param {number} best */
function ancestors(nodes, best) {
  const path = new Set()
  for (let i = best; i >= 0 && i !== null; i = nodes[i].parent) path.add(i)
  return path
}

/**
 * Mounts an empty tree.
 * @param {Element} container
 */
export function mountTree(container) {
  const root = svg('svg', { 'class': 'tree', 'aria-hidden': 'true' })
  const words = h('p', { className: 'visually-hidden' })
  container.append(root, words)
  return {
    /**
     * @param {BeamNode[]} nodes
     * @param {number} best
     */
    update(nodes, best) {
      const positions = placeNodes(nodes)
      const path = ancestors(nodes, best)
      /** @param {number} i */
      const kind = i => (path.has(i) ? 'is-best' : nodes[i].isKept ? 'is-kept' : 'is-dropped')
      /** @param {'x' | 'y'} key */
      const max = key => Math.max(...positions.map(position => position[key]))
      const ends = positions.map(({ x }, i) => x + LETTER * (nodes[i].token.length + 1) + SCORE_WIDTH)
      const [width, height] = [Math.max(...ends), max('y') + TOP]
      const frame = { width, height, viewBox: `0 0 ${width} ${height}` }
      setAttributes(root, frame)
      /** @param {BeamNode} node @param {number} i */
      const line = ({ parent }, i) => {
        const { x, y } = positions[i]
        const from = parent < 0 ? { x: 8, y: TOP } : { x: positions[parent].x + WORD, y: positions[parent].y }
        const middle = (from.x + x - 8) / 2
        return svg('path', { class: kind(i), d: `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${y} ${x - 8} ${y}` })
      }
      /** @param {BeamNode} node @param {number} i */
      const word = ({ token, score }, i) => {
        const { x, y } = positions[i]
        return svg('g', { class: kind(i) }, svg('text', { x, y: y + 4 }, token),
          svg('text', { class: 'tree-score', x: x + LETTER * (token.length + 1), y: y + 4 }, formatFixed(score)))
      }
      const order = nodes.map((_, i) => i).sort((a, b) => Number(path.has(a)) - Number(path.has(b)))
      root.replaceChildren(...order.map(i => line(nodes[i], i)), ...nodes.map(word))
      setText(words, [...path].reverse().map(i => `${nodes[i].token} ${formatFixed(nodes[i].score)}`).join(', '))
    }
  }
}
