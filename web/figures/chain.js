/** A chain of two factors from a weight to a loss, and back: each step multiplies by one rate. */

import { h, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { createSlider } from './parts.js'

/** @typedef {{ x: number, v: number, goal: number }} Factors h = w x, y = h v, and the loss is (y − goal)² */

/**
 * The numbers on the way, and the gradient of the loss by each, from the loss back.
 * @param {number} w @param {Factors} factors
 */
export function runChain(w, { x, v, goal }) {
  const hidden = w * x, y = hidden * v, toY = 2 * (y - goal), toHidden = toY * v
  return { values: [w, hidden, y, (y - goal) ** 2], gradients: [toHidden * x, toHidden, toY, 1] }
}

const NAMES = ['w', 'h', 'y', 'L'], PLACES = [38, 150, 262, 392], MIDDLE = 94, RADIUS = 36
/** The arrows of both directions lie this far from the middle. */
const GAP = 9

/** @param {number} from @param {number} to @param {number} y @param {string} color */
function createArrow(from, to, y, color) {
  const side = Math.sign(to - from), start = from + side * RADIUS, end = to - side * (RADIUS + 3)
  return svg('path', { 'd': `M${start} ${y}H${end}m${-side * 8} -5l${side * 8} 5l${-side * 8} 5`, 'fill': 'none', 'stroke': color, 'stroke-width': 2 })
}

/**
 * @param {import('./index.js').FigureContext} context
 * @param {Factors & { w: number }} options w: the first weight
 * @returns {import('./index.js').Figure}
 */
export function createChain({ t, onchange }, { w: first, ...factors }) {
  let w = first
  const { x, v, goal } = factors, root = svg('svg', { viewBox: '0 0 430 204', width: '100%', role: 'img' })
  /** @param {number} at @param {number} y @param {object} [attributes] @param {string} [text] */
  const write = (at, y, attributes = {}, text = '') => {
    const element = svg('text', { 'x': at, y, 'text-anchor': 'middle', 'font-size': 18, 'fill': 'currentColor', ...attributes }, text)
    root.append(element)
    return element
  }
  const BACK = { fill: 'var(--accent)' }, between = PLACES.slice(1).map((place, i) => (place + PLACES[i]) / 2)
  write(0, 14, { 'text-anchor': 'start', 'font-size': 16 }, t('chain.forward'))
  write(430, 200, { 'text-anchor': 'end', 'font-size': 16, ...BACK }, t('chain.backward'))
  const numbers = PLACES.map((place, i) => {
    root.append(svg('circle', { cx: place, cy: MIDDLE, r: RADIUS, fill: 'none', stroke: 'currentColor' }))
    write(place, MIDDLE - 6, { 'font-weight': 700 }, NAMES[i])
    return { value: write(place, MIDDLE + 15), gradient: write(place, MIDDLE + RADIUS + 24, { ...BACK, 'font-weight': 700 }) }
  })
  const back = between.map((at, i) => {
    root.append(createArrow(PLACES[i], PLACES[i + 1], MIDDLE - GAP, 'currentColor'), createArrow(PLACES[i + 1], PLACES[i], MIDDLE + GAP, 'var(--accent)'))
    write(at, MIDDLE - GAP - 12, { 'font-size': 16 }, [`× ${x}`, `× ${v}`, `(y − ${goal})²`][i])
    return write(at, MIDDLE + GAP + 24, { ...BACK, 'font-size': 16 })
  })
  const slider = createSlider({ name: 'w', min: -1, max: 3, step: 0.1, oninput: value => change({ w: value }) })
  const sum = h('p', { className: 'figure-sum' })
  function draw() {
    const { values, gradients } = runChain(w, factors)
    slider.show(w)
    numbers.forEach(({ value, gradient }, i) => {
      setText(value, formatFixed(values[i]))
      setText(gradient, formatFixed(gradients[i]))
    })
    back.forEach((element, i) => setText(element, `× ${[x, v, formatFixed(gradients[2])][i]}`))
    const product = `${t('chain.gradient')}: 2 × (${formatFixed(values[2])} − ${goal}) × ${v} × ${x} = ${formatFixed(gradients[0])}`
    setText(sum, product)
    root.setAttribute('aria-label', `${t('chain.label')}. ${product}`)
  }
  /** @param {{ w?: number }} next */
  function change(next) {
    w = next.w ?? w
    draw()
    onchange()
  }
  draw()
  return {
    element: h('div', { className: 'figure-pair' }, h('div', {}, root), h('div', { className: 'figure-side' }, slider.element, sum)),
    values: () => ({ w, gradient: runChain(w, factors).gradients[0] }),
    set: change
  }
}
