import { describe, expect } from './errors.js'

/**
 * A place along every axis: one, all of them, or those from a first to before a last.
 * @typedef {readonly (number | null | readonly [number, number])[]} Places
 *
 * Values put in place of the computed ones: a number, or what stands at the same places of another tensor of the run.
 * @typedef {{ name: string, index: Places, value: number, from?: undefined }
 *   | { name: string, index: Places, from: string, value?: undefined }} Edit
 */

const { isInteger } = Number

/** @param {unknown} place @returns {place is readonly [number, number]} */
const isStretch = place => Array.isArray(place) && place.length === 2 && place.every(isInteger)

/** @param {unknown} place */
const isPlace = place => place === null || isInteger(place) || isStretch(place)

/**
 * From where to before where an edit reaches along an axis, or null where that is not inside it.
 * @param {Places[number]} place @param {number} side
 */
function reach(place, side) {
  const [from, to] = place === null ? [0, side] : typeof place === 'number' ? [place, place + 1] : place
  return from >= 0 && from < to && to <= side ? [from, to] : null
}

/**
 * The cells of a shape at some places, as they lie in memory; null where a place is not inside.
 * @param {readonly number[]} shape @param {Places} index @returns {number[] | null}
 */
export function cellsAt(shape, index) {
  if (shape.length !== index.length) return null
  /** @type {number[] | null} */ let cells = [0]
  for (const [axis, place] of index.entries()) {
    const stretch = reach(place, shape[axis])
    if (!stretch) return null
    const [from, to] = stretch
    const along = Array.from({ length: to - from }, (_, i) => from + i)
    cells = cells.flatMap(cell => along.map(i => cell * shape[axis] + i))
  }
  return cells
}

/** Whether places take a single one in. @param {Places} places @param {readonly number[]} index */
const takesIn = (places, index) => places.length === index.length && places.every((place, axis) => {
  const stretch = reach(place, Infinity)
  return stretch !== null && index[axis] >= stretch[0] && index[axis] < stretch[1]
})

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
      expect(edit.from === undefined || typeof edit.from === 'string', 'type',
        () => `trace: edits[${i}].from must be the name of a tensor, got ${describe(edit.from)}`)
      expect(edit.from !== undefined || typeof edit.value === 'number', 'type',
        () => `trace: edits[${i}].value must be a number, got ${describe(edit.value)}`)
      expect(Array.isArray(edit.index) && edit.index.every(isPlace), 'index', () => `trace: edits[${i}].index must be ` +
        `an array with a whole number, null (all) or [from, to], to not included, for each axis, such as [0, null], got ${describe(edit.index)}`)
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

  /** Whether one of them takes its values from a tensor. @param {string} name */
  takesFrom(name) {
    return this.list.some(({ from }) => from === name)
  }

  /** Whether a cell is one of them. @param {string} name @param {readonly number[]} index */
  has(name, index) {
    return this.of(name).some(edit => takesIn(edit.index, index))
  }
}
