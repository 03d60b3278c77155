/** Attention with two numbers a token: a query meets keys, and the values are mixed by the weights. */

import { h, setText } from '../lib/dom.js'
import { dot, mix, softmax } from './math.js'
import { createPlane, formatPoint } from './plane.js'
import { createBars } from './parts.js'

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ query: number[], keys: number[][], values?: number[][], shows: 'scores' | 'weights' | 'values' }} options
 *   shows: how far the computation goes
 * @returns {import('./index.js').Figure}
 */
export function createMixing({ t, onchange }, { query: initial, keys, values: vectors = [], shows }) {
  let query = initial
  const names = keys.map((_, i) => t(`mixing.names.${i}`))
  const plane = createPlane({ x: [-3, 3], y: [-3, 3], label: t('mixing.keys') })
  keys.forEach((key, i) => plane.addArrow('is-key', names[i])(key))
  const drawQuery = plane.addArrow('is-query', t('mixing.query'), true)
  const drawHandle = plane.addHandle({ name: t('mixing.query'), onmove: point => change({ query: point }) })
  const scoreBars = createBars({ names, label: t('mixing.scores'), max: 9, className: 'is-muted is-signed' })
  const weightBars = createBars({ names, label: t('mixing.weights') })
  const valuePlane = createPlane({ x: [-3, 3], y: [-3, 3], label: t('mixing.valuesName') })
  vectors.forEach((vector, i) => valuePlane.addArrow('is-value', names[i])(vector))
  const drawResult = valuePlane.addArrow('is-result', t('mixing.result'), true), result = h('p', { className: 'figure-sum' })

  const weights = () => softmax(keys.map(key => dot(query, key)))
  function draw() {
    drawQuery(query)
    drawHandle(query)
    scoreBars.show(keys.map(key => dot(query, key)))
    weightBars.show(weights())
    if (shows !== 'values') return
    const mixed = mix(vectors, weights())
    drawResult(mixed)
    setText(result, `${t('mixing.result')} = ${formatPoint(mixed)}`)
  }
  /** @param {{ query?: number[] }} next */
  function change(next) {
    query = next.query ?? query
    draw()
    onchange()
  }
  /** @param {string} title @param {(HTMLElement)[]} content */
  const section = (title, ...content) => h('section', {}, h('h2', {}, t(title)), content)
  const side = [shows !== 'values' && section('mixing.scores', scoreBars.element), shows !== 'scores' && section('mixing.weights', weightBars.element),
    shows === 'values' && section('mixing.valuesName', valuePlane.element, result)]
  draw()
  return {
    element: h('div', { className: `figure-pair ${shows === 'values' ? 'has-planes' : ''}` }, plane.element, h('div', { className: 'figure-side' }, side)),
    values: () => ({ query, scores: keys.map(key => dot(query, key)), weights: weights(),
      ...(shows === 'values' && { result: mix(vectors, weights()) }) }),
    set: change
  }
}
