// Every option of every module: its default is PyTorch's, and it is heeded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { plain } from '../lib/compare.js'
import { gf, plainAll, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'

const { nn } = gf
const { defaults } = loadGolden('modules')

const camel = name => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

const tensors = (...shapes) => shapes.map((shape, i) => toTensor(numbers(shape, i + 1, { scale: 2 })))

/**
 * How to make one from its options, how to run it, and for each option under its name in PyTorch a value that is not
 * the default. PyTorch's remaining options (device, dtype, batch_first ...) do not exist here.
 */
const subjects = {
  Embedding: {
    make: options => new nn.Embedding(5, 4, options),
    run: m => m.forward([[0, 3, 1]]),
    others: { padding_idx: 1 }
  },
  Linear: {
    make: options => new nn.Linear(4, 3, options),
    run: m => m.forward(...tensors([2, 4])),
    others: { bias: false }
  },
  LayerNorm: {
    make: options => new nn.LayerNorm(4, options),
    run: m => m.forward(...tensors([2, 4])),
    others: { eps: 0.5, elementwise_affine: false }
  },
  GELU: {
    make: options => new nn.GELU(options),
    run: m => m.forward(...tensors([2, 4])),
    others: { approximate: 'tanh' }
  },
  MultiheadAttention: {
    make: options => new nn.MultiheadAttention(8, 2, options),
    run: m => m.forward(...tensors([2, 3, 8], [2, 5, m.kdim ?? 8], [2, 5, m.vdim ?? 8])),
    others: { dropout: 0.5, bias: false, kdim: 6, vdim: 5 }
  },
  TransformerEncoderLayer: {
    make: options => new nn.TransformerEncoderLayer(8, 2, options),
    run: m => m.forward(...tensors([2, 3, 8])),
    others: { dim_feedforward: 16, dropout: 0.5, activation: 'gelu', layer_norm_eps: 0.5, norm_first: true }
  },
  TransformerDecoderLayer: {
    make: options => new nn.TransformerDecoderLayer(8, 2, options),
    run: m => m.forward(...tensors([2, 3, 8], [2, 5, 8])),
    others: { dim_feedforward: 16, dropout: 0.5, activation: 'gelu', layer_norm_eps: 0.5, norm_first: true }
  }
}

/** PyTorch's signature shows a function here: relu. */
const documented = { TransformerEncoderLayer: { activation: 'relu' }, TransformerDecoderLayer: { activation: 'relu' } }

/** All that can be seen of a module: parameters, output, and what was drawn. */
function observe({ make, run }, options) {
  return gf.tidy(() => {
    gf.manualSeed(7)
    const module = make(options)
    const output = [run(module.train())].flat()
    return { state: plainAll(module.stateDict()), output: output.map(plain), next: gf.rand([1]).item() }
  })
}

for (const [name, subject] of Object.entries(subjects)) {
  const golden = { ...defaults[name], ...documented[name] }
  const options = Object.fromEntries(
    Object.keys(subject.others).map(option => [camel(option), golden[option] ?? undefined])
  )

  test(`${name}: the defaults are ${JSON.stringify(options)}`, () => {
    for (const option of Object.keys(subject.others)) assert.ok(option in golden, `PyTorch has no option ${option}`)
    assert.deepEqual(observe(subject, undefined), observe(subject, options))
    assert.deepEqual(observe(subject, {}), observe(subject, options))
  })

  for (const [option, value] of Object.entries(subject.others)) {
    test(`${name}: ${camel(option)} is heeded`, () => {
      // Seen in training, or in what the module learns from it.
      const seen = given => (option === 'padding_idx' ? paddingGradient(subject.make(given)) : observe(subject, given))
      assert.notDeepEqual(seen({ ...options, [camel(option)]: value }), seen(options))
    })
  }
}

function paddingGradient(embedding) {
  embedding.forward([1, 2]).backward(
    gf.tensor([
      [1, 1, 1, 1],
      [1, 1, 1, 1]
    ])
  )
  return plain(embedding.weight.grad)
}

test('Dropout: p is 0.5 by default', () => {
  const ones = gf.tensor(new Float32Array(64).fill(1))
  gf.manualSeed(2)
  const expected = plain(gf.functional.dropout(ones, { p: 0.5, training: true }))
  gf.manualSeed(2)
  assert.deepEqual(plain(new nn.Dropout().forward(ones)), expected)
  assert.equal(defaults.Dropout.p, 0.5)
})

test('stacks have no final norm by default', () => {
  const layer = () => new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 4 })
  const keys = stack => Object.keys(stack.stateDict())
  assert.equal(defaults.TransformerEncoder.norm, null)
  assert.ok(keys(new nn.TransformerEncoder(layer(), 2)).every(key => key.startsWith('layers.')))
  assert.deepEqual(keys(new nn.TransformerEncoder(layer(), 1, { norm: new nn.LayerNorm(8) })).slice(-2), [
    'norm.weight',
    'norm.bias'
  ])
})

test('a new module is in training mode', () => {
  const layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 4 })
  for (const [name, module] of layer.namedModules()) assert.equal(module.training, true, name)
})
