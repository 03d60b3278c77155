/** A figure as a picture, as it is displayed now. */

import { createScale } from './color.js'
import { exists } from './dom.js'
import { snapshot } from './snapshot.js'
import { drawFigure } from './svg.js'

/** @import { Domain, Piece, Theme } from '../types.d.ts' */
/** @import { Drawing, ProductDrawing } from './svg.js' */

/**
 * @param {HTMLElement} container of the figure and of what belongs to it
 * @param {Element} root the figure's own element
 * @param {{ title: string, subtitle: string, note: string, theme: Theme, keys: { domain: Domain, text?: string }[],
 *   matrices: (Drawing | ProductDrawing)[] }} figure keys: its legends
 * @returns {Piece}
 */
export function drawPicture(container, root, { theme: { mode, palette }, keys, ...rest }) {
  const legends = keys.map(({ domain, text = '' }) => ({ domain, text, scale: createScale(domain, mode) }))
  const children = [...container.children], at = children.indexOf(root)
  const [above, below] = [children.slice(0, at), children.slice(at + 1)].map(list => list.map(snapshot).filter(exists))
  return drawFigure({ ...rest, legends, palette, above, below })
}
