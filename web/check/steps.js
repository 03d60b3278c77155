/**
 * The operations of all models in double: value, gradients, and bounds on the float32 error of both. The
 * bounds are derived as in tests/ops: U for every rounding, times the magnitude of the rounded number.
 */

import * as add from '../../src/reference/add.js'
import * as embedding from '../../src/reference/embedding.js'
import { unary, unaryNames } from '../../src/reference/elementwise.js'
import * as gelu from '../../src/reference/gelu.js'
import * as layerNorm from '../../src/reference/layer_norm.js'
import * as linear from '../../src/reference/linear.js'
import * as logSoftmax from '../../src/reference/log_softmax.js'
import * as matmul from '../../src/reference/matmul.js'
import * as mul from '../../src/reference/mul.js'
import * as positional from '../../src/reference/positional_encoding.js'
import * as rmsNorm from '../../src/reference/rms_norm.js'
import * as rotary from '../../src/reference/rotary.js'
import * as softmax from '../../src/reference/softmax.js'
import { U, map, sumToShape, zeros } from '../../src/reference/tensor.js'
import { transpose, narrow, widen } from './rearrange.js'
import { sumHeads, splitHeads, joinHeads, repeatHeads, transposed } from './heads.js'
import { SELECTION_STEPS } from './selection.js'

/** @import { TensorLike, Tensor } from '../../src/reference/tensor.js' */

/** The inputs of an operation by the symbols of its formula. @typedef {Record<string, TensorLike>} Inputs */
/** The parameters of a step, each of the type that its operation expects. @typedef {Record<string, any>} Parameters */
/** Results for a step's inputs, by symbol. @typedef {Record<string, TensorLike>} ByInput */
/**
 * One operation.
 * @typedef {object} Operation
 * @property {(read: Inputs, parameters: Parameters) => TensorLike} forward
 * @property {(read: Inputs, parameters: Parameters, y: TensorLike) => TensorLike} bound the maximum error of
 *   each number
 * @property {(read: Inputs, parameters: Parameters, dy: TensorLike, y: TensorLike) => ByInput} [backward] without it,
 *   no gradient passes
 * @property {(read: Inputs, parameters: Parameters, dy: TensorLike, y: TensorLike) => ByInput} [backwardBound]
 * @property {(read: Inputs, parameters: Parameters, dy: TensorLike) => Record<string, number>} [terms] products that
 *   are accumulated into a gradient one after the other; 1
 */

/** @param {TensorLike} t @param {number} [times] */
const magnitudes = (t, times = 1) => map(t, v => Math.abs(v) * times)
/** @param {Inputs} read @returns {Inputs} */
export const absolute = read => Object.fromEntries(Object.entries(read).map(([key, t]) => [key, magnitudes(t)]))
/** @param {ByInput} parts @param {Record<string, number>} counts roundings of each */
const roundingErrors = (parts, counts) => (
  Object.fromEntries(Object.entries(parts).map(([key, t]) => [key, map(t, v => v * (counts[key] + 1) * U)])))
/** @param {TensorLike} x */
const widthOf = x => /** @type {number} */ (x.shape.at(-1))
/** @param {TensorLike} x */
const countOf = x => x.data.length / widthOf(x)

/**
 * An operation that only multiplies and adds: applied to absolute values, it gives the sums of the
 * products' magnitudes.
 * @param {(read: any, parameters: any) => TensorLike} forward
 * @param {(read: any, parameters: any, dy: TensorLike) => ByInput} backward
 * @param {(read: Inputs, parameters: Parameters, dy: TensorLike | null) => Record<string, number>} terms
 *   how many products are added
 * @returns {Operation}
 */
const products = (forward, backward, terms) => ({
  forward, backward, terms,
  bound: (read, parameters) => {
    const { y } = terms(read, parameters, null)
    return map(forward(absolute(read), parameters), v => v * (y + 1) * U)
  },
  backwardBound: (read, parameters, dy) => (
    roundingErrors(backward(absolute(read), parameters, magnitudes(dy)), terms(read, parameters, dy)))
})

