import { expectBoolean, expectOptions } from '../errors.js'
import { indexOf, offsetOf, sizeOf } from '../tensor/shape.js'
import { AttributionWalk } from './attribution_walk.js'
import { RunGraph } from './run_graph.js'
import { TARGET_OPTIONS, expectRun, readTarget } from './target.js'

/**
 * @typedef {import('./attribution_walk.js').FoundPart} FoundPart
 * @typedef {import('./attribution_walk.js').Role} Role
 *
 * What one part of the model added to a logit. value = Σ direction × the cells of the tensor `name` at `index`, in
 * order; the index has a number or a range [from, to], to not included, for every axis, as in an edit.
 * @typedef {object} AttributionPart
 * @property {string} name the tensor of the run that the part was read from
 * @property {number | null} layer null outside of the layers
 * @property {number | null} head of role 'head'
 * @property {Role} role 'embedding', 'position' and 'token_type' are looked up or added at the input, 'input' was given
 *   to the run; 'head' is a head of attention, 'attention' what cannot be split by head; 'feed_forward'; 'bias'
 *   is the bias of a layer, 'norm' that of a norm; 'edit' was set by an edit; 'other' could not be split further
 * @property {number} value
 * @property {(number | [number, number])[]} index
 * @property {Float64Array} direction what each of these cells counts for
 * @property {Float64Array} [sources] with bySource, of a head: what came from each source position [Tk]; they sum to
 *   value
 * @property {{ name: string, values: Float64Array, bias: number }} [neurons] with neurons, of a feed-forward sub-layer:
 *   the tensor of the activations, what each neuron wrote [F], and what the last layer's bias did; all sum to value
 *
 * @typedef {object} LogitAttribution
 * @property {number} total the logit, or the difference of two, in the run
 * @property {AttributionPart[]} parts in the order of the computation
 * @property {number} rounding total − Σ value: the rounding of the run's float32 numbers
 * @property {string} logits the tensor of the logits
 * @property {number} row @property {number} position @property {number} token @property {number | null} against
 */

const WHERE = 'logitAttribution'
const OPTIONS = [...TARGET_OPTIONS, 'bySource', 'neurons']

/**
 * Direct logit attribution: splits a logit into what the embeddings, every head, every feed-forward sub-layer and every
 * bias added to the residual stream at that position (Elhage et al. 2021). Norms on the way divide by the number that
 * they divided by in the run, and an activation between the stream and the logits keeps its ratio of output to input,
 * so that the parts sum to the logit. This is found in the graph of the run, whatever the model's classes.
 * @param {import('../trace/observe.js').Run} run
 * @param {import('./target.js').TargetOptions & { bySource?: boolean, neurons?: boolean }} [options] bySource: false;
 *   true splits heads by source position too; neurons: false; true splits feed-forward sub-layers by neuron too
 * @returns {LogitAttribution}
 * @throws {import('../errors.js').GlassformerError} 'shape' when the run's output has no logits, 'range' for a
 *   position, token or row outside of them
 * @example
 * const table = new gf.nn.Embedding(5, 4), head = new gf.nn.Linear(4, 5)
 * const run = gf.observe(() => head.forward(table.forward([[3, 1]])), { modules: { table, head } })
 * const { parts } = gf.interpret.logitAttribution(run, { token: 2 })
 * parts.map(({ role }) => role)                   // ['embedding', 'bias']
 */
export function logitAttribution(run, options) {
  expectRun(WHERE, run)
  const given = expectOptions(WHERE, options, OPTIONS)
  const bySource = expectBoolean(WHERE, 'bySource', given.bySource ?? false)
  const neurons = expectBoolean(WHERE, 'neurons', given.neurons ?? false)
  const { logits, name, cells, signs, total, row, position, token, against } = readTarget(WHERE, run, given)
  const graph = new RunGraph(run), walk = new AttributionWalk(graph, { bySource, neurons })
  const found = walk.run({ tensor: logits, cells, factors: Float64Array.from(signs) })
  found.sort((a, b) => a.order - b.order || (a.head ?? -1) - (b.head ?? -1))
  const parts = found.map(part => describePart(graph, walk.layerOf(part), part))
  numberHeads(parts)
  const rounding = total - parts.reduce((sum, { value }) => sum + value, 0)
  return { total, parts, rounding, logits: name, row, position, token, against }
}

/** @param {RunGraph} graph @param {number | null} layer @param {FoundPart} part @returns {AttributionPart} */
function describePart(graph, layer, { role, tensor, direction, value, head = null, sources, neurons }) {
  const name = graph.nameOf(tensor)
  const box = direction ? toBox(tensor.shape, direction) : { index: [], direction: new Float64Array(0) }
  return {
    name, layer, head, role, value, ...box, ...(sources && { sources }),
    ...(neurons && { neurons: { name: graph.nameOf(neurons.tensor), values: neurons.values, bias: neurons.bias } })
  }
}

/**
 * A direction as the smallest box that contains its cells.
 * @param {readonly number[]} shape @param {import('./directions.js').Direction} direction
 * @returns {Pick<AttributionPart, 'index' | 'direction'>}
 */
function toBox(shape, { cells, factors }) {
  const last = shape.length - 1, first = indexOf(shape, cells[0]), length = cells.length
  if (first[last] + length <= shape[last] && cells[length - 1] - cells[0] === length - 1 && isAscending(cells)) {
    return { direction: factors, index: [...first.slice(0, last), [first[last], first[last] + length]] }
  }
  const low = [...shape], high = shape.map(() => 0)
  const indices = Array.from(cells, cell => indexOf(shape, cell))
  for (const index of indices) index.forEach((i, axis) => {
    low[axis] = Math.min(low[axis], i)
    high[axis] = Math.max(high[axis], i + 1)
  })
  const sides = low.map((from, axis) => high[axis] - from)
  const direction = new Float64Array(sizeOf(sides))
  indices.forEach((index, n) => { direction[offsetOf(sides, index.map((i, axis) => i - low[axis]))] += factors[n] })
  return { direction, index: low.map((from, axis) => (sides[axis] === 1 && axis < last ? from : [from, high[axis]])) }
}

/** @param {ArrayLike<number>} cells */
function isAscending(cells) {
  for (let i = 1; i < cells.length; i++) if (cells[i] !== cells[i - 1] + 1) return false
  return true
}

/** Attention with one head in each operation has them numbered by layer. @param {AttributionPart[]} parts */
function numberHeads(parts) {
  /** @type {Map<number | null, number>} */ const counts = new Map()
  for (const part of parts) if (part.role === 'head' && part.head === null) {
    part.head = counts.get(part.layer) ?? 0
    counts.set(part.layer, part.head + 1)
  }
}
