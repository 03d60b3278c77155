/**
 * Recomputes every number and every gradient of a run in double, with the plain loops that the tests compare with
 * PyTorch. The order of steps comes from a graph of the check's own (models/graph.js). Each step is computed twice:
 * from the run's own inputs, where one float32 step may be off by no more than its bound; and from inputs in double,
 * which shows the accumulated rounding error.
 */

import { U, map, zeros } from '../../src/reference/tensor.js'
import { graphOf, hasGraph } from '../models/graph.js'
import { STEPS, absolute } from './steps.js'
import { graphOfRun } from './imported_graph.js'

/** @import { TensorLike } from '../../src/reference/tensor.js' */
/** @import { Decoding, Edit, Settings, Step, Stream, Tensor } from '../types.d.ts' */
/** @import { GraphStep } from '../models/graph.js' */

/**
 * A run's plain data, with the reader's edits and the gradients of its tensors by name.
 * @typedef {object} CheckedRun
 * @property {Map<string, Tensor>} tensors
 * @property {Step[]} steps
 * @property {Edit[]} [edits]
 * @property {Settings} settings
 * @property {Record<string, Stream>} streams
 * @property {Decoding | null} [decoding]
 * @property {boolean} [hasLoss]
 * @property {string | null} [end] in a run without a loss, the tensor that backward starts from
 * @property {Record<string, any>} [shape]
 * @property {Map<string, Float32Array>} [gradients]
 * @property {Explained[]} [explained]
 */
/**
 * A score that the page explains: its tensor, row and column, and what the parts of the model added to it.
 * @typedef {{ name: string, position: number, token: number, parts: number[] }} Explained
 */
/**
 * The result for one tensor. errorRatio: the largest error as a fraction of its bound, correct up to 1; difference:
 * from the value that is recomputed in double from the weights on, null for inputs.
 * @typedef {{ name: string, op: string | null, part: 'value' | 'gradient' | 'choice' | 'mask' | 'sum', count: number,
 *   difference: number | null, errorRatio: number }} Result
 */

/** Numbers below this may be 0 in float32. */
const TINY = 2 ** -125

/**
 * The absolute difference of two numbers; 0 for equal infinities and for two NaN.
 * @param {number} a @param {number} b
 */
function absoluteDifference(a, b) {
  if (Object.is(a, b) || a === b) return 0
  return Number.isNaN(a - b) ? Infinity : Math.abs(a - b)
}

/** @param {ArrayLike<number>} ours @param {ArrayLike<number>} theirs */
function maxDifference(ours, theirs) {
  if (ours.length !== theirs.length) return Infinity
  let max = 0
  for (let i = 0; i < ours.length; i++) max = Math.max(max, absoluteDifference(ours[i], theirs[i]))
  return max
}

/** @param {TensorLike} ours @param {TensorLike | null} bound @param {ArrayLike<number>} theirs */
function maxErrorRatio(ours, bound, theirs) {
  if (ours.data.length !== theirs.length) return Infinity
  let max = 0
  for (let i = 0; i < theirs.length; i++) {
    const off = absoluteDifference(ours.data[i], theirs[i])
    if (off === 0) continue
    const allowed = (bound ? bound.data[i] : 0) + U * Math.abs(ours.data[i]) + TINY
    max = Math.max(max, off <= allowed ? off / allowed : Number.isFinite(allowed) ? off / allowed : Infinity)
  }
  return max
}

/**
 * The cells that the index of an edit selects.
 * @param {number[]} shape @param {Edit['index']} index
 */
function selectedCells(shape, index) {
  const size = shape.reduce((product, side) => product * side, 1)
  return Array.from({ length: size }, (_, cell) => cell).filter(cell => {
    let rest = cell
    return shape.every((_, k) => {
      const axis = shape.length - 1 - k, i = rest % shape[axis], selection = index[axis]
      rest = Math.floor(rest / shape[axis])
      return selection === null || (typeof selection === 'number' ? i === selection : i >= selection[0] && i < selection[1])
    })
  })
}