/**
 * An operation whose reference states the bounds, too.
 * @param {any} op a reference @param {object} [fixed] parameters beside those of the step
 * @returns {Operation}
 */
const statedBy = (op, fixed) => ({
  forward: (read, parameters) => op.forward(read, { ...parameters, ...fixed }).y,
  bound: (read, parameters) => op.forwardBound(read, { ...parameters, ...fixed }).y,
  backward: (read, parameters, dy) => op.backward(read, { ...parameters, ...fixed }, { y: dy }),
  backwardBound: (read, parameters, dy) => op.backwardBound(read, { ...parameters, ...fixed }, { y: dy })
})

/** A range of rows of the first axis. @param {TensorLike} x @param {number} first @param {number} count */
function sliceRows({ shape: [rows, ...rest], data }, first, count) {
  const width = rest.reduce((product, side) => product * side, 1)
  if (first === 0 && count === rows) return { shape: [rows, ...rest], data }
  return { shape: [count, ...rest], data: data.slice(first * width, (first + count) * width) }
}

/** The gradient of `sliceRows`. @param {TensorLike} part @param {number[]} shape @param {number} first */
function padRows(part, shape, first) {
  const whole = zeros(shape)
  whole.data.set(/** @type {Float64Array} */ (part.data), first * (part.data.length / part.shape[0]))
  return whole
}

/** @param {Inputs} read @param {Parameters} rows */
const usedRows = ({ x, weight, bias }, { first, count }) => (
  { x, weight: sliceRows(weight, first, count), ...(bias && { bias: sliceRows(bias, first, count) }) })

/** @type {Operation} */
const linearRows = products(
  (read, parameters) => linear.forward(usedRows(read, parameters)).y,
  (read, parameters, dy) => {
    const { x, ...parts } = linear.backward(usedRows(read, parameters), {}, { y: dy })
    return { x, ...Object.fromEntries(Object.entries(parts).map(([key, part]) => (
      [key, padRows(part, read[key].shape, parameters.first)]))) }
  },
  ({ x }, { count }) => ({ y: widthOf(x) + 1, x: count, weight: countOf(x), bias: countOf(x) })
)

/** Positions of a table, added to every sentence. @param {Inputs} read @returns {Inputs} */
const positionOperands = ({ x, table }) => (
  { a: x, b: { shape: x.shape.slice(1), data: table.data.slice(0, x.data.length / x.shape[0]) } })

/** Products of queries and keys, head by head. @param {Inputs} read @param {Parameters} parameters */
const dotOperands = ({ q, k }, { heads, kvHeads }) => (
  { a: splitHeads(q, heads), b: transposed(repeatHeads(splitHeads(k, kvHeads), heads)) })
/** Sums of values. @param {Inputs} read @param {Parameters} parameters */
const sumOperands = ({ w, v }, { heads, kvHeads }) => ({ a: w, b: repeatHeads(splitHeads(v, kvHeads), heads) })
/**
 * @param {TensorLike} d of every head of queries @param {TensorLike} like keys or values
 * @param {Parameters} parameters
 */
const sumSharedHeads = (d, like, { kvHeads }) => {
  const own = sumHeads(d, kvHeads)
  return like.shape.length === 4 ? own : joinHeads(own)
}
/** Whether a key is masked for a query. @param {Parameters} parameters @param {number[]} shape of the scores */
function createIsHidden({ isCausal, padding, past = 0, window = 0 }, [, H, Tq, Tk]) {
  /** @param {number} at */
  return at => {
    const [j, i, b] = [at % Tk, past + Math.floor(at / Tk) % Tq, Math.floor(at / (Tk * Tq * H))]
    return (isCausal && j > i) || Boolean(padding?.[b]?.[j]) || (window > 0 && Math.abs(j - i) >= window)
  }
}

/**
 * An additive mask, one per head and sentence where it has as many.
 * @param {TensorLike} mask @param {number[]} shape
 */
