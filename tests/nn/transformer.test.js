// Encoder and decoder layers and stacks with given weights: every golden block, forward and backward.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockCases } from '../lib/blocks.js'
import { sensitivity } from '../lib/bounds.js'
import { casesOf } from '../lib/cases.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toBooleans, toTensor } from '../lib/engine.js'
import { evaluateModule, parametersOf, toState } from '../lib/modules.js'
import { numbers } from '../lib/numbers.js'
import * as references from '../../src/reference/index.js'

const { nn } = gf
const { LayerNorm, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer } = gf.nn

const classes = {
  enc: { Layer: TransformerEncoderLayer, Stack: TransformerEncoder },
  dec: { Layer: TransformerDecoderLayer, Stack: TransformerDecoder }
}

function build(kind, stack, params, state) {
  const { Layer, Stack } = classes[kind]
  const { num_heads, dim, dim_feedforward, norm_first, activation, eps } = params
  let module = new Layer(dim, num_heads, {
    dimFeedforward: dim_feedforward,
    activation,
    normFirst: norm_first,
    layerNormEps: eps
  })
  if (stack) module = new Stack(module, params.layers, params.final_norm ? { norm: new LayerNorm(dim) } : {})
  module.loadStateDict(toState(state))
  return module.eval()
}

const mask = t => t && toBooleans(t)

/** The masks of a golden block under the options of layers and of stacks. */
function options(kind, stack, { mask: own, padding, memory_padding: memoryPadding }) {
  if (kind === 'enc') return { [stack ? 'mask' : 'srcMask']: mask(own), srcKeyPaddingMask: mask(padding) }
  return { tgtMask: mask(own), tgtKeyPaddingMask: mask(padding), memoryKeyPaddingMask: mask(memoryPadding) }
}

const runner =
  (module, given) =>
    ({ src, tgt, memory }) => ({ y: src ? module.forward(src, given) : module.forward(tgt, memory, given) })

for (const item of blockCases()) {
  const { kind, stack, params, state, inputs, masks, cot, tol, rtol } = item
  test(`${item.id}: PyTorch's numbers`, () => {
    const module = build(kind, stack, params, state)
    const { outputs, grads } = evaluateModule(
      module,
      runner(module, options(kind, stack, masks)),
      inputs,
      item.grads && cot.y
    )
    assertClose(outputs.y, item.outputs.y, { tol: tol.out, rtol, name: 'output' })
    for (const [name, t] of Object.entries(item.grads ?? {}))
      assertClose(grads[name], t, { tol: tol.grad, rtol, name: `gradient of ${name}` })
  })
}

const referenceKinds = {
  encoderLayer: ['enc', false],
  encoder: ['enc', true],
  decoderLayer: ['dec', false],
  decoder: ['dec', true]
}

for (const [op, [kind, stack]] of Object.entries(referenceKinds)) {
  for (const example of casesOf(op)) {
    test(`${op} ${example.name}: the reference's numbers`, () => {
      const { src, tgt, memory, ...state } = example.inputs
      const inputs = src ? { src } : { tgt, memory }
      const params = { ...example.params, dim: 6, dim_feedforward: 9, eps: 1e-5 }
      const module = build(kind, stack, params, state)
      const { outputs, grads } = evaluateModule(module, runner(module, {}), inputs, example.cot.y)
      // A layer is about 60 roundings deep from end to end, sums of a few terms included; twice that with its way back.
      const tolerances = sensitivity(references[op], stack ? 240 : 120)(example)
      assertClose(outputs.y, references[op].forward(example.inputs, example.params).y, {
        tol: tolerances.y,
        name: 'output'
      })
      for (const [name, t] of Object.entries(references[op].backward(example.inputs, example.params, example.cot))) {
        assertClose(grads[name], t, { tol: tolerances[name], name: `gradient of ${name}` })
      }
    })
  }
}

