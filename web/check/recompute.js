/**
 * Every number of a run once more: in double, from the ids and the parameters on, by the plain loops that the project's
 * tests hold to PyTorch. No kernel takes part, and no intermediate number of the run is used. Taken over are only what
 * the run itself was given: the weights, and the masks that dropout drew.
 */

import * as add from '../../src/reference/add.js'
import * as embedding from '../../src/reference/embedding.js'
import { unary } from '../../src/reference/elementwise.js'
import * as gelu from '../../src/reference/gelu.js'
import * as layerNorm from '../../src/reference/layer_norm.js'
import * as logSoftmax from '../../src/reference/log_softmax.js'
import * as linear from '../../src/reference/linear.js'
import * as matmul from '../../src/reference/matmul.js'
import * as mul from '../../src/reference/mul.js'
import { norm } from '../../src/reference/norms.js'
import * as positional from '../../src/reference/positional_encoding.js'
import * as relu from '../../src/reference/relu.js'
import * as rotary from '../../src/reference/rotary.js'
import * as softmax from '../../src/reference/softmax.js'
import { map, zeros } from '../../src/reference/tensor.js'

/** @import { Given } from '../../src/reference/tensor.js' */
/** @import { Edit, Settings, Step, Tensor } from '../types.d.ts' */

/** What an operation reads, by the symbols of its formula. @typedef {Record<string, Given>} Read */
/** Takes what a step has made, by its key. @typedef {(key: string, made: Given) => Given} Settle */
/** What a step was told, each of the kind that its operation has. @typedef {Record<string, any>} Parameters */

/**
 * Rows of the first axis, as a projection takes its part of a joint weight.
 * @param {Given} x
 * @param {number} first
 * @param {number} count
 * @returns {Given}
 */
function rowsFrom({ shape: [rows, ...rest], data }, first, count) {
  const width = rest.reduce((product, side) => product * side, 1)
  if (first === 0 && count === rows) return { shape: [rows, ...rest], data }
  return { shape: [count, ...rest], data: data.slice(first * width, (first + count) * width) }
}

/** [B, T, H·D] as [B, H, T, D]; what is in that form already stays. @param {Given} x @param {number} H */
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

/** The inverse. @param {Given} x */
function joined(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, T, H * D])
  for (let i = 0; i < out.data.length; i++) {
    const [c, t, b] = [i % (H * D), Math.floor(i / (H * D)) % T, Math.floor(i / (H * D * T))]
    out.data[i] = x.data[((b * H + Math.floor(c / D)) * T + t) * D + (c % D)]
  }
  return out
}

/** Every head of keys or values as often as heads of queries share it. @param {Given} x @param {number} H */
function repeated({ shape: [B, KV, T, D], data }, H) {
  const out = zeros([B, H, T, D])
  for (let i = 0; i < out.data.length; i++) {
    const [rest, h, b] = [i % (T * D), Math.floor(i / (T * D)) % H, Math.floor(i / (H * T * D))]
    out.data[i] = data[(b * KV + Math.floor(h * KV / H)) * T * D + rest]
  }
  return out
}

/** @param {Given} x */
function turned(x) {
  const [B, H, T, D] = x.shape
  const out = zeros([B, H, D, T])
  for (let i = 0; i < out.data.length; i++) {
    const [t, d, front] = [i % T, Math.floor(i / T) % D, Math.floor(i / (T * D))]
    out.data[i] = x.data[(front * T + t) * D + d]
  }
  return out
}

/**
 * Whether a key is hidden from a query: later ones where it may not look ahead, and those that only fill up.
 * @param {Parameters} parameters
 * @param {number} Tk
 * @returns {(b: number, i: number, j: number) => boolean}
 */
function hiddenIn({ isCausal, hidden }, Tk) {
  return (b, i, j) => (isCausal && j > i) || Boolean(hidden?.[b * Tk + j])
}

/**
 * A mask that is added to the scores, at a cell of them.
 * @param {Given | undefined} mask
 * @param {number[]} shape of the scores
 * @returns {(b: number, h: number, i: number, j: number) => number}
 */
function addedIn(mask, [B, H, Tq, Tk]) {
  if (!mask) return () => 0
  const sides = [1, 1, 1, 1, ...mask.shape].slice(-4)
  const isPerHead = mask.shape.length === 3 && mask.shape[0] === B * H
  return (b, h, i, j) => {
    const row = isPerHead ? b * H + h : (sides[0] > 1 ? b : 0) * sides[1] + (sides[1] > 1 ? h : 0)
    return mask.data[(row * Tq + i) * Tk + j]
  }
}

/**
 * Each of attention's steps from the one before.
 * @param {Read} read
 * @param {Parameters} parameters
 * @param {Given | null} dropout
 * @param {Settle} settle
 */
