import { describe, expect, similar } from './errors.js'

/**
 * Of which attentions a trace keeps the matrices of a number for every query and key: those in modules of these paths,
 * or of all.
 */
export class KeptAttention {
  /** Paths of the attentions there were. @type {Set<string>} */ #met = new Set()
  #paths

  /** @param {string} where @param {readonly string[] | undefined} paths of modules; undefined keeps all */
  constructor(where, paths) {
    expect(paths === undefined || (Array.isArray(paths) && paths.every(path => typeof path === 'string')), 'type',
      () => `${where}: keepAttention must be an array of paths of modules, got ${describe(paths)}` +
        `${Array.isArray(paths) ? ` with ${describe(paths.find(path => typeof path !== 'string'))} in it` : ''}`)
    this.#paths = paths
    this.where = where
  }

  /** Whether an attention that is computed in a module keeps its matrices. @param {string} path of the module */
  has(path) {
    this.#met.add(path)
    return this.#paths?.some(own => isWithin(path, own)) ?? true
  }

  /** After everything was made: a path where no attention was computed is an error. */
  settle() {
    const met = [...this.#met], missed = this.#paths?.find(own => !met.some(path => isWithin(path, own)))
    expect(missed === undefined, 'index', () => `${this.where}: keepAttention names ${describe(missed)}, but no attention ` +
      `was computed there; ${met.length ? `there are ${similar(String(missed), met).join(', ')}` : 'there was none at all'}`)
  }
}

/** @param {string} path @param {string} own */
const isWithin = (path, own) => path === own || path.startsWith(`${own}.`)
