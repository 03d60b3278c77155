/** Scores that the reader moves, their exponentials, and the shares that softmax makes of them. */

import { h, setText } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { softmax } from './math.js'
import { createBars, createButton, createSlider } from './parts.js'

/**
 * @param {import('./index.js').FigureContext} context
 * @param {object} options
 * @param {number[]} options.scores the first ones @param {number} [options.max] the largest score
 * @param {number} [options.temperature] the first one @param {boolean} [options.hasTemperature] whether the reader can
 *   divide the scores by a temperature
 * @param {boolean} [options.hasShift] whether the reader can add the same number to all scores
 * @returns {import('./index.js').Figure}
 */
export function createSoftmax({ t, onchange }, options) {
  const { scores: initial, max = 6, temperature: first = 1, hasTemperature = false, hasShift = false } = options
  let scores = [...initial], temperature = first
  const names = scores.map((_, i) => t(`softmax.names.${i}`))
  const sliders = names.map((name, i) => createSlider({ name, min: -max, max, step: 0.1,
    oninput: value => change({ scores: scores.map((score, j) => (i === j ? value : score)) }) }))
  const divisor = createSlider({ name: t('softmax.temperature'), min: 0.2, max: 5, step: 0.1,
    oninput: value => change({ temperature: value }) })
  const expsName = t(hasTemperature ? 'softmax.expsDivided' : 'softmax.exps')
  const exps = createBars({ names, label: expsName, className: 'is-muted' })
  const shares = createBars({ names, label: t('softmax.weights') }), sum = h('p', { className: 'figure-sum' })
  /** @param {number} step */
  const shift = step => createButton(t(step > 0 ? 'softmax.raise' : 'softmax.lower'), () => {
    const next = scores.map(score => score + step)
    if (Math.max(...next.map(Math.abs)) <= max) change({ scores: next })
  })
  function draw() {
    sliders.forEach((slider, i) => slider.show(scores[i]))
    divisor.show(temperature)
    const scaled = scores.map(score => score / temperature), raised = scaled.map(Math.exp)
    exps.show(raised, Math.max(...raised))
    const weights = softmax(scaled)
    shares.show(weights)
    const texts = weights.map(weight => formatFixed(weight))
    const isExact = Math.abs(texts.reduce((total, text) => total + Number(text), 0) - 1) < 1e-9
    setText(sum, `${texts.join(' + ')} ${isExact ? '=' : '≈'} 1`)
  }
  /** @param {{ scores?: number[], temperature?: number }} next */
  function change(next) {
    scores = next.scores ?? scores
    temperature = next.temperature ?? temperature
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-columns' },
      h('section', {}, h('h2', {}, t('softmax.scores')), sliders.map(({ element }) => element), hasTemperature && divisor.element,
        hasShift && h('p', { className: 'figure-buttons' }, shift(1), shift(-1))),
      h('section', {}, h('h2', {}, expsName), exps.element),
      h('section', {}, h('h2', {}, t('softmax.weights')), shares.element, sum)),
    values: () => ({ scores, temperature, weights: softmax(scores.map(score => score / temperature)) }),
    set: change
  }
}
