/** The numbers a reader has overwritten: a list in which each cell stands at most once, and its way into a link. */

import { cellName } from './cell.js'

/** @import { Cell, Run } from '../types.d.ts' */

/** @typedef {{ name: string, index: number[], value: number }} Edit */

/**
 * Whether overwriting a number changes anything: something is computed from its tensor, or an answer is chosen from it.
 * @param {Pick<Run, 'tensors' | 'ends'>} run @param {Cell} cell
 */
export function isEditable({ tensors, ends = [] }, { name, index }) {
  const tensor = tensors.get(name)
  if (!tensor || index.length === 0) return false
  return tensor.isOnTheWay || ends.includes(name) ||
    [...tensors.values()].some(({ inputs }) => Object.values(inputs).includes(name))
}

/**
 * @template {{ name: string, index: readonly number[] }} E
 * @param {readonly E[]} edits @param {Cell} cell
 */
export const editOf = (edits, cell) => edits.find(edit => cellName(edit) === cellName(cell))

/** The list without a cell. @param {Edit[]} edits @param {{ name: string, index: number[] }} cell */
export const withoutEdit = (edits, cell) => edits.filter(edit => cellName(edit) !== cellName(cell))

/** The list with a cell at a value, rounded as the kernels hold it. @param {Edit[]} edits @param {Edit} edit */
export const withEdit = (edits, { name, index, value }) => (
  [...withoutEdit(edits, { name, index }), { name, index: [...index], value: Math.fround(value) }])

/**
 * A number as a reader types it: a real or a keyboard minus, a comma for the point, infinities; or null.
 * @param {string} text
 */
export function typed(text) {
  const plain = text.trim().replaceAll('−', '-').replace(',', '.').replace(/^([+-]?)(∞|inf(inity)?)$/i, '$1Infinity')
  if (plain === '' || !/^[+-]?(Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(plain)) return null
  const value = Number(plain)
  return Number.isFinite(value) && !Number.isFinite(Math.fround(value)) ? null : value
}

/** @param {number} value */
const number = value => (Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf')

/** @param {Edit[]} edits */
export const writeEdits = edits => (
  edits.map(({ name, index, value }) => `${name}:${index.join(',')}=${number(value)}`).join(';'))

/** What a link says; what cannot be read is left out. @param {string} text @returns {Edit[]} */
export function readEdits(text) {
  return text.split(';').reduce((/** @type {Edit[]} */ edits, part) => {
    const match = /^([\w.:]+?):(\d+(?:,\d+)*)=(.+)$/.exec(part)
    const value = match && typed(match[3])
    return !match || value === null ? edits : withEdit(edits, { name: match[1], index: match[2].split(',').map(Number), value })
  }, [])
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
