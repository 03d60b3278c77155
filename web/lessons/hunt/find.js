/**
 * Finds the faults of a model from the numbers of a run alone: the evidence, or null where the run does not have
 * the fault.
 */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { roomsOf } from '../../rooms/index.js'
import { valueOfCell, rowValues } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

/** @typedef {Record<string, string>} Evidence values for words */

const TOLERANCE = 1e-3
/** The tolerance for the variance of a normalized row, since ε makes it smaller than 1. */
const VARIANCE_TOLERANCE = 0.05

/** @param {number[]} values */
const sum = values => values.reduce((total, value) => total + value, 0)
/** @param {number[]} values */
const mean = values => sum(values) / values.length
/** @param {number[]} values */
const variance = values => mean(values.map(value => (value - mean(values)) ** 2))
/** @param {Run} run @param {string} id */
const roomParts = (run, id) => /** @type {any} */ (roomsOf(run).find(room => room.id === id)).parts

/**
 * Every row of a tensor [1, heads, rows, columns], with its indices.
 * @param {Run} run @param {string} name
 */
function listRows(run, name) {
  const { shape: [, heads, rows] } = getTensor(run, name)
  return Array.from({ length: heads * rows }, (_, i) => {
    const [head, row] = [Math.floor(i / rows), i % rows]
    return { head, row, values: rowValues(run, name, [0, head, row]) }
  })
}

/**
 * Scores that are the plain products: they have not been scaled.
 * @param {Run} run @param {number} head that is looked at @returns {Evidence | null}
 */
function findMissingScale(run, head) {
  const { dots, scores } = roomParts(run, 'encoder.0.self_attn.weights')
  const all = listRows(run, dots).flatMap(({ values }) => values)
  const computed = listRows(run, scores).flatMap(({ values }) => values)
  if (all.some((value, i) => Math.abs(value - computed[i]) > TOLERANCE)) return null
  const { shape: [,,, width] } = getTensor(run, dots), start = head * width * width
  const size = getTensor(run, roomParts(run, 'encoder.0.self_attn.weights').q).shape[2] / getTensor(run, dots).shape[1]
  const headScores = computed.slice(start, start + width * width)
  return {
    head: String(head), variance: formatFixed(variance(headScores)), divided: formatFixed(variance(headScores) / size),
    dot: formatFixed(all[start]), score: formatFixed(computed[start]), size: String(size)
  }
}

/**
 * A weight above the diagonal, in the selected head if it has one.
 * @param {Run} run @param {number} selectedHead @returns {Evidence | null}
 */
function findLeak(run, selectedHead) {
  const { weights } = roomParts(run, 'decoder.0.self_attn.weights')
  const futureWeights = listRows(run, weights).flatMap(({ head, row, values }) => (
    values.map((value, key) => ({ head, row, key, value })).filter(({ key }) => key > row)))
  const selectedWeights = futureWeights.filter(({ head, value }) => head === selectedHead && value > 0)
  const noWeight = { head: 0, row: 0, key: 0, value: 0 }
  const max = (selectedWeights.length ? selectedWeights
    : futureWeights).reduce((best, cell) => (cell.value > best.value ? cell : best), noWeight)
  return max.value > 0 ? {
    count: String(futureWeights.filter(({ value }) => value > 0).length), head: String(max.head), row: String(max.row),
    key: String(max.key), weight: formatFixed(max.value)
  } : null
}

/**
 * Weights that do not add up to 1, in the selected head if there are any.
 * @param {Run} run @param {number} selectedHead @returns {Evidence | null}
 */
function findDropout(run, selectedHead) {
  const { dropped, weights } = roomParts(run, 'encoder.0.self_attn.heads')
  const rows = listRows(run, dropped ?? weights)
  const all = rows.filter(({ values }) => Math.abs(sum(values) - 1) > TOLERANCE)
  const wrong = all.find(({ head }) => head === selectedHead) ?? all[0]
  return wrong ? {
    head: String(wrong.head), row: String(wrong.row), sum: formatFixed(sum(wrong.values)),
    zeros: String(rows.flatMap(({ values }) => values).filter(value => value === 0).length)
  } : null
}

/** A key that was computed with the weights of values. @param {Run} run @returns {Evidence | null} */
function findSwapped(run) {
  const { k, projections: { k: { x, weight, bias } } } = roomParts(run, 'encoder.0.self_attn.qkv')
  const row = rowValues(run, x, [0, 0])
  /** @param {number} rowIndex row of the weights */
  const computed = rowIndex =>
    sum(rowValues(run, weight, [rowIndex]).map((value, i) => value * row[i])) + valueOfCell(run, bias, [rowIndex])
  const actual = valueOfCell(run, k, [0, 0, 0]), [keyRow, other] = [row.length, 2 * row.length]
  return Math.abs(actual - computed(keyRow)) > TOLERANCE && Math.abs(actual - computed(other)) < TOLERANCE ? {
    value: formatFixed(actual), own: formatFixed(computed(keyRow)), other: formatFixed(computed(other)),
    first: String(keyRow), wrong: String(other)
  } : null
}

/** The same row of positions added at every position. @param {Run} run @returns {Evidence | null} */
function findBatchPositions(run) {
  const room = roomsOf(run).find(({ id }) => id === 'target.sum')
  if (!room) return null
  const { vectors, out } = /** @type {any} */ (room.parts)
  /** @param {number} position */
  const addedRow = position => rowValues(run, out,
    [0, position]).map((value, i) => value - valueOfCell(run, vectors, [0, position, i]))
  const { shape: [, count] } = getTensor(run, out)
  const [firstRow, ...otherRows] = Array.from({ length: count }, (_, position) => addedRow(position))
  if (otherRows.length === 0) return null
  const max = Math.max(...otherRows.flatMap(row => row.map((value, i) => Math.abs(value - firstRow[i]))))
  return max < TOLERANCE ? { difference: formatFixed(max), places: String(count) } : null
}

/** Tokens whose normalized values do not have mean 0 and variance 1. @param {Run} run @returns {Evidence | null} */
function findTokenNorm(run) {
  const name = 'transformer.encoder.layers.0.norm1'
  const gain = rowValues(run, `${name}.weight`, []), shift = rowValues(run, `${name}.bias`, [])
  const { shape: [, tokens] } = getTensor(run, `${name}.output`)
  const rows = Array.from({ length: tokens }, (_, t) => (
    rowValues(run, `${name}.output`, [0, t]).map((value, i) => (value - shift[i]) / gain[i])))
  const wrong = rows.findIndex(row => Math.abs(mean(row)) > TOLERANCE ||
    Math.abs(variance(row) - 1) > VARIANCE_TOLERANCE)
  if (wrong < 0) return null
  const column = rows.map(([value]) => value)
  return {
    row: String(wrong), mean: formatFixed(mean(rows[wrong])), variance: formatFixed(variance(rows[wrong])),
    channelMean: formatFixed(mean(column)), channelVariance: formatFixed(variance(column))
  }
}

/** The finders by fault. @type {Record<string, (run: Run, head: number) => Evidence | null>} */
export const FINDERS = { scale: findMissingScale, leak: findLeak, swapped: findSwapped, tokenNorm: findTokenNorm,
  batchPositions: findBatchPositions, dropout: findDropout }

/** The fault that a run has, or undefined. @param {Run} run */
export const findFault = run => Object.entries(FINDERS).find(([, find]) => find(run, 0))?.[0]
