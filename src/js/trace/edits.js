import { describe, expect } from '../errors.js'

/**
 * For every axis a number, null for all, or a range [from, to], to not included.
 * @typedef {readonly (number | null | readonly [number, number])[]} EditIndex
 *
 * Replaces computed values: by a number, by the values of another tensor of the run at the same index, or by those of a
 * tensor of another run or trace (activation patching): of the tensor `fromName`, by default the one of the same name,
 * at `fromIndex`, by default the same index. Both indices have to select cells of the same shape.
 * @typedef {{ name: string, index: EditIndex, value: number, from?: undefined }
 *   | { name: string, index: EditIndex, from: string, value?: undefined }
 *   | { name: string, index: EditIndex, from: TensorSource, fromName?: string, fromIndex?: EditIndex,
 *     value?: undefined }} Edit
 */

/** What an edit can take values from: a trace or a run. */
export class TensorSource {
  /** @returns {import('./trace.js').Trace} @internal */
  get recording() {
    throw new Error('defined by subclasses')
  }
}

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

/** The shape of the cells that an index selects. @param {readonly number[]} shape @param {EditIndex} index */
export const shapeAt = (shape, index) => index.map((selection, axis) => {
  const [from, to] = /** @type {number[]} */ (toRange(selection, shape[axis]))
  return to - from
})

/** Whether an edit's index includes the index of a cell. @param {EditIndex} edit @param {readonly number[]} index */
const includesIndex = (edit, index) => edit.length === index.length && edit.every((selection, axis) => {
  const range = toRange(selection, Infinity)
  return range !== null && index[axis] >= range[0] && index[axis] < range[1]
})

/** @param {string} name @param {unknown} index */
const expectIndex = (name, index) => expect(Array.isArray(index) && index.every(isAxisIndex), 'index', () => `trace: ${name} must be ` +
  `an array with an integer, null (all) or [from, to], to not included, for each axis, such as [0, null], got ${describe(index)}`)

/** Throws unless an edit is well-formed. @param {any} edit @param {number} i its place in the list */
function checkEdit(edit, i) {
  expect(typeof edit?.name === 'string', 'type',
    () => `trace: edits[${i}] must be { name, index, value }, got ${describe(edit)}`)
  const { index, value, from, fromName, fromIndex } = edit, isSource = from instanceof TensorSource
  expect(from === undefined || typeof from === 'string' || isSource, 'type',
    () => `trace: edits[${i}].from must be the name of a tensor, got ${describe(from)}; it may also be a run or a trace`)
  expect(from === undefined || value === undefined, 'type', () => `trace: edits[${i}] must have either value or from, got both`)
  expect(from !== undefined || typeof value === 'number', 'type',
    () => `trace: edits[${i}].value must be a number, got ${describe(value)}`)
  expectIndex(`edits[${i}].index`, index)
  expect(isSource || (fromName === undefined && fromIndex === undefined), 'type',
    () => `trace: edits[${i}] has fromName and fromIndex only where from is another run or trace, got ${describe(from)}`)
  expect(fromName === undefined || typeof fromName === 'string', 'type',
    () => `trace: edits[${i}].fromName must be the name of a tensor, got ${describe(fromName)}`)
  if (fromIndex !== undefined) expectIndex(`edits[${i}].fromIndex`, fromIndex)
  expect(!isSource || !from.recording.isDisposed, 'state', () => `trace: edits[${i}].from was disposed; dispose a run after those that take values from it`)
}

/** The edits of a trace by tensor name. */
export class Edits {
  /** @type {Map<string, Edit[]>} */ #byName = new Map()

  /** In the order given. @type {readonly Edit[]} */ list

  /** @param {readonly Edit[]} list @throws {import('../errors.js').GlassformerError} 'type' for a wrong edit */
  constructor(list) {
    expect(Array.isArray(list), 'type', () => `trace: edits must be an array, got ${describe(list)}`)
    this.list = list
    list.forEach((edit, i) => {
      checkEdit(edit, i)
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
