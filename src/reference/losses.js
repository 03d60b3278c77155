// Losses in float64, with params in PyTorch's words in camelCase and params.op as the name. Losses of pairs of values
// are
// one line each; losses over classes are -sum of share * log p, where the share of a class comes from the target.
import { backward as logSoftmaxBackward, forward as logSoftmax } from './log_softmax.js'
import { slopesOf } from './slopes.js'
import { broadcastIndex, sizeOf, zeros } from './tensor.js'

const sigmoid = x => 1 / (1 + Math.exp(-x))
const atLeast = x => Math.max(Math.log(x), -100)
const xlogx = t => (t === 0 ? 0 : t * Math.log(t))

/** op: [loss, d/dinput, d/dtarget] */
const PAIRS = {
  mseLoss: [(a, t) => (a - t) ** 2, (a, t) => 2 * (a - t), (a, t) => 2 * (t - a)],
  l1Loss: [(a, t) => Math.abs(a - t), (a, t) => Math.sign(a - t), (a, t) => Math.sign(t - a)],
  binaryCrossEntropy: [(a, t) => -(t * atLeast(a) + (1 - t) * atLeast(1 - a)),
    (a, t) => (a - t) / Math.max(a * (1 - a), 1e-12), a => atLeast(1 - a) - atLeast(a)],
  binaryCrossEntropyWithLogits: [(a, t) => (1 - t) * a + Math.log1p(Math.exp(-Math.abs(a))) + Math.max(-a, 0),
    (a, t) => sigmoid(a) - t, a => -a],
  klDiv: [(a, t) => xlogx(t) - t * a, (a, t) => -t, (a, t) => Math.log(t) + 1 - a],
  klDivLog: [(a, t) => Math.exp(t) * (t - a), (a, t) => -Math.exp(t), (a, t) => Math.exp(t) * (t - a + 1)]
}

const total = values => values.reduce((a, b) => a + b, 0)

/** What each loss counts in the result. */
const partsOf = (n, first, reduction = 'mean') => ({ mean: 1 / n, sum: 1, none: 1, batchmean: 1 / first })[reduction]

function reduce(losses, part, reduction) {
  return { y: reduction === 'none' ? losses : { shape: [], data: Float64Array.of(total(losses.data) * part) } }
}

const lineOf = ({ op, logTarget }) => PAIRS[logTarget ? 'klDivLog' : op]

function pairs({ input, target, weight, posWeight }, params, k) {
  const { reduction, op } = params, part = partsOf(input.data.length, input.shape[0], reduction)
  const place = t => (t ? broadcastIndex(t.shape, input.shape) : null), [w, more] = [place(weight), place(posWeight)]
  const f = op === 'binaryCrossEntropyWithLogits' && posWeight
    ? (a, t, i) => (1 - t) * a + (1 + (posWeight.data[more[i]] - 1) * t) * Math.log1p(Math.exp(-a))
    : lineOf(params)[k]
  const data = Float64Array.from(input.data, (a, i) => f(a, target.data[i], i) * (weight ? weight.data[w[i]] : 1))
  return { shape: input.shape, data, part }
}

function pairsBackward(inputs, params, { y: dy }) {
  const { reduction } = params, d = i => dy.data[reduction === 'none' ? i : 0]
  const slopes = k => {
    const { data, part, shape } = pairs(inputs, params, k)
    return { shape, data: data.map((v, i) => v * part * d(i)) }
  }
  if (inputs.posWeight) return { input: slopesOf(x => forward({ ...inputs, input: x }, params).y, inputs.input, dy) }
  return { input: slopes(1), target: slopes(2) }
}

/** Rows [N, V] of a tensor [V], [N, V] or [B, V, ...]: where in it each class of each row stands. */
function rowsOf({ shape }) {
  const [B, V, R] = shape.length === 1 ? [1, shape[0], 1] : [shape[0], shape[1], sizeOf(shape.slice(2))]
  const rows = Array.from({ length: B * R }, (_, n) => (
    Array.from({ length: V }, (_, v) => (Math.floor(n / R) * V + v) * R + (n % R))))
  return { rows, V, lead: shape.length === 1 ? [] : [shape[0], ...shape.slice(2)] }
}

/** The share of every class in every row, and what the mean divides by. */
function sharesOf({ input, target, weight }, { labelSmoothing: s = 0, ignoreIndex = -100 }) {
  const { rows, V } = rowsOf(input), w = v => (weight ? weight.data[v] : 1)
  const isShares = target.shape.join() === input.shape.join() && target.dtype !== 'int64' && target.dtype !== 'int32'
  if (isShares) return { shares: rows.map(row => row.map((at, v) => (target.data[at] * (1 - s) + s / V) * w(v))),
    count: rows.length }
  const shares = rows.map((row, n) => row.map((_, v) => {
    const own = target.data[n]
    return own === ignoreIndex ? 0 : ((own === v ? 1 - s : 0) + s / V) * w(v)
  }))
  return { shares, count: total(rows.map((_, n) => (target.data[n] === ignoreIndex ? 0 : w(target.data[n])))) }
}

const logsOf = (input, { op }) =>
  rowsOf(input).rows.map(row => {
    const x = { shape: [1, row.length], data: Float64Array.from(row, at => input.data[at]) }
    return op === 'nllLoss' ? x.data : logSoftmax({ x }).y.data
  })

function classes(inputs, params) {
  const { shares, count } = sharesOf(inputs, params), { lead } = rowsOf(inputs.input),
    logs = logsOf(inputs.input, params)
  const losses = { shape: lead, data: Float64Array.from(shares,
    (row, n) => -total(row.map((s, v) => (s ? s * logs[n][v] : 0)))) }
  return reduce(losses, params.reduction === 'mean' || !params.reduction ? 1 / count : 1, params.reduction)
}

function classesBackward(inputs, params, { y: dy }) {
  const { input } = inputs, { shares, count } = sharesOf(inputs, params), { rows } = rowsOf(input),
    dx = zeros(input.shape)
  const { op, reduction = 'mean' } = params
  rows.forEach((row, n) => {
    const d = dy.data[reduction === 'none' ? n : 0] / (reduction === 'mean' ? count : 1)
    const shape = [1, row.length], dlog = { shape, data: Float64Array.from(shares[n], s => -s * d) }
    const x = { shape, data: Float64Array.from(row, at => input.data[at]) }
    const own = op === 'nllLoss' ? dlog : logSoftmaxBackward({ x }, {}, { y: dlog }).x
    row.forEach((at, v) => { dx.data[at] = own.data[v] })
  })
  return { input: dx }
}

const isOfClasses = ({ op }) => op === 'crossEntropy' || op === 'nllLoss'

export function forward(inputs, params) {
  if (isOfClasses(params)) return classes(inputs, params)
  const { shape, data, part } = pairs(inputs, params, 0)
  return reduce({ shape, data }, part, params.reduction)
}

export const backward = (inputs, params, cot) =>
  (isOfClasses(params) ? classesBackward : pairsBackward)(inputs, params, cot)
