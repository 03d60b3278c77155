// Files of toOnnx give the library's numbers in onnxruntime-web, on other inputs than those of the export.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFields } from '../../src/js/text/protobuf.js'
import { assertRejects, gf } from '../lib/engine.js'
import { assertNear, assertRuns, sessionOf } from './onnx.js'
import { cases, filesOf } from '../models/golden_models.js'
import { FunctionModule, SmallGPT } from './modules.js'

const { nn, functional: F } = gf
gf.manualSeed(7)
const random = (...shape) => gf.randn(shape), ids = (high, ...shape) => gf.randint(0, high, shape)

const MASK = [[false, true, true], [false, false, true], [false, false, false]]
const small = { dimFeedforward: 20, dropout: 0.3 }

/** Every module of gf.nn, the shapes of its inputs, and options of forward. */
const MODULES = {
  'Linear': () => [new nn.Linear(6, 4), [[2, 3, 6]]],
  'Linear without bias, of a vector': () => [new nn.Linear(6, 4, { bias: false }), [[6]]],
  'LayerNorm': () => [new nn.LayerNorm(6, { eps: 1e-3 }), [[2, 3, 6]]],
  'LayerNorm without weights': () => [new nn.LayerNorm(6, { elementwiseAffine: false }), [[2, 6]]],
  'GELU': () => [new nn.GELU(), [[3, 7]]],
  'GELU by tanh': () => [new nn.GELU({ approximate: 'tanh' }), [[3, 7]]],
  'ReLU': () => [new nn.ReLU(), [[3, 7]]],
  'SiLU': () => [new nn.SiLU(), [[3, 7]]],
  'Tanh': () => [new nn.Tanh(), [[3, 7]]],
  'Sigmoid': () => [new nn.Sigmoid(), [[3, 7]]],
  'Dropout': () => [new nn.Dropout(0.5), [[3, 7]]],
  'Identity': () => [new nn.Identity(), [[3, 7]]],
  'Sequential': () => [new nn.Sequential(new nn.Linear(4, 8), new nn.GELU(), new nn.Dropout(0.2), new nn.Linear(8, 3)),
    [[2, 5, 4]]],
  'PositionalEncoding': () => [new nn.PositionalEncoding(8, 0.1, 12), [[2, 5, 8]]],
  'LearnedPositionalEncoding': () => [new nn.LearnedPositionalEncoding(12, 8), [[2, 5, 8]]],
  'MultiheadAttention': () => [new nn.MultiheadAttention(8, 2, { dropout: 0.2 }), [[2, 3, 8], [2, 4, 8], [2, 4, 8]]],
  'MultiheadAttention of other channels': () => [new nn.MultiheadAttention(8, 2, { kdim: 5, vdim: 6, bias: false }),
    [[2, 3, 8], [2, 4, 5], [2, 4, 6]], { averageAttnWeights: false }],
  'MultiheadAttention with a mask': () => [new nn.MultiheadAttention(8, 2),
    [[2, 3, 8], [2, 3, 8], [2, 3, 8]], { attnMask: MASK, needWeights: false }],
  'MultiheadAttention, padded, in a window': () => [new nn.MultiheadAttention(8, 2), [[1, 3, 8], [1, 3, 8], [1, 3, 8]],
    { keyPaddingMask: [[false, false, true]], window: 2 }],
  'TransformerEncoderLayer': () => [new nn.TransformerEncoderLayer(8, 2, small), [[2, 3, 8]], { isCausal: true }],
  'TransformerEncoderLayer, norm first, GELU': () => [new nn.TransformerEncoderLayer(8, 2,
    { ...small, normFirst: true, activation: 'gelu', bias: false }), [[2, 3, 8]], { srcMask: MASK }],
  'TransformerDecoderLayer': () => [new nn.TransformerDecoderLayer(8, 2, small), [[2, 3, 8], [2, 4, 8]],
    { tgtIsCausal: true, memoryKeyPaddingMask: [[false, false, true, true], [false, false, false, false]] }],
  'TransformerEncoder': () => [new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, small), 2,
    { norm: new nn.LayerNorm(8) }), [[2, 3, 8]], { mask: MASK }],
  'TransformerDecoder': () => [new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2, small), 2),
    [[2, 3, 8], [2, 4, 8]], { tgtMask: MASK }],
  'Transformer': () => [new nn.Transformer(8, 2, 1, 2, small), [[2, 4, 8], [2, 3, 8]], { tgtIsCausal: true }]
}

