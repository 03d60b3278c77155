// Names, order, shapes and first values of parameters: PyTorch's state dicts and PyTorch's draws.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { parametersOf } from '../lib/modules.js'
import { assertSummary } from '../lib/summary.js'
import { load } from '../../src/js/index.js'

const { nn } = gf
const golden = loadGolden('modules')
const rng = loadGolden('rng')

const encoderLayer = () => new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 })
const decoderLayer = () => new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 12 })
const transformer = () => new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 12 })

/** The golden file's names, in Python, and the same in JavaScript. */
const modules = {
  'Embedding(5, 4)': () => new nn.Embedding(5, 4),
  'Linear(4, 6)': () => new nn.Linear(4, 6),
  'Linear(4, 6, bias=False)': () => new nn.Linear(4, 6, { bias: false }),
  'LayerNorm(4)': () => new nn.LayerNorm(4),
  'Dropout()': () => new nn.Dropout(),
  'GELU()': () => new nn.GELU(),
  'ReLU()': () => new nn.ReLU(),
  'MultiheadAttention(8, 2)': () => new nn.MultiheadAttention(8, 2),
  'MultiheadAttention(8, 2, bias=False)': () => new nn.MultiheadAttention(8, 2, { bias: false }),
  'MultiheadAttention(8, 2, kdim=6, vdim=5)': () => new nn.MultiheadAttention(8, 2, { kdim: 6, vdim: 5 }),
  'TransformerEncoderLayer(8, 2, 12)': encoderLayer,
  'TransformerDecoderLayer(8, 2, 12)': decoderLayer,
  'TransformerEncoder(layer, 2)': () => new nn.TransformerEncoder(encoderLayer(), 2),
  'TransformerEncoder(layer, 2, norm)': () =>
    new nn.TransformerEncoder(encoderLayer(), 2, { norm: new nn.LayerNorm(8) }),
  'TransformerDecoder(layer, 2)': () => new nn.TransformerDecoder(decoderLayer(), 2),
  'TransformerDecoder(layer, 2, norm)': () =>
    new nn.TransformerDecoder(decoderLayer(), 2, { norm: new nn.LayerNorm(8) }),
  'Transformer(8, 2, 1, 1, 12)': transformer
}

for (const [name, expected] of Object.entries(golden.state_dicts)) {
  test(`${name}: PyTorch's state dict and order of parameters`, () => {
    assert.ok(name in modules, `the golden module ${name} has no counterpart in this file`)
    const module = modules[name]()
    assert.deepEqual(
      Object.entries(module.stateDict()).map(([key, t]) => [key, [...t.shape]]),
      expected
    )
    assert.deepEqual(
      Array.from(module.namedParameters(), ([key]) => key),
      expected.map(([key]) => key)
    )
    assert.deepEqual(
      Array.from(module.parameters()),
      Array.from(module.namedParameters(), ([, p]) => p)
    )
  })
}

const initial = {
  'TransformerEncoder(8, 2, 12; 2 layers)': () => new nn.TransformerEncoder(encoderLayer(), 2),
  'Transformer(8, 2, 1, 1, 12)': transformer,
  'MultiheadAttention(8, 2, kdim=6, vdim=5)': modules['MultiheadAttention(8, 2, kdim=6, vdim=5)'],
  'Embedding(5, 4, padding_idx=1)': () => new nn.Embedding(5, 4, { paddingIdx: 1 })
}

for (const [name, { seed, parameters, then_rand }] of Object.entries(golden.initial)) {
  test(`${name}: PyTorch's initial weights, seed ${seed}`, () => {
    gf.manualSeed(seed)
    const own = parametersOf(initial[name]())
    for (const item of parameters) assertSummary(own[item.name], item, item.name)
    assertSame(gf.rand([2]), then_rand, 'rand afterwards')
  })
}

const { d, h, ff } = rng.module_sizes

const drawn = {
  nn_multihead_attention: () => new nn.MultiheadAttention(d, h),
  nn_transformer_encoder_layer: () => new nn.TransformerEncoderLayer(d, h, { dimFeedforward: ff }),
  nn_transformer_decoder_layer: () => new nn.TransformerDecoderLayer(d, h, { dimFeedforward: ff })
}

for (const { seed, modules: expected } of rng.seeds) {
  for (const [name, make] of Object.entries(drawn)) {
    test(`${name}: PyTorch's initial weights, seed ${seed}`, () => {
      gf.manualSeed(seed)
      const own = parametersOf(make())
      assert.deepEqual(Object.keys(own).sort(), expected[name].map(item => item.name).sort())
      for (const item of expected[name]) {
        assert.deepEqual([...own[item.name].shape], item.shape)
        assertSummary(own[item.name], item, item.name)
      }
    })
  }
}

test('a state dict fits another module of the same kind, and copies', () => {
  gf.manualSeed(1)
  const [from, to] = [encoderLayer(), encoderLayer()]
  to.loadStateDict(from.stateDict())
  for (const [name, t] of Object.entries(to.stateDict())) assertSame(t, plain(from.stateDict()[name]), name)
  from.loadStateDict(
    Object.fromEntries(
      Object.entries(to.stateDict()).map(([name, t]) => [
        name,
        gf.tensor(new Float32Array(t.numel()), { shape: [...t.shape] })
      ])
    )
  )
  assert.ok(
    to.linear1.weight.data.some(value => value !== 0),
    'the copy follows the original'
  )
})

test('a state dict may be nested arrays', () => {
  const layer = new nn.Linear(2, 1)
  layer.loadStateDict({ weight: [[3, 4]], bias: [5] })
  assertSame(layer.forward(gf.tensor([[1, 10]])), { shape: [1, 1], data: [48] })
})

test('a state dict that does not fit changes nothing and names what is wrong', () => {
  const layer = new nn.Linear(2, 1)
  const before = plain(layer.weight)
  const reject = (state, ...fragments) =>
    assertRejects(() => layer.loadStateDict(state), 'shape', 'loadStateDict', ...fragments)
  reject({ weight: [[1, 2]] }, 'bias')
  reject({ weight: [[1, 2]], bias: [1], scale: [1] }, 'scale')
  reject({ weight: [[1, 2, 3]], bias: [1] }, 'weight', '[1, 2]', '[1, 3]')
  reject({ weight: [[1, 2], [3]], bias: [1] }, 'weight', 'regular')
  assertRejects(() => layer.loadStateDict(null), 'type', 'loadStateDict', 'state', 'null')
  assertSame(layer.weight, before)
})

test('loadStateDict rejects promises, arrays and tensors of another engine', async () => {
  const model = new nn.Linear(2, 2), other = await load(), before = plain(model.weight)
  assertRejects(() => model.loadStateDict(Promise.resolve({}), { strict: false }), 'type', 'state', 'await')
  assertRejects(() => model.loadStateDict([], { strict: false }), 'type', 'state', 'object of tensors')
  assertRejects(() => model.loadStateDict(new other.nn.Linear(2, 2).stateDict()), 'state', 'weight', 'one engine')
  assertSame(model.weight, before)
})
