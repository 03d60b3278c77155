/** Models to scale: the area of a circle is the number of its weights. */

import { h, setAttributes, setText, svg } from '../lib/dom.js'
import { createSlider } from './parts.js'

const SIZE = 360, UNIT = 7

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ models: { id: string, parameters: number }[], zoom?: number }} options zoom: the power of ten of the
 *   parameters that a circle of UNIT pixels stands for
 * @returns {import('./index.js').Figure}
 */
export function createSizes({ t, onchange }, { models, zoom: first = 5 }) {
  let zoom = first
  const circles = models.map(({ id }) => {
    const circle = svg('circle', { class: 'size-circle' }), text = svg('text', { class: 'size-name' }, t(`sizes.names.${id}`))
    return { circle, text }
  })
  // The largest is drawn first, so that the smaller ones lie above it.
  const order = models.map((_, i) => i).sort((a, b) => models[b].parameters - models[a].parameters)
  const picture = svg('svg', { 'class': 'plane', 'viewBox': `0 0 ${SIZE} ${SIZE}`, 'role': 'img', 'aria-label': t('sizes.label') },
    order.map(i => circles[i].circle), order.map(i => circles[i].text))
  const slider = createSlider({ name: t('sizes.zoom'), min: 4.5, max: 11.5, step: 0.1, oninput: value => change({ zoom: value }) })
  const note = h('p', { className: 'figure-note' })
  const list = h('ol', { className: 'bars is-list' }, models.map(({ id, parameters }) => (
    h('li', {}, h('b', {}, t(`sizes.names.${id}`)), h('span', {}, t(`sizes.counts.${id}`, { count: parameters }))))))
  /** @param {number} parameters */
  const radiusOf = parameters => UNIT * Math.sqrt(parameters / 10 ** zoom)
  const visible = () => models.filter(({ parameters }) => radiusOf(parameters) > 1 && radiusOf(parameters) < SIZE)
  function draw() {
    slider.show(zoom)
    models.forEach(({ parameters }, i) => {
      const radius = radiusOf(parameters), { circle, text } = circles[i]
      setAttributes(circle, { cx: SIZE / 2, cy: SIZE - 8 - radius, r: radius })
      const isNamed = radius > 3 && 2 * radius < SIZE
      setAttributes(text, { x: SIZE / 2, y: SIZE - 8 - 2 * radius - 6, visibility: isNamed ? 'visible' : 'hidden' })
    })
    setText(note, t('sizes.unit', { power: zoom.toFixed(1) }))
  }
  /** @param {{ zoom?: number }} next */
  function change(next) {
    zoom = next.zoom ?? zoom
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, h('div', { className: 'plane-box' }, picture), h('div', { className: 'figure-side' }, slider.element, list, note)),
    values: () => ({ zoom, visible: visible().map(({ id }) => id) }),
    set: change
  }
}
