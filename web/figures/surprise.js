/** The loss of one prediction: minus the logarithm of the probability that the right token got. */

import { h, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { createPlane } from './plane.js'
import { createSlider } from './parts.js'

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ probability: number }} options of the right token, at first
 * @returns {import('./index.js').Figure}
 */
export function createSurprise({ t, onchange }, { probability: first }) {
  let probability = first
  const plane = createPlane({ x: [-0.08, 1.1], y: [-0.6, 5], label: t('surprise.label'), xLabel: t('surprise.x'), yLabel: t('surprise.y') })
  const path = Array.from({ length: 100 }, (_, i) => (i + 1) / 100)
    .map((p, i) => `${i ? 'L' : 'M'}${plane.toPixel([p, -Math.log(p)]).map(value => value.toFixed(1)).join(' ')}`).join('')
  plane.root.append(svg('path', { class: 'plane-curve', d: path }))
  const drop = plane.addLine('plane-residual')
  const slider = createSlider({ name: t('surprise.slider'), min: 0.01, max: 1, step: 0.01, decimals: 2, oninput: value => change({ probability: value }) })
  const sum = h('p', { className: 'figure-sum' })
  const lossOf = () => -Math.log(probability) + 0
  function draw() {
    slider.show(probability)
    drop([probability, 0], [probability, lossOf()])
    setText(sum, `−log ${formatFixed(probability)} = ${formatFixed(lossOf())}`)
  }
  /** @param {{ probability?: number }} next */
  function change(next) {
    probability = next.probability ?? probability
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, plane.element, h('div', { className: 'figure-side' }, slider.element, sum)),
    values: () => ({ probability, loss: lossOf() }),
    set: change
  }
}
