/**
 * A thumbnail of a tensor: each cell is one pixel wide and three high, scaled up. The middle pixel of negative cells is
 * mixed with the text color, so that they look hatched or, in small thumbnails, darker or paler.
 */

import { mixWithInk } from './color.js'
import { h, getContext2d } from './dom.js'

/** @import { Scale, Slice } from '../types.d.ts' */

/**
 * From this many columns on, the browser averages columns that do not fit, since a sampled one would not
 * be representative.
 */
const FINE = 32

const HIGH = 3
const HATCH = 0.5

/**
 * The color between the hatching of negative cells: paler cells have paler hatching.
 * @param {import('./color.js').Color} color @param {number} strength from 0 to 1
 */
const hatched = (color, strength) => mixWithInk(color, HATCH * Math.sqrt(strength))

/**
 * Mounts an empty thumbnail.
 * @param {Element} container
 */
export function thumbnail(container) {
  const canvas = h('canvas', { 'className': 'thumb', 'aria-hidden': 'true', 'width': '1', 'height': '1' })
  container.append(canvas)
  /** @type {Float32Array | null} */ let lastValues = null
  let key = ''
  return {
    element: canvas,
    /**
     * @param {Pick<Slice, 'rows' | 'cols' | 'values'>} picture
     * @param {Scale} colors
     * @returns {boolean} whether values differ from those drawn before
     */
    update({ rows, cols, values }, colors) {
      const look = `${rows} ${colors.kind} ${colors.max} ${colors.at(colors.max).css}`
      const same = lastValues?.length === values.length && lastValues.every((x, i) => Object.is(x, values[i]))
      if (same && key === look) return false
      const changed = lastValues !== null && !same
      lastValues = values
      key = look
      canvas.width = cols
      canvas.height = rows * HIGH
      canvas.classList.toggle('is-fine', cols >= FINE)
      const ctx = getContext2d(canvas)
      const image = ctx.createImageData(cols, rows * HIGH)
      const pixels = new Uint32Array(image.data.buffer)
      for (let i = 0; i < values.length; i++) {
        if (!Number.isFinite(values[i])) continue
        const color = colors.at(values[i]), top = Math.floor(i / cols) * HIGH * cols + i % cols
        for (let line = 0; line < HIGH; line++) pixels[top + line * cols] = color.packed
        if (values[i] < 0) pixels[top + cols] = hatched(color, Math.min(1, values[i] / colors.min))
      }
      ctx.putImageData(image, 0, 0)
      return changed
    }
  }
}
