/** The smallest model: y = w x + b. Its weights are moved by hand or by gradient descent until it fits the points. */

import { h, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { fit } from './math.js'
import { createPlane } from './plane.js'
import { createBars, createButton, createSlider } from './parts.js'

const RATE = 0.02, MANY = 50, FRAME_TIME = 40, MAX_LOSS = 40

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ points: number[][], w: number, b: number, learns?: boolean, shows?: 'line' | 'loss' }} options
 *   points: pairs of x and y; w, b: the first weights; learns: whether there are buttons for steps of gradient descent
 * @returns {import('./index.js').Figure}
 */
export function createLine({ t, onchange }, { points, w: firstW, b: firstB, learns = false, shows = 'loss' }) {
  let w = firstW, b = firstB, steps = 0
  /** @type {ReturnType<typeof setInterval> | undefined} */ let timer
  const plane = createPlane({ x: [-0.6, 8], y: [-1, 15], label: t('line.label'), xLabel: t('line.x'), yLabel: t('line.y') })
  const residuals = points.map(() => plane.addLine('plane-residual')), line = plane.addLine('plane-line')
  points.forEach(point => {
    const [cx, cy] = plane.toPixel(point)
    plane.root.append(svg('circle', { class: 'plane-point', cx, cy, r: 5 }))
  })
  const sliderW = createSlider({ name: 'w', min: -1, max: 3, step: 0.01, decimals: 2, oninput: value => change({ w: value }) })
  const sliderB = createSlider({ name: 'b', min: -2, max: 8, step: 0.01, decimals: 2, oninput: value => change({ b: value }) })
  const formula = h('p', { className: 'figure-sum' }), count = h('p', { className: 'figure-note' })
  const lossBar = createBars({ names: [t('line.loss')], label: t('line.loss'), max: MAX_LOSS })
  const gradient = h('p', { className: 'figure-note' })

  function draw() {
    const { loss, gradient: slope } = fit(points, w, b)
    line([-0.6, -0.6 * w + b], [8, 8 * w + b])
    points.forEach(([x, y], i) => residuals[i]([x, y], [x, w * x + b]))
    sliderW.show(w)
    sliderB.show(b)
    setText(formula, `y = ${formatFixed(w)} × x + ${formatFixed(b)}`)
    lossBar.show([loss])
    setText(gradient, t('line.gradient', { w: formatFixed(slope.w), b: formatFixed(slope.b) }))
    setText(count, t('line.steps', { count: steps }))
  }
  /** @param {{ w?: number, b?: number }} next */
  function change(next) {
    clearInterval(timer)
    w = next.w ?? w
    b = next.b ?? b
    draw()
    onchange()
  }
  /** One step of gradient descent. */
  function step() {
    const { gradient: slope } = fit(points, w, b)
    w -= RATE * slope.w
    b -= RATE * slope.b
    steps++
    draw()
    onchange()
  }
  function learn() {
    clearInterval(timer)
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return Array.from({ length: MANY }, step)
    let left = MANY
    timer = setInterval(() => {
      if (!plane.element.isConnected || left-- === 0) return clearInterval(timer)
      step()
    }, FRAME_TIME)
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, plane.element, h('div', { className: 'figure-side' }, formula,
      sliderW.element, sliderB.element, shows === 'loss' && lossBar.element,
      learns && [h('p', { className: 'figure-buttons' }, createButton(t('line.step'), () => {
        clearInterval(timer)
        step()
      }), createButton(t('line.learn', { count: MANY }), learn)), gradient, count])),
    values: () => ({ w, b, steps, ...fit(points, w, b) }),
    /** @param {{ w?: number, b?: number, steps?: number }} next steps: of gradient descent */
    set({ steps: more = 0, ...weights }) {
      if (weights.w !== undefined || weights.b !== undefined) change(weights)
      for (let i = 0; i < more; i++) step()
    }
  }
}
