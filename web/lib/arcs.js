/** Two rows of words, and lines between them as wide as their weights. */

import { h, childIndex, syncChildren, setText, svg, targetOf } from './dom.js'
import { maxWidth } from './labels.js'
import { formatFixed } from './number.js'
import { setCellData } from './origin.js'
import { cellIndexOf } from './slice.js'

/** @import { Slice } from '../types.d.ts' */

const [TOP, BOTTOM, WORD, LINE] = [26, 150, 20, 18]

/** The font size of the words relative to the labels of a matrix, and the width of highlighted ones. */
const [LARGER, BOLD] = [14 / 12, 1.15]

/**
 * Mounts empty rows.
 * @param {Element} container
 * @param {{ onHover(row: number): void }} handlers
 */
export function mountArcs(container, { onHover }) {
  const faint = svg('g', { class: 'arcs-faint' })
  const strong = svg('g', { class: 'arcs-strong' })
  const from = svg('g', { class: 'arcs-from' })
  const to = svg('g', { class: 'arcs-to' })
  const root = svg('svg', { class: 'arcs', role: 'img' }, faint, strong, from, to)
  container.append(h('div', { className: 'arcs-slot' }, root))
  from.addEventListener('pointerover', event => {
    const word = targetOf(event).closest('text')
    if (word) onHover(childIndex(from, word))
  })
  /** @param {Element} group @param {{ d: string, weight: number }[]} lines */
  const draw = (group, lines) => syncChildren(group, lines, () => svg('path'), (path, { d, weight }) => {
    path.setAttribute('d', d)
    path.style.setProperty('stroke-width', `${Math.max(0.5, weight * 10)}px`)
    path.style.setProperty('opacity', String(Math.min(1, 0.12 + weight)))
  })
  const createWord = () => svg('text', { 'text-anchor': 'middle' }, svg('tspan'), svg('tspan'))
  /**
   * @param {Element} group @param {{ word: string, x: number }[]} words @param {number} top
   * @param {(i: number) => boolean} isHighlighted @param {number} [offset]
   */
  const writeWords = (group, words, top, isHighlighted, offset = 0) => syncChildren(group, words, createWord,
    (text, view, i) => {
      const { word, x: center } = view, y = top + (i % 2) * offset, half = maxWidth([word]) * LARGER * BOLD / 2
      // A long word at the edge of a narrow figure moves inwards, away from its line.
      const x = Math.max(half, Math.min(width - half, center))
      text.classList.toggle('is-lit', isHighlighted(i))
      Array.from(text.children).forEach((span, line) => {
        span.setAttribute('x', String(x))
        span.setAttribute('y', String(y + line * LINE))
      })
      setText(text.children[0], word)
    })
  /**
   * Writes a weight under a word, unless it is small.
   * @param {Element} span @param {number} weight @param {Slice} part @param {number[]} index
   */
  function writeWeight(span, weight, part, index) {
    setText(span, weight < 0.05 ? '' : formatFixed(weight))
    setCellData(span, part.name, index)
  }

  /** The width of the figure in pixels. */
  let width = 0
  return {
    /**
     * @param {{ part: Slice, row: number, width: number, label: string }} view view weights; the highlighted row
     */
    update({ part, row, width: figureWidth, label }) {
      width = figureWidth
      const { rowLabels: rows, colLabels: cols, values } = part
      /** @param {string[]} words */
      const placeWords = words => words.map((word, i) => ({ word, x: ((i + 0.5) * width) / words.length }))
      const [sourceWords, targetWords] = [placeWords(rows), placeWords(cols)]
      // Words that would overlap are written in two rows, those below each with space for its weight.
      /** @param {string[]} words */
      const isTight = words => maxWidth(words) * LARGER > width / words.length
      const height = isTight(rows) ? LINE : 0, offset = isTight(cols) ? 2 * LINE : 0
      const [top, bottom] = [TOP + height, BOTTOM + height]
      const middle = (top + bottom) / 2
      /** @param {number} r @param {number} c */
      const line = (r, c) => ({
        weight: values[r * cols.length + c],
        d: `M${sourceWords[r].x} ${top + 6}C${sourceWords[r].x} ${middle} ${targetWords[c].x} ${middle} ` +
          `${targetWords[c].x} ${bottom - WORD + 4}`
      })
      const all = rows.flatMap((_, r) => cols.map((_, c) => ({ r, ...line(r, c) })))
      root.setAttribute('viewBox', `0 0 ${width} ${bottom + offset + LINE + 8}`)
      root.setAttribute('aria-label', label)
      const otherLines = all.filter(({ r, weight }) => r !== row && weight > 0.1)
      draw(faint, otherLines.map(({ d, weight }) => ({ d, weight: weight * 0.4 })))
      draw(strong, all.filter(({ r, weight }) => r === row && weight > 0.005))
      writeWords(from, sourceWords, TOP - 6, i => i === row, height)
      /** @param {number} i */
      const weight = i => values[row * cols.length + i]
      writeWords(to, targetWords, bottom, i => weight(i) >= 0.2, offset)
      Array.from(to.children).forEach((text, i) => (
        writeWeight(text.children[1], weight(i), part, cellIndexOf(part, row, i))))
    }
  }
}
