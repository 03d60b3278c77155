import { describe, expect } from './errors.js'

/**
 * A value put in place of the computed one.
 * @typedef {{ name: string, index: readonly number[], value: number }} Edit
 */

/** The values a trace puts in place of computed ones, by the names of their tensors. */
export class Edits {
  /** @type {Map<string, Edit[]>} */ #byName = new Map()

  /** In the order given. @type {readonly Edit[]} */ list

  /** @param {readonly Edit[]} list @throws {import('./errors.js').GlassformerError} 'type' for what is no edit */
  constructor(list) {
    expect(Array.isArray(list), 'type', () => `trace: edits must be an array, got ${describe(list)}`)
    this.list = list
    list.forEach((edit, i) => {
      expect(typeof edit?.name === 'string', 'type',
        () => `trace: edits[${i}] must be { name, index, value }, got ${describe(edit)}`)
      expect(typeof edit.value === 'number', 'type',
        () => `trace: edits[${i}].value must be a number, got ${describe(edit.value)}`)
      expect(Array.isArray(edit.index) && edit.index.every(Number.isInteger), 'index',
        () => `trace: edits[${i}].index must be an array of whole numbers, got ${describe(edit.index)}`)
      this.#byName.set(edit.name, [...this.of(edit.name), edit])
    })
  }

  /** Names of the tensors to change. */
  get names() {
    return [...this.#byName.keys()]
  }

  /** @param {string} name @returns {Edit[]} */
  of(name) {
    return this.#byName.get(name) ?? []
  }

  /** Whether a cell is one of them. @param {string} name @param {readonly number[]} index */
  has(name, index) {
    return this.of(name).some(edit => edit.index.join() === index.join())
  }
}
