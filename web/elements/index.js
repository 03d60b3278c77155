/**
 * The elements: figures that need nothing around them. A page loads this module once, from a script tag or from
 * `glassformer/elements`; the worker, the kernels and the weights are beside it.
 */

import { setFolder } from '../lib/resources.js'
import { GlassElement, reflectAttributes } from './base.js'

setFolder(new URL('.', import.meta.url).href)

const FIGURE_ATTRIBUTES = ['model', 'room', 'input', 'settings', 'head', 'theme', 'depth', 'state']

/** `<glass-figure>`: one room of a model, with its numbers. */
export class GlassFigure extends GlassElement {
  static observedAttributes = [...FIGURE_ATTRIBUTES, 'lang', 'controls']
}
reflectAttributes(GlassFigure, FIGURE_ATTRIBUTES, ['controls'])

/**
 * Sets where the files of the elements are, when a build tool has moved this module away from them.
 * @param {{ folder: string | URL }} options the address of the folder
 */
export function configure({ folder }) {
  setFolder(new URL(folder, location.href).href)
}

if (!customElements.get('glass-figure')) customElements.define('glass-figure', GlassFigure)