function attend({ q, k, v, mask }, { heads, kvHeads = heads, scale, ...parameters }, dropout, settle) {
  const left = inHeads(q, heads)
  const dots = settle('dots', matmul.forward({ a: left, b: turned(repeated(inHeads(k, kvHeads), heads)) }).y)
  const scores = settle('scores', map(dots, x => x * scale))
  const { shape } = scores
  const [, H, Tq, Tk] = shape
  const isHidden = hiddenIn(parameters, Tk)
  const added = addedIn(mask, shape)
  const masked = settle('masked_scores', map(scores, (x, at) => {
    const [j, i, h, b] = [at % Tk, Math.floor(at / Tk) % Tq, Math.floor(at / (Tk * Tq)) % H,
      Math.floor(at / (Tk * Tq * H))]
    return isHidden(b, i, j) ? -Infinity : x + added(b, h, i, j)
  }))
  const weights = settle('weights', softmax.forward({ x: masked }).y)
  const used = dropout ? mul.forward({ a: weights, b: dropout }).y : weights
  const out = matmul.forward({ a: used, b: repeated(inHeads(v, kvHeads), heads) }).y
  settle('out', q.shape.length === 4 ? out : joined(out))
}

/**
 * What top-k and then top-p leave of rows of logits: 0, or −∞ for what they cut.
 * @param {Given} logits
 * @param {Pick<Settings, 'topK' | 'topP'>} settings
 */
function cutMask({ shape, data }, { topK, topP }) {
  const V = /** @type {number} */ (shape.at(-1))
  const mask = new Float64Array(data.length).fill(-Infinity)
  for (let start = 0; start < data.length; start += V) {
    const row = Array.from(data.slice(start, start + V))
    const order = row.map((_, i) => i).sort((a, b) => row[b] - row[a] || a - b).slice(0, topK || V)
    const most = row[order[0]]
    const total = order.reduce((sum, i) => sum + Math.exp(row[i] - most), 0)
    let before = 0
    for (const i of order) {
      if (topP < 1 && before >= topP * total) break
      mask[start + i] = 0
      before += Math.exp(row[i] - most)
    }
  }
  return { shape, data: mask }
}

/**
 * What every operation makes of its inputs; `settle` takes an output by its key.
 * @type {Record<string, (read: Read, parameters: Parameters, settle: Settle) => void>}
 */
const RULES = {
  add: ({ a, b }, _, settle) => settle('out', add.forward({ a, b }).y),
  mul: ({ a, b }, _, settle) => settle('out', mul.forward({ a, b }).y),
  linear: ({ x, weight, bias }, { first, count, biasFirst }, settle) => settle('out', linear.forward({
    x, weight: rowsFrom(weight, first, count), bias: bias && rowsFrom(bias, biasFirst, count)
  }).y),
  softmax: ({ x }, _, settle) => settle('out', softmax.forward({ x }).y),
  relu: ({ x }, _, settle) => settle('out', relu.forward({ x }, {}).y),
  silu: ({ x }, _, settle) => settle('out', unary.forward({ x }, { op: 'silu' }).y),
  rms_norm: ({ x, weight }, { eps }, settle) => settle('out', norm.forward({ x, weight }, { op: 'rmsNorm', eps }).y),
  rotary({ x, cos, sin }, parameters, settle) {
    const [T, C] = x.shape.slice(-2)
    const { y } = rotary.forward({ x: { shape: [x.data.length / T / C, 1, T, C], data: x.data }, cos, sin }, parameters)
    settle('out', { shape: x.shape, data: y.data })
  },
  gelu: ({ x }, parameters, settle) => settle('out', gelu.forward({ x }, parameters).y),
  layer_norm: ({ x, weight, bias }, { eps }, settle) =>
    settle('out', layerNorm.forward({ x, weight, bias }, { eps }).y),
  embedding: ({ weight }, { ids, shape }, settle) => (
    settle('out', embedding.forward({ idx: { shape, data: ids }, weight }).y)),
  cross_entropy({ logits }, { target, ignoreIndex }, settle) {
    const logs = settle('log_probs', logSoftmax.forward({ x: logits }).y)
    const V = logs.shape[1]
    /** @type {number[]} */ const ids = target
    const asked = ids.flatMap((id, row) => (id === ignoreIndex ? [] : [logs.data[row * V + id]]))
    settle('out', { shape: [], data: Float64Array.of(-asked.reduce((sum, log) => sum + log, 0) / asked.length) })
  },
  reshape: ({ x }, { shape }, settle) => settle('out', { shape, data: x.data }),
  narrow: ({ x }, { start, length }, settle) => settle('out', rowsFrom(x, start, length))
}

