// The small modules, and what all modules have in common.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'

const { nn, functional: F } = gf
const { cases, rtol: goldenRtol } = loadGolden('ops')
const golden = id => ({ rtol: goldenRtol, ...cases.find(item => item.id === id) })

const row = () => toTensor(numbers([2, 4], 1))

test('Linear, LayerNorm, Embedding, GELU and ReLU call their functions with their parameters', () => {
  gf.manualSeed(1)
  const linear = new nn.Linear(4, 3)
  assertSame(linear.forward(row()), plain(F.linear(row(), linear.weight, linear.bias)))
  const norm = new nn.LayerNorm(4, { eps: 0.01 })
  assertSame(norm.forward(row()), plain(F.layerNorm(row(), norm.weight, norm.bias, { eps: 0.01 })))
  const embedding = new nn.Embedding(5, 4)
  assertSame(embedding.forward([[4, 0]]), plain(F.embedding([[4, 0]], embedding.weight)))
  assertSame(new nn.GELU().forward(row()), plain(F.gelu(row())))
  assertSame(new nn.ReLU().forward(row()), plain(F.relu(row())))
})

test('LayerNorm takes its width as a number or an array', () => {
  assert.deepEqual(new nn.LayerNorm([4]).normalizedShape, [4])
  for (const shape of [['3'], []]) assertRejects(() => new nn.LayerNorm(shape), 'type', 'LayerNorm', 'normalizedShape')
})

test('LayerNorm starts with weight 1 and bias 0, and may have no parameters', () => {
  const norm = new nn.LayerNorm(4)
  assertSame(norm.weight, [1, 1, 1, 1])
  assertSame(norm.bias, [0, 0, 0, 0])
  const bare = new nn.LayerNorm(4, { elementwiseAffine: false })
  assertSame(bare.forward(row()), plain(norm.forward(row())))
  assert.deepEqual(bare.parameters(), [])
})

test('RMSNorm starts with weight 1 and may have none', () => {
  const norm = new nn.RMSNorm(4)
  assert.deepEqual([norm.eps, Object.keys(norm.stateDict())], [null, ['weight']])
  assertSame(norm.weight, [1, 1, 1, 1])
  norm.weight.values.set([1, -2, 3, 0.5])
  assertSame(norm.forward(row()), plain(F.rmsNorm(row(), norm.weight)))
  assertRejects(() => new nn.RMSNorm([2, 4]), 'type', 'normalizedShape must be an integer')
  const withoutWeight = new nn.RMSNorm([4], { eps: 0.5, elementwiseAffine: false })
  assertSame(withoutWeight.forward(row()), plain(F.rmsNorm(row(), null, { eps: 0.5 })))
  assert.deepEqual(withoutWeight.parameters(), [])
  assertRejects(() => new nn.RMSNorm(4, { eps: -1 }), 'range', 'eps must be a number >= 0, or null, got -1')
})

test('Embedding: the padding row starts as zeros and is not trained', () => {
  gf.manualSeed(2)
  const embedding = new nn.Embedding(3, 2, { paddingIdx: 1 })
  assertSame(plain(embedding.weight).data.slice(2, 4), [0, 0])
  embedding.forward([1, 2]).backward(
    gf.tensor([
      [1, 1],
      [1, 1]
    ])
  )
  assertSame(embedding.weight.grad, { shape: [3, 2], data: [0, 0, 0, 0, 1, 1] })
})

test('Embedding: without a padding row, paddingIdx is null', () => {
  const embedding = new nn.Embedding(3, 2, { paddingIdx: null })
  assert.deepEqual([embedding.paddingIdx, new nn.Embedding(3, 2).paddingIdx], [null, null])
  assert.deepEqual(gf.functional.embedding([0], embedding.weight, { paddingIdx: null }).shape, [1, 2])
  assert.deepEqual(embedding.forward([0, 2]).shape, [2, 2])
  assert.equal(String(embedding), 'Embedding(3, 2)')
})

test('Embedding: the padding row may be the last one, or counted from the end', () => {
  for (const [given, row] of [[2, 2], [0, 0], [-1, 2], [-3, 0]]) {
    const embedding = new nn.Embedding(3, 2, { paddingIdx: given })
    assert.equal(embedding.paddingIdx, row)
    assert.deepEqual([0, 1, 2].filter(i => embedding.weight.at(i, 0) === 0), [row])
    embedding.forward([0, 1, 2]).backward(gf.ones([3, 2]))
    assert.deepEqual([0, 1, 2].map(i => embedding.weight.grad.at(i, 1)), [0, 1, 2].map(i => Number(i !== row)))
  }
  for (const given of [3, -4]) assertRejects(() => new nn.Embedding(3, 2, { paddingIdx: given }), 'range', 'paddingIdx', '-3 to 2')
})

test('Dropout acts only in training mode', () => {
  const ones = gf.tensor(new Float32Array(100).fill(1))
  const dropout = new nn.Dropout(0.25)
  gf.manualSeed(3)
  const values = new Set(plain(dropout.forward(ones)).data)
  assert.deepEqual([...values].sort(), [0, Math.fround(1 / 0.75)])
  assertSame(dropout.eval().forward(ones), plain(ones))
})

