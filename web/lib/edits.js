/** The reader's edits: a list with at most one edit per cell, and its form in a link. */

import { cellName } from './cell.js'

/** @import { Cell, Context, Run } from '../types.d.ts' */

/** @import { Edit as LibraryEdit, EditIndex, TensorSource } from '../../src/js/trace/edits.js' */
/**
 * An edit that a link can contain: of one run, or with the values of the same cells in the run on another text.
 * @typedef {(Exclude<LibraryEdit, { from: TensorSource }> & { fromText?: undefined })
 *   | { name: string, index: EditIndex, fromText: string, value?: undefined, from?: undefined }} Edit
 */

/**
 * The edits of a run; where they name another text, the worker has added the run on it.
 * @param {readonly Edit[]} edits
 */
export const toLibrary = edits => /** @type {LibraryEdit[]} */ (/** @type {unknown} */ (edits))

/**
 * Whether editing a value has an effect: another tensor is computed from its tensor, or an answer is chosen from it.
 * @param {Pick<Run, 'tensors' | 'outputs'>} run @param {Cell} cell
 */
export function isEditable({ tensors, outputs = [] }, { name, index }) {
  const tensor = tensors.get(name)
  if (!tensor || index.length === 0) return false
  return tensor.affectsLoss || outputs.includes(name) ||
    [...tensors.values()].some(({ inputs }) => Object.values(inputs).includes(name))
}

/** @typedef {{ name: string, index: EditIndex }} EditTarget */

/**
 * @template {EditTarget} E
 * @param {readonly E[]} edits @param {EditTarget} cell
 */
export const findEdit = (edits, cell) => edits.find(edit => cellName(edit) === cellName(cell))

/** The list without the edit of a cell. @param {Edit[]} edits @param {EditTarget} cell */
export const withoutEdit = (edits, cell) => edits.filter(edit => cellName(edit) !== cellName(cell))

/** The list with an edit, its value rounded to float32. @param {Edit[]} edits @param {Edit} edit */
export function withEdit(edits, { name, index, value, from, fromText }) {
  const target = { name, index: [...index] }
  /** @type {Edit} */
  const edit = fromText !== undefined ? { ...target, fromText } : from !== undefined ? { ...target, from }
    : { ...target, value: Math.fround(Number(value)) }
  return [...withoutEdit(edits, edit), edit]
}

/** Whether a list contains all of some edits. @param {readonly Edit[]} edits @param {readonly Edit[]} subset */
export const hasEdits = (edits, subset) => subset.every(candidate => {
  const edit = findEdit(edits, candidate)
  const { value, from, fromText } = candidate
  return edit && Object.is(edit.value, value) && edit.from === from && edit.fromText === fromText
})

/**
 * A list with some edits added or removed.
 * @param {Edit[]} edits @param {readonly Edit[]} subset @param {boolean} isOn
 */
export function toggleEdits(edits, subset, isOn) {
  const cells = new Set(subset.map(cellName)), rest = edits.filter(edit => !cells.has(cellName(edit)))
  return isOn ? [...rest, ...subset.flatMap(edit => withEdit([], edit))] : rest
}

/**
 * The axis along which an edit continues others that take values from the same text, or −1.
 * @param {readonly Edit[]} edits @param {Edit} edit
 */
function continuedAxis(edits, { name, index, fromText }) {
  const last = edits[edits.length - 1], [first] = edits
  if (fromText === undefined || last.fromText !== fromText || last.name !== name) return -1
  const differing = index.flatMap((at, axis) => (String(at) === String(last.index[axis]) ? [] : [axis]))
  const [axis] = differing
  const isNext = differing.length === 1 && Number.isInteger(index[axis]) && index[axis] === Number(last.index[axis]) + 1
  return isNext && index.every((at, other) => other === axis || String(at) === String(first.index[other])) ? axis : -1
}

/**
 * A list with what was taken from another text together, as a head at every position, as one change: its edits, and
 * the cells that they have together.
 * @param {readonly Edit[]} edits
 */
export function groupEdits(edits) {
  /** @type {{ edits: Edit[], target: EditTarget }[]} */ const groups = []
  for (const edit of edits) {
    const group = groups[groups.length - 1], axis = group ? continuedAxis(group.edits, edit) : -1
    if (axis < 0) groups.push({ edits: [edit], target: edit })
    else {
      group.edits.push(edit)
      const [{ name, index }] = group.edits
      const range = /** @type {const} */ ([Number(index[axis]), Number(edit.index[axis]) + 1])
      group.target = { name, index: index.with(axis, range) }
    }
  }
  return groups
}

/**
 * Remembers lists of edits, for undo and redo. What a script has changed meanwhile may equal the last ones, which are
 * left out: a step always changes something.
 */
export function createEditHistory() {
  /** @type {Edit[][]} */ const past = []
  /** @type {Edit[][]} */ const future = []
  /** @param {Edit[][]} lists @param {readonly Edit[]} edits */
  const findOther = (lists, edits) => (
    lists.findLastIndex(list => list.length !== edits.length || !hasEdits(list, edits)))
  /** @param {Edit[][]} from @param {Edit[][]} to @returns {(edits: Edit[]) => Edit[] | null} */
  const step = (from, to) => edits => {
    const at = findOther(from, edits)
    if (at < 0) return null
    to.push(edits)
    return from.splice(at)[0]
  }
  return {
    /** @param {Edit[]} edits */
    record(edits) {
      past.push(edits)
      future.length = 0
    },
    undo: step(past, future), redo: step(future, past),
    canUndo: (/** @type {Edit[]} */ edits) => findOther(past, edits) >= 0,
    canRedo: (/** @type {Edit[]} */ edits) => findOther(future, edits) >= 0
  }
}

/** @type {WeakMap<Context['get'], ReturnType<typeof createEditHistory>>} */ const histories = new WeakMap()

/**
 * The history of a page, or of one of the figures in it, whatever language its parts are built in.
 * @param {Pick<Context, 'get'>} context
 */
export function editHistoryOf({ get }) {
  const history = histories.get(get) ?? createEditHistory()
  histories.set(get, history)
  return history
}

/**
 * Changes the edits of a page or a figure so that the change can be undone.
 * @param {Pick<Context, 'get' | 'set'>} context @param {Edit[]} edits
 * @param {Parameters<Context['set']>[1]} [entry] how the change enters the browser's history
 */
export function changeEdits({ get, set }, edits, entry) {
  editHistoryOf({ get }).record(get().edits ?? [])
  set({ edits }, entry)
}