for (const [name, make] of Object.entries(MODULES)) test(`${name}: equals the library in onnxruntime`, async () => {
  const [module, shapes, options] = make(), rest = options ? [options] : []
  const first = shapes.map(shape => random(...shape)), second = shapes.map(shape => random(...shape))
  const isSingle = shapes.length === 1 && !options
  const feeds = Object.fromEntries(second.map((x, i) => [isSingle ? 'input' : `input_${i}`, x]))
  const inputs = isSingle ? first[0] : [...first, ...rest]
  await assertRuns(module, inputs, feeds, () => module.forward(...second, ...rest), name)
})

test('ids of an Embedding are an int64 input, in a model with ModuleList and ModuleDict', async () => {
  class TokenModel extends nn.Module {
    table = new nn.Embedding(11, 6, { paddingIdx: 0 })
    layers = new nn.ModuleList([new nn.Linear(6, 6), new nn.Linear(6, 6)])
    heads = new nn.ModuleDict({ a: new nn.Linear(6, 2) })
    forward(ids) {
      let x = this.table.forward(ids)
      for (const layer of this.layers) x = F.relu(layer.forward(x))
      return F.linear(this.heads.get('a').forward(x), gf.ones([3, 2]))
    }
  }
  const model = new TokenModel(), other = ids(11, 2, 4)
  await assertRuns(model, [[1, 2, 3, 0], [4, 5, 6, 7]], { input: other }, () => model.forward(other))
})

