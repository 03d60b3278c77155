/** The reader's edits: a list with at most one edit per cell, and its form in a link. */

import { cellName } from './cell.js'

/** @import { Cell, Run } from '../types.d.ts' */

/** @import { Edit as LibraryEdit, EditIndex, TensorSource } from '../../src/js/trace/edits.js' */
/**
 * An edit that a link can contain: of one run.
 * @typedef {Exclude<LibraryEdit, { from: TensorSource }>} Edit
 */

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
export function withEdit(edits, { name, index, value, from }) {
  const target = { name, index: [...index] }
  const edit = from === undefined ? { ...target, value: Math.fround(value) } : { ...target, from }
  return [...withoutEdit(edits, edit), edit]
}

/** Whether a list contains all of some edits. @param {readonly Edit[]} edits @param {readonly Edit[]} subset */
export const hasEdits = (edits, subset) => subset.every(candidate => {
  const edit = findEdit(edits, candidate)
  return edit && Object.is(edit.value, candidate.value) && edit.from === candidate.from
})

/**
 * A list with some edits added or removed.
 * @param {Edit[]} edits @param {readonly Edit[]} subset @param {boolean} isOn
 */
export const toggleEdits = (edits, subset, isOn) => subset.reduce(
  (list, edit) => (isOn ? withEdit(list, edit) : withoutEdit(list, edit)), edits)

/**
 * A number as readers type it: either minus sign, either decimal separator, infinities; null if it is none.
 * @param {string} text
 */
export function parseNumber(text) {
  const normalized = text.trim().replaceAll('−', '-').replace(',', '.').replace(/^([+-]?)(∞|inf(inity)?)$/i, '$1Infinity')
  if (normalized === '' || !/^[+-]?(Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(normalized)) return null
  const value = Number(normalized)
  return Number.isFinite(value) && !Number.isFinite(Math.fround(value)) ? null : value
}

/** @param {number} value */
const formatEditValue = value => (Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf')

/** @param {EditIndex[number]} i */
const writeIndex = i => (i === null ? '*' : Array.isArray(i) ? `${i[0]}-${i[1] - 1}` : i)

/** @param {string} text @returns {EditIndex[number]} */
function readIndex(text) {
  if (text === '*') return null
  const [from, last = null] = text.split('-').map(Number)
  return last === null ? from : [from, last + 1]
}

/** @param {Edit[]} edits */
export const writeEdits = edits => edits.map(({ name, index, value, from }) => (
  `${name}:${index.map(writeIndex).join(',')}=${from === undefined ? formatEditValue(value) : `@${from}`}`)).join(';')

const EDIT = /^([\w.:]+?):((?:\d+(?:-\d+)?|\*)(?:,(?:\d+(?:-\d+)?|\*))*)=(.+)$/

/** The maximum number of edits, so that computing and linking them stays fast. */
export const MAX_EDITS = 2000

/**
 * The edits of a link, up to one more than the maximum; invalid ones are left out.
 * @param {string} text @returns {Edit[]}
 */
export function readEdits(text) {
  /** @type {Map<string, Edit>} */ const edits = new Map()
  for (const part of text.split(';')) {
    const [, name, indices, valueText] = EDIT.exec(part) ?? []
    const [, from] = /^@([\w.:]+)$/.exec(valueText ?? '') ?? []
    const value = valueText === undefined || from ? null : parseNumber(valueText)
    if (!from && value === null) continue
    const target = { name, index: indices.split(',').map(readIndex) }
    // The last edit of a cell counts.
    edits.delete(cellName(target))
    edits.set(cellName(target), from ? { ...target, from } : { ...target, value: Math.fround(Number(value)) })
    if (edits.size > MAX_EDITS) break
  }
  return [...edits.values()]
}

/**
 * Remembers lists of edits, for undo and redo.
 * @returns {{ record(edits: Edit[]): void, undo(edits: Edit[]): Edit[] | null, redo(edits: Edit[]): Edit[] | null,
 *   canUndo(): boolean, canRedo(): boolean }}
 */
export function createEditHistory() {
  /** @type {Edit[][]} */ const past = []
  /** @type {Edit[][]} */ const future = []
  /** @param {Edit[][]} from @param {Edit[][]} to @returns {(edits: Edit[]) => Edit[] | null} */
  const step = (from, to) => edits => {
    if (!from.length) return null
    to.push(edits)
    return from.pop() ?? null
  }
  return {
    record(edits) {
      past.push(edits)
      future.length = 0
    },
    undo: step(past, future), redo: step(future, past),
    canUndo: () => past.length > 0, canRedo: () => future.length > 0
  }
}
