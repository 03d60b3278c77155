// One row through linear layers whose weights are read from memory, as when a model generates one token at a time. The
// layers together are as large as 12 blocks, so that the weights of a layer have left every cache when it runs again.
// Weights do not change, so every side may pack them once.
import * as linear from '../../../src/reference/linear.js'
import { faster, ofLimit } from '../lib/claims.js'
import { READ, READ_BYTES, read } from '../lib/limit.js'
import { Graph, transposed } from '../lib/onnx.js'
import { F, gf, ourSide, plainOf, random, toTensor } from '../lib/ours.js'
import { ORT, TFJS } from '../lib/peers.js'

const IN = 768, OUT = 3072
const BYTES = IN * OUT * 4
const LAYERS = Math.ceil(READ_BYTES / BYTES)

// The check compares the sum of all layers' results. Ours and TensorFlow.js do not compute the sum while they are
// timed; onnxruntime-web does, since a session computes only outputs of the graph.

async function ortSum(x, weights) {
  const { ortSide } = await import('../lib/ort.js')
  const graph = new Graph()
  graph.input('x', x.shape)
  const results = weights.map(weight => graph.op('MatMul', ['x', graph.constant(transposed(weight))]))
  graph.output(graph.op('Sum', results), [1, OUT])
  return ortSide(graph, { x })
}

async function tfSum(x, weights) {
  const { tf, tfSide, toTf } = await import('../lib/tfjs.js')
  const row = toTf(x)
  const matrices = weights.map(weight => toTf(transposed(weight)))
  const products = () => matrices.map(matrix => tf.matMul(row, matrix))
  return { run: tfSide(products).run, result: tfSide(() => tf.addN(products())).result }
}

function expectedSum(x, weights) {
  const results = weights.map(weight => linear.forward({ x, weight }).y.data)
  return results[0].map((_, i) => results.reduce((sum, result) => sum + result[i], 0))
}

async function prepare() {
  const x = random([1, IN], 1)
  const row = toTensor(x)
  const layers = Array.from({ length: LAYERS }, () => new gf.nn.Linear(IN, OUT, { bias: false }).eval())
  const weights = layers.map(layer => plainOf(layer.weight))
  const products = () => layers.map(layer => layer.forward(row))
  return {
    sides: {
      ours: { run: ourSide(products).run, result: ourSide(() => products().reduce((sum, y) => F.add(sum, y))).result },
      [ORT]: await ortSum(x, weights),
      [TFJS]: await tfSum(x, weights),
      ...(await read())
    },
    expected: expectedSum(x, weights),
    work: LAYERS * BYTES
  }
}

export default [{
  name: `1 x ${IN} x ${OUT} from memory, ${LAYERS} in a row`,
  claims: [faster(ORT, 1.5), faster(TFJS, 1.5), ofLimit(READ, 70)],
  prepare
}]
