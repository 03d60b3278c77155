// The core of causal attention, softmax(q kᵀ / √D + mask) v: 12 heads of 64, inference.
import * as reference from '../../../src/reference/attention.js'
import { faster } from '../lib/claims.js'
import { Graph } from '../lib/onnx.js'
import { attentionCore, causalMask } from '../lib/onnx_transformer.js'
import { F, ourSide, random, toTensor } from '../lib/ours.js'
import { ORT } from '../lib/peers.js'

const H = 12, D = 64

/** The fastest formulation at every size, of several that include ONNX Runtime's own operators. */
async function ortCore(inputs, T) {
  const { ortSide } = await import('../lib/ort.js')
  const graph = new Graph()
  const names = Object.keys(inputs).map(name => graph.input(name, [1, H, T, D]))
  graph.output(attentionCore(graph, names, { D, mask: causalMask(graph, T) }), [1, H, T, D])
  return ortSide(graph, inputs)
}

/** The reference of the first head. It is enough, since all sides are compared with each other in full. */
function firstHead(inputs, T) {
  const head = ({ data }) => ({ shape: [1, 1, T, D], data: data.subarray(0, T * D) })
  const [q, k, v] = Object.values(inputs).map(head)
  return reference.forward({ q, k, v }, { causal: true }).y.data
}

async function prepare(T) {
  const [q, k, v] = [1, 2, 3].map(seed => random([1, H, T, D], seed))
  const tensors = [q, k, v].map(toTensor)
  return {
    sides: {
      ours: ourSide(() => F.scaledDotProductAttention(...tensors, { isCausal: true })),
      [ORT]: await ortCore({ q, k, v }, T)
    },
    expected: firstHead({ q, k, v }, T)
  }
}

export default [[64, 2, 1], [256, 2.5, 1.8], [1024, 3, 1.8]].map(([T, target, twoThreads]) => ({
  twoThreads,
  name: `causal attention, ${H} heads of ${D}, T = ${T}`,
  claims: [faster(ORT, target)],
  prepare: () => prepare(T)
}))