/**
 * The largest difference; the same infinity, and NaN at the same place, differ by nothing.
 * @param {ArrayLike<number>} ours
 * @param {ArrayLike<number>} theirs
 */
function farthest(ours, theirs) {
  let most = 0
  for (let i = 0; i < ours.length; i++) {
    if (Object.is(ours[i], theirs[i]) || ours[i] === theirs[i]) continue
    const apart = Math.abs(ours[i] - theirs[i])
    most = Number.isNaN(apart) ? Infinity : Math.max(most, apart)
  }
  return most
}

/**
 * What the reader has put in place of numbers is put in place here, too.
 * @param {Given} computed
 * @param {Edit[]} edits
 */
function withEdits(computed, edits) {
  for (const { index, value } of edits) {
    const fits = index.length === computed.shape.length && index.every((i, axis) => i < computed.shape[axis])
    if (fits) computed.data[index.reduce((at, i, axis) => at * computed.shape[axis] + i, 0)] = value
  }
  return computed
}

/**
 * @param {{ tensors: Map<string, Tensor>, steps: Step[], edits?: Edit[], settings: Settings }} run its plain data, with
 *   the reader's edits
 * @returns {{ name: string, op: string | null, count: number, peak: number, difference: number | null }[]} difference
 *   is null for what is given or drawn: there is nothing to compute
 */
export function recompute(run) {
  const { tensors, steps, edits = [], settings } = run
  /** @type {Map<string, Given>} */
  const known = new Map()
  /** @type {Set<string>} */
  const computed = new Set()
  /** @param {string} name */
  const editsOf = name => edits.filter(edit => edit.name === name)
  /** Computed once more; what nobody computes is taken as it is. @param {string} name @param {Given} made */
  function settle(name, made) {
    const settled = withEdits(made, editsOf(name))
    known.set(name, settled)
    computed.add(name)
    return settled
  }
  /** @param {string} name @returns {Given} */
  function given(name) {
    const { shape, data, origin, role } = /** @type {Tensor} */ (tensors.get(name))
    if (origin?.op === 'positional_encoding') {
      /** @type {Parameters} */ const { dModel, base, layout } = origin.parameters
      return settle(name, positional.forward({}, { max_length: shape[0], d_model: dModel, base, layout }).y)
    }
    if (role === 'inverse_temperature') return settle(name, { shape, data: Float64Array.of(1 / settings.temperature) })
    const made = { shape, data: Float64Array.from(data) }
    known.set(name, made)
    return made
  }
  /** @param {string} name */
  const value = name => known.get(name) ?? given(name)
  /**
   * Tables of angles nobody computes within a run; of a text that begins at its beginning the places are known.
   * @param {Record<string, string>} inputs
   * @param {Parameters} parameters
   * @param {Read} read
   */
  function tabled(inputs, { base }, read) {
    const [count, half] = read.cos.shape
    const made = rotary.tables(Array.from({ length: count }, (_, place) => place), half, base)
    for (const key of /** @type {const} */ (['cos', 'sin'])) if (!computed.has(inputs[key])) read[key] = settle(inputs[key], made[key])
  }

  /** Whether all that a step reads is of the run: ids and places, which only choose, are not. @param {Step} step */
  const isWhole = ({ inputs }) => Object.values(inputs).every(name => known.has(name) || tensors.has(name))

  for (const step of steps) {
    if (!isWhole(step)) continue
    const { op, inputs, outputs, parameters } = step
    const read = Object.fromEntries(Object.entries(inputs).map(([key, name]) => {
      const isCut = !known.has(name) && tensors.get(name)?.role === 'cut_mask'
      return [key, isCut ? settle(name, cutMask(value(inputs.a), settings)) : value(name)]
    }))
    if (op === 'rotary') tabled(inputs, parameters, read)
    /** @type {Settle} */
    const put = (key, made) => (outputs[key] ? settle(outputs[key], made) : made)
    if (op === 'attention') attend(read, parameters, dropoutOf(tensors, outputs, value), put)
    else if (op === 'dropout') put('out', mul.forward({ a: read.x, b: value(outputs.mask) }).y)
    else RULES[op]?.(read, parameters, put)
  }
  return [...tensors.values()].map(({ name, op, data }) => {
    const peak = data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)
    const difference = computed.has(name) ? farthest(data, value(name).data) : null
    return { name, op, count: data.length, peak, difference }
  })
}

/**
 * The mask that attention's dropout drew, if it drew one.
 * @param {Map<string, Tensor>} tensors
 * @param {Record<string, string>} outputs
 * @param {(name: string) => Given} value
 */
function dropoutOf(tensors, outputs, value) {
  const name = tensors.get(outputs.out)?.inputs.dropout
  return name ? value(name) : null
}
