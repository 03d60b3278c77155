/** What a wrong number nearly is: the right one with the other sign, another cell of its matrix, a known mistake. */

import { formatFixed } from '../lib/number.js'
import { getMatrixLabels, getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'

/** @import { Run } from '../types.d.ts' */
/** @import { Now, Question } from './index.js' */

/** Two decimals are shown, so that two numbers may differ by this much and still look the same. */
const ROUNDING = 0.0051
/** An answer is close if it is off by a tenth at most, or of a count, which is 3 or more, by one. */
const CLOSE_FRACTION = 0.1, MIN_COUNT = 3

/** @typedef {{ id: string, values: Record<string, string> }} NearMiss the key of its text, and values for it */

/**
 * The cell of the same matrix with this value: first the transposed one, then its neighbors, then any.
 * @param {Run} run @param {{ tensor: string, index: (number | null)[] }} cell @param {number} given
 * @returns {NearMiss | null}
 */
function findOtherCell(run, { tensor: name, index }, given) {
  const tensor = getTensor(run, name), { shape } = tensor, outer = index.slice(0, -2).map(Number)
  const [row, col] = index.slice(-2).map(Number), [rows, cols] = shape.slice(-2)
  /** @param {number[]} place */
  const distance = ([r, c]) => Math.abs(r - row) + Math.abs(c - col)
  const all = Array.from({ length: rows * cols }, (_, i) => [Math.floor(i / cols), i % cols])
    .filter(place => distance(place) > 0).sort((a, b) => distance(a) - distance(b))
  const transposed = all.find(([r, c]) => row !== col && r === col && c === row)
  const found = (transposed ? [transposed, ...all] : all)
    .find(([r, c]) => Math.abs(valueAt(tensor, [...outer, r, c]) - given) <= ROUNDING)
  if (!found) return null
  const axis = shape.length - 2
  const labels = found.map((at, i) => getMatrixLabels(run, tensor, axis + i)?.[at] ?? String(at))
  return { id: found === transposed ? 'transposed' : 'cell', values: { row: labels[0], column: labels[1] } }
}

/**
 * @param {Run} run from which the correct number comes @param {Question} question @param {Now} now
 * @param {number} given @param {number} right @returns {NearMiss}
 */
export function findNearMiss(run, { tolerance = 0, mistakes, cell }, now, given, right) {
  /** @param {number} value */
  const isGiven = value => Math.abs(given - value) <= tolerance && Math.abs(right - value) > tolerance
  const values = { given: formatFixed(given, Number.isInteger(given) ? 0 : 2) }
  const known = mistakes?.(run, now).find(({ value }) => isGiven(value))
  if (known) return { id: known.id, values }
  if (isGiven(-right)) return { id: 'sign', values }
  if (isGiven(right * 10) || isGiven(right / 10)) return { id: 'tenfold', values }
  const other = cell && findOtherCell(run, cell(run, now), given)
  if (other) return { ...other, values: { ...values, ...other.values } }
  const isCount = Number.isInteger(right) && right >= MIN_COUNT
  const isClose = Math.abs(given - right) <= Math.max(Number(isCount), CLOSE_FRACTION * Math.abs(right))
  return { id: !isClose ? 'far' : given < right ? 'below' : 'above', values }
}
