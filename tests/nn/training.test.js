// Modules in training mode: initial weights, dropout masks in PyTorch's order of draws, and the way back through them.
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { gf, toTensor } from '../lib/engine.js'
import { evaluateModule } from '../lib/modules.js'

const { nn } = gf
const golden = loadGolden('training')
const { x, memory, cot } = golden.shared

const layerOptions = {
  post: { dimFeedforward: 12, dropout: 0.5, activation: 'relu', normFirst: false },
  pre: { dimFeedforward: 12, dropout: 0.5, activation: 'gelu', normFirst: true }
}
const encoderLayer = variant => new nn.TransformerEncoderLayer(8, 2, layerOptions[variant])
const decoderLayer = variant => new nn.TransformerDecoderLayer(8, 2, layerOptions[variant])

function attend(module, inputs) {
  const [y, weights] = module.forward(inputs.x, inputs.memory, inputs.memory, { averageAttnWeights: false })
  return { y, weights }
}
const encode = (module, inputs) => ({ y: module.forward(inputs.x) })
const decode = (module, inputs) => ({ y: module.forward(inputs.x, inputs.memory) })

const subjects = {
  'MultiheadAttention': [() => new nn.MultiheadAttention(8, 2, { dropout: 0.5 }), attend],
  'TransformerEncoderLayer.post': [() => encoderLayer('post'), encode],
  'TransformerEncoderLayer.pre': [() => encoderLayer('pre'), encode],
  'TransformerDecoderLayer.post': [() => decoderLayer('post'), decode],
  'TransformerDecoderLayer.pre': [() => decoderLayer('pre'), decode],
  'TransformerEncoder': [
    () => new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 }), 2),
    encode
  ],
  'Transformer': [
    () => new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 12 }),
    (module, inputs) => ({ y: module.forward(inputs.memory, inputs.x) })
  ]
}

for (const { id, outputs, grads, next_rand } of golden.cases) {
  const [make, run] = subjects[id]
  const inputs = 'memory' in grads ? { x, memory } : { x }
  const { tol, rtol } = golden

  test(`${id}: PyTorch's training pass`, () => {
    gf.manualSeed(3)
    const module = make()
    gf.manualSeed(4)
    const actual = evaluateModule(module, tensors => run(module, tensors), inputs, cot)
    for (const [name, t] of Object.entries(outputs)) {
      assertClose(actual.outputs[name], t, { tol: tol.out, rtol, name: `output ${name}` })
    }
    for (const [name, t] of Object.entries(grads)) {
      assertClose(actual.grads[name], t, { tol: tol.grad, rtol, name: `gradient of ${name}` })
    }
  })

  test(`${id}: draws as many numbers as PyTorch`, () => {
    gf.manualSeed(3)
    const module = make()
    gf.manualSeed(4)
    run(module, { x: toTensor(x), memory: toTensor(memory) })
    assertSame(gf.rand([2]), next_rand, 'rand afterwards')
  })
}
