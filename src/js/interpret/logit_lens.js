import { expect, expectInteger, expectOptions, expectType } from '../errors.js'
import { matmul } from '../ops/matmul.js'
import { narrow } from '../ops/narrow.js'
import { sameShape } from '../tensor/shape.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'
import { expectRun, findLogits } from './target.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./sub_layers.js').StreamStep} StreamStep
 *
 * logits: of each point of the stream [points, T, V]; names: the tensors at these points, after each sub-layer; layers:
 * the layer of each.
 * @typedef {{ logits: Tensor, names: string[], layers: number[] }} LogitLens
 */

/** Steps that pass their input on, or that the next operation takes itself. */
const IDENTITIES = ['rounded', 'clone', 'detach']

/**
 * The logit lens (nostalgebraist 2020): the logits that the model's last steps (the last norm and the linear layer
 * after it) compute from the residual stream after each sub-layer. At the last point they are the run's own.
 * @param {import('../trace/observe.js').Run} run
 * @param {object} [options]
 * @param {number} [options.row] 0, of the batch
 * @param {readonly number[]} [options.positions] all; a few save memory, since every position of every point has V
 *   logits
 * @param {string} [options.logits] the name of the tensor with the logits; the run's output
 * @returns {LogitLens} the tensor has to be disposed
 * @throws {import('../errors.js').GlassformerError} 'state' where the last steps cannot be applied to other vectors,
 *   'shape' when the run's output has no logits, 'range' for a row or position outside of them
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7)
 * const run = gf.observe(() => head.forward(gpt.forward(gf.ones([1, 3, 4]))), { modules: { gpt, head } })
 * const { logits, names } = gf.interpret.logitLens(run)
 * logits.shape                                    // [2, 3, 7]
 * names                                           // ['gpt.residual1', 'gpt.output']
 */
export function logitLens(run, options) {
  return readLens('logitLens', run, options, x => x)
}

/**
 * The points of the stream that leads to a run's logits, and the steps that can be applied to other vectors.
 * @param {string} where @param {import('../trace/observe.js').Run} run @param {string} [option] the name of the logits
 */
export function findPoints(where, run, option) {
  expectRun(where, run)
  const { logits, name } = findLogits(where, run, option), graph = new RunGraph(run), { shape } = logits
  const { points, steps } = new SubLayers(graph).findStream(logits)
  const first = points[0]?.tensor
  const stopped = steps.find(({ node }) => !canApply(graph, node))
  const fits = first && sameShape(first.shape.slice(0, -1), shape.slice(0, -1))
  expect(fits && !stopped, 'state', () => `${where}: ${!first ? `no residual stream leads to ${name}`
    : stopped ? `${stopped.node.op.name} on the way from the stream to ${name} cannot be computed for other vectors`
      : `the stream at ${graph.nameOf(first)} does not have the positions of ${name}`}`)
  return { logits, points, steps, names: points.map(({ tensor }) => graph.nameOf(tensor)) }
}

/**
 * The logit lens of vectors that `translate` computes from those of each point.
 * @param {string} where @param {import('../trace/observe.js').Run} run @param {Parameters<typeof logitLens>[1]} options
 * @param {(x: Tensor, n: number) => Tensor} translate @param {readonly string[]} [expected] names of the points
 * @returns {LogitLens}
 */
export function readLens(where, run, options, translate, expected) {
  const given = expectOptions(where, options, ['row', 'positions', 'logits'])
  const { logits: { engine, shape }, points, steps, names } = findPoints(where, run, given.logits)
  expect(expected === undefined || expected.join() === names.join(), 'state', () => `${where}: the run must have the points ` +
    `that the lens was fitted to, ${expected?.join(', ')}, got ${names.join(', ')}`)
  const [T, V] = shape.slice(-2), positions = readPositions(where, given.positions, T)
  const row = expectInteger(where, 'row', given.row ?? 0, 0, shape.length === 3 ? shape[0] - 1 : 0)
  const out = engine.empty([points.length, positions.length, V])
  points.forEach(({ tensor: point }, n) => engine.tidy(() => engine.noGrad(() => {
    const own = point.shape.length === 3 ? narrow(point, 0, row, 1) : point, from = Math.min(...positions)
    const rows = narrow(own, own.shape.length - 2, from, Math.max(...positions) - from + 1)
    const { values } = steps.reduce((x, step) => apply(step, x), translate(rows, n))
    positions.forEach((position, i) => out.values.set(
      values.subarray((position - from) * V, (position - from + 1) * V), (n * positions.length + i) * V))
  })))
  return { logits: out, names, layers: points.map(({ layer }) => layer) }
}

/** @param {string} where @param {unknown} given @param {number} T @returns {number[]} */
function readPositions(where, given, T) {
  if (given === undefined) return Array.from({ length: T }, (_, t) => t)
  expectType(Array.isArray(given) && given.length > 0, `${where}: positions must be a list of integers`, given)
  return given.map((position, i) => (expectInteger(where, `positions[${i}]`, position, -T, T - 1) + T) % T)
}

/**
 * Whether an operation can be computed for another input of the stream.
 * @param {RunGraph} graph @param {import('../autograd/autograd.js').Node} node
 */
export const canApply = (graph, { op, inputs }) => Boolean(op.recompute) || IDENTITIES.includes(op.name) ||
  (op.name === 'matmul' && inputs.b.shape.length === 2 && !graph.isData(inputs.b))

/**
 * Computes an operation for another input of the stream.
 * @param {StreamStep} step @param {Tensor} x @returns {Tensor}
 */
export function apply({ node, input }, x) {
  const { op, inputs } = node
  if (IDENTITIES.includes(op.name)) return x
  if (op.name === 'matmul') return matmul(x, inputs.b)
  const recompute = /** @type {NonNullable<typeof op.recompute>} */ (op.recompute)
  return recompute({ ...inputs, [input]: x }, op.parameters?.(node) ?? {})
}