/** Functions of tensors, and the shapes of their inputs. */
const OPERATIONS = {
  'arithmetic': [(a, b) => a.add(1).sub(b).mul(b).div(2).neg().maximum(b).minimum(0.5), [3, 4], [4]],
  'number first': [a => F.sub(1, a).add(F.div(1, a.abs().add(1))).add(F.pow(2, a)), [3, 4]],
  'integers': [a => {
    const ids = a.mul(3).to('int32'), mask = a.gt(0)
    return [ids.add(1).mul(ids).sub(2), ids.maximum(0), ids.pow(3), ids.div(2), ids.mul(0.5), mask.mul(a), mask.mul(3),
      mask.mul(a.lt(1)), mask.add(ids), ids.minimum(ids.flip([1]))]
  }, [3, 4]],
  'powers and roots': [a => a.abs().add(0.1).pow(1.5).sqrt().rsqrt().log().exp().reciprocal().square(), [3, 4]],
  'elementwise functions': [a => [a.sin().add(a.cos()), a.tanh(), a.sigmoid(), F.silu(a), F.softplus(a, { beta: 2, threshold: 1 }),
    F.leakyRelu(a, { negativeSlope: 0.2 }), a.clamp({ min: -0.5 }), a.sign(), a.floor(), a.mul(3).round()], [3, 4]],
  'comparison': [(a, b) => [a.gt(b), a.le(0), a.eq(a), a.ne(b), a.gt(0).logicalAnd(b.lt(0)), gf.where(a.ge(b), a, 0)],
    [3, 4], [3, 4]],
  'reductions': [a => [a.sum(), a.sum({ dim: 1 }), a.mean({ dim: [0, 2], keepdim: true }), a.var({ dim: -1 }),
    a.std({ dim: 0, correction: 0 }), a.logsumexp({ dim: 1 }), a.norm({ dim: 2 }), a.max({ dim: 1 }).values, a.min(),
    a.prod({ dim: 2 }), a.argmax({ dim: 1 }), a.argmin(), a.gt(1).any({ dim: 1 }), a.gt(-9).all()], [2, 3, 4]],
  'softmax': [a => [F.softmax(a), F.softmax(a, { dim: 0 }), F.logSoftmax(a, { dim: 1 }), a.cumsum(1)], [2, 3, 4]],
  'shapes': [a => [a.reshape(6, 4), a.transpose(0, 2), a.permute(2, 0, 1), a.unsqueeze(0).expand([2, 2, 3, 4]),
    a.narrow(1, 1, 2), a.slice(2, 0, 4, 2), a.flip([0, 2]), a.flatten(), a.roll(1, 2), a.repeat(2, 1, 1),
    gf.einsum('bii->bi', a.narrow(2, 0, 3)), gf.einsum('bij,bkj->bik', a, a)], [2, 3, 4]],
  'concatenating and splitting': [(a, b) => [gf.cat([a, b], { dim: 1 }), gf.stack([a, a]), ...a.split(2, { dim: 1 }), ...b.chunk(2)],
    [2, 3], [2, 4]],
  'indexing and sorting': [a => [a.indexSelect(1, [2, 0]), a.gather(0, [[0, 1, 1]]), a.scatter(1, [[0], [2]], 9), a.tril(), a.triu(1),
    a.scatterAdd(1, [[0, 0], [2, 1]], gf.ones([2, 2])), ...a.topk(2), ...a.sort({ descending: true }),
    a.maskedFill(a.gt(0), -1)], [2, 3]],
  'products': [(a, b) => [a.matmul(b), F.matmul(a, b.narrow(0, 0, 1).reshape(4, 5))], [2, 3, 4], [2, 4, 5]],
  'norms and copies': [(a, w) => [F.rmsNorm(a, w), F.rmsNorm(a), F.layerNorm(a, null, w), a.clone().detach(),
    a.to('int32').to('float32'), a.gt(0).to('float32'), F.dropout(a, { p: 0.5, training: false }), F.mseLoss(a, w.expand([
      3, 4]), { reduction: 'none' }), F.l1Loss(a, w.expand([3, 4]), { reduction: 'none' })], [3, 4], [4]],
  'rotary': [a => [F.rotary(a), F.rotary(a, { layout: 'interleaved', heads: 2, base: 100 }),
    F.rotary(a, { positions: [[0, 1, 2], [5, 6, 7]] }), F.rotary(a, { heads: 2, dims: 2, scale: 1.5 })], [2, 3, 8]],
  'attention': [(q, k, mask) => [
    F.scaledDotProductAttention(q, k, k, { enableGqa: true, isCausal: true }),
    F.scaledDotProductAttention(q, k, k, { enableGqa: true, attnMask: mask, scale: 0.3 }),
    F.scaledDotProductAttention(q, k, k, { enableGqa: true, attnMask: gf.alibi(4, 3) }),
    F.scaledDotProductAttention(q, q, q, { window: 2, keyPaddingMask: [[false, false, true], [false, false, false]] })
  ], [2, 4, 3, 6], [2, 2, 3, 6], [2, 1, 3, 3]]
}