const perHead = (mask, [B, H, ...rest]) => (
  mask.shape.length === 3 && mask.shape[0] === B * H ? { shape: [B, H, ...rest], data: mask.data } : mask)

/** @param {TensorLike} logs @param {number[]} target @param {(at: number, count: number) => void} visit */
function eachTarget(logs, target, visit) {
  const count = target.filter(id => id >= 0).length
  target.forEach((id, row) => { if (id >= 0) visit(row * widthOf(logs) + id, count) })
}

/**
 * The number of roundings in each softmax output: exp(x − max) has as many as the size of the difference plus a few.
 * @param {TensorLike} x @param {TensorLike} y
 */
function expErrors(x, y) {
  const width = widthOf(x), out = zeros(x.shape)
  for (let start = 0; start < x.data.length; start += width) {
    const row = x.data.slice(start, start + width), max = row.reduce((a, b) => Math.max(a, b), -Infinity)
    const own = row.map(v => (v === -Infinity ? 0 : max - v + 4))
    const divisor = own.reduce((sum, v, i) => sum + y.data[start + i] * v, 0) + width
    for (let i = 0; i < width; i++) out.data[start + i] = own[i] + divisor + 2
  }
  return out
}

/** Per row the sum of |y · dy|. @param {TensorLike} y @param {TensorLike} dy */
function rowSums(y, dy) {
  const width = widthOf(y), out = new Float64Array(countOf(y))
  for (let i = 0; i < y.data.length; i++) out[Math.floor(i / width)] += Math.abs(y.data[i] * dy.data[i])
  return out
}

