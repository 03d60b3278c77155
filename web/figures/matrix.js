/** A row of two numbers times a matrix: each number of the result is a dot product with a row of the matrix. */

import { h, setText } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { dot } from './math.js'
import { createPlane, formatPoint } from './plane.js'
import { createSlider } from './parts.js'
import { formatProducts } from './products.js'

const SUBSCRIPTS = ['₁', '₂']

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ row: number[], key: number[], entries: number[] }} options
 *   key: where the query is to be; entries: of the matrix [2, 2], row by row
 * @returns {import('./index.js').Figure}
 */
export function createMatrix({ t, onchange }, { row, key, entries: first }) {
  let entries = first
  const plane = createPlane({ x: [-3, 3], y: [-3, 3], label: t('matrix.label') })
  plane.addArrow('is-key', t('matrix.key'))(key)
  plane.addArrow('', t('matrix.row'))(row)
  const drawQuery = plane.addArrow('is-query', t('matrix.query'), true)
  const sliders = entries.map((_, i) => createSlider({
    name: `W${SUBSCRIPTS[i >> 1]}${SUBSCRIPTS[i & 1]}`, min: -2, max: 2, step: 0.5,
    oninput: value => change({ entries: entries.map((old, j) => (j === i ? value : old)) })
  }))
  const rowText = h('p', { className: 'figure-sum is-row' }, `x = ${formatPoint(row)}`)
  const sums = SUBSCRIPTS.map(() => h('p', { className: 'figure-sum is-row mark-query' }))

  /** The rows of the matrix. */
  const rows = () => [entries.slice(0, 2), entries.slice(2)]
  const query = () => rows().map(weights => dot(row, weights))
  function draw() {
    drawQuery(query())
    sliders.forEach((slider, i) => slider.show(entries[i]))
    rows().forEach((weights, i) => {
      setText(sums[i], `q${SUBSCRIPTS[i]} = ${formatProducts(row, weights)} = ${formatFixed(query()[i], 1)}`)
    })
  }
  /** @param {{ entries?: number[] }} next */
  function change(next) {
    entries = next.entries ?? entries
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, plane.element, h('div', { className: 'figure-side' },
      h('div', { className: 'figure-matrix' }, sliders.map(({ element }) => element)), h('div', {}, rowText, sums))),
    values: () => ({ entries, query: query() }),
    set: change
  }
}
