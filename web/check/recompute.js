/**
 * Every number of a run once more: in double, from the ids and the parameters on, by the plain loops that the project's
 * tests hold to PyTorch. No kernel takes part, and no intermediate number of the run is used. Taken over are only what
 * the run itself was given: the weights, and the masks that dropout drew.
 */

import * as add from '../../tests/reference/add.js'
import * as embedding from '../../tests/reference/embedding.js'
import * as gelu from '../../tests/reference/gelu.js'
import * as layerNorm from '../../tests/reference/layer_norm.js'
import * as logSoftmax from '../../tests/reference/log_softmax.js'
import * as linear from '../../tests/reference/linear.js'
import * as matmul from '../../tests/reference/matmul.js'
import * as mul from '../../tests/reference/mul.js'
import * as positional from '../../tests/reference/positional_encoding.js'
import * as relu from '../../tests/reference/relu.js'
import * as softmax from '../../tests/reference/softmax.js'
import { map, zeros } from '../../tests/reference/tensor.js'
import { cutMask } from '../model/decode.js'
import { isWithin, offset, scored } from '../model/edited.js'

const PAD = '<pad>'

/** @typedef {{ shape: number[], data: ArrayLike<number> }} Plain */

/** Rows of the first axis, as a projection takes its part of a joint weight. @param {Plain} x */
function rowsFrom({ shape: [rows, ...rest], data }, first, count) {
  const width = rest.reduce((product, side) => product * side, 1)
  if (first === 0 && count === rows) return { shape: [rows, ...rest], data }
  return { shape: [count, ...rest], data: data.slice(first * width, (first + count) * width) }
}

/** [B, T, H·D] as [B, H, T, D]; what is in that form already stays. @param {Plain} x */
function inHeads(x, H) {
  if (x.shape.length === 4) return x
  const [B, T, C] = x.shape
  const D = C / H
  const out = zeros([B, H, T, D])
  for (let i = 0; i < out.data.length; i++) {
    const [d, t, h, b] = [i % D, Math.floor(i / D) % T, Math.floor(i / (D * T)) % H, Math.floor(i / (D * T * H))]
    out.data[i] = x.data[(b * T + t) * C + h * D + d]
  }
  return out
}

/** The inverse. @param {Plain} x */
function joined(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, T, H * D])
  for (let i = 0; i < out.data.length; i++) {
    const [c, t, b] = [i % (H * D), Math.floor(i / (H * D)) % T, Math.floor(i / (H * D * T))]
    out.data[i] = x.data[((b * H + Math.floor(c / D)) * T + t) * D + (c % D)]
  }
  return out
}

function turned(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, H, D, T])
  for (let i = 0; i < out.data.length; i++) {
    const [t, d, front] = [i % T, Math.floor(i / T) % D, Math.floor(i / (T * D))]
    out.data[i] = x.data[(front * T + t) * D + d]
  }
  return out
}

/** Scores of all pairs, scaled as the formula says. */
function scores({ q, k }, { shape: [, H] }, formula) {
  const [left, right] = [inHeads(q, H), inHeads(k, H)]
  const dots = matmul.forward({ a: left, b: turned(right) }).y
  if (!/√|scale/.test(formula)) return dots
  return map(dots, (x) => (formula.includes('√') ? x / Math.sqrt(left.shape[3]) : x))
}

/** Whether a key is hidden from a query, from the settings and the tokens alone. */
function hides(run, { name, along }) {
  const causal = run.labels ? /decoder.*self_attn/.test(name) && run.settings.tgtIsCausal : run.settings.causal
  const words = along && run.labels[along[3]]
  const isPad = (b, j) => (words ? along[3] === 'source' && words[j] === PAD : Boolean(run.padding[b][j]))
  return (b, i, j) => (causal && j > i) || isPad(b, j)
}

function masked(run, tensor, { scores: before }) {
  const [, H, Tq, Tk] = tensor.shape
  const isHidden = hides(run, tensor)
  return map(before, (x, at) => {
    const [j, i, b] = [at % Tk, Math.floor(at / Tk) % Tq, Math.floor(at / (Tk * Tq * H))]
    return isHidden(b, i, j) ? -Infinity : x
  })
}

function idsOf(run, { along }) {
  if (!along) return { shape: [run.ids.length, run.ids[0].length], data: run.ids.flat() }
  const { ids } = run[along[1]]
  return { shape: [1, ids.length], data: ids }
}

