/**
 * Finds the faults of a model from the numbers of a run alone: the evidence, or null where the run does not have
 * the fault.
 */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { roomsOf } from '../../rooms/index.js'
import { at, rowAt } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

/** @typedef {Record<string, string>} Evidence values for words */

const TINY = 1e-3
/** The tolerance for the variance of a normalized row, since ε makes it smaller than 1. */
const SPREAD = 0.05

/** @param {number[]} values */
const sum = values => values.reduce((total, value) => total + value, 0)
/** @param {number[]} values */
const mean = values => sum(values) / values.length
/** @param {number[]} values */
const variance = values => mean(values.map(value => (value - mean(values)) ** 2))
/** @param {Run} run @param {string} id */
const partsIn = (run, id) => /** @type {any} */ (roomsOf(run).find(room => room.id === id)).parts

/**
 * Every row of a tensor [1, heads, rows, columns], with its indices.
 * @param {Run} run @param {string} name
 */
function rowsOf(run, name) {
  const { shape: [, heads, rows] } = getTensor(run, name)
  return Array.from({ length: heads * rows }, (_, i) => {
    const [head, row] = [Math.floor(i / rows), i % rows]
    return { head, row, values: rowAt(run, name, [0, head, row]) }
  })
}

/**
 * Scores that are the plain products: they have not been scaled.
 * @param {Run} run @param {number} head that is looked at @returns {Evidence | null}
 */
function scale(run, head) {
  const { dots, scores } = partsIn(run, 'encoder.0.self_attn.weights')
  const all = rowsOf(run, dots).flatMap(({ values }) => values)
  const computed = rowsOf(run, scores).flatMap(({ values }) => values)
  if (all.some((value, i) => Math.abs(value - computed[i]) > TINY)) return null
  const { shape: [,,, width] } = getTensor(run, dots), start = head * width * width
  const size = getTensor(run, partsIn(run, 'encoder.0.self_attn.weights').q).shape[2] / getTensor(run, dots).shape[1]
  const own = computed.slice(start, start + width * width)
  return {
    head: String(head), variance: formatFixed(variance(own)), divided: formatFixed(variance(own) / size),
    dot: formatFixed(all[start]), score: formatFixed(computed[start]), size: String(size)
  }
}

/**
 * A weight above the diagonal, in the selected head if it has one.
 * @param {Run} run @param {number} here @returns {Evidence | null}
 */
function leak(run, here) {
  const { weights } = partsIn(run, 'decoder.0.self_attn.weights')
  const open = rowsOf(run, weights).flatMap(({ head, row, values }) => (
    values.map((value, key) => ({ head, row, key, value })).filter(({ key }) => key > row)))
  const shown = open.filter(({ head, value }) => head === here && value > 0)
  const none = { head: 0, row: 0, key: 0, value: 0 }
  const max = (shown.length ? shown : open).reduce((best, one) => (one.value > best.value ? one : best), none)
  return max.value > 0 ? {
    count: String(open.filter(({ value }) => value > 0).length), head: String(max.head), row: String(max.row),
    key: String(max.key), weight: formatFixed(max.value)
  } : null
}

/**
 * Weights that do not add up to 1, in the selected head if there are any.
 * @param {Run} run @param {number} here @returns {Evidence | null}
 */
function dropout(run, here) {
  const { dropped, weights } = partsIn(run, 'encoder.0.self_attn.heads')
  const rows = rowsOf(run, dropped ?? weights)
  const all = rows.filter(({ values }) => Math.abs(sum(values) - 1) > TINY)
  const wrong = all.find(({ head }) => head === here) ?? all[0]
  return wrong ? {
    head: String(wrong.head), row: String(wrong.row), sum: formatFixed(sum(wrong.values)),
    zeros: String(rows.flatMap(({ values }) => values).filter(value => value === 0).length)
  } : null
}

/** A key that was computed with the weights of values. @param {Run} run @returns {Evidence | null} */
function swapped(run) {
  const { k, projections: { k: { x, weight, bias } } } = partsIn(run, 'encoder.0.self_attn.qkv')
  const row = rowAt(run, x, [0, 0])
  /** @param {number} which row of the weights */
  const computed = which => sum(rowAt(run, weight, [which]).map((value, i) => value * row[i])) + at(run, bias, [which])
  const actual = at(run, k, [0, 0, 0]), [own, other] = [row.length, 2 * row.length]
  return Math.abs(actual - computed(own)) > TINY && Math.abs(actual - computed(other)) < TINY ? {
    value: formatFixed(actual), own: formatFixed(computed(own)), other: formatFixed(computed(other)),
    first: String(own), wrong: String(other)
  } : null
}

/** The same row of positions added at every position. @param {Run} run @returns {Evidence | null} */
function batchPositions(run) {
  const room = roomsOf(run).find(({ id }) => id === 'target.sum')
  if (!room) return null
  const { vectors, out } = /** @type {any} */ (room.parts)
  /** @param {number} place */
  const added = place => rowAt(run, out, [0, place]).map((value, i) => value - at(run, vectors, [0, place, i]))
  const { shape: [, places] } = getTensor(run, out)
  const [zero, ...others] = Array.from({ length: places }, (_, place) => added(place))
  if (others.length === 0) return null
  const max = Math.max(...others.flatMap(row => row.map((value, i) => Math.abs(value - zero[i]))))
  return max < TINY ? { difference: formatFixed(max), places: String(places) } : null
}

/** Tokens whose normalized values do not have mean 0 and variance 1. @param {Run} run @returns {Evidence | null} */
function tokenNorm(run) {
  const name = 'transformer.encoder.layers.0.norm1'
  const gain = rowAt(run, `${name}.weight`, []), shift = rowAt(run, `${name}.bias`, [])
  const { shape: [, tokens] } = getTensor(run, `${name}.output`)
  const rows = Array.from({ length: tokens }, (_, t) => (
    rowAt(run, `${name}.output`, [0, t]).map((value, i) => (value - shift[i]) / gain[i])))
  const wrong = rows.findIndex(row => Math.abs(mean(row)) > TINY || Math.abs(variance(row) - 1) > SPREAD)
  if (wrong < 0) return null
  const column = rows.map(([value]) => value)
  return {
    row: String(wrong), mean: formatFixed(mean(rows[wrong])), variance: formatFixed(variance(rows[wrong])),
    channelMean: formatFixed(mean(column)), channelVariance: formatFixed(variance(column))
  }
}

/** The finders by fault. @type {Record<string, (run: Run, head: number) => Evidence | null>} */
export const FINDS = { scale, leak, swapped, tokenNorm, batchPositions, dropout }

/** The fault that a run has, or undefined. @param {Run} run */
export const findFault = run => Object.entries(FINDS).find(([, find]) => find(run, 0))?.[0]