/**
 * Applies the reader's edits. What one takes from a run on another text is read from the run that has it.
 * @param {TensorLike} computed @param {Edit[]} edits @param {(name: string) => TensorLike} valueOf
 * @param {ArrayLike<number> | undefined} edited the same tensor of the run
 */
function withEdits(computed, edits, valueOf, edited) {
  if (edits.length === 0) return computed
  const { shape } = computed, data = Float64Array.from(computed.data)
  for (const { index, value, from, fromText } of edits) {
    const source = fromText !== undefined ? edited : from === undefined ? null : valueOf(from).data
    for (const cell of selectedCells(shape, index)) data[cell] = source ? source[cell] : Math.fround(Number(value))
  }
  return { shape, data }
}

/**
 * The cells of a tensor that edits have replaced.
 * @param {string} out @param {number[]} shape @param {Edit[]} edits
 */
const overwritten = (out, shape, edits) => (
  edits.filter(({ name }) => name === out).flatMap(({ index }) => selectedCells(shape, index)))

/** @param {CheckedRun} run */
function planOf({ tensors, steps, settings, streams, decoding = null, shape }) {
  /** @param {string} name */
  const shapeOf = name => [...tensors.get(name)?.shape ?? []]
  if (hasGraph(settings.model)) {
    /** @param {string} name */
    const has = name => tensors.has(name)
    return graphOf({ settings, streams: /** @type {any} */ (streams), decoding, shape, shapeOf, has })
  }
  return graphOfRun({ tensors, steps, settings }, shapeOf).filter(({ op }) => op in STEPS)
}

/**
 * Recomputes the steps forward, from the run's inputs where `isLocal`, else from the recomputed ones.
 * @param {GraphStep[]} plan @param {CheckedRun} run @param {boolean} isLocal
 */
function forward(plan, { tensors, edits = [] }, isLocal) {
  /** @type {Map<string, TensorLike>} */ const computedTensors = new Map()
  /** @type {Map<string, TensorLike | null>} */ const bounds = new Map()
  /** Steps that were computed. @type {GraphStep[]} */ const doneSteps = []
  /** Names that a step should read and that do not exist. @type {Set<string>} */ const missing = new Set()
  /** @param {string} name @returns {TensorLike} */
  function valueOf(name) {
    const tensor = tensors.get(name), computed = computedTensors.get(name)
    if (computed && !(isLocal && tensor)) return computed
    if (!tensor) throw new Error(name)
    return { shape: [...tensor.shape], data: new Float64Array(tensor.data) }
  }
  /** @param {GraphStep} step */
  const inputsOf = ({ inputs }) => Object.fromEntries(Object.entries(inputs).map(([key, name]) => [key, valueOf(name)]))
  for (const step of plan) {
    const absent = Object.values(step.inputs).filter(name => !computedTensors.has(name) && !tensors.has(name))
    absent.forEach(name => missing.add(name))
    if (absent.length) continue
    doneSteps.push(step)
    const { op, out, parameters } = step, read = inputsOf(step), y = STEPS[op].forward(read, parameters)
    computedTensors.set(out, withEdits(y, edits.filter(({ name }) => name === out), valueOf, tensors.get(out)?.data))
    bounds.set(out, isLocal ? STEPS[op].bound(read, parameters, y) : null)
  }
  return { made: computedTensors, bounds, done: doneSteps, missing, readOf: inputsOf, valueOf }
}

/**
 * Recomputes the gradients from the loss, or from the sum of the output where there is no loss: each step's input
 * gradients from the run's gradient of its output.
 * @param {GraphStep[]} plan @param {CheckedRun} run @param {ReturnType<typeof forward>} local
 * @returns {Result[]}
 */
