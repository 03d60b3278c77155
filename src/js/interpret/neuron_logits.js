import { describe, expect, expectInteger, expectOptions } from '../errors.js'
import { linear } from '../ops/linear.js'
import { matmul } from '../ops/matmul.js'
import { keyOf } from '../autograd/graph.js'
import { AttributionWalk } from './attribution_walk.js'
import { carryBack } from './directions.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'
import { expectRun, readTarget } from './target.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * An operation on the direct path: `output` is computed from `input`. cells: of the output, which are needed.
 * @typedef {{ node: Node, output: Tensor, input: Tensor, cells: number[] }} Step
 *
 * @typedef {object} NeuronOptions
 * @property {number} [layer] of the feed-forward network, as the parts of logitAttribution have it
 * @property {string} [name] instead of a layer: the tensor of the neurons, such as 'layers.0.activation'
 * @property {number} neuron its channel
 * @property {number} [top] 10: how many tokens are listed
 * @property {number} [position] of the logits; the last one; negative numbers count from the end
 * @property {number} [row] 0, of the batch @property {string} [logits] the name of the tensor with the logits; the
 *   run's output
 *
 * logits: what one unit of the neuron's activation adds to the logit of each token [V]; activation: what the neuron had
 * at this position; promoted, suppressed: the tokens with the largest and the smallest of these numbers.
 * @typedef {{ name: string, neuron: number, position: number, activation: number, logits: Float64Array,
 *   promoted: { token: number, value: number }[], suppressed: { token: number, value: number }[] }} NeuronLogits
 */

const WHERE = 'neuronLogits'
const OPTIONS = ['layer', 'name', 'neuron', 'top', 'position', 'row', 'logits']

/**
 * The tensor of the neurons of a layer that write to a logit.
 * @param {RunGraph} graph @param {import('./directions.js').Direction} logit @param {unknown} layer @returns {Tensor}
 */
function findNeurons(graph, logit, layer) {
  const walk = new AttributionWalk(graph, { bySource: false, neurons: true })
  const networks = walk.run(logit).flatMap(({ neurons, ...part }) => (
    neurons ? [{ layer: walk.layerOf(part), tensor: neurons.tensor }] : []))
  const found = networks.find(network => network.layer === layer)
  expect(found !== undefined, 'index', () => `${WHERE}: layer must be one with a feed-forward network that writes to the ` +
    `logits, ${[...new Set(networks.map(network => network.layer))].reverse().join(', ')}, got ${describe(layer)}`)
  return found.tensor
}

/**
 * The operations from a tensor to the logits along the residual stream, past all later sub-layers; from the logits
 * backward.
 * @param {RunGraph} graph @param {Tensor} from @param {Tensor} logits @returns {Omit<Step, 'cells'>[]}
 */
function findDirectPath(graph, from, logits) {
  /** @type {Omit<Step, 'cells'>[]} */ const path = []
  const source = new Set([from]), subLayers = new SubLayers(graph)
  const comesFrom = (/** @type {Tensor} */ tensor) => tensor === from || graph.dependsOn(tensor, source)
  for (let output = logits; output !== from;) {
    const node = /** @type {Node} */ (graph.producerOf(output)), change = node && subLayers.addedBy(node)?.change
    const isAdded = (/** @type {Tensor | undefined} */ own) => own !== undefined && graph.resolve(own) === change
    const inputs = [...new Set(graph.inputsOf(output))].filter(comesFrom)
    const [input, other] = [...inputs.filter(own => !isAdded(own)), ...inputs.filter(isAdded)]
    expect(input !== undefined, 'state', () => `${WHERE}: the logits are not computed from ${graph.nameOf(from)}`)
    expect(other === undefined || isAdded(other), 'state', () => notLinear(graph, output))
    path.push({ node, output, input })
    output = input
  }
  return path
}

/** @param {RunGraph} graph @param {Tensor} tensor */
const notLinear = (graph, tensor) => `${WHERE}: ${graph.nameOf(tensor)}, on the way to the logits, is not linear in the neuron`

/**
 * What some cells of a step's output were computed from: cells of its input with factors.
 * @param {RunGraph} graph @param {Omit<Step, 'cells'>} step @param {number[]} cells @returns {Map<number, number>}
 */
function carry(graph, { node, output, input }, cells) {
  const follow = (/** @type {Node} */ { inputs: { a } }) => (a === input ? 'a' : 'b')
  const direction = { tensor: output, cells, factors: new Float64Array(cells.length).fill(1) }
  const below = carryBack(node, keyOf(node, output), direction, { isData: own => graph.isData(own), follow })
  expect(below !== null, 'state', () => notLinear(graph, output))
  /** @type {Map<number, number>} */ const factors = new Map()
  for (const item of below) if ('tensor' in item && item.tensor === input) {
    item.factors.forEach((factor, i) => factors.set(item.cells[i], (factors.get(item.cells[i]) ?? 0) + factor))
  }
  return factors
}