for (const [name, [fn, ...shapes]] of Object.entries(OPERATIONS)) test(`${name}: equal the library in onnxruntime`, async () => {
  const [first, second] = [0, 1].map(() => shapes.map(shape => random(...shape)))
  const feeds = Object.fromEntries(second.map((x, i) => [shapes.length === 1 ? 'input' : `input_${i}`, x]))
  await assertRuns(new FunctionModule(fn), shapes.length === 1 ? first[0] : first, feeds, () => fn(...second), name)
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) for (const item of cases(type)) {
  test(`${item.name}: equals the library in onnxruntime`, async () => {
    const { model } = await gf.models.load(filesOf(item)), { ids: example, ...rest } = item.inputs
    const { attentionMask, ...more } = rest, mask = attentionMask ? { attentionMask } : {}
    const other = gf.tensor(example.map(row => [...row].reverse()), { dtype: 'int32' })
    const feeds = { ids: other, ...Object.fromEntries(
      Object.entries(more).map(([key, value]) => [key, gf.tensor(value, { dtype: 'int32' })])) }
    // A mask of booleans in lists becomes a constant of the graph.
    const fixed = attentionMask ? { attentionMask: attentionMask.map(row => row.map(Boolean)) } : {}
    await assertRuns(model, { ids: example, ...more, ...fixed }, feeds,
      () => model.forward(other, { ...more, ...mask }), item.name)
    model.dispose()
  })
}

const DYNAMIC_BATCH = {
  'a stack': () => [new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, small), 2), { src: [5, 8] },
    { isCausal: true }],
  'two inputs': () => [new nn.Transformer(8, 2, 1, 1, small), { src: [4, 8], tgt: [3, 8] }, { tgtIsCausal: true }],
  'averaged weights': () => [new nn.MultiheadAttention(8, 2), { query: [3, 8], key: [4, 8], value: [4, 8] }, {}],
  'a custom GPT': () => [new SmallGPT(), { ids: [4] }, {}],
  'shapes': () => [new FunctionModule(x => [x.reshape(-1, 6).mul(2).reshape(-1, 2, 3, 2).permute(0, 2, 1, 3), x.sum({ dim: 1 }),
    x.add(gf.ones([1, 2, 6])), x.reshape(-1, 6)]), { x: [2, 6] }, {}]
}

for (const [name, make] of Object.entries(DYNAMIC_BATCH)) test(`a batch of any size: ${name}`, async () => {
  const [model, shapes, options] = make(), randomFeeds = batch => Object.fromEntries(Object.entries(shapes).map(
    ([key, shape]) => [key, key === 'ids' ? ids(7, batch, ...shape) : random(batch, ...shape)]))
  for (const feeds of [randomFeeds(2), randomFeeds(5), randomFeeds(1)]) {
    const inputs = Object.values(feeds), args = Object.keys(options).length ? [options] : []
    if (inputs.length === 2 && args.length === 0) args.push({})
    await assertRuns(model, { ...randomFeeds(2), ...options }, feeds, () => model.forward(...inputs, ...args), name)
  }
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(`a batch of any size: ${type}`, async () => {
  const { model } = await gf.models.load(filesOf(cases(type)[0])), decoder = batch =>
    (['marian', 't5'].includes(type) ? { decoderIds: ids(10, batch, 3) } : {})
  const { decoderIds, ...feeds } = { ids: ids(10, 5, 6), ...decoder(5) }, more = decoderIds ? { decoderIds } : {}
  await assertRuns(model, { ids: ids(10, 2, 6), ...decoder(2) }, { ...feeds, ...more },
    () => model.forward(feeds.ids, more), type)
  model.dispose()
})

test('the batch has a fixed size if it does not stay in front', async () => {
  for (const fn of [x => F.softmax(x, { dim: 0 }), x => x.unsqueeze(0), x => x.transpose(0, 1), x => x.flip(0),
    x => x.mul(gf.tensor([[1, 2], [3, 4]])), x => gf.cat([x, x]), x => x.sum({ dim: 0 })]) {
    const session = await sessionOf(gf.toOnnx(new FunctionModule(fn), random(2, 2)))
    await session.run({ input: random(2, 2) })
    await assert.rejects(session.run({ input: random(3, 2) }), /invalid dimensions|Got: 3/, String(fn))
  }
})

/** The contents of an ONNX file: initializers with shapes, attributes of nodes, sizes of the first input. */
function graphOf(bytes) {
  const readField = (bytes, number) => readFields('onnx', bytes).get(number) ?? []
  const text = bytes => new TextDecoder().decode(bytes), [graph] = readField(bytes, 7)
  return {
    initializers: readField(graph, 5).map(tensor => [text(readField(tensor, 8)[0]), readField(tensor, 1)]),
    attributes: readField(graph, 1).flatMap(node => readField(node, 5))
      .map(attribute => [text(readField(attribute, 1)[0]), ...readField(attribute, 3)]),
    /** Numbers, or names of dynamic sizes. */
    sides: [2, 1, 2].reduce((list, number) => list.flatMap(item => readField(item, number)), readField(graph, 11))
      .flatMap(shape => readField(shape, 1)).map(side => readField(side, 1)[0] ?? text(readField(side, 2)[0]))
  }
}

/** Exports a function of one tensor and reads the graph. */
const exportGraph = (fn, x) => graphOf(gf.toOnnx(new FunctionModule(fn), x))

test('weights keep their keys and shapes, are stored once, and are left out if unused', async () => {
  class Tied extends nn.Module {
    table = new nn.Embedding(7, 4)
    layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8 })
    unused = new nn.Linear(4, 4)
    forward(ids) {
      return F.linear(this.layer.forward(this.table.forward(ids)), this.table.weight)
    }
  }
  const model = new Tied(), { initializers } = graphOf(gf.toOnnx(model, [[1, 2, 3]]))
  const state = Object.entries(model.stateDict()).filter(([key]) => !key.startsWith('unused'))
  const weights = initializers.filter(([name]) => !/^(number|list)_/.test(name))
  assert.deepEqual(weights.sort(), state.map(([key, { shape }]) => [key, [...shape]]).sort())
})

