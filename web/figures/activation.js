/** What a feed-forward layer can draw: a sum of a few neurons, each a straight line, bent or not. */

import { h, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { createPlane } from './plane.js'
import { createSlider } from './parts.js'

const XS = Array.from({ length: 81 }, (_, i) => -4 + i / 10)

/**
 * @param {import('./index.js').FigureContext} context
 * @param {object} options
 * @param {{ w: number, b: number, out: number }[]} options.neurons @param {boolean} [options.isBent]
 * @param {boolean} [options.canBend] @param {number[][]} [options.goal]
 *   neurons: out × activation(w x + b), whose `out` the reader moves; goal: points of the curve to be drawn
 * @returns {import('./index.js').Figure}
 */
export function createActivation({ t, onchange }, { neurons, isBent: first = false, canBend = true, goal = [] }) {
  let isBent = first, outs = neurons.map(({ out }) => out)
  const plane = createPlane({ x: [-4, 4], y: [-3, 5], label: t('activation.label'), xLabel: 'x', yLabel: 'y' })
  const goalLine = svg('path', { class: 'plane-goal' }), parts = neurons.map(() => svg('path', { class: 'plane-part' }))
  const curve = svg('path', { class: 'plane-curve' })
  plane.root.append(goalLine, ...parts, curve)
  const toggle = h('input', { type: 'checkbox', onchange: (/** @type {Event} */ event) => change({ isBent: /** @type {HTMLInputElement} */ (event.target).checked }) })
  const sliders = neurons.map(({ w, b }, i) => createSlider({
    name: t('activation.neuron', { number: i, line: `${formatFixed(w, 0)}x ${b < 0 ? '−' : '+'} ${formatFixed(Math.abs(b), 0)}` }),
    min: -2, max: 2, step: 0.1, oninput: value => change({ outs: outs.map((out, j) => (i === j ? value : out)) })
  }))
  const error = h('p', { className: 'figure-sum' })
  /** @param {number} x @param {number} i */
  const neuronAt = (x, i) => {
    const sum = neurons[i].w * x + neurons[i].b
    return outs[i] * (isBent ? Math.max(0, sum) : sum)
  }
  /** @param {number} x */
  const valueAt = x => neurons.reduce((sum, _, i) => sum + neuronAt(x, i), 0)
  const errorOfGoal = () => Math.max(0, ...goal.map(([x, y]) => Math.abs(valueAt(x) - y)))
  /** @param {(x: number) => number} f */
  const path = f => XS.map((x, i) => `${i ? 'L' : 'M'}${plane.toPixel([x, f(x)]).map(value => value.toFixed(1)).join(' ')}`).join('')
  function draw() {
    toggle.checked = isBent
    sliders.forEach((slider, i) => slider.show(outs[i]))
    parts.forEach((part, i) => part.setAttribute('d', path(x => neuronAt(x, i))))
    curve.setAttribute('d', path(valueAt))
    goalLine.setAttribute('d', goal.map((point, i) => `${i ? 'L' : 'M'}${plane.toPixel(point).join(' ')}`).join(''))
    if (goal.length) setText(error, t('activation.error', { error: formatFixed(errorOfGoal(), 1) }))
  }
  /** @param {{ isBent?: boolean, outs?: number[] }} next */
  function change(next) {
    isBent = next.isBent ?? isBent
    outs = next.outs ?? outs
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, plane.element, h('div', { className: 'figure-side' },
      canBend && h('label', { className: 'figure-check' }, toggle, t('activation.bend')), sliders.map(({ element }) => element), error)),
    values: () => ({ isBent, outs, error: errorOfGoal() }),
    set: change
  }
}
