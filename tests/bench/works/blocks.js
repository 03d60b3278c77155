// Inference of stacks of causal pre-norm blocks with GELU: GPT-2 small without embedding and head, and the small size
// of the page's models.
import { encoderLayer } from '../../../src/reference/transformer.js'
import { faster } from '../lib/claims.js'
import { Graph } from '../lib/onnx.js'
import { block, FORMULATIONS, sizesOf } from '../lib/onnx_transformer.js'
import { gf, ourSide, perturbWeights, plainOf, random, toTensor } from '../lib/ours.js'
import { ORT } from '../lib/peers.js'

/** Larger than usual: rounding errors accumulate over the blocks. */
const TOLERANCE = 1e-4
/** The target of two threads for works that are too small to gain: two measurements of the same code differ by 3 %. */
const NO_SLOWER = 0.97
/** Multiply-adds that the float64 reference can do in a second or two. */
const REFERENCE_SIZE = 2e8

const stateOf = layer => Object.entries(layer.stateDict()).map(([name, tensor]) => [name, plainOf(tensor)])

async function ortBlocks(layers, x, sizes, formulation) {
  const { T, C } = sizes
  const { ortSide } = await import('../lib/ort.js')
  const graph = new Graph()
  graph.input('x', [T, C])
  const all = sizesOf(graph, formulation, sizes)
  const y = layers.reduce((h, layer) => block(graph, h, Object.fromEntries(stateOf(layer)), all), 'x')
  graph.output(y, [T, C])
  return ortSide(graph, { x: { ...x, shape: [T, C] } })
}

/**
 * The first rows of the reference, as many as take little time; with a causal mask they do not depend on later rows.
 */
function expectedStart(layers, x, { T, C, H, F }) {
  const perRow = layers.length * (4 * C * C + 2 * C * F)
  const rows = Math.max(1, Math.min(T, Math.floor(REFERENCE_SIZE / perRow)))
  const isHidden = Array.from({ length: rows * rows }, (_, at) => Number(at % rows > Math.floor(at / rows)))
  const mask = { shape: [rows, rows], data: isHidden, dtype: 'bool' }
  const options = { num_heads: H, norm_first: true, activation: 'gelu' }
  const start = { shape: [1, rows, C], data: x.data.subarray(0, rows * C) }
  const step = (src, layer) => encoderLayer.forward({ src, mask, ...Object.fromEntries(stateOf(layer)) }, options).y
  return layers.reduce(step, start).data
}

async function prepare(sizes) {
  const { count, T, C, H, F, isRecorded } = sizes
  const options = { dimFeedforward: F, activation: 'gelu', normFirst: true }
  const model = perturbWeights(new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(C, H, options), count))
  const layers = [...model.layers]
  const x = random([1, T, C], 1)
  const src = toTensor(x)
  const forward = isRecorded ? gf.compile(model) : model
  const sides = { ours: ourSide(() => forward(src, { isCausal: true })) }
  // One after the other, since two large models at once would not fit into memory while they are loaded.
  for (const formulation of FORMULATIONS) {
    sides[`${ORT}, ${formulation}`] = await ortBlocks(layers, x, sizes, formulation)
  }
  return { sides, expected: expectedStart(layers, x, sizes), tolerance: TOLERANCE }
}

const large = { count: 12, C: 768, H: 12, F: 3072 }
const small = { count: 2, C: 64, H: 4, F: 256, T: 32 }
const works = [
  [{ ...large, T: 1 }, 1.8, 1],
  [{ ...large, T: 64 }, 1.5, 1.5],
  [{ ...large, T: 256 }, 1.6, 1.8],
  [small, 2, NO_SLOWER],
  [{ ...small, isRecorded: true }, 2.2, NO_SLOWER]
]

export default works.map(([sizes, target, twoThreads]) => ({
  twoThreads,
  name: `${sizes.count} pre-norm blocks d = ${sizes.C}, F = ${sizes.F}, T = ${sizes.T}${sizes.isRecorded ? ', recorded' : ''}`,
  claims: [faster(ORT, target)],
  prepare: () => prepare(sizes)
}))
