/** Vectors as arrows: the dot product of two, as a sum and as an angle. */

import { h, setText } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { angle, dot, norm } from './math.js'
import { createPlane, formatPoint } from './plane.js'
import { createBars } from './parts.js'
import { formatProducts } from './products.js'

/**
 * @param {import('./index.js').FigureContext} context
 * @param {object} options
 * @param {{ id: string, at: number[], isFixed?: boolean }[]} options.arrows
 * @param {'numbers' | 'dot' | 'similarity'} [options.shows] numbers: only the coordinates; dot: the dot product of the
 *   first two; similarity: of the first with each of the others
 * @param {boolean} [options.hasNamedAxes] whether the step's words name the axes
 * @returns {import('./index.js').Figure}
 */
export function createVectors({ t, onchange }, { arrows, shows = 'dot', hasNamedAxes = false }) {
  const plane = createPlane({ x: [-4, 4], y: [-4, 4], label: t('vectors.label'),
    ...(hasNamedAxes && { xLabel: t('vectors.x'), yLabel: t('vectors.y') }) })
  const points = Object.fromEntries(arrows.map(({ id, at }) => [id, at]))
  const names = arrows.map(({ id }) => t(`vectors.names.${id}`))
  const [first, ...others] = arrows.map(({ id }) => id)
  const drawn = arrows.map(({ id }, i) => plane.addArrow(`is-mark-${i}`, t(`vectors.names.${id}`)))
  const handles = arrows.map(({ id, isFixed }, i) => !isFixed && plane.addHandle({ name: names[i], onmove: point => {
    points[id] = point
    draw()
    onchange()
  } }))
  const sum = h('p', { className: 'figure-sum' }), note = h('p', { className: 'figure-note' })
  const bars = createBars({ names: names.slice(1), label: t('vectors.similarity'), max: 16, className: 'is-signed' })
  const coordinates = arrows.map((_, i) => h('p', { className: `figure-sum mark-${i}` }))
  const side = { numbers: coordinates, dot: [...coordinates, sum, note],
    similarity: [h('p', { className: 'figure-note' }, t('vectors.with', { name: names[0] })), bars.element] }[shows]

  function values() {
    const [a, b] = [points[first], points[others[0]] ?? points[first]]
    const similarities = Object.fromEntries(others.map(id => [id, dot(points[first], points[id])]))
    return { ...points, dot: dot(a, b), angle: angle(a, b), lengths: [norm(a), norm(b)], similarities }
  }
  function draw() {
    arrows.forEach(({ id }, i) => {
      drawn[i](points[id])
      handles[i] && handles[i](points[id])
      setText(coordinates[i], `${names[i]} = ${formatPoint(points[id])}`)
    })
    const { dot: product, angle: degrees, similarities } = values()
    bars.show(Object.values(similarities))
    if (!others.length) return
    const [a, b] = [points[first], points[others[0]]]
    setText(sum, `${names[0]} · ${names[1]} = ${formatProducts(a, b)} = ${formatFixed(product)}`)
    setText(note, Number.isNaN(degrees) ? '' : t('vectors.angle', { degrees: formatFixed(degrees, 0) }))
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, plane.element, h('div', { className: 'figure-side' }, side)),
    values,
    set(next) {
      Object.assign(points, next)
      draw()
      onchange()
    }
  }
}
