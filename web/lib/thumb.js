/** A tensor in the size of a stamp: one pixel per cell, blown up. */

import { h, penOf } from './dom.js'

/** @import { Scale, Slice } from '../types.d.ts' */

/**
 * Columns that a stamp of the map has no room for: they are averaged there, as a picked one would tell nothing true.
 */
const FINE = 32

/**
 * Mounts an empty thumbnail.
 * @param {Element} container
 */
export function thumb(container) {
  const canvas = h('canvas', { 'className': 'thumb', 'aria-hidden': 'true', 'width': '1', 'height': '1' })
  container.append(canvas)
  /** @type {Float32Array | null} */ let before = null
  let key = ''
  return {
    element: canvas,
    /**
|     * @param {Pick<Slice, 'rows' | 'cols' | 'values'>} picture
     * @param {Scale} colours
     * @returns {boolean} whether values differ from those drawn before
     */
    update({ rows, cols, values }, colours) {
      const look = `${rows} ${colours.kind} ${colours.max} ${colours.at(colours.max).css}`
      const same = before?.length === values.length && before.every((x, i) => Object.is(x, values[i]))
      if (same && key === look) return false
      const changed = before !== null && !same
      before = values
      key = look
      canvas.width = cols
      canvas.height = rows
      canvas.classList.toggle('is-fine', cols >= FINE)
      const pen = penOf(canvas)
      const image = pen.createImageData(cols, rows)
      const pixels = new Uint32Array(image.data.buffer)
      for (let i = 0; i < pixels.length; i++) pixels[i] = Number.isFinite(values[i]) ? colours.at(values[i]).packed : 0
      pen.putImageData(image, 0, 0)
      return changed
    }
  }
}
