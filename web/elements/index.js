/**
 * The elements: figures that need nothing around them. A page loads this module once, from a script tag or from
 * `glassformer/elements`; the worker, the kernels and the weights are beside it.
 */

import { setFolder } from '../lib/resources.js'
import { GlassElement, reflectAttributes } from './base.js'

/** @import { Library, LibraryRun } from '../types.d.ts' */

setFolder(new URL('.', import.meta.url).href)

const FIGURE_ATTRIBUTES = ['model', 'room', 'input', 'settings', 'head', 'theme', 'depth', 'state']

/** `<glass-figure>`: one room of a model, with its numbers. */
export class GlassFigure extends GlassElement {
  static observedAttributes = [...FIGURE_ATTRIBUTES, 'lang', 'controls']
}
reflectAttributes(GlassFigure, FIGURE_ATTRIBUTES, ['controls'])

const LESSON_ATTRIBUTES = ['lesson', 'step', 'input', 'theme', 'depth']

/** `<glass-lesson>`: a lesson of the course, with its figures and questions. */
export class GlassLesson extends GlassElement {
  static observedAttributes = [...LESSON_ATTRIBUTES, 'lang']
  static starter = /** @type {const} */ ('startLesson')
}
reflectAttributes(GlassLesson, LESSON_ATTRIBUTES)

const MODEL_ATTRIBUTES = ['model', 'room', 'input', 'settings', 'head', 'theme', 'depth', 'state']

/** `<glass-model>`: the map of a model, and the room that is pressed there. */
export class GlassModel extends GlassElement {
  static observedAttributes = [...MODEL_ATTRIBUTES, 'lang']
  static starter = /** @type {const} */ ('startModel')
}
reflectAttributes(GlassModel, MODEL_ATTRIBUTES)

const TRAINING_ATTRIBUTES = ['task', 'settings', 'input', 'theme']

/** `<glass-training>`: a model that learns in the reader's browser. */
export class GlassTraining extends GlassElement {
  static observedAttributes = [...TRAINING_ATTRIBUTES, 'lang']
  static starter = /** @type {const} */ ('startTraining')

  play() {
    this.mounted?.act?.play()
  }

  pause() {
    this.mounted?.act?.pause()
  }

  step() {
    this.mounted?.act?.step()
  }
}
reflectAttributes(GlassTraining, TRAINING_ATTRIBUTES)

const ELEMENTS = {
  'glass-figure': GlassFigure, 'glass-lesson': GlassLesson, 'glass-model': GlassModel, 'glass-training': GlassTraining
}

/**
 * Sets where the files of the elements are, when a build tool has moved this module away from them.
 * @param {{ folder: string | URL }} options the address of the folder
 */
export function configure({ folder }) {
  setFolder(new URL(folder, location.href).href)
}

/**
 * Displays a run of the caller's own modules as a live figure: `gf.observe` → picture. No worker computes anything; the
 * run stays with the caller, who disposes it after the figure.
 * @param {Element} element that receives the figure
 * @param {LibraryRun} run from `gf.observe`
 * @param {{ gf: Library, room?: string, head?: number, depth?: string, theme?: string, lang?: string,
 *   controls?: boolean }} options gf: what `load` returned; room: the id or the kind of a room, default: the house; the
 *   others as the attributes of `<glass-figure>`
 * @returns {GlassFigure} whose properties change what is displayed
 */
export function figure(element, run, options) {
  if (!(element instanceof Element)) throw new TypeError(`figure: element must be an element, got ${element}`)
  if (typeof run?.describe !== 'function') throw new TypeError(`figure: run must come from gf.observe, got ${run}`)
  const { gf, controls = true, ...attributes } = options ?? {}
  if (typeof gf?.observe !== 'function') throw new TypeError(`figure: options.gf must be what load() returned, got ${gf}`)
  const own = /** @type {any} */ (document.createElement('glass-figure'))
  for (const [name, value] of Object.entries(attributes)) own.setAttribute(name, String(value))
  own.toggleAttribute('controls', controls)
  own.source = { gf, run }
  element.replaceChildren(own)
  return own
}

for (const [name, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(name)) customElements.define(name, element)
}
