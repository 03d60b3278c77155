/** A position as hands of clocks that turn at different speeds: their sines and cosines are its encoding. */

import { h, setAttributes, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { dot, encodePosition } from './math.js'
import { createSlider } from './parts.js'

const RADIUS = 44

/**
 * @param {import('./index.js').FigureContext} context
 * @param {{ frequencies: number[], position: number, other?: number }} options frequencies: radians a position, of each
 *   clock; other: a second position to compare with
 * @returns {import('./index.js').Figure}
 */
export function createClock({ t, onchange }, { frequencies, position: first, other }) {
  let position = first
  const slider = createSlider({ name: t('clock.position'), min: 0, max: 31, step: 1, decimals: 0, oninput: value => change({ position: value }) })
  const clocks = frequencies.map(() => {
    const hand = svg('line', { class: 'clock-hand', x1: 0, y1: 0 }), second = svg('line', { class: 'clock-other', x1: 0, y1: 0 })
    const numbers = h('p', { className: 'figure-sum' })
    return { hand, second, numbers, element: h('div', { className: 'clock' },
      svg('svg', { 'viewBox': '-52 -52 104 104', 'aria-hidden': 'true' }, svg('circle', { class: 'clock-face', r: RADIUS }),
        other !== undefined && second, hand, svg('circle', { r: 3 })), numbers) }
  })
  const row = h('p', { className: 'figure-sum is-row' }), alike = h('p', { className: 'figure-sum' })
  /** @param {SVGLineElement} hand @param {number} angle */
  const turn = (hand, angle) => setAttributes(hand, { x2: RADIUS * Math.cos(angle), y2: -RADIUS * Math.sin(angle) })
  const encodingOf = (/** @type {number} */ place) => encodePosition(place, frequencies)
  function draw() {
    slider.show(position)
    frequencies.forEach((frequency, i) => {
      turn(clocks[i].hand, position * frequency)
      if (other !== undefined) turn(clocks[i].second, other * frequency)
      const [sine, cosine] = encodePosition(position, [frequency])
      setText(clocks[i].numbers, `sin ${formatFixed(sine)}\ncos ${formatFixed(cosine)}`)
    })
    setText(row, `${t('clock.row', { position })} [${encodingOf(position).map(value => formatFixed(value)).join(', ')}]`)
    if (other !== undefined) {
      setText(alike, t('clock.alike', { position, other, dot: formatFixed(dot(encodingOf(position), encodingOf(other))) }))
    }
  }
  /** @param {{ position?: number }} next */
  function change(next) {
    position = next.position ?? position
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-stack' }, slider.element, h('div', { className: 'clocks' }, clocks.map(({ element }) => element)), row, alike),
    values: () => ({ position, encoding: encodingOf(position),
      ...(other !== undefined && { dot: dot(encodingOf(position), encodingOf(other)) }) }),
    set: change
  }
}
