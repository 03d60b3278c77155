/**
 * Recomputes every number and every gradient of a run in double, with the plain loops that the project's tests hold to
 * PyTorch. The order of steps comes from a graph of the check's own (models/graph.js). Each step is computed twice:
 * from the run's own inputs, where one float32 step may be off by no more than its bound; and from inputs in double,
 * which shows the accumulated rounding error.
 */

import { cellsAt } from '../../src/js/edits.js'
import { map, zeros } from '../../src/reference/tensor.js'
import { graphOf, isPlanned } from '../models/graph.js'
import { STEPS, U, absolute } from './steps.js'
import { graphOfRun } from './imported_graph.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */
/** @import { Decoding, Edit, Settings, Step, Stream, Tensor } from '../types.d.ts' */
/** @import { Planned } from '../models/graph.js' */

/**
 * A run's plain data, with the reader's edits and the gradients of its tensors by name.
 * @typedef {object} Checked
 * @property {Map<string, Tensor>} tensors
 * @property {Step[]} steps
 * @property {Edit[]} [edits]
 * @property {Settings} settings
 * @property {Record<string, Stream>} streams
 * @property {Decoding | null} [decoding]
 * @property {boolean} [hasLoss]
 * @property {string | null} [end] of a run without a loss, what its gradients begin at
 * @property {Record<string, any>} [shape]
 * @property {Map<string, Float32Array>} [gradients]
 */
/**
 * The result for one tensor. times: the largest error as a fraction of its bound, correct up to 1; difference: from the
 * value recomputed in double from the weights on, null where there is nothing to compute.
 * @typedef {{ name: string, op: string | null, part: 'value' | 'gradient' | 'choice' | 'mask', count: number,
 *   difference: number | null, times: number }} Result
 */

/** Smaller numbers may be 0 in float32. */
const TINY = 2 ** -125

/**
 * The difference of two numbers; equal infinities and NaN at the same place differ by 0.
 * @param {number} a @param {number} b
 */
function apart(a, b) {
  if (Object.is(a, b) || a === b) return 0
  return Number.isNaN(a - b) ? Infinity : Math.abs(a - b)
}

/** @param {ArrayLike<number>} ours @param {ArrayLike<number>} theirs */
function farthest(ours, theirs) {
  if (ours.length !== theirs.length) return Infinity
  let max = 0
  for (let i = 0; i < ours.length; i++) max = Math.max(max, apart(ours[i], theirs[i]))
  return max
}

/** @param {TensorLike} ours @param {TensorLike | null} bound @param {ArrayLike<number>} theirs */
function timesOff(ours, bound, theirs) {
  if (ours.data.length !== theirs.length) return Infinity
  let max = 0
  for (let i = 0; i < theirs.length; i++) {
    const off = apart(ours.data[i], theirs[i])
    if (off === 0) continue
    const may = (bound ? bound.data[i] : 0) + U * Math.abs(ours.data[i]) + TINY
    max = Math.max(max, off <= may ? off / may : Number.isFinite(may) ? off / may : Infinity)
  }
  return max
}

/**
 * Applies the reader's edits.
 * @param {TensorLike} computed @param {Edit[]} edits @param {(name: string) => TensorLike} valueOf
 */
function withEdits(computed, edits, valueOf) {
  if (edits.length === 0) return computed
  const { shape } = computed, data = Float64Array.from(computed.data)
  for (const { index, value, from } of edits) {
    const source = from === undefined ? null : valueOf(from).data
    for (const cell of cellsAt(shape, index) ?? []) data[cell] = source ? source[cell] : Math.fround(Number(value))
  }
  return { shape, data }
}

/**
 * The cells of a tensor that edits have replaced.
 * @param {string} out @param {number[]} shape @param {Edit[]} edits
 */
const overwritten = (out, shape, edits) => (
  edits.filter(({ name }) => name === out).flatMap(({ index }) => cellsAt(shape, index) ?? []))

/** @param {Checked} run */
function planOf({ tensors, steps, settings, streams, decoding = null, shape }) {
  /** @param {string} name */
  const shapeOf = name => [...tensors.get(name)?.shape ?? []]
  if (isPlanned(settings.model)) {
    /** @param {string} name */
    const has = name => tensors.has(name)
    return graphOf({ settings, streams: /** @type {any} */ (streams), decoding, shape, shapeOf, has })
  }
  return graphOfRun({ tensors, steps, settings }, shapeOf).filter(({ op }) => op in STEPS)
}