test('a constant that is used twice is stored once', () => {
  assert.deepEqual(exportGraph(a => a.add(2).mul(2), random(2, 3)).initializers.map(([name]) => name), ['number_2'])
})

test('a boolean attribute is written as 0 or 1', () => {
  for (const keepdim of [false, true]) {
    const { attributes } = exportGraph(a => a.argmax({ dim: 1, keepdim }), random(2, 3))
    const [[, value]] = attributes.filter(([name]) => name === 'keepdims')
    assert.equal(Number(value), Number(keepdim))
  }
})

test('inputs and shapes may have sizes of 0', async () => {
  for (const [fn, ...shape] of [[a => a.mul(2), 2, 0], [a => a.narrow(1, 0, 0).reshape(0, 7), 2, 3]]) {
    const x = random(...shape), bytes = gf.toOnnx(new FunctionModule(fn), x)
    assert.equal(String(graphOf(bytes).sides[1]), String(shape[1]))
    const { output } = await (await sessionOf(bytes)).run({ input: x })
    assert.deepEqual([...output.dims], [...fn(x).shape])
  }
})

test('an export does not change memory, modes or the trace', () => {
  const model = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2), 2), x = random(1, 3, 8)
  model.layers.at(0).eval()
  const modes = () => model.namedModules().map(([, { training }]) => training), modesBefore = modes()
  const before = { ...gf.memory() }
  gf.toOnnx(model, x)
  gf.tidy(() => gf.toOnnx(model, x))
  const after = gf.memory()
  assert.deepEqual([after.bytes, after.tensors], [before.bytes, before.tensors])
  assert.deepEqual(modes(), modesBefore)
  assert.throws(() => gf.toOnnx(new FunctionModule(() => { throw new Error('broken') }), x), /broken/)
  assert.deepEqual([gf.memory().bytes, gf.engine.trace], [before.bytes, null])
  assert.ok(!x.disposed)
})

test('the values of an object are passed by inputNames, others as options', async () => {
  const model = new nn.Transformer(8, 2, 1, 1, small), src = random(1, 3, 8), tgt = random(1, 2, 8)
  await assertRuns(model, { tgt, src, tgtIsCausal: true }, { src, tgt },
    () => model.forward(src, tgt, { tgtIsCausal: true }))
  const x = random(1, 3, 8), mha = new nn.MultiheadAttention(8, 2), attnMask = random(3, 3)
  await assertRuns(mha, { query: x, attnMask }, { query: x, attnMask },
    () => mha.forward(x, undefined, undefined, { attnMask }), 'a mask as an input')
  const additiveMask = [[0, -Infinity, 0], [0, -1, 0.5], [0, 0, 0]]
  await assertRuns(mha, { query: x, attnMask: additiveMask }, { query: x },
    () => mha.forward(x, undefined, undefined, { attnMask: additiveMask }), 'a constant mask of numbers')
  const keyPaddingMask = gf.tensor([[false, false, true]])
  const recorded = { query: x, keyPaddingMask: gf.tensor([[false, true, false]]) }
  const session = await sessionOf(gf.toOnnx(mha, recorded))
  const outputs = await session.run({ query: x, keyPaddingMask })
  mha.eval()
  assertNear(outputs.output_0, mha.forward(x, x, x, { keyPaddingMask })[0], 'padding as an input')
})