function backward(plan, { tensors, steps, gradients, settings, hasLoss, end, edits = [] }, { done, readOf, valueOf }) {
  if (!gradients) return []
  /** @type {Map<string, { sum: TensorLike, bound: TensorLike }>} */ const ownGradients = new Map()
  const seed = hasLoss ? 'loss' : hasGraph(settings.model) ? plan[plan.length - 1].out : end ?? ''
  if (!done.some(({ out }) => out === seed)) return []
  const seedGradient = map(valueOf(seed), () => 1)
  // An attention whose matrices were not retained takes its gradients from the run.
  const unknown = new Set(steps.filter(({ op, outputs }) => op === 'attention' && !tensors.has(outputs.weights))
    .flatMap(({ inputs }) => Object.values(inputs)))
  // So does a step that is not among those recomputed here.
  const outputNames = new Set(done.map(({ out }) => out))
  for (const { inputs, outputs } of hasGraph(settings.model) ? [] : steps) {
    const names = Object.values(outputs)
    if (names.some(name => gradients.has(name)) && !names.some(name => outputNames.has(name))) {
      for (const name of Object.values(inputs)) unknown.add(name)
    }
  }
  ownGradients.set(seed, { sum: seedGradient, bound: zeros(seedGradient.shape) })
  /**
   * Adds a part to the gradient of a tensor. A kernel adds product by product, so each addition is rounded at the size
   * of the sum.
   * @param {string} name @param {TensorLike} part @param {TensorLike} off @param {number} terms
   */
  function accumulate(name, part, off, terms) {
    const before = ownGradients.get(name)
    if (!before) {
      ownGradients.set(name, { sum: part, bound: off })
      return
    }
    const { sum, bound } = before
    ownGradients.set(name, {
      sum: map(sum, (v, i) => v + part.data[i]),
      bound: map(bound, (v, i) => v + off.data[i] + (sum.data[i] === 0 ? 0
        : (terms + 1) * U * (Math.abs(sum.data[i]) + Math.abs(part.data[i]))))
    })
  }
  /**
   * A gradient that the run does not have was computed here and carries its own error.
   * @param {GraphStep} step @param {Record<string, TensorLike>} read
   */
  function carriedError({ op, out, parameters }, read) {
    const ownGradient = ownGradients.get(out), { backward: back } = STEPS[op]
    return gradients?.has(out) || !ownGradient || !back ? {}
      : back(absolute(read), parameters, ownGradient.bound, valueOf(out))
  }
  for (const step of done.reverse()) {
    const { op, inputs, out, parameters } = step, { backward: back, backwardBound } = STEPS[op]
    const runGradient = gradients.get(out), ownGradient = ownGradients.get(out),
      data = runGradient ? Float64Array.from(runGradient) : ownGradient?.sum.data
    if (!back || !backwardBound || !data || !(ownGradient || unknown.has(out))) continue
    const y = valueOf(out)
    // The gradient passes through an edited value as if the edit had been an addition.
    const dy = { shape: y.shape, data }
    const read = readOf(step), parts = back(read, parameters, dy, y), offs = backwardBound(read, parameters, dy, y)
    // A masked cell that was edited takes part again.
    if (op === 'mask') for (const cell of overwritten(out, y.shape, edits)) parts.scores.data[cell] = dy.data[cell]
    const terms = STEPS[op].terms?.(read, parameters, dy) ?? {}, more = carriedError(step, read)
    for (const key of Object.keys(parts)) {
      const off = more[key] ? map(offs[key], (v, i) => v + Math.abs(more[key].data[i])) : offs[key]
      accumulate(inputs[key], parts[key], off, terms[key] ?? 1)
    }
  }
  return [...gradients].filter(([name]) => tensors.has(name) && !unknown.has(name)).map(([name, theirs]) => {
    const { sum, bound } = ownGradients.get(name) ??
      { sum: { shape: [], data: new Float64Array(theirs.length) }, bound: null }
    return { name, op: null, part: 'gradient', count: theirs.length, difference: maxDifference(sum.data, theirs),
      errorRatio: maxErrorRatio(sum, bound, theirs) }
  })
}

/**
 * Checks that dropout masks consist of zeros and the factor 1 / (1 − p), with about the requested fraction of zeros.
 * @param {GraphStep[]} plan @param {CheckedRun} run
 * @returns {Result[]}
 */
