/**
 * Caches models across runs, since most runs only change the input. A run with edited weights gets a copy.
 */

import { cellsAt } from '../../src/js/trace/edits.js'
import { indexOf } from '../../src/js/tensor/shape.js'

/** @import { Edit, Library, LibraryTensor } from '../types.d.ts' */

/**
 * A model with cached lists of its parts.
 * @typedef {object} CacheEntry
 * @property {string | null} key
 * @property {any} model
 * @property {any[]} modules
 * @property {LibraryTensor[]} parameters
 * @property {number} users the number of runs that use it
 * @property {Map<string, number>} [valuesBeforeEdits] previous values of edited weights
 */

/** @type {WeakMap<Library, CacheEntry>} */ const cache = new WeakMap()

/** @param {string | null} key @param {any} model @returns {CacheEntry} */
function createEntry(key, model) {
  const modules = Array.from(model.namedModules(), ([, module]) => module)
  return { key, model, modules, parameters: model.parameters(), users: 0 }
}

/** A model with edited weights. @param {CacheEntry} entry @param {Edit[]} edits @param {boolean} isNew */
function withEdits(entry, edits, isNew) {
  const edited = createEntry(null, isNew ? entry.model : entry.model.clone())
  const tensors = edited.model.stateDict()
  /** @type {Map<string, number>} */ const valuesBeforeEdits = edited.valuesBeforeEdits = new Map()
  for (const { name, index, value } of edits) {
    const { shape, data } = tensors[name]
    for (const cell of cellsAt(shape, index) ?? []) {
      valuesBeforeEdits.set(`${name}:${indexOf(shape, cell)}`, data[cell])
      data[cell] = /** @type {number} */ (value)
    }
  }
  return edited
}

/**
 * The model of a key: the previous one, or a new one. Every use has to be ended by `release`.
 * @param {any} gf @param {string} key everything it depends on @param {() => any} build
 * @param {Edit[]} edits
 */
export function cachedModel(gf, key, build, edits) {
  const last = cache.get(gf)
  const entry = last?.key === key ? last : createEntry(key, build())
  const state = edits.length ? entry.model.stateDict() : {}
  const own = edits.filter(({ name, index, from }) => (
    from === undefined && Object.hasOwn(state, name) && cellsAt(state[name].shape, index)))
  const used = own.length ? withEdits(entry, own, entry !== last) : entry
  if (used === entry && entry !== last) {
    cache.set(gf, entry)
    if (last && last.users === 0) last.model.dispose()
  }
  used.users += 1
  return used
}

/** Ends a run's use of its model. @param {Library} gf @param {CacheEntry} entry */
export function release(gf, entry) {
  entry.users -= 1
  if (entry.users === 0 && cache.get(gf) !== entry) entry.model.dispose()
}

/**
 * Sets a cached model to training or evaluation mode and clears its gradients.
 * @param {CacheEntry} entry @param {{ training: boolean, scale?: boolean }} how
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