/**
 * Recomputes the steps forward, from the run's inputs where `isLocal`, else from the recomputed ones.
 * @param {Planned[]} plan @param {Checked} run @param {boolean} isLocal
 */
function forward(plan, { tensors, edits = [] }, isLocal) {
  /** @type {Map<string, TensorLike>} */ const made = new Map()
  /** @type {Map<string, TensorLike | null>} */ const bounds = new Map()
  /** Steps that were computed. @type {Planned[]} */ const done = []
  /** Names that a step should read and that do not exist. @type {Set<string>} */ const missing = new Set()
  /** @param {string} name @returns {TensorLike} */
  function valueOf(name) {
    const tensor = tensors.get(name), computed = made.get(name)
    if (computed && !(isLocal && tensor)) return computed
    if (!tensor) throw new Error(name)
    return { shape: [...tensor.shape], data: new Float64Array(tensor.data) }
  }
  /** @param {Planned} step */
  const readOf = ({ inputs }) => Object.fromEntries(Object.entries(inputs).map(([key, name]) => [key, valueOf(name)]))
  for (const step of plan) {
    const absent = Object.values(step.inputs).filter(name => !made.has(name) && !tensors.has(name))
    absent.forEach(name => missing.add(name))
    if (absent.length) continue
    done.push(step)
    const { op, out, parameters } = step, read = readOf(step), y = STEPS[op].forward(read, parameters)
    made.set(out, withEdits(y, edits.filter(({ name }) => name === out), valueOf))
    bounds.set(out, isLocal ? STEPS[op].bound(read, parameters, y) : null)
  }
  return { made, bounds, done, missing, readOf, valueOf }
}

/**
 * Recomputes the gradients from the loss, or from the sum of the output where there is no loss: each step's input
 * gradients from the run's gradient of its output.
 * @param {Planned[]} plan @param {Checked} run @param {ReturnType<typeof forward>} local
 * @returns {Result[]}
 */
function backward(plan, { tensors, steps, gradients, settings, hasLoss, end, edits = [] }, { done, readOf, valueOf }) {
  if (!gradients) return []
  /** @type {Map<string, { sum: TensorLike, bound: TensorLike }>} */ const own = new Map()
  const seed = hasLoss ? 'loss' : isPlanned(settings.model) ? plan[plan.length - 1].out : end ?? ''
  if (!done.some(({ out }) => out === seed)) return []
  const ones = map(valueOf(seed), () => 1)
  // An attention whose matrices were not retained takes its gradients from the run.
  const unknown = new Set(steps.filter(({ op, outputs }) => op === 'attention' && !tensors.has(outputs.weights))
    .flatMap(({ inputs }) => Object.values(inputs)))
  // So does a step that is not among those recomputed here.
  const outputNames = new Set(done.map(({ out }) => out))
  for (const { inputs, outputs } of isPlanned(settings.model) ? [] : steps) {
    const made = Object.values(outputs)
    if (made.some(name => gradients.has(name)) && !made.some(name => outputNames.has(name))) {
      for (const name of Object.values(inputs)) unknown.add(name)
    }
  }
  own.set(seed, { sum: ones, bound: zeros(ones.shape) })
  /**
   * A kernel accumulates its products one by one, so each addition is rounded at the size of the sum.
   * @param {string} name @param {TensorLike} part @param {TensorLike} off @param {number} terms
   */
  function collect(name, part, off, terms) {
    const before = own.get(name)
    if (!before) {
      own.set(name, { sum: part, bound: off })
      return
    }
    const { sum, bound } = before
    own.set(name, {
      sum: map(sum, (v, i) => v + part.data[i]),
      bound: map(bound, (v, i) => v + off.data[i] + (sum.data[i] === 0 ? 0
        : (terms + 1) * U * (Math.abs(sum.data[i]) + Math.abs(part.data[i]))))
    })
  }
  /**
   * A gradient that the run does not have was computed here and carries its own error.
   * @param {Planned} step @param {Record<string, TensorLike>} read
   */
  function carried({ op, out, parameters }, read) {
    const mine = own.get(out), { backward: back } = STEPS[op]
    return gradients?.has(out) || !mine || !back ? {} : back(absolute(read), parameters, mine.bound, valueOf(out))
  }
  for (const step of done.reverse()) {
    const { op, inputs, out, parameters } = step, { backward: back, backwardBound } = STEPS[op]
    const theirs = gradients.get(out), mine = own.get(out), data = theirs ? Float64Array.from(theirs) : mine?.sum.data
    if (!back || !backwardBound || !data || !(mine || unknown.has(out))) continue
    const y = valueOf(out)
    // The gradient passes through an edited value as if the edit had been an addition.
    const dy = { shape: y.shape, data }
    const read = readOf(step), parts = back(read, parameters, dy, y), offs = backwardBound(read, parameters, dy, y)
    // A masked cell that was edited takes part again.
    if (op === 'mask') for (const cell of overwritten(out, y.shape, edits)) parts.scores.data[cell] = dy.data[cell]
    const terms = STEPS[op].terms?.(read, parameters, dy) ?? {}, more = carried(step, read)
    for (const key of Object.keys(parts)) {
      const off = more[key] ? map(offs[key], (v, i) => v + Math.abs(more[key].data[i])) : offs[key]
      collect(inputs[key], parts[key], off, terms[key] ?? 1)
    }
  }
  return [...gradients].filter(([name]) => tensors.has(name) && !unknown.has(name)).map(([name, theirs]) => {
    const { sum, bound } = own.get(name) ?? { sum: { shape: [], data: new Float64Array(theirs.length) }, bound: null }
    return { name, op: null, part: 'gradient', count: theirs.length, difference: farthest(sum.data, theirs),
      times: timesOff(sum, bound, theirs) }
  })
}