const layer = (options = {}) => {
  gf.manualSeed(5)
  return new TransformerEncoderLayer(6, 2, { dimFeedforward: 9, ...options })
}
const x = seed => toTensor(numbers([2, 4, 6], seed))
const causal = size => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => j > i))

test('isCausal equals the causal mask in layers and stacks', () => {
  const [one, src] = [layer().eval(), x(1)]
  assertSame(one.forward(src, { isCausal: true }), plain(one.forward(src, { srcMask: causal(4) })))
  const stack = new TransformerEncoder(one, 2).eval()
  assertSame(stack.forward(src, { isCausal: true }), plain(stack.forward(src, { mask: causal(4) })))
  const decoder = new TransformerDecoder(new TransformerDecoderLayer(6, 2, { dimFeedforward: 9 }), 2).eval()
  assertSame(
    decoder.forward(src, x(2), { tgtIsCausal: true }),
    plain(decoder.forward(src, x(2), { tgtMask: causal(4) }))
  )
  assertSame(
    decoder.forward(src, x(2), { memoryIsCausal: true }),
    plain(decoder.forward(src, x(2), { memoryMask: causal(4) }))
  )
})

test("a stack's layers start equal but are separate", () => {
  const original = layer()
  const stack = new TransformerEncoder(original, 3)
  const state = stack.stateDict()
  for (const [name, t] of Object.entries(original.stateDict())) {
    const expected = plain(t)
    for (let i = 0; i < 3; i++) assertSame(state[`layers.${i}.${name}`], expected, `layers.${i}.${name}`)
  }
  const names = Object.keys(parametersOf(stack))
  assert.equal(names.length, 3 * Object.keys(parametersOf(original)).length)
  assert.equal(
    new Set([...stack.parameters(), ...original.parameters()]).size,
    names.length + [...original.parameters()].length
  )
  const changed = Object.fromEntries(names.map(name => [name, plain(state[name])]))
  changed['layers.1.linear1.bias'].data.fill(7)
  stack.loadStateDict(toState(changed))
  assertSame(plain(stack.stateDict()['layers.0.linear1.bias']).data, plain(original.stateDict()['linear1.bias']).data)
})

test('dropout acts in training mode, with the same random numbers for the same seed', () => {
  const [one, src] = [layer({ dropout: 0.5 }), x(3)]
  const run = () => {
    gf.manualSeed(11)
    return plain(one.forward(src))
  }
  one.train()
  const trained = run()
  assertSame(run(), trained)
  one.eval()
  assert.notDeepEqual(run().data, trained.data)
})

test('layers take dimFeedforward and dropout as positional arguments', () => {
  assert.deepEqual([...new TransformerEncoderLayer(6, 2, 9).linear1.weight.shape], [9, 6])
  assert.equal(new TransformerDecoderLayer(6, 2, 9, 0.25).dropout1.p, 0.25)
  assert.deepEqual([...new nn.Transformer(6, 2, 1, 1, 9).decoder.layers.at(0).linear1.weight.shape], [9, 6])
})

test('layers reject invalid arguments', () => {
  assertRejects(() => new TransformerEncoderLayer(10, 3), 'range', '10', '3')
  assertRejects(
    () => new TransformerEncoderLayer(6, 2, { activation: 'tanh' }),
    'type',
    'TransformerEncoderLayer',
    'activation',
    'relu',
    'gelu',
    'tanh'
  )
  assertRejects(() => new TransformerDecoderLayer(6, 2, { dropout: -1 }), 'range', 'dropout', '-1')
  assertRejects(() => new TransformerEncoder('layer', 2), 'type', 'TransformerEncoder', 'layer')
  assertRejects(() => new TransformerEncoder(layer(), -1), 'range', 'TransformerEncoder', '-1')
  assertRejects(() => new TransformerEncoderLayer(6, 2, 9, 0, 3), 'type', 'TransformerEncoderLayer', 'activation', '3')
  assertRejects(() => new nn.Transformer(6, 2, 1, 1, 9, 0, 1), 'type', 'activation', '1')
  assertRejects(() => new TransformerDecoderLayer(6, 2, 'relu'), 'type', 'TransformerDecoderLayer', 'dimFeedforward', 'relu')
  const one = layer()
  assertRejects(() => one.forward(toTensor(numbers([2, 4, 5], 1))), 'shape', '6', '[2, 4, 5]')
  assertRejects(() => one.forward(x(1), { srcMask: causal(3) }), 'shape', '[4, 4]', '[3, 3]')
  assertRejects(() => one.forward(x(1), { srcKeyPaddingMask: [[true]] }), 'shape', '[2, 4]', '[1, 1]')
})

