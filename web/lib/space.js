/** A curve in three dimensions, rotated by pointer, touch or arrow keys. */

import { h, childIndex, syncChildren, setAttributes, setText, svg, targetOf } from './dom.js'
import { setCellData } from './origin.js'

/** @import { Cell } from '../types.d.ts' */

const ROTATION_STEP = Math.PI / 24
/** The rotation per drag across the picture. */
const DRAG = Math.PI * 1.5
const MAX_TILT = Math.PI / 2
/** @type {Record<string, [number, number]>} */
const ARROWS = {
  ArrowLeft: [-ROTATION_STEP, 0], ArrowRight: [ROTATION_STEP, 0], ArrowUp: [0, ROTATION_STEP],
  ArrowDown: [0, -ROTATION_STEP]
}
/** The initial angles in radians: from the side and slightly from above, so that the whole vertical axis is visible. */
const START = { around: 0.6, over: 0.35 }

/**
 * Projects a point of the cube from −1 to 1 to its coordinates to the right, upwards and towards the reader.
 * @param {readonly number[]} point @param {{ around: number, over: number }} angles
 */
export function project([x, y, z], { around: turn, over: tilt }) {
  const [right, depth] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]
  return [right, z * Math.cos(tilt) + depth * Math.sin(tilt), z * Math.sin(tilt) - depth * Math.cos(tilt)]
}

/**
 * @typedef {object} SpaceView
 * @property {number} size of the picture in pixels
 * @property {number[][]} points of the curve, each from −1 to 1 along all three axes
 * @property {{ at: number[], kind?: string, cell?: Cell }[]} dots
 * @property {string[]} axes the names of the three axes
 * @property {string} label for screen readers
 */

const CORNERS = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]]
const EDGES = [...CORNERS.map((corner, i) => [corner, CORNERS[(i + 1) % 4]]), [[-1, -1, -1], [-1, -1, 1]]]
const NAMES = [[1.18, -1, -1], [-1, 1.18, -1], [-1, -1, 1.15]]

/**
 * Mounts an empty picture.
 * @param {Element} container
 * @param {{ help: string, selectCell?(cell: Cell): void, pinCell?(cell: Cell): void }} options help: how to rotate it
 */
export function mountSpace(container, { help, selectCell, pinCell }) {
  /** @param {string} kind */
  const layer = kind => svg('g', { class: kind })
  const [grid, line, dots, names] = ['plot-grid', 'plot-lines', 'plot-dots', 'plot-ticks'].map(layer)
  const root = svg('svg', {
    'class': 'plot space', 'role': 'img', 'tabindex': '0', 'aria-keyshortcuts': Object.keys(ARROWS).join(' ')
  }, grid, line, dots, names)
  container.append(h('div', { className: 'plot-slot' }, root, h('p', { className: 'note' }, help)))
  let angles = { ...START }
  /** @type {SpaceView} */ let view
  /** @type {{ x: number, y: number, far: number } | null} */ let dragged = null

  function draw() {
    const { size, points, dots: marks, axes } = view
    const scale = size / 3.4
    /** @param {number[]} point */
    const toPixels = point => {
      const [x, y] = project(point, angles)
      return [(size / 2 + x * scale).toFixed(2), (size / 2 - y * scale).toFixed(2)]
    }
    /** @param {number[][]} list */
    const path = list => list.map((point, i) => `${i ? 'L' : 'M'}${toPixels(point).join(' ')}`).join('')
    syncChildren(grid, EDGES, () => svg('path'), (element, ends) => element.setAttribute('d', path(ends)))
    syncChildren(line, [points], () => svg('path', { class: 'is-main' }), (element, list) => element.setAttribute('d', path(list)))
    syncChildren(dots, marks, () => svg('circle'), (dot, { at: point, kind = '', cell }) => {
      const [x, y] = toPixels(point)
      const isChosen = kind.includes('is-chosen')
      const isNear = isChosen || project(point, angles)[2] > 0
      setAttributes(dot, { cx: x, cy: y, r: isChosen ? 6 : 3.5, class: kind, opacity: isNear ? 1 : 0.5 })
      if (cell) setCellData(dot, cell.name, cell.index)
    })
    syncChildren(names, axes, () => svg('text', { 'text-anchor': 'middle' }), (text, words) => {
      const [x, y] = toPixels(NAMES[axes.indexOf(words)])
      setAttributes(text, { x, y })
      setText(text, words)
    })
  }
  /** @param {number} turn @param {number} tilt */
  function rotate(turn, tilt) {
    angles = {
      around: angles.around + turn, over: Math.max(-MAX_TILT, Math.min(MAX_TILT, angles.over + tilt))
    }
    draw()
  }
  /** @param {Event} event */
  const cellAt = event => view?.dots[childIndex(dots, targetOf(event))]?.cell
  root.addEventListener('keydown', event => {
    const step = ARROWS[event.key]
    if (!step) return
    event.preventDefault()
    event.stopPropagation()
    rotate(...step)
  })
  root.addEventListener('pointerdown', event => {
    dragged = { x: event.clientX, y: event.clientY, far: 0 }
    root.setPointerCapture(event.pointerId)
  })
  root.addEventListener('pointermove', event => {
    if (!dragged) {
      const cell = cellAt(event)
      return cell && selectCell?.(cell)
    }
    const [x, y] = [event.clientX - dragged.x, event.clientY - dragged.y]
    dragged = { x: event.clientX, y: event.clientY, far: dragged.far + Math.abs(x) + Math.abs(y) }
    rotate((x / view.size) * DRAG, (y / view.size) * DRAG)
  })
  for (const type of ['pointerup', 'pointercancel']) root.addEventListener(type, () => { dragged = null })
  dots.addEventListener('click', event => {
    const cell = cellAt(event)
    if (cell) pinCell?.(cell)
  })

  return {
    /** @param {SpaceView} next */
    update(next) {
      view = next
      for (const name of ['width', 'height']) root.setAttribute(name, String(next.size))
      root.setAttribute('viewBox', `0 0 ${next.size} ${next.size}`)
      root.setAttribute('aria-label', `${next.label} ${help}`)
      draw()
    }
  }
}