/** @type {Record<string, Operation>} */
export const STEPS = {
  embedding: {
    forward: ({ weight }, { ids, shape }) => embedding.forward({ idx: { shape, data: ids }, weight }).y,
    bound: (_, __, y) => zeros(y.shape),
    backward: ({ weight }, { ids, shape }, dy) => (
      embedding.backward({ idx: { shape, data: ids }, weight }, {}, { y: dy })),
    backwardBound: ({ weight }, { ids, shape }, dy) => roundingErrors(
      embedding.backward({ idx: { shape, data: ids }, weight }, {}, { y: magnitudes(dy) }), { weight: ids.length })
  },
  table: {
    forward: (_, { rows, dModel, base, layout }) => (
      positional.forward({}, { max_length: rows, d_model: dModel, base, layout }).y),
    // An angle is a double with a rounding of its place; sine and cosine are float32.
    bound: (_, { dModel }, y) => map(y, (v, i) => 2 * U * Math.abs(v) + 1e-15 * Math.floor(i / dModel) + U / 2)
  },
  angles: {
    // The frequency may be rounded to the neighboring float32, which changes an angle by one rounding of its size.
    forward: (_, { rows, half, base, frequencies, scale, key }) => rotary.tables(
      Array.from({ length: rows }, (_, place) => place), half, base, frequencies, scale)[/** @type {'cos'} */ (key)],
    bound: (_, { half }, y) => map(y, (v, i) => 2 * U * Math.abs(v) + 4 * U * Math.floor(i / half) + U / 2)
  },
  places: products(read => add.forward(/** @type {any} */ (positionOperands(read))).y, ({ x, table }, _, dy) => ({
    x: dy, table: rowsPadded(sumToShape(dy, x.shape.slice(1)), table.shape)
  }), ({ x }) => ({ y: 0, x: 0, table: x.shape[0] })),
  add: products(({ a, b }) => add.forward({ a, b }).y, ({ a, b }, _, dy) => add.backward({ a, b }, {}, { y: dy }),
    () => ({ y: 0, a: 0, b: 0 })),
  mul: products(({ a, b }) => mul.forward({ a, b }).y, ({ a, b }, _, dy) => mul.backward({ a, b }, {}, { y: dy }),
    () => ({ y: 0, a: 0, b: 0 })),
  dropout: products(({ x, mask }) => mul.forward({ a: x, b: mask }).y,
    ({ x, mask }, _, dy) => ({ x: mul.backward({ a: x, b: mask }, {}, { y: dy }).a }), () => ({ y: 0, x: 0 })),
  linear: linearRows,
  matmul: products(read => matmul.forward(/** @type {any} */ (read)).y,
    (read, _, dy) => matmul.backward(/** @type {any} */ (read), {}, { y: dy }),
    ({ a, b }, _, dy) => (
      { y: widthOf(a), a: dy ? dy.data.length / countOf(a) : 0, b: dy ? dy.data.length / widthOf(b) : 0 })),
  ...SELECTION_STEPS,
  dots: products((read, parameters) => matmul.forward(/** @type {any} */ (dotOperands(read, parameters))).y,
    (read, parameters, dy) => {
      const { a, b } = matmul.backward(/** @type {any} */ (dotOperands(read, parameters)), {}, { y: dy })
      return { q: read.q.shape.length === 4 ? a : joinHeads(a), k: sumSharedHeads(transposed(b), read.k, parameters) }
    },
    ({ q }, { heads, kvHeads }, dy) => {
      const [Tq, Tk] = dy ? dy.shape.slice(-2) : [0, 0]
      const rows = q.shape[0] * heads * /** @type {number} */ (q.shape.at(-2))
      return { y: q.data.length / rows, q: Tk, k: Tq * heads / kvHeads }
    }),
  scale: products(({ dots }, { scale }) => map(dots, v => v * scale),
    (_, { scale }, dy) => ({ dots: map(dy, v => v * scale) }),
    () => ({ y: 1, dots: 1 })),
  mask: {
    forward: ({ scores, added }, parameters) => {
      const isHidden = createIsHidden(parameters, scores.shape)
      const more = added ? add.forward({ a: scores, b: perHead(added, scores.shape) }).y : scores
      return map(more, (v, at) => (isHidden(at) ? -Infinity : v))
    },
    bound: ({ added }, _, y) => (added ? magnitudes(y, U) : zeros(y.shape)),
    // A masked weight is 0, and so is its gradient; an edited one is not.
    backward: ({ added }, _, dy) => {
      /** @type {ByInput} */ const parts = { scores: dy }
      if (!added) return parts
      return { ...parts, added: { ...sumToShape(dy, perHead(added, dy.shape).shape), shape: added.shape } }
    },
    backwardBound: ({ added }, parameters, dy) => {
      const parts = backwardOf('mask')({ added }, parameters, magnitudes(dy), dy)
      const terms = added ? dy.data.length / added.data.length : 0
      return roundingErrors(parts, { scores: -1, added: terms })
    }
  },
  softmax: {
    forward: ({ x }) => softmax.forward({ x }).y,
    bound: ({ x }, _, y) => {
      const own = expErrors(x, y)
      return map(y, (p, i) => U * p * own.data[i])
    },
    backward: (_, __, dy, y) => ({ x: softmax.gradientFromResult(y, dy) }),
    backwardBound: (_, __, dy, y) => {
      const sums = rowSums(y, dy), width = widthOf(y)
      return { x: map(y, (p, i) => (
        U * Math.abs(p) * (width + 4) * (Math.abs(dy.data[i]) + sums[Math.floor(i / width)]))) }
    }
  },
  sums: products((read, parameters) => {
    const out = matmul.forward(/** @type {any} */ (sumOperands(read, parameters))).y
    return read.v.shape.length === 4 ? out : joinHeads(out)
  }, (read, parameters, dy) => {
    const pair = /** @type {any} */ (sumOperands(read, parameters))
    const { a, b } = matmul.backward(pair, {}, { y: splitHeads(dy, parameters.heads) })
    return { w: a, v: sumSharedHeads(b, read.v, parameters) }
  }, ({ w, v }, { heads, kvHeads }) => {
    const [Tq, Tk] = w.shape.slice(-2), size = v.data.length / v.shape[0] / kvHeads / Tk
    return { y: Tk, w: size, v: Tq * heads / kvHeads }
  }),
  ...Object.fromEntries(unaryNames.map(op => (
    [op.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), statedBy(unary, { op })]))),
  gelu: statedBy(gelu), gelu_tanh: statedBy(gelu, { approximate: 'tanh' }),
  layer_norm: statedBy(layerNorm), rms_norm: statedBy(rmsNorm),
  rotary: {
    forward: ({ x, cos, sin }, parameters) => rotate(x, cos, sin, parameters),
    bound: ({ x, cos, sin }, parameters) => rotationBound(x, cos, sin, parameters),
    backward: ({ x, cos, sin }, parameters, dy) => ({ x: rotate(dy, cos, map(sin, v => -v), parameters, x) }),
    backwardBound: ({ x, cos, sin }, parameters, dy) => ({ x: rotationBound(dy, cos, sin, parameters, x) })
  },
  log_softmax: {
    forward: ({ x }) => {
      const { shape, data } = logSoftmax.forward({ x }).y, width = /** @type {number} */ (shape.at(-1))
      return { shape: [data.length / width, width], data }
    },
    bound: ({ x }, _, y) => {
      const width = widthOf(x), out = zeros(y.shape)
      for (let start = 0; start < out.data.length; start += width) {
        const row = Array.from(x.data.slice(start, start + width)).filter(Number.isFinite)
        const spread = Math.max(...row) - Math.min(...row)
        for (let i = start; i < start + width; i++) {
          out.data[i] = U * (2 * spread + 5 * Math.abs(y.data[i]) + width + 12)
        }
      }
      return out
    },
    backward: ({ x }, _, dy, y) => {
      const width = widthOf(y), totals = new Float64Array(countOf(y))
      for (let i = 0; i < dy.data.length; i++) totals[Math.floor(i / width)] += dy.data[i]
      const slope = map(y, (log, i) => dy.data[i] - Math.exp(log) * totals[Math.floor(i / width)])
      return { x: { shape: x.shape, data: slope.data } }
    },
    // exp carries the rounding of its argument only where the result is multiplied; then a product and a difference.
    backwardBound: ({ x }, _, dy, y) => {
      const width = widthOf(y), ones = rowSums(map(dy, () => 1), dy)
      return { x: map({ shape: x.shape, data: y.data }, (log, i) => (
        8 * U * (Math.exp(log) * ones[Math.floor(i / width)] + Math.abs(dy.data[i])))) }
    }
  },
  loss: {
    forward: ({ logs }, { target }) => {
      const y = zeros([])
      eachTarget(logs, target, (at, count) => { y.data[0] -= logs.data[at] / count })
      return y
    },
    bound: ({ logs }, { target }) => {
      const y = zeros([])
      eachTarget(logs, target, (at, count) => { y.data[0] += (count + 2) * U * Math.abs(logs.data[at]) / count })
      return y
    },
    backward: ({ logs }, { target }, dy) => {
      const d = zeros(logs.shape)
      eachTarget(logs, target, (at, count) => { d.data[at] -= dy.data[0] / count })
      return { logs: d }
    },
    backwardBound: ({ logs }, { target }, dy) => (
      { logs: magnitudes(backwardOf('loss')({ logs }, { target }, dy, dy).logs, 2 * U) })
  },
  number: {
    forward: (_, { value }) => ({ shape: [1], data: Float64Array.of(Math.fround(value)) }),
    bound: (_, __, y) => zeros(y.shape)
  },
  sub: {
    forward: ({ a, b }) => add.forward({ a, b: map(b, v => -v) }).y, bound: (_, __, y) => magnitudes(y, U),
    backward: ({ a, b }, _, dy) => ({ a: sumToShape(dy, a.shape), b: map(sumToShape(dy, b.shape), v => -v) }),
    // Accumulates, since a gradient may concern more than one cell.
    backwardBound: (read, _, dy) => Object.fromEntries(Object.entries(read).map(([key, { shape }]) => (
      [key, map(sumToShape(map(dy, Math.abs), shape), v => v * U * dy.data.length)])))
  },
  reciprocal: {
    forward: ({ x }, { of }) => (x ? map(x, v => 1 / v) : { shape: [1], data: Float64Array.of(1 / of) }),
    bound: (_, __, y) => magnitudes(y, U),
    backward: ({ x }, _, dy, y) => /** @type {ByInput} */ (x ? { x: map(dy, (v, i) => -v * y.data[i] ** 2) } : {}),
    backwardBound: ({ x }, _, dy, y) => /** @type {ByInput} */ (
      x ? { x: map(dy, (v, i) => 4 * U * Math.abs(v) * y.data[i] ** 2) } : {})
  },
  narrow: {
    forward: ({ x }, where) => narrow(x, where), bound: (_, __, y) => zeros(y.shape),
    backward: ({ x }, where, dy) => ({ x: widen(dy, x.shape, where) }),
    backwardBound: ({ x }) => ({ x: zeros(x.shape) })
  },
  reshape: {
    forward: ({ x }, { shape }) => ({ shape, data: x.data }), bound: (_, __, y) => zeros(y.shape),
    backward: ({ x }, _, dy) => ({ x: { shape: x.shape, data: dy.data } }),
    backwardBound: ({ x }) => ({ x: zeros(x.shape) })
  },
  transpose: {
    forward: ({ x }, { a, b }) => transpose(x, a, b), bound: (_, __, y) => zeros(y.shape),
    backward: (_, { a, b }, dy) => ({ x: transpose(dy, a, b) }),
    backwardBound: ({ x }) => ({ x: zeros(x.shape) })
  },
  cut: { forward: ({ x }, parameters) => cutMask(x, parameters), bound: (_, __, y) => zeros(y.shape) }
}

