// Operations on single rows or values: layer norm, softmax, exact GELU.
import * as gelu from '../../../src/reference/gelu.js'
import * as layerNorm from '../../../src/reference/layer_norm.js'
import * as softmax from '../../../src/reference/softmax.js'
import { faster } from '../lib/claims.js'
import { Graph } from '../lib/onnx.js'
import { F, ourSide, random, toTensor } from '../lib/ours.js'
import { ORT } from '../lib/peers.js'

const SHAPE = [1024, 768]

const affine = { weight: random([SHAPE[1]], 2), bias: random([SHAPE[1]], 3) }

const works = [
  {
    name: 'layer norm', target: 6, reference: layerNorm, inputs: affine,
    ours: (x, { weight, bias }) => F.layerNorm(x, weight, bias),
    onnx: (graph, x) => graph.op('LayerNormalization',
      [x, graph.constant(affine.weight), graph.constant(affine.bias)], { axis: -1, epsilon: 1e-5 })
  },
  {
    name: 'softmax', target: 2, reference: softmax, inputs: {},
    ours: x => F.softmax(x),
    onnx: (graph, x) => graph.op('Softmax', [x], { axis: -1 })
  },
  {
    name: 'GELU', target: 3, reference: gelu, inputs: {},
    ours: x => F.gelu(x),
    onnx: (graph, x) => graph.op('Gelu', [x])
  }
]

async function prepare({ reference, inputs, ours, onnx }) {
  const { ortSide } = await import('../lib/ort.js')
  const x = random(SHAPE, 1)
  const tensor = toTensor(x)
  const others = Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, toTensor(t)]))
  const graph = new Graph()
  graph.input('x', SHAPE)
  graph.output(onnx(graph, 'x'), SHAPE)
  return {
    sides: { ours: ourSide(() => ours(tensor, others)), [ORT]: await ortSide(graph, { x }) },
    expected: reference.forward({ x, ...inputs }, {}).y.data
  }
}

export default works.map(work => ({
  name: `${work.name} ${SHAPE.join(' x ')}`,
  claims: [faster(ORT, work.target)],
  prepare: () => prepare(work)
}))
