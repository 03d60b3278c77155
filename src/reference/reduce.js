// One number of many: rows of the cells along some axes, each with its value and the gradient of each of its cells, in
// float64. params.op is the name; dim a number, a list, or absent for all; keepdim, correction and p as in PyTorch.
/** @import { Given, Tensor } from './tensor.js' */

/** @typedef {{ op: string, dim?: number | number[], keepdim?: boolean, correction?: number, p?: number }} Params */
/** @typedef {(row: number[], params: Params) => number} Value */
/** @typedef {(row: number[], y: number, params: Params) => number[]} Slopes */

import * as logSoftmax from './log_softmax.js'
import * as softmax from './softmax.js'
import { sizeOf, zeros } from './tensor.js'

/** @param {number[]} row @param {(value: number) => number} f */
const total = (row, f = v => v) => row.reduce((s, v) => s + f(v), 0)
/** @param {number[]} row */
const mean = row => total(row) / row.length
/** @param {number[]} row */
const squares = row => {
  const m = mean(row)
  return total(row, v => (v - m) ** 2)
}
/** @param {number[]} row @param {Params} params */
const rest = (row, { correction = 1 }) => Math.max(row.length - correction, 0)
/** @param {number[]} row */
const largest = row => row.reduce((m, v) => (v > m || Number.isNaN(v) ? v : m), -Infinity)
/** @param {number[]} row */
const smallest = row => -largest(row.map(v => -v))
/** @param {number[]} row @param {number} y */
const shares = (row, y) => row.map(v => (v === y ? 1 : 0) / row.filter(w => w === y).length)
/** NaNs are equal here. @param {number[]} row @param {number} y */
const sharesOfAll = (row, y) => (Number.isNaN(y) ? shares(row.map(v => Number(Number.isNaN(v))), 1) : shares(row, y))
/** @param {number[]} row @param {number} y */
const first = (row, y) => {
  const at = row.findIndex(v => Object.is(v, y) || v === y)
  return row.map((_, i) => Number(i === at))
}

/** @param {number[]} row */
function logsumexp(row) {
  const most = largest(row)
  return Math.abs(most) === Infinity || Number.isNaN(most) ? most : most + Math.log(total(row, v => Math.exp(v - most)))
}

/** @param {number[]} row @param {Params} params */
function norm(row, { p = 2 }) {
  const power = Number(p)
  if (power === Infinity) return largest(row.map(Math.abs))
  return power === 0 ? total(row, v => Number(v !== 0)) : total(row, v => Math.abs(v) ** power) ** (1 / power)
}

/** @param {number[]} row @param {number} y @param {Params} params */
function normSlopes(row, y, { p = 2 }) {
  const power = Number(p), sizes = row.map(Math.abs)
  if (power === Infinity) return sizes.map(
    (size, i) => (size === y ? shares(sizes, y)[i] * (Math.sign(row[i]) || 0) : 0))
  if (power === 0 || y === 0) return row.map(() => 0)
  if (power === 2) return row.map(v => v / y)
  return row.map(v => (v === 0 ? 0 : (Math.sign(v) || 0) * (Math.abs(v) / y) ** (power - 1)))
}

/** @param {number[]} row @param {number} i */
const without = (row, i) => row.reduce((product, v, j) => (i === j ? product : product * v), 1)

/**
 * op: [value of a row, derivatives by its cells given the value]
 * @type {Record<string, [Value, Slopes?]>}
 */
