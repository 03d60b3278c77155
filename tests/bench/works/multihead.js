// Inference of a causal multi-head attention module with its projections, without returning weights.
import * as reference from '../../../src/reference/multihead_attention.js'
import { faster } from '../lib/claims.js'
import { Graph } from '../lib/onnx.js'
import { FORMULATIONS, multihead, sizesOf } from '../lib/onnx_transformer.js'
import { gf, ourSide, perturbWeights, plainOf, random, toTensor } from '../lib/ours.js'
import { ORT } from '../lib/peers.js'

const REFERENCE_T = 256

const plainState = module =>
  Object.fromEntries(Object.entries(module.stateDict()).map(([name, tensor]) => [name, plainOf(tensor)]))

async function ortSides(weights, x, sizes) {
  const { T, C } = sizes
  const { ortSide } = await import('../lib/ort.js')
  const sides = {}
  for (const formulation of FORMULATIONS) {
    const graph = new Graph()
    graph.input('x', [T, C])
    graph.output(multihead(graph, 'x', weights, sizesOf(graph, formulation, sizes)), [T, C])
    sides[`${ORT}, ${formulation}`] = await ortSide(graph, { x: { ...x, shape: [T, C] } })
  }
  return sides
}

/** The first rows of the reference, which with a causal mask do not depend on later rows. */
function expectedStart(weights, x, { T, C, H }) {
  const rows = Math.min(T, REFERENCE_T)
  const query = { shape: [1, rows, C], data: x.data.subarray(0, rows * C) }
  const isHidden = Array.from({ length: rows * rows }, (_, at) => Number(at % rows > Math.floor(at / rows)))
  const mask = { shape: [rows, rows], data: isHidden, dtype: 'bool' }
  const { 'out_proj.weight': out_proj_weight, 'out_proj.bias': out_proj_bias, ...projections } = weights
  const parameters = { ...projections, out_proj_weight, out_proj_bias }
  return reference.forward({ query, attn_mask: mask, ...parameters }, { num_heads: H }).y.data
}

async function prepare(sizes) {
  const { T, C, H } = sizes
  const layer = perturbWeights(new gf.nn.MultiheadAttention(C, H))
  const weights = plainState(layer)
  const x = random([1, T, C], 1)
  const query = toTensor(x)
  const options = { needWeights: false, isCausal: true }
  return {
    sides: {
      ours: ourSide(() => layer.forward(query, query, query, options)[0]),
      ...(await ortSides(weights, x, sizes))
    },
    expected: expectedStart(weights, x, sizes)
  }
}

const works = [
  [{ C: 768, H: 12, T: 256 }, 1.6],
  [{ C: 768, H: 12, T: 1024 }, 1.9],
  [{ C: 64, H: 4, T: 32 }, 1.5]
]

export default works.map(([sizes, target]) => ({
  name: `multi-head layer d = ${sizes.C}, ${sizes.H} heads, T = ${sizes.T}`,
  claims: [faster(ORT, target)],
  prepare: () => prepare(sizes)
}))
