/** The tree of a beam search: one column per step, live branches in ink, the best one in color. */

import { h, setAll, setText, svg } from './dom.js'
import { fixed } from './number.js'

const [COLUMN, ROW, LEFT, TOP] = [98, 28, 40, 16]
const WORD = 62
const LETTER = 9
const SCORE = 40

/** @typedef {{ token: string, parent: number, step: number, score: number, isKept: boolean }} Beginning */

/** Positions of all nodes: a column per step, the best score at the top. @param {Beginning[]} nodes */
function arrange(nodes) {
  return nodes.map(({ step, score }, i) => {
    /** @param {Beginning} other @param {number} j */
    const isAbove = (other, j) => other.score > score || (other.score === score && j < i)
    const row = nodes.filter((other, j) => other.step === step && isAbove(other, j)).length
    return { x: LEFT + step * COLUMN, y: TOP + row * ROW }
  })
}

/** @param {Beginning[]} nodes @param {number} best */
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
  const root = svg('svg', { 'class': 'tree', 'aria-hidden': 'true' })
  const words = h('p', { className: 'visually-hidden' })
  container.append(root, words)
  return {
    /**
     * @param {Beginning[]} nodes
     * @param {number} best
     */
    update(nodes, best) {
      const places = arrange(nodes)
      const path = ancestors(nodes, best)
      /** @param {number} i */
      const kind = i => (path.has(i) ? 'is-best' : nodes[i].isKept ? 'is-kept' : 'is-dropped')
      /** @param {'x' | 'y'} key */
      const max = key => Math.max(...places.map(place => place[key]))
      const ends = places.map(({ x }, i) => x + LETTER * (nodes[i].token.length + 1) + SCORE)
      const [width, height] = [Math.max(...ends), max('y') + TOP]
      const frame = { width, height, viewBox: `0 0 ${width} ${height}` }
      setAll(root, frame)
      /** @param {Beginning} node @param {number} i */
      const line = ({ parent }, i) => {
        const { x, y } = places[i]
        const from = parent < 0 ? { x: 8, y: TOP } : { x: places[parent].x + WORD, y: places[parent].y }
        const bend = (from.x + x - 8) / 2
        return svg('path', { class: kind(i), d: `M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${y} ${x - 8} ${y}` })
      }
      /** @param {Beginning} node @param {number} i */
      const word = ({ token, score }, i) => {
        const { x, y } = places[i]
        return svg('g', { class: kind(i) }, svg('text', { x, y: y + 4 }, token),
          svg('text', { class: 'tree-score', x: x + LETTER * (token.length + 1), y: y + 4 }, fixed(score)))
      }
      const order = nodes.map((_, i) => i).sort((a, b) => Number(path.has(a)) - Number(path.has(b)))
      root.replaceChildren(...order.map(i => line(nodes[i], i)), ...nodes.map(word))
      setText(words, [...path].reverse().map(i => `${nodes[i].token} ${fixed(nodes[i].score)}`).join(', '))
    }
  }
}