/** Every rule: what goes in by the symbols of its formula, and the tensor that is to come out. */
const RULES = {
  add: ({ a, b }, { symbols, tensor }) => {
    const [first] = symbols.find(({ symbol }) => symbol === 'b').start
    const rows = tensor.shape.at(-2)
    return add.forward({ a, b: b.shape.length === 2 && b.shape[0] > rows ? rowsFrom(b, first, rows) : b }).y
  },
  mul: ({ a, b }) => mul.forward({ a, b }).y,
  linear: ({ x, W, b }, { symbols, tensor }) => {
    const first = symbols.find(({ symbol }) => symbol === 'W').start[0]
    const start = symbols.find(({ symbol }) => symbol === 'b')?.start[0]
    const count = tensor.shape.at(-1)
    return linear.forward({ x, weight: rowsFrom(W, first, count), bias: b && rowsFrom(b, start, count) }).y
  },
  matmul: ({ q, k }, { tensor, formula }) => scores({ q, k }, tensor, formula),
  attention: (given, { run, tensor, formula }) => {
    if (formula.startsWith('q · k')) return scores(given, tensor, formula)
    if (formula.startsWith('scores')) return masked(run, tensor, given)
    if (formula.startsWith('exp')) return softmax.forward(given).y
    const weights = given.dropout ? mul.forward({ a: given.weights, b: given.dropout }).y : given.weights
    const out = matmul.forward({ a: weights, b: inHeads(given.v, weights.shape[1]) }).y
    return tensor.shape.length === 4 ? out : joined(out)
  },
  softmax: ({ x }) => softmax.forward({ x }).y,
  relu: ({ x }) => relu.forward({ x }, {}).y,
  gelu: ({ x }) => gelu.forward({ x }, {}).y,
  layer_norm: ({ x, weight, bias }, { formula }) => (
    layerNorm.forward({ x, weight, bias }, { eps: Number(/variance \+ ([\d.e-]+)/.exec(formula)[1]) }).y),
  dropout: ({ x, mask }) => x && mask && mul.forward({ a: x, b: mask }).y,
  cross_entropy: (given, { run, tensor }) => {
    if (given.x) return logSoftmax.forward({ x: { shape: tensor.shape, data: given.x.data } }).y
    const { shape: [rows, words], data } = given['log p']
    const sum = run.decoding.steps.reduce((total, { id }, row) => total + data[row * words + id], 0)
    return { shape: [], data: Float64Array.of(-sum / rows) }
  },
  embedding: ({ weight }, { run, tensor }) => embedding.forward({ idx: idsOf(run, tensor), weight }).y,
  positional_encoding: (_, { run: { settings }, tensor: { shape } }) => positional.forward({}, {
    max_length: shape[0], d_model: shape[1], base: settings.base ?? 10000,
    layout: settings.positions === 'concatenated' ? 'concatenated' : 'interleaved'
  }).y
}

/** What no operation of the trace made, and still follows from the settings or from other numbers. */
const OTHERS = {
  'softmax.inverse_temperature': (_, { run }) => ({ shape: [1], data: Float64Array.of(1 / run.settings.temperature) }),
  'choice.mask': (value, { run, tensor: { shape } }) => (
    { shape, data: Float64Array.from(cutMask(value('softmax.tempered').data, shape.at(-1), run.settings)) })
}

/** The largest difference; the same infinity, and NaN at the same place, differ by nothing. */
function farthest(ours, theirs) {
  let most = 0
  for (let i = 0; i < ours.length; i++) {
    if (Object.is(ours[i], theirs[i]) || ours[i] === theirs[i]) continue
    const apart = Math.abs(ours[i] - theirs[i])
    most = Number.isNaN(apart) ? Infinity : Math.max(most, apart)
  }
  return most
}

/** What the reader has put in place of a number is put in place here, too. */
function withEdits(computed, name, { edits = [], settings }) {
  const here = edits.filter(({ index }) => isWithin(computed.shape, index))
  const dots = here.filter((edit) => /dots$/.test(edit.name)).map((edit) => scored(edit, settings))
  for (const { index, value } of [...dots, ...here].filter((edit) => edit.name === name)) {
    computed.data[offset(computed.shape, index)] = value
  }
  return computed
}

/**
 * @param {object} run its plain data
 * @param {{ name: string, op: string, formula: string,
 *   symbols: { symbol: string, tensor: string, start: number[] }[] }[]} recipes of all its tensors
 * @returns {{ name: string, op: string, count: number, peak: number, difference: number | null }[]} difference is null
 *   for what is given or drawn: there is nothing to compute
 */
export function recompute(run, recipes) {
  const recipeOf = new Map(recipes.map((recipe) => [recipe.name, recipe]))
  const known = new Map()
  const given = ({ shape, data }) => ({ shape, data: Float64Array.from(data) })

  function compute(name) {
    const tensor = run.tensors.get(name)
    const { op, symbols, formula } = recipeOf.get(name)
    const inputs = Object.fromEntries(symbols.map(({ symbol, tensor: from }) => [symbol, value(from)]))
    const made = run.labels && Object.hasOwn(OTHERS, name) ? OTHERS[name](value, { run, tensor })
      : RULES[op]?.(inputs, { run, tensor, symbols, formula })
    return made ? { ...withEdits(made, name, run), isComputed: true } : given(tensor)
  }
  function value(name) {
    if (!known.has(name)) known.set(name, compute(name))
    return known.get(name)
  }
  return recipes.map(({ name, op }) => {
    const { data } = run.tensors.get(name)
    const { isComputed, data: again } = value(name)
    const peak = data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)
    return { name, op, count: data.length, peak, difference: isComputed ? farthest(data, again) : null }
  })
}
