/**
 * Models that outlive a run: most runs only change what a model reads. Overwritten weights get a model of their own,
 * which nobody else sees.
 */

import { cellsAt } from '../../src/js/edits.js'
import { indexOf } from '../../src/js/shape.js'

/** @import { Edit, Library, LibraryTensor } from '../types.d.ts' */

/**
 * A model with what is asked of it again and again.
 * @typedef {object} Held
 * @property {string | null} key
 * @property {any} model
 * @property {any[]} modules
 * @property {LibraryTensor[]} parameters
 * @property {number} users runs that read it
 * @property {Map<string, number>} [before] what stood in overwritten weights
 */

/** @type {WeakMap<Library, Held>} */ const held = new WeakMap()

/** @param {string | null} key @param {any} model @returns {Held} */
function described(key, model) {
  const modules = Array.from(model.namedModules(), ([, module]) => module)
  return { key, model, modules, parameters: model.parameters(), users: 0 }
}

/** A model with other numbers in its weights. @param {Held} made @param {Edit[]} edits @param {boolean} isNew */
function overwritten(made, edits, isNew) {
  const own = described(null, isNew ? made.model : made.model.clone())
  const tensors = own.model.stateDict()
  /** @type {Map<string, number>} */ const before = own.before = new Map()
  for (const { name, index, value } of edits) {
    const { shape, data } = tensors[name]
    for (const cell of cellsAt(shape, index) ?? []) {
      before.set(`${name}:${indexOf(shape, cell)}`, data[cell])
      data[cell] = /** @type {number} */ (value)
    }
  }
  return own
}

/**
 * The model of a key, built if it is not the one before; `release` lets it go.
 * @param {any} gf @param {string} key everything it depends on @param {() => any} build
 * @param {Edit[]} edits
 */
export function hold(gf, key, build, edits) {
  const last = held.get(gf)
  const made = last?.key === key ? last : described(key, build())
  const state = edits.length ? made.model.stateDict() : {}
  const own = edits.filter(({ name, index, from }) => (
    from === undefined && Object.hasOwn(state, name) && cellsAt(state[name].shape, index)))
  const used = own.length ? overwritten(made, own, made !== last) : made
  if (used === made && made !== last) {
    held.set(gf, made)
    if (last && last.users === 0) last.model.dispose()
  }
  used.users += 1
  return used
}

/** A run lets go of its model. @param {Library} gf @param {Held} made */
export function release(gf, made) {
  made.users -= 1
  if (made.users === 0 && held.get(gf) !== made) made.model.dispose()
}

/**
 * Switches a held model between training and evaluation and forgets the gradients of the run before.
 * @param {Held} made @param {{ training: boolean, scale?: boolean }} how
 */
export function prepare({ modules, parameters }, { training, scale = true }) {
  for (const module of modules) {
    module.training = training
    if ('scale' in module) module.scale = scale ? undefined : 1
  }
  for (const parameter of parameters) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
}
