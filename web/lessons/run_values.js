/** What lessons read from a run: single values, rows, and the index of the largest value. */

import { formatFixed } from '../lib/number.js'
import { getDescription, getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { textOf as dateOf } from '../../src/training/models/dates/data.js'

/** @import { Cell, Run } from '../types.d.ts' */

/** The value of a cell. @param {Run} run @param {string} name @param {number[]} index */
export const valueOfCell = (run, name, index) => valueAt(getTensor(run, name), index)

/** The values along the last axis. @param {Run} run @param {string} name @param {number[]} index without it */
export function rowValues(run, name, index) {
  const { shape } = getTensor(run, name)
  return Array.from({ length: shape[shape.length - 1] }, (_, i) => valueOfCell(run, name, [...index, i]))
}

/**
 * A row with all of its columns, of which a worksheet prints only some otherwise.
 * @param {Run} run @param {string} tensor @param {number} row
 */
export const wholeRow = (run, tensor, row) => ({ tensor, index: [0, row, null],
  columns: [...rowValues(run, tensor, [0, row]).keys()] })

/** The index of the largest value; the first of several. @param {number[]} values */
export const largest = values => values.indexOf(Math.max(...values))

/**
 * The cell that represents a place: a single cell itself, of a row or a column its largest; undefined for a matrix.
 * @param {Run} run @param {{ tensor: string, index: (number | null)[] }} place @returns {Cell | null}
 */
export function representativeCell(run, { tensor, index }) {
  const openAxes = index.flatMap((position, axis) => (position === null ? [axis] : []))
  if (openAxes.length > 1) return null
  const length = openAxes.length ? getTensor(run, tensor).shape[openAxes[0]] : 1
  const cells = Array.from({ length }, (_, i) => index.map(position => position ?? i))
  return { name: tensor, index: cells[largest(cells.map(cell => valueOfCell(run, tensor, cell)))] }
}

/** Indices of values, the largest first. @param {number[]} values */
export const rankIndices = values => [...values.keys()].sort((a, b) => values[b] - values[a])

/** The tokens of a stream. @param {Run} run @param {string} stream */
export const streamTokens = (run, stream) => run.streams[stream].tokens[0]

/** The tokens that the model generated. @param {Run} run */
export const answerTokens = run => (run.decoding?.steps ?? []).map(({ token }) => token)

/** Their ids. @param {Run} run */
export const answerIds = run => (run.decoding?.steps ?? []).map(({ id }) => id)

/** The loss of the correct answer, or, where none is known, of the model's own. @param {Run} run */
export const lossOfRun = run => run.trueLoss ?? run.loss

/** Where the room of decoding displays it, for steps that come before a loss is explained. */
export const LOSS_LINE = '.picks ~ .note'

/** The same as the room of decoding displays it. @param {Run} run */
export const formatLoss = run => formatFixed(lossOfRun(run), 3)

/** Whose answer the loss is of, as a key of the step's texts. @param {Run} run */
export const lossKind = run => (typeof run.trueLoss === 'number' ? 'right' : 'own')

/** The date that the model generated, as in the top line. @param {Run} run */
export const answerText = run => dateOf(answerTokens(run))

/** The number of the model's weights. @param {Run} run */
export const countParameters = run => [...run.tensors.keys()].map(name => getDescription(run, name))
  .filter(({ role }) => role === 'parameter').reduce((sum, { shape }) => sum + shape.reduce((size, length) => size * length, 1), 0)