const ROWS = {
  sum: [row => total(row), row => row.map(() => 1)],
  mean: [mean, row => row.map(() => 1 / row.length)],
  var: [(row, params) => squares(row) / rest(row, params),
    (row, _, { correction = 1 }) => row.map(v => (2 * (v - mean(row))) / (row.length - correction))],
  std: [(row, params) => Math.sqrt(squares(row) / rest(row, params)),
    (row, y, { correction = 1 }) => row.map(v => (y === 0 ? 0 : (v - mean(row)) / ((row.length - correction) * y)))],
  logsumexp: [logsumexp, (row, y) => row.map(v => Math.exp(v - y))],
  norm: [norm, normSlopes],
  max: [largest, (row, y, { dim }) => (dim === undefined ? sharesOfAll(row, y) : first(row, y))],
  min: [smallest, (row, y, { dim }) => (dim === undefined ? sharesOfAll(row, y) : first(row, y))],
  amax: [largest, shares],
  amin: [smallest, shares],
  prod: [row => without(row, -1), row => row.map((_, i) => without(row, i))],
  argmax: [row => first(row, largest(row)).indexOf(1)],
  argmin: [row => first(row, smallest(row)).indexOf(1)]
}

/**
 * The places in x of every row's cells, and the shape that is left.
 * @param {Given} x
 * @param {Omit<Params, 'op'>} params
 */
function rowsOf({ shape }, { dim, keepdim = false }) {
  const axes = dim === undefined ? shape.map((_, i) => i) : [dim].flat().map(d => (d < 0 ? d + shape.length : d))
  const left = shape.filter((_, axis) => !axes.includes(axis))
  /** @type {number[][]} */
  const rows = Array.from({ length: sizeOf(left) }, () => [])
  for (let place = 0; place < sizeOf(shape); place++) {
    let row = 0, over = sizeOf(shape), at = place
    shape.forEach((side, axis) => {
      over /= side
      const index = Math.floor(at / over)
      at %= over
      if (!axes.includes(axis)) row = row * side + index
    })
    rows[row].push(place)
  }
  return { rows, shape: keepdim ? shape.map((side, axis) => (axes.includes(axis) ? 1 : side)) : left }
}

/** @param {{ x: Given }} inputs @param {Params} params */
export function forward({ x }, params) {
  const { rows, shape } = rowsOf(x, params), y = zeros(shape)
  rows.forEach((places, r) => { y.data[r] = ROWS[params.op][0](places.map(i => x.data[i]), params) })
  return { y }
}

/** @param {{ x: Given }} inputs @param {Params} params @param {{ y: Given }} outputs */
export function backward({ x }, params, { y: dy }) {
  const { rows } = rowsOf(x, params), dx = zeros(x.shape), { y } = forward({ x }, params)
  rows.forEach((places, r) => {
    const slopesOf = /** @type {Slopes} */ (ROWS[params.op][1])
    const slopes = slopesOf(places.map(i => x.data[i]), y.data[r], params)
    places.forEach((place, k) => { dx.data[place] = dy.data[r] * slopes[k] })
  })
  return { x: dx }
}

export const reductionNames = Object.keys(ROWS).filter(name => ROWS[name].length > 1)

export const place = { forward }

/** @param {string} op @param {number[]} x */
const rowOf = (op, x) => (op === 'softmax' ? softmax : logSoftmax).forward(
  { x: { shape: [1, x.length], data: x } }).y.data
/** @param {string} op @param {number[]} x @param {number[]} dy */
const rowGradient = (op, x, dy) => (op === 'softmax' ? softmax : logSoftmax)
  .backward({ x: { shape: [1, x.length], data: x } }, {}, { y: { shape: [1, x.length], data: dy } }).x.data

/**
 * Softmax and its logarithm along params.dim.
 * @param {Given} x
 * @param {Params} params
 * @param {(places: number[]) => Float64Array} f
 */
function eachRow(x, { dim }, f) {
  const out = zeros(x.shape)
  for (const places of rowsOf(x, { dim }).rows) f(places).forEach((value, k) => { out.data[places[k]] = value })
  return out
}

export const rowwise = {
  /** @param {{ x: Given }} inputs @param {Params} params */
  forward: ({ x }, params) => ({ y: eachRow(x, params, places => rowOf(params.op, places.map(i => x.data[i]))) }),
  /** @param {{ x: Given }} inputs @param {Params} params @param {{ y: Given }} outputs */
  backward: ({ x }, params, { y: dy }) => ({
    x: eachRow(x, params, places => rowGradient(params.op, places.map(i => x.data[i]), places.map(i => dy.data[i])))
  })
}
