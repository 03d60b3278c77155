import { describe, expect, findSimilar } from '../errors.js'

/**
 * The option keepAttention: for which attentions a trace stores the [queries, keys] matrices (scores, weights). These
 * are the attentions in the modules of the given paths, or all.
 */
export class AttentionSelection {
  /** Paths of the attentions that were computed. @type {Set<string>} */ #computed = new Set()
  #paths

  /** @param {string} where @param {readonly string[] | undefined} paths of modules; undefined selects all */
  constructor(where, paths) {
    expect(paths === undefined || (Array.isArray(paths) && paths.every(path => typeof path === 'string')), 'type',
      () => `${where}: keepAttention must be an array of paths of modules, got ${describe(paths)}` +
        `${Array.isArray(paths) ? ` with ${describe(paths.find(path => typeof path !== 'string'))} in it` : ''}`)
    this.#paths = paths
    this.where = where
  }

  /** Notes that a module computed an attention; returns whether it is selected. @param {string} path of the module */
  visit(path) {
    this.#computed.add(path)
    return this.#paths?.some(selected => isWithin(path, selected)) ?? true
  }

  /** At the end of the trace: throws for a path where no attention was computed. */
  expectAllFound() {
    const computed = [...this.#computed]
    const missing = this.#paths?.find(selected => !computed.some(path => isWithin(path, selected)))
    expect(missing === undefined, 'index', () => `${this.where}: keepAttention names ${describe(missing)}, but no attention ` +
      `was computed there; ${computed.length ? `there are ${findSimilar(String(missing), computed).join(', ')}` : 'there was none at all'}`)
  }
}

/** @param {string} path @param {string} ancestor */
const isWithin = (path, ancestor) => path === ancestor || path.startsWith(`${ancestor}.`)