/** @param {string} op */
const backwardOf = op => /** @type {NonNullable<Operation['backward']>} */ (STEPS[op].backward)

/** The first rows of a table, nothing in the others. @param {Tensor} part @param {number[]} shape */
function rowsPadded(part, shape) {
  const whole = zeros(shape)
  whole.data.set(part.data)
  return whole
}

/**
 * @param {TensorLike} x @param {TensorLike} cos @param {TensorLike} sin @param {Parameters} parameters
 * @param {TensorLike} [like] whose shape it has
 */
function rotate(x, cos, sin, parameters, like = x) {
  const [T, C] = like.shape.slice(-2), flat = { shape: [x.data.length / T / C, 1, T, C], data: x.data }
  return { shape: like.shape, data: rotary.forward({ x: flat, cos, sin }, parameters).y.data }
}

/**
 * Two products and their sum are three roundings of numbers up to |a cos| + |b sin|, for either sign of the second.
 * @param {TensorLike} x @param {TensorLike} cos @param {TensorLike} sin @param {Parameters} parameters @param
 *   {TensorLike} [like]
 */
function rotationBound(x, cos, sin, parameters, like = x) {
  const [size, c, s] = [x, cos, sin].map(t => magnitudes(t))
  const [positive, negative] = [s, map(s, v => -v)].map(sign => rotate(size, c, sign, parameters, like))
  return map(positive, (v, i) => 4 * U * Math.max(Math.abs(v), Math.abs(negative.data[i])))
}

/**
 * The cuts of top-k and then top-p for rows of logits: 0, or −∞ for removed tokens.
 * @param {TensorLike} logits @param {Parameters} cuts
 */
function cutMask({ shape, data }, { topK, topP }) {
  const V = /** @type {number} */ (shape.at(-1))
  if (!topK && topP >= 1) return { shape, data: new Float64Array(data.length) }
  const mask = new Float64Array(data.length).fill(-Infinity)
  for (let start = 0; start < data.length; start += V) {
    const row = Array.from(data.slice(start, start + V))
    const order = row.map((_, i) => i).sort((a, b) => row[b] - row[a] || a - b).slice(0, topK || V)
    const max = row[order[0]]
    const total = order.reduce((sum, i) => sum + Math.exp(row[i] - max), 0)
    let before = 0
    for (const i of order) {
      if (topP < 1 && before >= topP * total) break
      mask[start + i] = 0
      before += Math.exp(row[i] - max)
    }
  }
  return { shape, data: mask }
}
