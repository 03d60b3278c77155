/** What lessons read from a run: single values, rows, and the index of the largest value. */

import { getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { textOf as dateOf } from '../models/dates/data.js'

/** @import { Cell, Run } from '../types.d.ts' */

/** The value of a cell. @param {Run} run @param {string} name @param {number[]} index */
export const at = (run, name, index) => valueAt(getTensor(run, name), index)

/** The values along the last axis. @param {Run} run @param {string} name @param {number[]} index without it */
export function rowAt(run, name, index) {
  const { shape } = getTensor(run, name)
  return Array.from({ length: shape[shape.length - 1] }, (_, i) => at(run, name, [...index, i]))
}

/** The index of the largest value; the first of several. @param {number[]} values */
export const largest = values => values.indexOf(Math.max(...values))

/**
 * The cell that represents a place: a single cell itself, of a row or a column its largest; undefined for a matrix.
 * @param {Run} run @param {{ tensor: string, index: (number | null)[] }} place @returns {Cell | null}
 */
export function standingFor(run, { tensor, index }) {
  const open = index.flatMap((place, axis) => (place === null ? [axis] : []))
  if (open.length > 1) return null
  const length = open.length ? getTensor(run, tensor).shape[open[0]] : 1
  const cells = Array.from({ length }, (_, i) => index.map(place => place ?? i))
  return { name: tensor, index: cells[largest(cells.map(cell => at(run, tensor, cell)))] }
}

/** Indices of values, the largest first. @param {number[]} values */
export const ranked = values => [...values.keys()].sort((one, other) => values[other] - values[one])

/** The tokens of a stream. @param {Run} run @param {string} stream */
export const tokensOf = (run, stream) => run.streams[stream].tokens[0]

/** The tokens that the model generated. @param {Run} run */
export const chosen = run => (run.decoding?.steps ?? []).map(({ token }) => token)

/** The loss of the correct answer, or, where none is known, of the model's own. @param {Run} run */
export const lossOf = run => run.trueLoss ?? run.loss

/** Which loss that is, as a key of the step's texts. @param {Run} run */
export const whose = run => (typeof run.trueLoss === 'number' ? 'right' : 'own')

/** The date that the model generated, as in the top line. @param {Run} run */
export const written = run => dateOf(chosen(run))
