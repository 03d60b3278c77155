// a [M, K] times b [K, N]. Both are inputs, so that no side may pack b in advance.
import * as linear from '../../../src/reference/linear.js'
import { faster, ofLimit } from '../lib/claims.js'
import { MULTIPLY_ADD, multiplyAdd } from '../lib/limit.js'
import { Graph, transposed } from '../lib/onnx.js'
import { F, ourSide, random, toTensor } from '../lib/ours.js'
import { ORT, TFJS } from '../lib/peers.js'

async function ortMatmul(a, b) {
  const { ortSide } = await import('../lib/ort.js')
  const graph = new Graph()
  graph.input('a', a.shape)
  graph.input('b', b.shape)
  graph.output(graph.op('MatMul', ['a', 'b']), [a.shape[0], b.shape[1]])
  return ortSide(graph, { a, b })
}

async function tfMatmul(a, b) {
  const { tf, tfSide, toTf } = await import('../lib/tfjs.js')
  const [left, right] = [toTf(a), toTf(b)]
  return tfSide(() => tf.matMul(left, right))
}

async function prepare(M, K, N) {
  const a = random([M, K], 1)
  const b = random([K, N], 2)
  const [left, right] = [toTensor(a), toTensor(b)]
  return {
    sides: {
      ours: ourSide(() => F.matmul(left, right)),
      [ORT]: await ortMatmul(a, b),
      [TFJS]: await tfMatmul(a, b),
      ...(await multiplyAdd())
    },
    // The reference of linear computes the same sums several times faster than that of matmul.
    expected: linear.forward({ x: a, weight: transposed(b) }).y.data,
    work: 2 * M * K * N
  }
}

export default [[512, 512, 512], [1024, 1024, 1024], [128, 768, 3072]].map(([M, K, N]) => ({
  name: M === N ? `matmul ${M}³` : `matmul ${M} x ${K} x ${N}`,
  twoThreads: 1.8,
  claims: [faster(ORT, 1.6), faster(TFJS, 1.25), ofLimit(MULTIPLY_ADD, 85)],
  prepare: () => prepare(M, K, N)
}))
