/** Labeled dots over two axes of one scale, on a canvas: hundreds of them move many times a second. */

import { h } from './dom.js'
import { fontFamily } from './font.js'
import { debounce } from './scheduling.js'
import { listTicks } from './ticks.js'

/** @import { Palette } from '../types.d.ts' */

/**
 * @typedef {object} ScatterView
 * @property {ArrayLike<number>} x @property {ArrayLike<number>} y
 * @property {readonly string[]} words
 * @property {number} chosen
 * @property {number} width @property {number} height in pixels
 * @property {string} label for screen readers
 * @property {Palette} palette
 */

const FONT_SIZE = '12px'
const EDGE = 20, DOT = 2.5, CHOSEN = 5, LINE = 14
/** The maximum distance of a pointer from its dot, in pixels. */
const MAX_DISTANCE = 24
/** The direction of each arrow key. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * The pixels of all dots: the origin is in the center, and both axes have the same scale.
 * @param {ScatterView} view
 */
export function dotPositions({ x, y, width, height }) {
  const maxMagnitude = (/** @type {ArrayLike<number>} */ values) => (
    Array.from(values).reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1)
  const scale = Math.min((width / 2 - EDGE) / maxMagnitude(x), (height / 2 - EDGE) / maxMagnitude(y))
  const at = Array.from(x, (value, i) => [width / 2 + value * scale, height / 2 - y[i] * scale])
  return { scale, at }
}

/**
 * The nearest dot in a direction, or -1. Dots further to the side than ahead belong to another direction.
 * @param {number[][]} at @param {number} from @param {[number, number]} way
 */
export function nearestInDirection(at, from, [right, down]) {
  let best = -1, minDistance = Infinity
  at.forEach(([px, py], i) => {
    const [dx, dy] = [px - at[from][0], py - at[from][1]]
    const forward = dx * right + dy * down, sideways = Math.abs(dx * down) + Math.abs(dy * right)
    if (i === from || forward <= 0 || sideways > forward || forward + sideways >= minDistance) return
    best = i
    minDistance = forward + sideways
  })
  return best
}

/**
 * Places labels without overlap: earlier indices of `order` have priority.
 * @param {CanvasRenderingContext2D} ctx @param {number[][]} at @param {readonly string[]} words @param {number[]} order
 * @param {number} width of the picture: a label that does not fit to the right of its dot is at its left
 */
function placeLabels(ctx, at, words, order, width) {
  /** @type {{ i: number, left: number, right: number, top: number, bottom: number }[]} */ const boxes = []
  for (const i of order) {
    const textWidth = ctx.measureText(words[i]).width + 2, gap = CHOSEN + 2, top = at[i][1] - LINE / 2
    const left = at[i][0] + gap + textWidth > width ? at[i][0] - gap - textWidth : at[i][0] + gap
    const box = { i, left, right: left + textWidth, top, bottom: top + LINE }
    const isFree = boxes.every(other => (
      box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom))
    if (isFree) boxes.push(box)
  }
  return boxes
}

/**
 * Mounts an empty picture.
 * @param {Element} container
 * @param {(i: number) => void} choose selects a dot by pointer, touch or arrow keys
 */
export function mountScatter(container, choose) {
  const canvas = h('canvas', {
    'className': 'scatter', 'tabindex': '0', 'aria-keyshortcuts': Object.keys(ARROWS).join(' ')
  })
  container.append(canvas)
  /** @type {ScatterView} */ let view
  /** @type {number[][]} */ let at = []

  const draw = debounce(() => {
    const { x, y, words, chosen, width, height, palette } = view
    const pixelRatio = Math.max(2, globalThis.devicePixelRatio || 1)
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
    const { scale, at: positions } = dotPositions(view)
    at = positions
    canvas.width = width * pixelRatio
    canvas.height = height * pixelRatio
    canvas.style.setProperty('width', `${width}px`)
    canvas.style.setProperty('height', `${height}px`)
    ctx.scale(pixelRatio, pixelRatio)
    ctx.font = `${FONT_SIZE} ${fontFamily()}`
    ctx.textBaseline = 'middle'
    drawAxes(ctx, scale)
    const squares = Array.from(x, (value, i) => value * value + y[i] * y[i])
    const order = [chosen, ...[...squares.keys()].filter(i => i !== chosen).sort((a, b) => squares[b] - squares[a])]
    for (const i of order.toReversed()) {
      ctx.fillStyle = i === chosen ? palette.accent : palette.soft
      ctx.beginPath()
      ctx.arc(at[i][0], at[i][1], i === chosen ? CHOSEN : DOT, 0, 2 * Math.PI)
      ctx.fill()
    }
    for (const { i, left, top } of placeLabels(ctx, at, words, order, width)) {
      ctx.fillStyle = i === chosen ? palette.accent : palette.ink
      ctx.fillText(words[i], left, top + LINE / 2)
    }
    canvas.setAttribute('aria-busy', 'false')
  })

  /** @param {CanvasRenderingContext2D} ctx @param {number} scale */
  function drawAxes(ctx, scale) {
    const { width, height, palette } = view
    ctx.strokeStyle = palette.line
    ctx.fillStyle = palette.muted
    ctx.beginPath()
    ctx.moveTo(0, height / 2 + 0.5)
    ctx.lineTo(width, height / 2 + 0.5)
    ctx.moveTo(width / 2 + 0.5, 0)
    ctx.lineTo(width / 2 + 0.5, height)
    ctx.stroke()
    ctx.textAlign = 'center'
    const [low, high] = [-(width / 2 - EDGE) / scale, (width / 2 - EDGE) / scale]
    for (const tick of listTicks([low, high], 4).filter(Boolean)) {
      ctx.fillText(String(tick).replace('-', '−'), width / 2 + tick * scale, height - 8)
    }
    ctx.textAlign = 'start'
  }

  /** @param {MouseEvent} event */
  function chooseNearest({ offsetX, offsetY }) {
    let best = -1, minDistance = MAX_DISTANCE
    at.forEach(([px, py], i) => {
      const distance = Math.hypot(px - offsetX, py - offsetY)
      if (distance < minDistance) [best, minDistance] = [i, distance]
    })
    if (best >= 0) choose(best)
  }
  canvas.addEventListener('pointermove', event => event.pointerType !== 'touch' && chooseNearest(event))
  canvas.addEventListener('click', chooseNearest)
  canvas.addEventListener('keydown', event => {
    const direction = ARROWS[event.key]
    if (!direction || !at.length) return
    event.preventDefault()
    const next = nearestInDirection(at, view.chosen, direction)
    if (next >= 0) choose(next)
  })

  return {
    /** @param {ScatterView} next */
    update(next) {
      view = next
      canvas.setAttribute('role', 'img')
      canvas.setAttribute('aria-label', next.label)
      canvas.setAttribute('aria-busy', 'true')
      draw()
    }
  }
}
