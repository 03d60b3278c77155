// Reductions in float64, each with its value and its derivatives. params.op is the name; dim is a number, a list, or
// absent for all axes; keepdim, correction and p are as in PyTorch.
/** @import { TensorLike, Tensor } from './tensor.js' */

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
const divisor = (row, { correction = 1 }) => Math.max(row.length - correction, 0)
/** @param {number[]} row */
const maximum = row => row.reduce((m, v) => (v > m || Number.isNaN(v) ? v : m), -Infinity)
/** @param {number[]} row */
const minimum = row => -maximum(row.map(v => -v))
/** @param {number[]} row @param {number} y */
const shareTies = (row, y) => row.map(v => (v === y ? 1 : 0) / row.filter(w => w === y).length)
/** Counts NaNs as tied. @param {number[]} row @param {number} y */
const shareTiesAndNans = (row, y) =>
  (Number.isNaN(y) ? shareTies(row.map(v => Number(Number.isNaN(v))), 1) : shareTies(row, y))
/** @param {number[]} row @param {number} y */
const onlyFirst = (row, y) => {
  const at = row.findIndex(v => Object.is(v, y) || v === y)
  return row.map((_, i) => Number(i === at))
}

/** @param {number[]} row */
function logsumexp(row) {
  const max = maximum(row)
  return Math.abs(max) === Infinity || Number.isNaN(max) ? max : max + Math.log(total(row, v => Math.exp(v - max)))
}

/** @param {number[]} row @param {Params} params */
function norm(row, { p = 2 }) {
  const power = Number(p)
  if (power === Infinity) return maximum(row.map(Math.abs))
  return power === 0 ? total(row, v => Number(v !== 0)) : total(row, v => Math.abs(v) ** power) ** (1 / power)
}

/** @param {number[]} row @param {number} y @param {Params} params */
function normSlopes(row, y, { p = 2 }) {
  const power = Number(p), magnitudes = row.map(Math.abs)
  if (power === Infinity) return magnitudes.map(
    (magnitude, i) => (magnitude === y ? shareTies(magnitudes, y)[i] * (Math.sign(row[i]) || 0) : 0))
  if (power === 0 || y === 0) return row.map(() => 0)
  if (power === 2) return row.map(v => v / y)
  return row.map(v => (v === 0 ? 0 : (Math.sign(v) || 0) * (Math.abs(v) / y) ** (power - 1)))
}

/** @param {number[]} row @param {number} i */
const productWithout = (row, i) => row.reduce((product, v, j) => (i === j ? product : product * v), 1)

/**
 * op: [value of a row, derivatives by each element of the row]
 * @type {Record<string, [Value, Slopes?]>}
 */
const ROWS = {
  sum: [row => total(row), row => row.map(() => 1)],
  mean: [mean, row => row.map(() => 1 / row.length)],
  var: [(row, params) => squares(row) / divisor(row, params),
    (row, _, { correction = 1 }) => row.map(v => (2 * (v - mean(row))) / (row.length - correction))],
  std: [(row, params) => Math.sqrt(squares(row) / divisor(row, params)),
    (row, y, { correction = 1 }) => row.map(v => (y === 0 ? 0 : (v - mean(row)) / ((row.length - correction) * y)))],
  logsumexp: [logsumexp, (row, y) => row.map(v => Math.exp(v - y))],
  norm: [norm, normSlopes],
  max: [maximum, (row, y, { dim }) => (dim === undefined ? shareTiesAndNans(row, y) : onlyFirst(row, y))],
  min: [minimum, (row, y, { dim }) => (dim === undefined ? shareTiesAndNans(row, y) : onlyFirst(row, y))],
  amax: [maximum, shareTies],
  amin: [minimum, shareTies],
  prod: [row => productWithout(row, -1), row => row.map((_, i) => productWithout(row, i))],
  argmax: [row => onlyFirst(row, maximum(row)).indexOf(1)],
  argmin: [row => onlyFirst(row, minimum(row)).indexOf(1)]
}

/**
 * The indices in x of the elements that each output reduces, and the output shape.
 * @param {TensorLike} x
 * @param {Omit<Params, 'op'>} params
 */
function rowsOf({ shape }, { dim, keepdim = false }) {
  const axes = dim === undefined ? shape.map((_, i) => i) : [dim].flat().map(d => (d < 0 ? d + shape.length : d))
  const left = shape.filter((_, axis) => !axes.includes(axis))
  /** @type {number[][]} */
  const rows = Array.from({ length: sizeOf(left) }, () => [])
  for (let place = 0; place < sizeOf(shape); place++) {
    let row = 0, over = sizeOf(shape), at = place
    shape.forEach((size, axis) => {
      over /= size
      const index = Math.floor(at / over)
      at %= over
      if (!axes.includes(axis)) row = row * size + index
    })
    rows[row].push(place)
  }
  return { rows, shape: keepdim ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size)) : left }
}

/** @param {{ x: TensorLike }} inputs @param {Params} params */
export function forward({ x }, params) {
  const { rows, shape } = rowsOf(x, params), y = zeros(shape)
  rows.forEach((indices, r) => { y.data[r] = ROWS[params.op][0](indices.map(i => x.data[i]), params) })
  return { y }
}

/** @param {{ x: TensorLike }} inputs @param {Params} params @param {{ y: TensorLike }} outputs */
export function backward({ x }, params, { y: dy }) {
  const { rows } = rowsOf(x, params), dx = zeros(x.shape), { y } = forward({ x }, params)
  rows.forEach((indices, r) => {
    const slopesOf = /** @type {Slopes} */ (ROWS[params.op][1])
    const slopes = slopesOf(indices.map(i => x.data[i]), y.data[r], params)
    indices.forEach((place, k) => { dx.data[place] = dy.data[r] * slopes[k] })
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
 * @param {TensorLike} x
 * @param {Params} params
 * @param {(indices: number[]) => Float64Array} f
 */
function eachRow(x, { dim }, f) {
  const out = zeros(x.shape)
  for (const indices of rowsOf(x, { dim }).rows) f(indices).forEach((value, k) => { out.data[indices[k]] = value })
  return out
}

export const rowwise = {
  /** @param {{ x: TensorLike }} inputs @param {Params} params */
  forward: ({ x }, params) => ({ y: eachRow(x, params, indices => rowOf(params.op, indices.map(i => x.data[i]))) }),
  /** @param {{ x: TensorLike }} inputs @param {Params} params @param {{ y: TensorLike }} outputs */
  backward: ({ x }, params, { y: dy }) => ({
    x: eachRow(x, params, indices => rowGradient(params.op, indices.map(i => x.data[i]), indices.map(i => dy.data[i])))
  })
}
