// Losses in float64; params.op is the name, the other params are PyTorch's options in camelCase. Elementwise losses are
// one line each; classification losses are -sum of t * log p, where t is the target probability of each class, smoothed
// and weighted.
import { backward as logSoftmaxBackward, forward as logSoftmax } from './log_softmax.js'
import { slopesOf } from './slopes.js'
import { broadcastIndex, sizeOf, zeros } from './tensor.js'

const sigmoid = x => 1 / (1 + Math.exp(-x))
const clampedLog = x => Math.max(Math.log(x), -100)
const xlogx = t => (t === 0 ? 0 : t * Math.log(t))

/** op: [loss, d/dinput, d/dtarget] */
const PAIRS = {
  mseLoss: [(a, t) => (a - t) ** 2, (a, t) => 2 * (a - t), (a, t) => 2 * (t - a)],
  l1Loss: [(a, t) => Math.abs(a - t), (a, t) => Math.sign(a - t), (a, t) => Math.sign(t - a)],
  binaryCrossEntropy: [(a, t) => -(t * clampedLog(a) + (1 - t) * clampedLog(1 - a)),
    (a, t) => (a - t) / Math.max(a * (1 - a), 1e-12), a => clampedLog(1 - a) - clampedLog(a)],
  binaryCrossEntropyWithLogits: [(a, t) => (1 - t) * a + Math.log1p(Math.exp(-Math.abs(a))) + Math.max(-a, 0),
    (a, t) => sigmoid(a) - t, a => -a],
  klDiv: [(a, t) => xlogx(t) - t * a, (a, t) => -t, (a, t) => Math.log(t) + 1 - a],
  klDivLog: [(a, t) => Math.exp(t) * (t - a), (a, t) => -Math.exp(t), (a, t) => Math.exp(t) * (t - a + 1)]
}

const total = values => values.reduce((a, b) => a + b, 0)

/** The factor of each loss in the reduced result. */
const reductionFactor = (n, batch, reduction = 'mean') =>
  ({ mean: 1 / n, sum: 1, none: 1, batchmean: 1 / batch })[reduction]

function reduce(losses, factor, reduction) {
  return { y: reduction === 'none' ? losses : { shape: [], data: Float64Array.of(total(losses.data) * factor) } }
}

const lossOf = ({ op, logTarget }) => PAIRS[logTarget ? 'klDivLog' : op]

function pairs({ input, target, weight, posWeight }, params, k) {
  const { reduction, op } = params, factor = reductionFactor(input.data.length, input.shape[0], reduction)
  const indexOf = t => (t ? broadcastIndex(t.shape, input.shape) : null)
  const [w, positive] = [indexOf(weight), indexOf(posWeight)]
  const f = op === 'binaryCrossEntropyWithLogits' && posWeight
    ? (a, t, i) => (1 - t) * a + (1 + (posWeight.data[positive[i]] - 1) * t) * Math.log1p(Math.exp(-a))
    : lossOf(params)[k]
  const data = Float64Array.from(input.data, (a, i) => f(a, target.data[i], i) * (weight ? weight.data[w[i]] : 1))
  return { shape: input.shape, data, factor }
}

function pairsBackward(inputs, params, { y: dy }) {
  const { reduction } = params, d = i => dy.data[reduction === 'none' ? i : 0]
  const slopes = k => {
    const { data, factor, shape } = pairs(inputs, params, k)
    return { shape, data: data.map((v, i) => v * factor * d(i)) }
  }
  if (inputs.posWeight) return { input: slopesOf(x => forward({ ...inputs, input: x }, params).y, inputs.input, dy) }
  return { input: slopes(1), target: slopes(2) }
}

/** The rows [N, V] of a tensor [V], [N, V] or [B, V, ...], as the index of each class of each row. */
function rowsOf({ shape }) {
  const [B, V, R] = shape.length === 1 ? [1, shape[0], 1] : [shape[0], shape[1], sizeOf(shape.slice(2))]
  const rows = Array.from({ length: B * R }, (_, n) => (
    Array.from({ length: V }, (_, v) => (Math.floor(n / R) * V + v) * R + (n % R))))
  return { rows, V, lead: shape.length === 1 ? [] : [shape[0], ...shape.slice(2)] }
}

/** The smoothed and weighted target probability of every class in every row, and the divisor of the mean. */
function targetProbabilities({ input, target, weight }, { labelSmoothing: s = 0, ignoreIndex = -100 }) {
  const { rows, V } = rowsOf(input), w = v => (weight ? weight.data[v] : 1)
  const isShares = target.shape.join() === input.shape.join() && target.dtype !== 'int64' && target.dtype !== 'int32'
  if (isShares) return { shares: rows.map(row => row.map((at, v) => (target.data[at] * (1 - s) + s / V) * w(v))),
    count: rows.length }
  const shares = rows.map((row, n) => row.map((_, v) => {
    const targetClass = target.data[n]
    return targetClass === ignoreIndex ? 0 : ((targetClass === v ? 1 - s : 0) + s / V) * w(v)
  }))
  return { shares, count: total(rows.map((_, n) => (target.data[n] === ignoreIndex ? 0 : w(target.data[n])))) }
}

const logsOf = (input, { op }) =>
  rowsOf(input).rows.map(row => {
    const x = { shape: [1, row.length], data: Float64Array.from(row, at => input.data[at]) }
    return op === 'nllLoss' ? x.data : logSoftmax({ x }).y.data
  })

function classes(inputs, params) {
  const { shares, count } = targetProbabilities(inputs, params), { lead } = rowsOf(inputs.input),
    logs = logsOf(inputs.input, params)
  const losses = { shape: lead, data: Float64Array.from(shares,
    (row, n) => -total(row.map((s, v) => (s ? s * logs[n][v] : 0)))) }
  return reduce(losses, params.reduction === 'mean' || !params.reduction ? 1 / count : 1, params.reduction)
}

function classesBackward(inputs, params, { y: dy }) {
  const { input } = inputs, { shares, count } = targetProbabilities(inputs, params), { rows } = rowsOf(input),
    dx = zeros(input.shape)
  const { op, reduction = 'mean' } = params
  rows.forEach((row, n) => {
    const d = dy.data[reduction === 'none' ? n : 0] / (reduction === 'mean' ? count : 1)
    const shape = [1, row.length], dlog = { shape, data: Float64Array.from(shares[n], s => -s * d) }
    const x = { shape, data: Float64Array.from(row, at => input.data[at]) }
    const gradient = op === 'nllLoss' ? dlog : logSoftmaxBackward({ x }, {}, { y: dlog }).x
    row.forEach((at, v) => { dx.data[at] = gradient.data[v] })
  })
  return { input: dx }
}

const isOfClasses = ({ op }) => op === 'crossEntropy' || op === 'nllLoss'

export function forward(inputs, params) {
  if (isOfClasses(params)) return classes(inputs, params)
  const { shape, data, factor } = pairs(inputs, params, 0)
  return reduce({ shape, data }, factor, params.reduction)
}

export const backward = (inputs, params, cot) =>
  (isOfClasses(params) ? classesBackward : pairsBackward)(inputs, params, cot)
