import { describe, expect } from '../errors.js'

/**
 * For every axis a number, null for all, or a range [from, to], to not included.
 * @typedef {readonly (number | null | readonly [number, number])[]} EditIndex
 *
 * Replaces computed values: by a number, or by the values of another tensor of the run at the same index.
 * @typedef {{ name: string, index: EditIndex, value: number, from?: undefined }
 *   | { name: string, index: EditIndex, from: string, value?: undefined }} Edit
 */

const { isInteger } = Number

/** @param {unknown} i @returns {i is readonly [number, number]} */
const isRange = i => Array.isArray(i) && i.length === 2 && i.every(isInteger)

/** @param {unknown} i */
const isAxisIndex = i => i === null || isInteger(i) || isRange(i)

/**
 * The range of an axis that an index selects, or null where that is not inside the axis.
 * @param {EditIndex[number]} i @param {number} side
 */
function toRange(i, side) {
  const [from, to] = i === null ? [0, side] : typeof i === 'number' ? [i, i + 1] : i
  return from >= 0 && from < to && to <= side ? [from, to] : null
}

/**
 * The memory offsets of the cells that an index selects; null where it is not inside the shape.
 * @param {readonly number[]} shape @param {EditIndex} index @returns {number[] | null}
 */
export function cellsAt(shape, index) {
  if (shape.length !== index.length) return null
  /** @type {number[] | null} */ let cells = [0]
  for (const [axis, selection] of index.entries()) {
    const range = toRange(selection, shape[axis])
    if (!range) return null
    const [from, to] = range
    const along = Array.from({ length: to - from }, (_, i) => from + i)
    cells = cells.flatMap(cell => along.map(i => cell * shape[axis] + i))
  }
  return cells
}

/** Whether an edit's index includes the index of a cell. @param {EditIndex} edit @param {readonly number[]} index */
const includesIndex = (edit, index) => edit.length === index.length && edit.every((selection, axis) => {
  const range = toRange(selection, Infinity)
  return range !== null && index[axis] >= range[0] && index[axis] < range[1]
})

/** The edits of a trace by tensor name. */
export class Edits {
  /** @type {Map<string, Edit[]>} */ #byName = new Map()

  /** In the order given. @type {readonly Edit[]} */ list

  /** @param {readonly Edit[]} list @throws {import('../errors.js').GlassformerError} 'type' for a wrong edit */
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
      expect(Array.isArray(edit.index) && edit.index.every(isAxisIndex), 'index', () => `trace: edits[${i}].index must be ` +
        `an array with an integer, null (all) or [from, to], to not included, for each axis, such as [0, null], got ${describe(edit.index)}`)
      this.#byName.set(edit.name, [...this.of(edit.name), edit])
    })
  }

  /** Names of the edited tensors. */
  get names() {
    return [...this.#byName.keys()]
  }

  /** @param {string} name @returns {Edit[]} */
  of(name) {
    return this.#byName.get(name) ?? []
  }

  /** Whether an edit copies values from a tensor. @param {string} name */
  copiesFrom(name) {
    return this.list.some(({ from }) => from === name)
  }

  /** Whether a cell is edited. @param {string} name @param {readonly number[]} index */
  has(name, index) {
    return this.of(name).some(edit => includesIndex(edit.index, index))
  }
}
