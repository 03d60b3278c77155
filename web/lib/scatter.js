/** Labeled dots over two axes of one scale, on a canvas: hundreds of them move many times a second. */

import { h } from './dom.js'
import { debounce } from './scheduling.js'
import { ticksOf } from './plot.js'

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

const FONT = '12px system-ui, "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR", sans-serif'
const EDGE = 20, DOT = 2.5, CHOSEN = 5, LINE = 14
/** The maximum distance of a pointer from its dot, in pixels. */
const MAX_DISTANCE = 24
/** The direction of each arrow key. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * The pixels of dots: zero in the center, the same margin on every side, the same scale on both axes.
 * @param {ScatterView} view
 */
export function placed({ x, y, width, height }) {
  const maxMagnitude = (/** @type {ArrayLike<number>} */ values) => (
    Array.from(values).reduce((far, value) => Math.max(far, Math.abs(value)), 0) || 1)
  const scale = Math.min((width / 2 - EDGE) / maxMagnitude(x), (height / 2 - EDGE) / maxMagnitude(y))
  const at = Array.from(x, (value, i) => [width / 2 + value * scale, height / 2 - y[i] * scale])
  return { scale, at }
}

/**
 * The nearest dot in a direction, or -1; dots further aside than ahead belong to another direction.
 * @param {number[][]} at @param {number} from @param {[number, number]} way
 */
export function nextIn(at, from, [right, down]) {
  let best = -1, minDistance = Infinity
  at.forEach(([px, py], i) => {
    const [dx, dy] = [px - at[from][0], py - at[from][1]]
    const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right)
    if (i === from || ahead <= 0 || aside > ahead || ahead + aside >= minDistance) return
    best = i
    minDistance = ahead + aside
  })
  return best
}

/**
 * Places labels without overlap; the first of a list has priority.
 * @param {CanvasRenderingContext2D} ctx @param {number[][]} at @param {readonly string[]} words @param {number[]} order
 * @param {number} width of the picture: labels that do not fit to the right of their dot are at the left
 */
function roomFor(ctx, at, words, order, width) {
  /** @type {{ i: number, left: number, right: number, top: number, bottom: number }[]} */ const boxes = []
  for (const i of order) {
    const wide = ctx.measureText(words[i]).width + 2, gap = CHOSEN + 2, top = at[i][1] - LINE / 2
    const left = at[i][0] + gap + wide > width ? at[i][0] - gap - wide : at[i][0] + gap
    const box = { i, left, right: left + wide, top, bottom: top + LINE }
    const isFree = boxes.every(one => (
      box.right < one.left || box.left > one.right || box.bottom < one.top || box.top > one.bottom))
    if (isFree) boxes.push(box)
  }
  return boxes
}

/**
 * Mounts an empty picture.
 * @param {Element} container
 * @param {(i: number) => void} choose selects a dot by pointer, touch or arrow keys
 */
export function scatter(container, choose) {
  const canvas = h('canvas', {
    'className': 'scatter', 'role': 'img', 'tabindex': '0', 'aria-keyshortcuts': Object.keys(ARROWS).join(' ')
  })
  container.append(canvas)
  /** @type {ScatterView} */ let view
  /** @type {number[][]} */ let at = []

  const draw = debounce(() => {
    const { x, y, words, chosen, width, height, palette } = view, sharp = Math.max(2, globalThis.devicePixelRatio || 1)
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
    const { scale, at: places } = placed(view)
    at = places
    canvas.width = width * sharp
    canvas.height = height * sharp
    canvas.style.setProperty('width', `${width}px`)
    canvas.style.setProperty('height', `${height}px`)
    ctx.scale(sharp, sharp)
    ctx.font = FONT
    ctx.textBaseline = 'middle'
    axes(ctx, scale)
    const far = Array.from(x, (value, i) => value * value + y[i] * y[i])
    const order = [chosen, ...[...far.keys()].filter(i => i !== chosen).sort((a, b) => far[b] - far[a])]
    for (const i of order.toReversed()) {
      ctx.fillStyle = i === chosen ? palette.accent : palette.soft
      ctx.beginPath()
      ctx.arc(at[i][0], at[i][1], i === chosen ? CHOSEN : DOT, 0, 2 * Math.PI)
      ctx.fill()
    }
    for (const { i, left, top } of roomFor(ctx, at, words, order, width)) {
      ctx.fillStyle = i === chosen ? palette.accent : palette.ink
      ctx.fillText(words[i], left, top + LINE / 2)
    }
    canvas.setAttribute('aria-busy', 'false')
  })

  /** @param {CanvasRenderingContext2D} ctx @param {number} scale */
  function axes(ctx, scale) {
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
    for (const tick of ticksOf([low, high], 4).filter(Boolean)) {
      ctx.fillText(String(tick).replace('-', '−'), width / 2 + tick * scale, height - 8)
    }
    ctx.textAlign = 'start'
  }

  /** @param {MouseEvent} event */
  function near({ offsetX, offsetY }) {
    let best = -1, minDistance = MAX_DISTANCE
    at.forEach(([px, py], i) => {
      const distance = Math.hypot(px - offsetX, py - offsetY)
      if (distance < minDistance) [best, minDistance] = [i, distance]
    })
    if (best >= 0) choose(best)
  }
  canvas.addEventListener('pointermove', event => event.pointerType !== 'touch' && near(event))
  canvas.addEventListener('click', near)
  canvas.addEventListener('keydown', event => {
    const way = ARROWS[event.key]
    if (!way || !at.length) return
    event.preventDefault()
    const next = nextIn(at, view.chosen, way)
    if (next >= 0) choose(next)
  })

  return {
    /** @param {ScatterView} next */
    update(next) {
      view = next
      canvas.setAttribute('aria-label', next.label)
      canvas.setAttribute('aria-busy', 'true')
      draw()
    }
  }
}