test("PositionalEncoding: output and gradient equal PyTorch's, with positions along the second axis", () => {
  const { inputs, cot, outputs, grads, tol, rtol } = golden('pe.add')
  const x = toTensor(inputs.x, { requiresGrad: true })
  const module = new nn.PositionalEncoding(12, 0, 10)
  const y = module.forward(x)
  assertClose(y, outputs.y, { tol: tol.out, rtol, name: 'output' })
  y.backward(toTensor(cot.y))
  assertClose(x.grad, grads.x, { tol: tol.grad, rtol, name: 'gradient' })
  assertClose(module.pe, inputs.pe, { tol: 10 * 4e-7, name: 'table' })
  assert.deepEqual(module.parameters(), [])
  assert.deepEqual(Object.keys(module.stateDict()), ['pe'])
})

test('PositionalEncoding applies dropout after the addition, in training only; defaults: p = 0.1, 5000 positions, base 10000', () => {
  const module = new nn.PositionalEncoding(4)
  assert.deepEqual([...module.pe.shape], [5000, 4])
  const x = gf.tensor(new Float32Array(3 * 40 * 4), { shape: [3, 40, 4] })
  const table = gf.positionalEncoding(40, 4)
  gf.manualSeed(5)
  const expected = plain(F.dropout(F.add(x, table), { p: 0.1, training: true }))
  gf.manualSeed(5)
  assertSame(module.forward(x), expected)
  assertSame(module.eval().forward(x), plain(F.add(x, table)))
})

test("LearnedPositionalEncoding: output and gradients equal PyTorch's, and are 0 for unused positions", () => {
  const { inputs, cot, outputs, grads, tol, rtol } = golden('pe.learned')
  const tokens = new nn.Embedding(...inputs.tok.shape)
  tokens.loadStateDict({ weight: toTensor(inputs.tok) })
  const positions = new nn.LearnedPositionalEncoding(...inputs.pos.shape)
  positions.loadStateDict({ weight: toTensor(inputs.pos) })
  const y = positions.forward(tokens.forward(toTensor(inputs.idx)))
  assertClose(y, outputs.y, { tol: tol.out, rtol, name: 'output' })
  y.backward(toTensor(cot.y))
  assertClose(tokens.weight.grad, grads.tok, { tol: tol.grad, rtol, name: 'gradient of tok' })
  assertClose(positions.weight.grad, grads.pos, { tol: tol.grad, rtol, name: 'gradient of pos' })
})

test('LearnedPositionalEncoding starts like an embedding', () => {
  gf.manualSeed(6)
  const expected = plain(new nn.Embedding(7, 5).weight)
  gf.manualSeed(6)
  assertSame(new nn.LearnedPositionalEncoding(7, 5).weight, expected)
})

test('positions beyond the table are refused', () => {
  const x = toTensor(numbers([1, 5, 4], 1))
  assertRejects(() => new nn.PositionalEncoding(4, 0, 4).forward(x), 'range', 'PositionalEncoding', '5', '4')
  assertRejects(() => new nn.LearnedPositionalEncoding(4, 4).forward(x), 'range', 'LearnedPositionalEncoding', '5', '4')
  assertRejects(() => new nn.PositionalEncoding(6, 0, 9).forward(x), 'shape', 'PositionalEncoding', '6', '[1, 5, 4]')
})

test('train and eval reach every module inside, and return the module', () => {
  const stack = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 3 }), 2)
  assert.equal(stack.eval(), stack)
  for (const [name, module] of stack.namedModules()) assert.equal(module.training, false, name)
  assert.equal(stack.train(), stack)
  for (const [name, module] of stack.namedModules()) assert.equal(module.training, true, name)
})

test('gradients add up over backward passes', () => {
  const layer = new nn.Linear(2, 1)
  const x = gf.tensor([[1, 2]])
  for (let pass = 1; pass <= 3; pass++) {
    layer.forward(x).backward()
    assertSame(layer.weight.grad, { shape: [1, 2], data: [pass, 2 * pass] })
  }
})

test('backward rejects a second run over the same graph, and wrong shapes', () => {
  const layer = new nn.Linear(2, 1)
  const y = layer.forward(gf.tensor([[1, 2]]))
  y.backward()
  assertRejects(() => y.backward(), 'state', 'backward')
  assertRejects(
    () =>
      layer
        .forward(
          gf.tensor([
            [1, 2],
            [3, 4]
          ])
        )
        .backward(),
    'shape',
    'backward',
    '[2, 1]'
  )
  const wrong = gf.tensor([1])
  assertRejects(() => layer.forward(gf.tensor([[1, 2]])).backward(wrong), 'shape', 'backward', '[1, 1]', '[1]')
})

test('noGrad records nothing', () => {
  const layer = new nn.Linear(2, 1)
  const y = gf.noGrad(() => layer.forward(gf.tensor([[1, 2]])))
  assert.equal(y.requiresGrad, false)
  assertRejects(() => y.backward(), 'state', 'backward')
})

