/** The legend of a color scale: its colors, its range and a note. */

import { h, getContext2d, setText } from './dom.js'
import { setNames } from './formula.js'
import { scaleEnds } from './number.js'
import { createScale } from './color.js'

/** @import { Domain, Scale } from '../types.d.ts' */

const WIDTH = 144
const HEIGHT = 8

/** @param {HTMLCanvasElement} canvas @param {Scale} colors */
function paint(canvas, colors) {
  canvas.width = WIDTH
  canvas.height = 1
  const ctx = getContext2d(canvas)
  for (let x = 0; x < WIDTH; x++) {
    ctx.fillStyle = colors.at(colors.min + ((colors.max - colors.min) * x) / (WIDTH - 1)).css
    ctx.fillRect(x, 0, 1, 1)
  }
}

/**
 * Mounts a legend.
 * @param {Element} container
 */
export function mountLegend(container) {
  const canvas = h('canvas', { 'aria-hidden': 'true', 'style': { width: `${WIDTH}px`, height: `${HEIGHT}px` } })
  const ends = [h('span'), h('span'), h('span')]
  const note = h('span', { className: 'legend-note' })
  const bar = h('div', {}, canvas, h('div', { className: 'legend-ends' }, ends))
  container.append(h('div', { className: 'legend' }, bar, note))
  let painted = ''
  return {
    /** @param {Domain} domain @param {'light' | 'dark'} mode @param {string} text */
    update(domain, mode, text) {
      if (painted !== domain.kind + mode) paint(canvas, createScale(domain, mode))
      painted = domain.kind + mode
      scaleEnds(domain).forEach((value, i) => setText(ends[i], value))
      setNames(note, text)
    }
  }
}
