import { describe, expect, expectInteger, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { grad } from '../autograd/autograd.js'
import { Tensor } from '../tensor/tensor.js'
import { roleOfEmbedding } from './attribution_walk.js'
import { readFloats, readRows } from './directions.js'
import { integrateUntilComplete } from './quadrature.js'
import { rerunWith } from './rerun.js'
import { RunGraph } from './run_graph.js'
import { expectRun, readTarget, sumAt } from './target.js'

/**
 * @typedef {import('../trace/observe.js').Run} Run
 * @typedef {import('./target.js').Target} Target
 * @typedef {import('./target.js').TargetOptions} TargetOptions
 * @typedef {'gradientTimesInput' | 'integratedGradients' | 'occlusion'} InputMethod
 *
 * What the tokens did to a logit.
 * @typedef {object} InputAttribution
 * @property {Float64Array} values of each token [T]
 * @property {number} total the logit, or the difference of two, in the run
 * @property {number} baseline the same where every token has the baseline's embedding
 * @property {number} gap total − baseline − Σ values: how far the values are from being complete
 * @property {string} input the tensor with the embeddings
 * @property {number} row @property {number} position @property {number} token @property {number | null} against
 *
 * The embeddings of one row of the batch: those of the run and of the baseline [T, C]; offset: of the first cell.
 * @typedef {{ name: string, T: number, C: number, offset: number, own: Float64Array, base: Float64Array }} Input
 */

const WHERE = 'inputAttribution'

/** @type {InputMethod[]} */ const METHODS = ['gradientTimesInput', 'integratedGradients', 'occlusion']
const TARGET = ['position', 'token', 'against', 'row', 'logits']

/** A target that differs by more than this, relative to 1, when the function runs again makes it not deterministic. */
const TOLERANCE = 1e-3

/** Integrated gradients are complete when the sum of the gaps of all intervals is below this times the difference. */
const COMPLETE = 5e-4

/** Rows of a table that are read at a time. */
const BLOCK_ROWS = 4096

/**
 * Attributes a logit to the tokens: runs the model again with other embeddings in place of the computed ones.
 * gradientTimesInput: Σ gradient × (embedding − baseline) of each token, one pass; integratedGradients: with the
 * gradient averaged along the straight path from the baseline (Sundararajan et al. 2017), which is complete: the values
 * sum to total − baseline but for the error of the quadrature, which `gap` says; occlusion: how much the logit falls
 * when a token gets the baseline's embedding, one pass for each token.
 * @param {Run} run of a function that computes the same again: a model in eval mode, with its tensors not disposed
 * @param {object} [options]
 * @param {InputMethod} [options.method] 'integratedGradients'
 * @param {TargetOptions} [options.target] { position, token, against, row, logits } as for logitAttribution
 * @param {'zero' | 'mean' | number | readonly number[] | Tensor} [options.baseline] 'zero'; 'mean': of the table; the
 *   id of a token, such as that of a mask; or an embedding [C], or one for each token [T, C]
 * @param {number} [options.steps] 512, of integratedGradients: how many gradients are computed along the path at most;
 *   there are 16 at first, and more where they are not complete to 0.0005
 * @param {string} [options.input] the name of the tensor with the embeddings; the output of the first embedding of
 *   tokens, which is the encoder's where there is one
 * @returns {InputAttribution}
 * @throws {import('../errors.js').GlassformerError} 'state' where the run has no embedding of tokens, or other numbers
 *   when it runs again; 'shape', 'range' and 'type' for wrong options
 * @example
 * const table = new gf.nn.Embedding(5, 4), head = new gf.nn.Linear(4, 5)
 * const run = gf.observe(() => head.forward(table.forward([[3, 1]])), { modules: { table, head } })
 * const { values, gap } = gf.interpret.inputAttribution(run, { target: { position: 1 } })
 * values[0]                                       // 0
 * Math.abs(gap) < 1e-5                            // true
 */
export function inputAttribution(run, options) {
  expectRun(WHERE, run)
  const given = expectOptions(WHERE, options, ['method', 'target', 'baseline', 'steps', 'input'])
  const method = expectOneOf(WHERE, 'method', given.method ?? 'integratedGradients', METHODS)
  const target = readTarget(WHERE, run, expectOptions(`${WHERE}: target`, given.target, TARGET))
  expect(given.steps === undefined || method === 'integratedGradients', 'range',
    () => `${WHERE}: steps is an option of integratedGradients, got it with ${method}`)
  const steps = expectInteger(WHERE, 'steps', given.steps ?? 512, 4, 100000), { total } = target
  const input = readInput(run, target, given), at = (/** @type {Float64Array} */ x) => targetAt(run, target, input, x)
  const again = at(input.own)
  expect(Math.abs(again - total) <= TOLERANCE * (1 + Math.abs(total)), 'state', () => `${WHERE}: the function of the run gives ` +
    `${again} when it runs again, not ${total}; call model.eval(), and leave its weights and inputs as they were`)
  const baseline = at(input.base), path = { steps, start: baseline, end: again }
  const values = attribute[method](run, target, input, path)
  const gap = total - baseline - values.reduce((sum, value) => sum + value, 0)
  const { row, position, token, against } = target
  return { values, total, baseline, gap, input: input.name, row, position, token, against }
}

/** @type {Record<InputMethod, (run: Run, target: Target, input: Input,
 *   path: { steps: number, start: number, end: number }) => Float64Array>} */
const attribute = {
  gradientTimesInput: (run, target, input) => timesDifference(input, gradientAt(run, target, input, input.own)),
  integratedGradients(run, target, input, { steps, start, end }) {
    const along = (/** @type {number} */ at) => input.base.map((from, i) => from + at * (input.own[i] - from))
    return integrateUntilComplete(at => targetAt(run, target, input, along(at)),
      at => timesDifference(input, gradientAt(run, target, input, along(at))),
      { steps, start, end, tolerance: COMPLETE * Math.max(1, Math.abs(end - start)) })
  },
  occlusion: (run, target, input) => Float64Array.from({ length: input.T }, (_, t) => {
    const { C, own, base } = input, x = own.map((value, i) => (Math.floor(i / C) === t ? base[i] : value))
    return target.total - targetAt(run, target, input, x)
  })
}

/** Σ over channels of gradient × (embedding − baseline). @param {Input} input @param {ArrayLike<number>} gradient */
function timesDifference({ T, C, own, base }, gradient) {
  const values = new Float64Array(T)
  for (let i = 0; i < own.length; i++) values[Math.floor(i / C)] += gradient[i] * (own[i] - base[i])
  return values
}

/** @param {Input} input @param {Float64Array} x @returns {(tensor: Tensor) => void} */
const setting = ({ offset }, x) => tensor => tensor.values.set(x, offset)

/**
 * The target for other embeddings.
 * @param {Run} run @param {Target} target @param {Input} input @param {Float64Array} x [T, C]
 */
function targetAt(run, { name, cells, signs }, input, x) {
  const change = { name: input.name, change: setting(input, x), needsGradient: false }
  return rerunWith(WHERE, run, change, trace => sumAt(trace.get(name), cells, signs))
}

/**
 * The gradient of the target for other embeddings.
 * @param {Run} run @param {Target} target @param {Input} input @param {Float64Array} x [T, C]
 */
function gradientAt(run, { name, cells, signs }, input, x) {
  const change = { name: input.name, change: setting(input, x), needsGradient: true }
  return rerunWith(WHERE, run, change, (trace, tensor) => {
    const logits = trace.get(name), start = logits.engine.zeros(logits.shape)
    expect(logits.requiresGrad, 'state', () => `${WHERE}: no gradient leads from ${name} to ${input.name}; ` +
      'the function of the run must not use noGrad or detach')
    cells.forEach((cell, i) => { start.values[cell] = signs[i] })
    const gradient = grad(logits, tensor, { gradOutputs: start, allowUnused: true }), end = input.offset + x.length
    return gradient ? Float64Array.from(gradient.values.subarray(input.offset, end)) : new Float64Array(x.length)
  })
}

/** @param {Run} run @param {Target} target @param {any} options @returns {Input} */
function readInput(run, target, { input, baseline = 'zero' }) {
  const graph = new RunGraph(run), name = input ?? findInput(graph, target.logits)
  expect(typeof name === 'string', 'type', () => `${WHERE}: input must be the name of a tensor, got ${describe(name)}`)
  const tensor = run.tensor(name), rank = tensor.shape.length, [T, C] = tensor.shape.slice(-2)
  const node = graph.producerOf(tensor), isUsed = graph.dependsOn(target.logits, new Set([tensor]))
  expect(node !== undefined && !node.op.isView && isUsed, 'state', () => `${WHERE}: ${name} must be computed in the run, and the logits from it`)
  const rows = rank === 3 ? tensor.shape[0] : 1
  expect((rank === 2 || rank === 3) && tensor.dtype === 'float32' && target.row < rows, 'shape',
    () => `${WHERE}: input must be embeddings [B, T, C] or [T, C] with the row of the target, got ${describe(tensor)}`)
  const offset = target.row * T * C, own = Float64Array.from(readFloats(tensor)).slice(offset, offset + T * C)
  return { name: graph.nameOf(tensor), T, C, offset, own, base: readBaseline(graph, tensor, baseline, T, C) }
}

/**
 * The output of the first embedding of tokens that logits were computed from.
 * @param {RunGraph} graph @param {Tensor} logits
 */
function findInput(graph, logits) {
  const found = graph.nodes.find(node => node.op.name === 'embedding' && roleOfEmbedding(graph, node) === 'embedding' &&
    graph.dependsOn(logits, new Set([node.outputs.out])))
  expect(found !== undefined, 'state', () => `${WHERE}: no embedding of tokens leads to the logits; option input names a tensor`)
  return graph.nameOf(found.outputs.out)
}

/**
 * @param {RunGraph} graph @param {Tensor} tensor @param {unknown} baseline @param {number} T @param {number} C
 * @returns {Float64Array} [T, C]
 */
function readBaseline(graph, tensor, baseline, T, C) {
  const toRows = (/** @type {ArrayLike<number>} */ row) => Float64Array.from({ length: T * C }, (_, i) => row[i % C])
  if (baseline === 'zero') return new Float64Array(T * C)
  if (baseline === 'mean' || typeof baseline === 'number') {
    const weight = graph.producerOf(tensor)?.inputs.weight
    expect(graph.producerOf(tensor)?.op.name === 'embedding', 'state',
      () => `${WHERE}: baseline ${describe(baseline)} needs an embedding as input; give numbers [C]`)
    if (baseline === 'mean') return toRows(meanRow(weight))
    return toRows(readRows(weight, [expectInteger(WHERE, 'baseline', baseline, 0, weight.shape[0] - 1)]))
  }
  const numbers = baseline instanceof Tensor ? readFloats(baseline) : Array.isArray(baseline) ? baseline.flat() : null
  expect(numbers !== null, 'type', () => `${WHERE}: baseline must be 'zero', 'mean', the id of a token, or an embedding ` +
    `[${C}] or [${T}, ${C}], got ${describe(baseline)}`)
  expect([C, T * C].includes(numbers.length) && Array.from(numbers).every(Number.isFinite), 'shape', () => `${WHERE}: baseline ` +
    `must have ${C} numbers, or those for ${T} tokens, got ${baseline instanceof Tensor ? formatShape(baseline.shape) : describe(numbers)}`)
  return numbers.length === C ? toRows(numbers) : Float64Array.from(numbers)
}

/** The mean of a table's rows. @param {Tensor} weight */
function meanRow(weight) {
  const [V, C] = weight.shape, mean = new Float64Array(C)
  for (let first = 0; first < V; first += BLOCK_ROWS) {
    const rows = readRows(weight, Array.from({ length: Math.min(BLOCK_ROWS, V - first) }, (_, i) => first + i))
    rows.forEach((value, i) => { mean[i % C] += value / V })
  }
  return mean
}