test("parameters and modules of a user's module are found in its properties", () => {
  class Scale extends nn.Module {
    constructor() {
      super()
      this.inner = new nn.ModuleList([new nn.Linear(2, 2), new nn.Linear(2, 2, { bias: false })])
      this.factor = new nn.Parameter(gf.tensor([2, 3]))
    }

    forward(x) {
      return F.mul(
        [...this.inner].reduce((y, layer) => layer.forward(y), x),
        this.factor
      )
    }
  }
  const scale = new Scale()
  assert.deepEqual(
    Array.from(scale.namedParameters(), ([name]) => name),
    ['factor', 'inner.0.weight', 'inner.0.bias', 'inner.1.weight']
  )
  assertSame(scale.factor, [2, 3])
  scale.forward(gf.tensor([[1, 1]])).backward(gf.tensor([[1, 1]]))
  for (const p of scale.parameters()) assert.ok(p.grad)
})

test('a Parameter copies a list to float32, but shares the memory of a float32 tensor', () => {
  const source = gf.tensor([2, 3]), parameter = new nn.Parameter(source)
  source.data[0] = 5
  assertSame(parameter, [5, 3])
  assertSame(new nn.Parameter(Int32Array.of(1, 2)), [1, 2])
  const ids = gf.tensor([1], { dtype: 'int32' })
  assertRejects(() => new nn.Parameter(ids), 'type', 'Parameter', 'values', 'float32', 'int32')
})

test('modules reject invalid arguments', () => {
  assertRejects(() => new nn.Linear(0.5, 2), 'range', 'Linear', 'inFeatures', '0.5')
  assertRejects(() => new nn.Embedding(3, -1), 'range', 'Embedding', 'embeddingDim', '-1')
  assertRejects(() => new nn.Dropout(2), 'range', 'Dropout', 'p', '2')
  assertRejects(() => new nn.Linear(2, 1).forward(gf.tensor([[1, 2, 3]])), 'shape', '2', '[1, 3]')
})

test("instanceof works for modules that the library creates and for users' classes", () => {
  const layer = new nn.TransformerEncoderLayer(4, 2, 8)
  const linearNames = layer.namedModules().filter(([, module]) => module instanceof nn.Linear).map(([name]) => name)
  assert.deepEqual(linearNames, ['self_attn.out_proj', 'linear1', 'linear2'])
  assert.ok(layer instanceof nn.Module && layer instanceof nn.TransformerEncoderLayer && !(layer instanceof nn.Linear))
  assert.ok(layer.linear1.weight instanceof nn.Parameter && !(gf.tensor([1]) instanceof nn.Parameter))
  class Own extends nn.Linear {}
  assert.ok(new Own(1, 1) instanceof Own && new Own(1, 1) instanceof nn.Linear && !(new nn.Linear(1, 1) instanceof Own))
  for (const value of [null, undefined, 3, {}]) assert.ok(!(value instanceof nn.Module))
})

test('clone keeps tied weights and modules tied, and shares nothing with the original', () => {
  class Tied extends nn.Module {
    constructor() {
      super()
      this.embedding = new nn.Embedding(5, 3)
      this.output = new nn.Linear(3, 5, { bias: false })
      this.output.weight = this.embedding.weight
      this.again = this.embedding
    }
  }
  const tied = new Tied(), clone = tied.clone()
  assert.equal(clone.parameters().length, 1)
  assert.ok(clone.output.weight === clone.embedding.weight && clone.again === clone.embedding)
  assert.notEqual(clone.embedding.weight, tied.embedding.weight)
  assert.deepEqual(clone.embedding.weight.toArray(), tied.embedding.weight.toArray())
})

test('clone rejects modules that it cannot copy correctly', () => {
  class Field extends nn.Module {
    linear = new nn.Linear(1, 1)
    forward = x => this.linear.forward(x)
  }
  class Listed extends nn.Module {
    parts = [new nn.Linear(1, 1)]
  }
  assert.throws(() => new Field().clone(), { code: 'state', message: /clone: forward of Field must be a method/ })
  assert.throws(() => new Listed().clone(), { code: 'state', message: /clone: parts of Listed .* use ModuleList/ })
})

test('a layer without inputs starts with a zero bias, as in PyTorch', () => {
  assert.deepEqual(new nn.Linear(0, 3).bias.toArray(), [0, 0, 0])
})

test('lists of modules and state dicts reject invalid values', () => {
  for (const modules of [null, 3, new nn.Linear(1, 1)]) {
    assert.throws(() => new nn.ModuleList(modules), { code: 'type', message: /ModuleList: modules must be a list/ })
  }
  const linear = new nn.Linear(1, 1), weight = gf.tensor([[1]])
  assert.throws(() => linear.loadStateDict(new Map([['weight', weight]])), { code: 'type', message: /object of tensors/ })
  weight.dispose()
  assert.throws(() => linear.loadStateDict({ weight, bias: [0] }), { code: 'state', message: /weight was disposed/ })
})