/**
 * A dropout mask holds zeros and the factor 1 / (1 − p), zeros about as often as requested.
 * @param {Planned[]} plan @param {Checked} run
 * @returns {Result[]}
 */
function masks(plan, { tensors, settings: { dropout: p } }) {
  return plan.filter(({ op }) => op === 'dropout').flatMap(({ inputs: { mask } }) => {
    const tensor = tensors.get(mask)
    if (!tensor) return []
    const { data } = tensor, count = data.length, zeroCount = data.reduce((sum, v) => sum + (v === 0 ? 0 : 1), 0)
    const isWhole = data.every(v => v === 0 || Math.abs(v * (1 - p) - 1) <= 4 * U)
    const isUsual = Math.abs(zeroCount - count * (1 - p)) <= 6 * Math.sqrt(count * p * (1 - p)) + 1
    return [{ name: mask, op: 'dropout', part: 'mask', count, difference: null, times: isWhole && isUsual ? 0 : Infinity }]
  })
}

/**
 * A greedy answer takes the most probable token of every row; one that looks ahead was chosen before later
 * tokens existed.
 * @param {Checked} run @returns {Result[]}
 */
function choices({ tensors, settings, decoding, edits = [] }) {
  const logs = tensors.get('log_probs')
  if (!logs || !decoding || decoding.kind !== 'greedy' || settings.training || edits.length) return []
  if (settings.tgtIsCausal === false) return []
  const V = /** @type {number} */ (logs.shape.at(-1))
  const isRight = decoding.steps.every(({ id }, n) => {
    const row = logs.data.subarray(decoding.rows[n] * V, (decoding.rows[n] + 1) * V)
    return row.every(v => v <= row[id])
  })
  return [{ name: 'sampling.output', op: null, part: 'choice', count: decoding.steps.length, difference: isRight ? 0 : Infinity,
    times: isRight ? 0 : Infinity }]
}

/** @param {Checked} run @returns {Result[]} */
export function recompute(run) {
  const { tensors, settings } = run, plan = planOf(run), isOwn = isPlanned(settings.model)
  const local = forward(plan, run, true), whole = forward(plan, run, false)
  /** @param {Tensor} tensor @returns {Result} */
  function values({ name, op, data, role }) {
    const count = data.length, made = local.made.get(name), exact = whole.made.get(name)
    if (made && exact) {
      return { name, op, part: 'value', count, difference: farthest(exact.data, data),
        times: timesOff(made, local.bounds.get(name) ?? null, data) }
    }
    // The check's own graph knows all that is computed: a name that it lacks is not a computed tensor.
    const isStray = isOwn && op !== null && !/mask$/.test(role ?? '')
    return { name, op, part: 'value', count, difference: isStray ? Infinity : null, times: isStray ? Infinity : 0 }
  }
  /** @type {Result[]} */
  const missing = Array.from(isOwn ? local.missing : [], name => (
    { name, op: null, part: 'value', count: 0, difference: Infinity, times: Infinity }))
  return [...Array.from(tensors.values(), values), ...missing, ...(isOwn ? masks(plan, run) : []), ...choices(run),
    ...backward(plan, run, local)]
}
