// The scripts of toPyTorch: their text, and the keys and shapes of their modules. Whether PyTorch runs them is tested
// by hand, see README.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { FunctionModule, SmallGPT } from './modules.js'
import { scriptShapesOf } from './python.js'

const { nn, functional: F } = gf
const small = { dimFeedforward: 20, dropout: 0.3 }
const shapesOf = model => Object.fromEntries(Object.entries(model.stateDict()).map(([key, t]) => [key, [...t.shape]]))

/** Modules, their inputs if they are needed, and a line that the script must have. */
const MODULES = {
  'Linear': () => [new nn.Linear(6, 4, { bias: false }), null, 'model = nn.Linear(6, 4, bias=False)'],
  'Embedding': () => [new nn.Embedding(9, 4, { paddingIdx: 2 }), null, 'model = nn.Embedding(9, 4, padding_idx=2)'],
  'LayerNorm': () => [new nn.LayerNorm(6, { eps: 1e-3 }), null, 'model = nn.LayerNorm(6, eps=0.001)'],
  'LayerNorm without weights': () => [new nn.LayerNorm(6, { elementwiseAffine: false }), null, 'elementwise_affine=False'],
  'RMSNorm': () => [new nn.RMSNorm(6, { eps: 1e-6 }), null, 'model = RMSNorm(6, eps=0.000001)'],
  'Sequential': () => [new nn.Sequential(new nn.Linear(4, 8), new nn.GELU({ approximate: 'tanh' }), new nn.Dropout(0.2),
    new nn.Linear(8, 3), new nn.SiLU()), null, "    nn.GELU(approximate='tanh'),"],
  'positions': () => [new nn.Sequential(new nn.Embedding(9, 8), new nn.PositionalEncoding(8, 0.1, 12),
    new nn.LearnedPositionalEncoding(12, 8)), null, '    PositionalEncoding(8, 0.1, 12),'],
  'MultiheadAttention': () => [new nn.MultiheadAttention(8, 2, { kdim: 5, vdim: 6, dropout: 0.1 }), null,
    'model = nn.MultiheadAttention(8, 2, dropout=0.1, kdim=5, vdim=6, batch_first=True)'],
  'TransformerEncoderLayer': () => [new nn.TransformerEncoderLayer(8, 2, { ...small, normFirst: true,
    activation: F.silu }), null, 'nn.TransformerEncoderLayer(8, 2, 20, dropout=0.3, activation=F.silu, batch_first=True, ' +
    'norm_first=True)'],
  'TransformerEncoder': () => [new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, small), 3,
    { norm: new nn.LayerNorm(8) }), [gf.ones([1, 3, 8]), { isCausal: true }], 'return model(input_0, mask=causal(input_0))'],
  'TransformerDecoder': () => [new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2, small), 2), null,
    'return model(tgt, memory)'],
  'Transformer': () => [new nn.Transformer(8, 2, 1, 2, { ...small, activation: 'gelu' }),
    { src: gf.ones([2, 3, 8]), tgt: gf.ones([2, 2, 8]), tgtIsCausal: true,
      srcKeyPaddingMask: [[false, false, true], [false, false, false]] },
    'src_key_padding_mask=torch.tensor([[False, False, True], [False, False, False]]).bool().to(src.device), ' +
    'tgt_mask=causal(tgt))'],
  'a stack of custom layers': () => [new nn.TransformerEncoder(new SmallGPT().blocks.at(0), 2), gf.ones([1, 3, 4]),
    '            Block(),'],
  'a layer with a custom scale': () => {
    const layer = new nn.TransformerEncoderLayer(8, 2, small)
    layer.self_attn.scale = 0.1
    return [layer, gf.ones([1, 3, 8]), 'class TransformerEncoderLayer(nn.Module):']
  },
  'a mask for all heads': () => [new nn.MultiheadAttention(8, 2), { query: gf.ones([2, 3, 8]), attnMask: gf.zeros([3, 3]) },
    'return model(query, query, query, attn_mask=attn_mask.to(query.device))'],
  'a mask for each head': () => [new nn.MultiheadAttention(8, 2),
    { query: gf.ones([2, 3, 8]), attnMask: gf.zeros([2, 2, 3, 3]) },
    'return model(query, query, query, attn_mask=attn_mask.expand(query.shape[0], 2, -1, -1).flatten(0, 1)' +
    '.to(query.device))'],
  'a mask for each head, in nested lists': () => [new nn.MultiheadAttention(8, 2),
    { query: gf.ones([2, 1, 8]), attnMask: [[[[true]], [[false]]]] },
    'attn_mask=torch.tensor([[[[True]], [[False]]]]).expand(query.shape[0], 2, -1, -1).flatten(0, 1).to(query.device))'],
  'an additive mask in nested lists of integers': () => [new nn.MultiheadAttention(8, 2),
    { query: gf.ones([1, 2, 8]), attnMask: [[0, -Infinity], [0, -1]] },
    "attn_mask=torch.tensor([[0, -float('inf')], [0, -1]]).float().to(query.device))"],
  'an additive mask of a layer in nested lists': () => [new nn.TransformerEncoderLayer(8, 2, small),
    { src: gf.ones([1, 2, 8]), srcMask: [[0, -1], [0.5, 0]] }, 'src_mask=torch.tensor([[0, -1], [0.5, 0]]).float().to(src.device))'],
  'a layer whose scale is set to the default': () => {
    const layer = new nn.TransformerEncoderLayer(8, 2, small)
    layer.self_attn.scale = 0.5
    return [layer, null, 'model = nn.TransformerEncoderLayer(8, 2, 20']
  },
  'a layer with a custom attention': () => {
    const layer = new nn.TransformerEncoderLayer(8, 2, small)
    layer.self_attn = new class Other extends nn.MultiheadAttention {
      forward(query, ...rest) {
        return super.forward(query.mul(2), ...rest)
      }
    }(8, 2)
    return [layer, gf.ones([1, 3, 8]), 'class TransformerEncoderLayer(nn.Module):']
  },
  'a class that only extends a module': () => [new class Mine extends nn.ReLU {}(), null, 'model = nn.ReLU()'],
  'MultiheadAttention in a module': () => {
    const attention = new nn.MultiheadAttention(8, 2), outer = new FunctionModule(x => attention.forward(x)[0])
    outer.attention = attention
    return [outer, gf.ones([1, 3, 8]), 'self.attention(input, input, input)']
  },
  'sizes of 1 and 0': () => [new FunctionModule(x => [x.reshape(2, 1, 3), x.narrow(1, 0, 0).reshape(0, 3)]), gf.ones([2, 3]),
    '        output = input.reshape(-1, 1, 3)\n'],
  'a module with a hook': () => {
    const linear = new nn.Linear(4, 4)
    linear.registerForwardHook((_, __, y) => y.add(1))
    return [new nn.Sequential(linear), gf.ones([1, 4]), '        output = linear + 1']
  }
}