/** Whether a step is a product of rows with weights. @param {Omit<Step, 'cells'>} step */
const isProduct = ({ node: { op, inputs }, input }) => op.name === 'linear' ||
  (op.name === 'matmul' && input === inputs.a && inputs.b.shape.length === 2)

/**
 * The cells of a step's input that cells of one row of its output are computed from.
 * @param {RunGraph} graph @param {Omit<Step, 'cells'>} step @param {number[]} cells
 */
function cellsBelow(graph, step, cells) {
  if (!isProduct(step)) return [...carry(graph, step, cells).keys()]
  const [N, K] = [step.output, step.input].map(({ shape }) => shape[shape.length - 1])
  return Array.from({ length: K }, (_, k) => Math.floor(cells[0] / N) * K + k)
}

/**
 * What a change of a step's input does to its output: with weights for all columns at once.
 * @param {RunGraph} graph @param {Step} step @param {Map<number, number>} change by cell of the input
 * @returns {Map<number, number>} by cell of the output
 */
function carryOn(graph, step, change) {
  const { node: { op, inputs, saved }, output, input, cells } = step, { engine } = output
  if (!isProduct(step)) return new Map(cells.map(cell => [cell, [...carry(graph, step, [cell])]
    .reduce((sum, [from, factor]) => sum + factor * (change.get(from) ?? 0), 0)]))
  const [N, K] = [output, input].map(({ shape }) => shape[shape.length - 1])
  return engine.tidy(() => engine.noGrad(() => {
    const x = engine.zeros([1, K])
    for (const [cell, value] of change) x.values[cell % K] = value
    const { values } = op.name === 'matmul' ? matmul(x, inputs.b) : linear(x, inputs.weight), first = saved.first ?? 0
    return new Map(cells.map(cell => [cell, values[first + cell % N]]))
  }))
}

/**
 * What a neuron writes to the vocabulary: the logits that one unit of its activation adds directly, along its row of
 * the output layer, the residual stream, the norms and the unembedding (Geva et al. 2022, for whom feed-forward layers
 * promote tokens). As in logitAttribution, norms divide by the number that they divided by in the run at this position,
 * so that activation × logits[token] is the neuron's part of that token's logit. What later layers make of the neuron
 * is not in it.
 * @param {import('../trace/observe.js').Run} run @param {NeuronOptions} options
 * @returns {NeuronLogits}
 * @throws {import('../errors.js').GlassformerError} 'index' for a layer without neurons that write to the logits,
 *   'range' for a neuron or position outside of them, 'state' where the way to the logits is not linear
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7)
 * const run = gf.observe(() => head.forward(gpt.forward(gf.ones([1, 3, 4]))), { modules: { gpt, head } })
 * const { logits, promoted } = gf.interpret.neuronLogits(run, { name: 'gpt.activation', neuron: 2, top: 3 })
 * logits.length                                   // 7
 * promoted.length                                 // 3
 */
export function neuronLogits(run, options) {
  expectRun(WHERE, run)
  const given = expectOptions(WHERE, options, OPTIONS), { layer, name, neuron, top = 10, ...target } = given
  expectInteger(WHERE, 'top', top, 1)
  expect((layer === undefined) !== (name === undefined), 'type', () => `${WHERE}: either layer or name (of a tensor) ` +
    `must be given, got ${layer === undefined ? 'neither' : 'both'}`)
  const { logits, position, cells: [cell] } = readTarget(WHERE, run, target), graph = new RunGraph(run)
  const V = logits.shape[logits.shape.length - 1], first = cell - cell % V
  const from = name === undefined
    ? findNeurons(graph, { tensor: logits, cells: [cell], factors: Float64Array.of(1) }, layer) : run.tensor(name)
  const F = from.shape[from.shape.length - 1]
  expect(graph.isData(from), 'state', () => `${WHERE}: ${name} must be computed in the run`)
  expectInteger(WHERE, 'neuron', neuron, 0, F - 1)
  /** @type {Step[]} */ const steps = []
  let cells = Array.from({ length: V }, (_, v) => first + v)
  for (const step of findDirectPath(graph, from, logits)) {
    steps.push({ ...step, cells })
    cells = cellsBelow(graph, step, cells)
  }
  const own = cells.filter(at => at % F === neuron)
  expect(own.length === 1, 'state', () => `${WHERE}: the logits must be computed from one value of the neuron, got ` +
    `${own.length} of ${graph.nameOf(from)}`)
  const change = steps.reduceRight((below, step) => carryOn(graph, step, below), new Map([[own[0], 1]]))
  const written = Float64Array.from({ length: V }, (_, v) => change.get(first + v) ?? 0)
  const order = Array.from(written.keys()).sort((a, b) => written[b] - written[a])
  const listOf = (/** @type {number[]} */ tokens) => (
    tokens.slice(0, top).map(token => ({ token, value: written[token] })))
  return {
    name: graph.nameOf(from), neuron, position, activation: Number(from.values[own[0]]), logits: written,
    promoted: listOf(order), suppressed: listOf(order.reverse())
  }
}