test('cross entropy and the negative log likelihood: all options, any number of targets that count, any batch', async () => {
  const logits = gf.randn([4, 5]), ids = list => gf.tensor(list, { dtype: 'int32' }), target = ids([0, 3, -100, 2])
  const weight = gf.tensor([1, 2, 0.5, 3, 1]), more = gf.randn([4, 5]), moreTargets = ids([4, -100, 1, -100])
  for (const reduction of ['mean', 'sum', 'none']) for (const options of [{}, { weight }]) {
    for (const labelSmoothing of [0, 0.1]) {
      const loss = (a, b) => F.crossEntropy(a, b, { ...options, reduction, labelSmoothing })
      await assertRuns(new FunctionModule(loss), [logits, target], { input_0: more, input_1: moreTargets },
        () => loss(more, moreTargets), `crossEntropy ${reduction} ${labelSmoothing}`)
    }
    const nll = (a, b) => F.nllLoss(F.logSoftmax(a), b, { ...options, reduction })
    await assertRuns(new FunctionModule(nll), [logits, target], { input_0: more, input_1: moreTargets },
      () => nll(more, moreTargets), `nllLoss ${reduction}`)
  }
  const own = a => F.crossEntropy(a, [3, 1, 3, 0], { ignoreIndex: 3 })
  await assertRuns(new FunctionModule(own), logits, { input: logits }, () => own(logits))
  const sequences = (a, b) => F.crossEntropy(a.transpose(1, 2), b)
  const [x, y] = [gf.randn([3, 2, 5]), gf.randint(0, 5, [3, 2])]
  await assertRuns(new FunctionModule(sequences), [x.narrow(0, 0, 2), y.narrow(0, 0, 2)], { input_0: x, input_1: y },
    () => sequences(x, y))
})

test('toOnnx refuses invalid arguments by name', () => {
  const x = random(2, 3)
  assertRejects(() => gf.toOnnx(new FunctionModule(a => a.maskedSelect(a.gt(0))), x), 'type', 'toOnnx', 'nonzero')
  class Twice extends gf.autograd.Function {
    static forward(_, a) { return a.mul(2) }
  }
  assertRejects(() => gf.toOnnx(new FunctionModule(a => Twice.apply(a)), x), 'type', 'Twice')
  assertRejects(() => gf.toOnnx({ forward: () => x }, x), 'type', 'model must be a module')
  assertRejects(() => gf.toOnnx(new FunctionModule(() => 3), x), 'type', 'forward must return', '3')
  assertRejects(() => gf.toOnnx(new FunctionModule(a => a), 3), 'type', 'inputs must be')
  assertRejects(() => gf.toOnnx(new nn.TransformerDecoderLayer(4, 2), [[[1]]]), 'type', 'inputs is one nested list')
  assertRejects(() => gf.toOnnx(new nn.Linear(3, 3), { weight: x }), 'range', 'weight')
})

test('dynamic sizes have names: one for the batch, another for its multiples', () => {
  const names = model => ['batch', 'rows'].filter(name => Buffer.from(gf.toOnnx(model, [gf.ones([2, 3, 4])])).includes(name))
  assert.deepEqual(names(new FunctionModule(x => x.mul(2))), ['batch'])
  assert.deepEqual(names(new FunctionModule(x => x.reshape(-1, 4))), ['batch', 'rows'])
})