test('a decoder requires a memory', () => {
  const layer = new nn.TransformerDecoderLayer(4, 2, 8, 0), x = gf.rand([1, 2, 4])
  for (const [module, name] of [[layer, 'TransformerDecoderLayer'],
    [new nn.TransformerDecoder(layer, 1), 'TransformerDecoder']]) {
    assert.throws(() => module.forward(x),
      { code: 'type', message: `${name}: memory must be a tensor (gf.tensor), got undefined` })
  }
})

test('bias: false also removes the biases of norms, as in PyTorch since 2.1', () => {
  const keys = module => Object.keys(module.stateDict())
  const stack = new nn.Transformer(4, 2, 1, 1, 8, { bias: false })
  assert.deepEqual(keys(stack).filter(key => key.includes('bias')), [])
  assert.deepEqual(keys(new nn.TransformerEncoderLayer(4, 2, 8, { bias: false })), [
    'self_attn.in_proj_weight', 'self_attn.out_proj.weight', 'linear1.weight', 'linear2.weight', 'norm1.weight',
    'norm2.weight'
  ])
})

test('a stack converts a nested mask once, with the same bits', () => {
  const src = gf.rand([2, 3, 8]), masks = [
    [[false, true, true], [false, false, true], [false, false, false]], nn.Transformer.generateSquareSubsequentMask(3)
  ]
  const layer = new nn.TransformerEncoderLayer(8, 2, 16, 0), encoder = new nn.TransformerEncoder(layer, 2)
  const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2, 16, 0), 2)
  const causal = encoder.forward(src, { isCausal: true }).toArray()
  const decoded = decoder.forward(src, src, { tgtIsCausal: true, memoryIsCausal: true }).toArray()
  for (const mask of [...masks, gf.tensor(masks[1])]) {
    assert.deepEqual(encoder.forward(src, { mask }).toArray(), causal)
    assert.deepEqual(decoder.forward(src, src, { tgtMask: mask, memoryMask: mask }).toArray(), decoded)
  }
  assert.throws(() => encoder.forward(src, { mask: [[true, 1]] }), { message: /TransformerEncoder: mask must be booleans/ })
})

test('stacks name an input that is not a tensor, even without layers', () => {
  const x = gf.ones([1, 3, 8])
  for (const layers of [0, 1]) {
    const encoder = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2), layers)
    const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2), layers)
    for (const wrong of [undefined, [[1, 2]], 3]) {
      assertRejects(() => encoder.forward(wrong), 'type', 'TransformerEncoder: src must be a tensor')
      assertRejects(() => decoder.forward(wrong, x), 'type', 'TransformerDecoder: tgt must be a tensor')
    }
  }
})

test('disposing a transformer frees everything, including the layers it cloned', () => {
  const before = gf.memory().tensors
  for (const numEncoderLayers of [0, 2]) {
    const model = new gf.nn.Transformer({ dModel: 8, nhead: 2, numEncoderLayers, numDecoderLayers: 1 })
    assert.equal(gf.memory().tensors - before, model.parameters().length)
    model.dispose()
    assert.equal(gf.memory().tensors, before)
  }
})