for (const [name, make] of Object.entries(MODULES)) test(`${name}: the script has its keys and shapes`, () => {
  const [module, inputs, line] = make(), script = gf.toPyTorch(module, inputs ?? undefined)
  assert.ok(script.includes(line), `${line} is not in\n${script}`)
  assert.deepEqual(scriptShapesOf(script), shapesOf(module))
})

test('inputs with the same name in Python are numbered', () => {
  const two = Object.assign(new FunctionModule((a, b) => a.add(b)), { l: new nn.Linear(2, 2) }), x = gf.ones([1, 2])
  for (const [names, written] of [[['질문', '기억'], '_, __2'], [['model', 'y'], 'model_2, y'], [['a', 'A'], 'a, a_2'],
    [['causal', 'x'], 'causal_2, x']]) {
    const script = gf.toPyTorch(two, Object.fromEntries(names.map(name => [name, gf.add(x, 1)])))
    assert.match(script, new RegExp(`def call\\(model, ${written}\\):\n    return model\\(${written}\\)`), names.join())
  }
})

test('training uses the masks of the example, since random ones might hide everything', () => {
  const q = gf.ones([2, 3, 8]), script = gf.toPyTorch(new nn.MultiheadAttention(8, 2),
    { query: q, keyPaddingMask: gf.zeros([2, 3]).to('bool') })
  assert.match(script, /inputs = \[torch\.randn\(.*\)\.to\(torch\.float32\), INPUTS\[1\]\.to\(device\)\]/)
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) for (const item of cases(type)) {
  test(`${item.name}: the script has its keys and shapes`, async () => {
    const { model } = await gf.models.load(filesOf(item)), { ids, attentionMask, ...more } = item.inputs
    const mask = attentionMask ? { attentionMask: attentionMask.map(row => row.map(Boolean)) } : {}
    const state = shapesOf(model), shared = Object.keys(state).filter((key, i, keys) =>
      keys.slice(0, i).some(other => model.stateDict()[other] === model.stateDict()[key]))
    for (const script of [gf.toPyTorch(model, { ids, ...more, ...mask }), gf.toPyTorch(model)]) {
      assert.deepEqual(scriptShapesOf(script), state)
      for (const key of shared) assert.match(script, new RegExp(`model\\.${key.split('.')[0]}.* = model\\.`), key)
    }
    model.dispose()
  })
}

test('the script of custom classes is the one that was run with PyTorch 1.13.1', () => {
  gf.manualSeed(5)
  const model = new SmallGPT(), script = gf.toPyTorch(model, [[1, 2, 3], [4, 5, 6]])
  const golden = new URL('./small_gpt.py', import.meta.url)
  if (process.env.WRITE) writeFileSync(golden, script)
  assert.equal(script, readFileSync(golden, 'utf8'))
  assert.deepEqual(Object.entries(scriptShapesOf(script)).sort(), Object.entries(shapesOf(model)).sort())
})

test('toPyTorch does not change the model or memory', () => {
  const model = new SmallGPT(), before = { ...gf.memory() }
  gf.toPyTorch(model, [[1, 2, 3]])
  assert.deepEqual([gf.memory().bytes, gf.memory().tensors], [before.bytes, before.tensors])
  assert.equal(model.training, true)
  assert.equal(model.blocks.at(0).drop.forward(gf.ones([3])).shape.length, 1)
})

test('toPyTorch refuses invalid arguments by name', () => {
  const x = gf.ones([2, 3])
  assertRejects(() => gf.toPyTorch(new FunctionModule(a => a)), 'type', 'inputs are required', 'FunctionModule')
  const outside = new nn.Linear(3, 3)
  assertRejects(() => gf.toPyTorch(new FunctionModule(a => outside.forward(a)), x), 'type', 'FunctionModule calls Linear', 'not one of')
  class Both extends nn.Module {
    inner = new FunctionModule((a, isTwice) => (isTwice ? a.mul(2) : a.add(1)))
    forward(a) {
      return this.inner.forward(this.inner.forward(a, false), true)
    }
  }
  assertRejects(() => gf.toPyTorch(new Both(), x), 'type', 'FunctionModule is called in different ways')
})

test('ids that are equal in every row are written once', () => {
  class WithPositions extends gf.nn.Module {
    positions = new gf.nn.Embedding(3, 4)
    forward(x) { return x.add(this.positions(gf.tensor([[0, 1, 2], [0, 1, 2]], { dtype: 'int32' }))) }
  }
  assert.match(gf.toPyTorch(new WithPositions(), [gf.ones([2, 3, 4])]), /torch\.tensor\(\[\[0, 1, 2\]\]/)
})

test('a forward with a loss in it: PyTorch\'s call with its options, and training minimizes that loss', () => {
  const int = rows => gf.tensor(rows, { dtype: 'int32' })
  class Language extends nn.Module {
    embedding = new nn.Embedding(7, 4)
    head = new nn.Linear(4, 7)
    forward(idx, targets) {
      const logits = this.head(this.embedding(idx)), rows = logits.reshape(-1, 7), weight = gf.ones([7])
      return [logits, F.crossEntropy(rows, targets.reshape(-1), { ignoreIndex: -1, labelSmoothing: 0.1, weight }),
        F.crossEntropy(logits.transpose(1, 2), targets, { reduction: 'none' }),
        F.nllLoss(F.logSoftmax(rows), targets.reshape(-1), { reduction: 'sum' })]
    }
  }
  const script = gf.toPyTorch(new Language(), [int([[1, 2, 3], [4, 5, 6]]), int([[2, 3, 4], [5, 6, 1]])])
  for (const line of ['def forward(self, idx, targets):', 'reshape_2 = targets.reshape(-1)',
    'cross_entropy = F.cross_entropy(reshape, reshape_2, weight=self.constant, ignore_index=-1, label_smoothing=0.1)',
    ", targets.reshape(-1), reduction='none')", '= F.nll_loss(log_softmax, ',
    'inputs = [torch.randint(0, 7, (2, 3), device=device), torch.randint(0, 7, (2, 3), device=device)]',
    'yield inputs, None', "return named(output)['output_1']"]) assert.ok(script.includes(line), `${line} is not in\n${script}`)
  const list = gf.toPyTorch(new FunctionModule(a => F.crossEntropy(a, [0, 1])), gf.ones([2, 3]))
  assert.match(list, /F\.cross_entropy\(input, self\.constant\)/)
})

test('a module that is met at two lengths reads the length from its argument', () => {
  class Positions extends nn.Module {
    constructor() {
      super()
      this.registerBuffer('pe', gf.randn([1, 9, 4]))
    }

    forward(x) {
      return x.add(this.pe.narrow(1, 0, x.shape[1]))
    }
  }
  class Both extends nn.Module {
    positions = new Positions()
    forward(src, tgt) {
      return this.positions(src).sum({ dim: 1 }).add(this.positions(tgt).sum({ dim: 1 }))
    }
  }
  const script = gf.toPyTorch(new Both(), [gf.ones([2, 5, 4]), gf.ones([2, 3, 4])])
  assert.match(script, /narrow = self\.pe\[:, 0:x\.shape\[1\]\]/)
  class Scaled extends nn.Module {
    forward(x) {
      return x.mul(x.shape[1] * 2)
    }
  }
  class Fixed extends Both {
    positions = new Scaled()
  }
  assertRejects(() => gf.toPyTorch(new Fixed(), [gf.ones([2, 5, 4]), gf.ones([2, 3, 4])]), 'type', 'called in different ways')
})
