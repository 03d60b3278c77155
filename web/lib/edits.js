/** The reader's edits: a list with at most one edit per cell, and its form in a link. */

import { cellName } from './cell.js'

/** @import { Cell, Run } from '../types.d.ts' */

/** @import { EditIndex } from '../../src/js/edits.js' */
/** @typedef {import('../../src/js/edits.js').Edit} Edit */

/**
 * Whether editing a value changes anything: something is computed from its tensor, or an answer is chosen from it.
 * @param {Pick<Run, 'tensors' | 'ends'>} run @param {Cell} cell
 */
export function isEditable({ tensors, ends = [] }, { name, index }) {
  const tensor = tensors.get(name)
  if (!tensor || index.length === 0) return false
  return tensor.affectsLoss || ends.includes(name) ||
    [...tensors.values()].some(({ inputs }) => Object.values(inputs).includes(name))
}

/** @typedef {{ name: string, index: EditIndex }} Placed */

/**
 * @template {Placed} E
 * @param {readonly E[]} edits @param {Placed} cell
 */
export const editOf = (edits, cell) => edits.find(edit => cellName(edit) === cellName(cell))

/** The list without the edit of a cell. @param {Edit[]} edits @param {Placed} cell */
export const withoutEdit = (edits, cell) => edits.filter(edit => cellName(edit) !== cellName(cell))

/** The list with an edit, its value rounded to float32. @param {Edit[]} edits @param {Edit} edit */
export function withEdit(edits, { name, index, value, from }) {
  const place = { name, index: [...index] }
  const edit = from === undefined ? { ...place, value: Math.fround(value) } : { ...place, from }
  return [...withoutEdit(edits, edit), edit]
}

/** Whether a list contains all of some edits. @param {readonly Edit[]} edits @param {readonly Edit[]} some */
export const hasEdits = (edits, some) => some.every(one => {
  const edit = editOf(edits, one)
  return edit && Object.is(edit.value, one.value) && edit.from === one.from
})

/**
 * A list with some edits added or removed.
 * @param {Edit[]} edits @param {readonly Edit[]} some @param {boolean} isOn
 */
export const toggleEdits = (edits, some, isOn) => some.reduce(
  (list, edit) => (isOn ? withEdit(list, edit) : withoutEdit(list, edit)), edits)

/**
 * A number as readers type it: either minus sign, either decimal separator, infinities; null if it is none.
 * @param {string} text
 */
export function parseNumber(text) {
  const plain = text.trim().replaceAll('−', '-').replace(',', '.').replace(/^([+-]?)(∞|inf(inity)?)$/i, '$1Infinity')
  if (plain === '' || !/^[+-]?(Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(plain)) return null
  const value = Number(plain)
  return Number.isFinite(value) && !Number.isFinite(Math.fround(value)) ? null : value
}

/** @param {number} value */
const number = value => (Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf')

/** @param {EditIndex[number]} place */
const writePlace = place => (place === null ? '*' : Array.isArray(place) ? `${place[0]}-${place[1] - 1}` : place)

/** @param {string} text @returns {EditIndex[number]} */
function readPlace(text) {
  if (text === '*') return null
  const [from, last = null] = text.split('-').map(Number)
  return last === null ? from : [from, last + 1]
}

/** @param {Edit[]} edits */
export const writeEdits = edits => edits.map(({ name, index, value, from }) => (
  `${name}:${index.map(writePlace).join(',')}=${from === undefined ? number(value) : `@${from}`}`)).join(';')

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
    const [, name, places, valueText] = EDIT.exec(part) ?? []
    const [, from] = /^@([\w.:]+)$/.exec(valueText ?? '') ?? []
    const value = valueText === undefined || from ? null : parseNumber(valueText)
    if (!from && value === null) continue
    const place = { name, index: places.split(',').map(readPlace) }
    // The last edit of a cell counts.
    edits.delete(cellName(place))
    edits.set(cellName(place), from ? { ...place, from } : { ...place, value: Math.fround(Number(value)) })
    if (edits.size > MAX_EDITS) break
  }
  return [...edits.values()]
}

/**
 * Remembers lists of edits, for undo and redo.
 * @returns {{ record(now: Edit[]): void, undo(now: Edit[]): Edit[] | null, redo(now: Edit[]): Edit[] | null,
 *   canUndo(): boolean, canRedo(): boolean }}
 */
export function editHistory() {
  /** @type {Edit[][]} */ const past = []
  /** @type {Edit[][]} */ const future = []
  /** @param {Edit[][]} from @param {Edit[][]} to @returns {(now: Edit[]) => Edit[] | null} */
  const step = (from, to) => now => {
    if (!from.length) return null
    to.push(now)
    return from.pop() ?? null
  }
  return {
    record(now) {
      past.push(now)
      future.length = 0
    },
    undo: step(past, future), redo: step(future, past),
    canUndo: () => past.length > 0, canRedo: () => future.length > 0
  }
}