function checkMasks(plan, { tensors, settings: { dropout: p } }) {
  return plan.filter(({ op }) => op === 'dropout').flatMap(({ inputs: { mask } }) => {
    const tensor = tensors.get(mask)
    if (!tensor) return []
    const { data } = tensor, count = data.length, zeroCount = data.reduce((sum, v) => sum + (v === 0 ? 0 : 1), 0)
    const hasValidValues = data.every(v => v === 0 || Math.abs(v * (1 - p) - 1) <= 4 * U)
    const hasUsualRate = Math.abs(zeroCount - count * (1 - p)) <= 6 * Math.sqrt(count * p * (1 - p)) + 1
    return [{ name: mask, op: 'dropout', part: 'mask', count, difference: null, errorRatio: hasValidValues && hasUsualRate ? 0 : Infinity }]
  })
}

/**
 * Checks that a greedy answer takes the most probable token of every row. Without a causal mask it cannot be checked,
 * since each token was chosen before the later ones existed.
 * @param {CheckedRun} run @returns {Result[]}
 */
function checkChoices({ tensors, settings, decoding, edits = [] }) {
  const logs = tensors.get('log_probs')
  if (!logs || !decoding || decoding.kind !== 'greedy' || settings.training || edits.length) return []
  if (settings.tgtIsCausal === false) return []
  const V = /** @type {number} */ (logs.shape.at(-1))
  const isRight = decoding.steps.every(({ id }, n) => {
    const row = logs.data.subarray(decoding.rows[n] * V, (decoding.rows[n] + 1) * V)
    return row.every(v => v <= row[id])
  })
  return [{ name: 'sampling.output', op: null, part: 'choice', count: decoding.steps.length, difference: isRight ? 0 : Infinity,
    errorRatio: isRight ? 0 : Infinity }]
}

/**
 * Checks that the parts of a score sum to its value in double. They were read from all over the run, so the sum may be
 * off by the rounding of every step. Scores that are not recomputed are left out.
 * @param {CheckedRun} run @param {ReturnType<typeof forward>} local @returns {Result[]}
 */
function checkSums({ explained = [] }, { made, done }) {
  const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0)
  return explained.flatMap(({ name, position, token, parts }) => {
    const scores = made.get(name)
    if (!scores) return []
    const { shape, data } = scores, value = data[position * shape[shape.length - 1] + token]
    const difference = absoluteDifference(sum(parts), value), bound = U * done.length * sum(parts.map(Math.abs))
    return { name, op: null, part: 'sum', count: 1, difference, errorRatio: difference === 0 ? 0 : difference / bound }
  })
}

/** @param {CheckedRun} run @returns {Result[]} */
export function recompute(run) {
  const { tensors, settings } = run, plan = planOf(run), isPageModel = hasGraph(settings.model)
  const local = forward(plan, run, true), accumulated = forward(plan, run, false)
  /** @param {Tensor} tensor @returns {Result} */
  function values({ name, op, data, role }) {
    const count = data.length, localValue = local.made.get(name), exact = accumulated.made.get(name)
    if (localValue && exact) {
      return { name, op, part: 'value', count, difference: maxDifference(exact.data, data),
        errorRatio: maxErrorRatio(localValue, local.bounds.get(name) ?? null, data) }
    }
    // The check's own graph contains every computed tensor, so the run must not have computed any other.
    const isStray = isPageModel && op !== null && !/mask$/.test(role ?? '')
    return { name, op, part: 'value', count, difference: isStray ? Infinity : null, errorRatio: isStray ? Infinity : 0 }
  }
  /** @type {Result[]} */
  const missing = Array.from(isPageModel ? local.missing : [], name => (
    { name, op: null, part: 'value', count: 0, difference: Infinity, errorRatio: Infinity }))
  return [...Array.from(tensors.values(), values), ...missing, ...(isPageModel ? checkMasks(plan, run) : []),
    ...checkChoices(run), ...checkSums(run, local),
    ...backward(plan, run, local)]
}
