/** A curve in three dimensions, rotated by pointer, touch or arrow keys. */

import { h, indexIn, keep, setAll, setText, svg, targetOf } from './dom.js'
import { ofCell } from './origin.js'

/** @import { Cell } from '../types.d.ts' */

const TURN = Math.PI / 24
/** The rotation per drag across the picture. */
const DRAG = Math.PI * 1.5
const STEEPEST = Math.PI / 2
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] }
/** From the side and slightly from above: the vertical axis is visible as a whole. */
const START = { around: 0.6, over: 0.35 }

/**
 * Projects a point of the cube from −1 to 1: right, up and towards the reader.
 * @param {readonly number[]} point @param {{ around: number, over: number }} angles
 */
export function project([x, y, z], { around, over }) {
  const [right, far] = [x * Math.cos(around) - y * Math.sin(around), x * Math.sin(around) + y * Math.cos(around)]
  return [right, z * Math.cos(over) + far * Math.sin(over), z * Math.sin(over) - far * Math.cos(over)]
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
 * @param {{ help: string, look?(cell: Cell): void, press?(cell: Cell): void }} options help: how to rotate it
 */
export function space(container, { help, look, press }) {
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
    const reach = size / 3.4
    /** @param {number[]} point */
    const at = point => {
      const [x, y] = project(point, angles)
      return [(size / 2 + x * reach).toFixed(2), (size / 2 - y * reach).toFixed(2)]
    }
    /** @param {number[][]} list */
    const path = list => list.map((point, i) => `${i ? 'L' : 'M'}${at(point).join(' ')}`).join('')
    keep(grid, EDGES, () => svg('path'), (element, ends) => element.setAttribute('d', path(ends)))
    keep(line, [points], () => svg('path', { class: 'is-main' }), (element, list) => element.setAttribute('d', path(list)))
    keep(dots, marks, () => svg('circle'), (dot, { at: point, kind = '', cell }) => {
      const [x, y] = at(point)
      const isChosen = kind.includes('is-chosen')
      const isNear = isChosen || project(point, angles)[2] > 0
      setAll(dot, { cx: x, cy: y, r: isChosen ? 6 : 3.5, class: kind, opacity: isNear ? 1 : 0.5 })
      if (cell) ofCell(dot, cell.name, cell.index)
    })
    keep(names, axes, () => svg('text', { 'text-anchor': 'middle' }), (text, words) => {
      const [x, y] = at(NAMES[axes.indexOf(words)])
      setAll(text, { x, y })
      setText(text, words)
    })
  }
  /** @param {number} around @param {number} over */
  function turn(around, over) {
    angles = {
      around: angles.around + around, over: Math.max(-STEEPEST, Math.min(STEEPEST, angles.over + over))
    }
    draw()
  }
  /** @param {Event} event */
  const cellAt = event => view?.dots[indexIn(dots, targetOf(event))]?.cell
  root.addEventListener('keydown', event => {
    const by = ARROWS[event.key]
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    turn(...by)
  })
  root.addEventListener('pointerdown', event => {
    dragged = { x: event.clientX, y: event.clientY, far: 0 }
    root.setPointerCapture(event.pointerId)
  })
  root.addEventListener('pointermove', event => {
    if (!dragged) {
      const cell = cellAt(event)
      return cell && look?.(cell)
    }
    const [x, y] = [event.clientX - dragged.x, event.clientY - dragged.y]
    dragged = { x: event.clientX, y: event.clientY, far: dragged.far + Math.abs(x) + Math.abs(y) }
    turn((x / view.size) * DRAG, (y / view.size) * DRAG)
  })
  for (const type of ['pointerup', 'pointercancel']) root.addEventListener(type, () => { dragged = null })
  dots.addEventListener('click', event => {
    const cell = cellAt(event)
    if (cell) press?.(cell)
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
