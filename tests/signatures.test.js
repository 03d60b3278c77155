// PyTorch's order of arguments: the table is PyTorch's own, and calls by position, by name and by both mean the same.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createReader, parseSignature } from '../src/js/interface/arguments.js'
import { Methods } from '../src/js/tensor/methods.js'
import { Extremes } from '../src/js/ops/extremes.js'
import * as tables from '../src/js/interface/signatures.js'
import { gf } from './lib/engine.js'

const golden = JSON.parse(await readFile(new URL('golden/signatures.json', import.meta.url), 'utf8'))
const F = gf.functional, { nn, optim, data: { DataLoader } } = gf

const toSnakeCase = name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
/** Names that camelCase or JavaScript spells otherwise, and what PyTorch spells in two ways. */
const SPELLINGS = {
  't_max': 'T_max', 'sizes': 'size', 'numClasses': 'num_classes', 'operands': 'tensors', 'tensor': 'input', 'repeat sizes': 'repeats',
  'dot other': 'tensor', 'split split_size': 'split_size_or_sections', 'split tensor': 'tensor'
}
/** Newer than the PyTorch that wrote the golden file. */
const NEWER = {
  names: ['RMSNorm', 'rmsNorm', 'scaledDotProductAttention'],
  parameters: ['bias', 'isCausal', 'tgtIsCausal', 'memoryIsCausal', 'srcIsCausal']
}
const OWN = new Set(['slice', 'index', 'saveCheckpoint', 'loadCheckpoint', 'Dataset', 'TensorDataset', 'Generator', 'PositionalEncoding',
  'LearnedPositionalEncoding', 'Module', 'Identity', 'Sequential', 'ModuleList', 'ModuleDict'])

for (const table of ['FUNCTIONS', 'METHODS', 'MODULES', 'FORWARDS', 'INIT', 'OPTIMIZERS', 'DATA']) {
  test(`${table}: the parameters are PyTorch's, in its order`, () => {
    for (const [name, text] of Object.entries(tables[table])) {
      if (OWN.has(name) || NEWER.names.includes(name)) continue
      const key = table === 'MODULES' || table === 'FORWARDS' || /^[A-Z]/.test(name) ? name : toSnakeCase(name)
      const overloads = golden[table][key], { order } = parseSignature(text.replace(/ \+\w+\?/g, ''))
      assert.ok(overloads?.length, `${name} is not in PyTorch`)
      const optional = new Set([...text.matchAll(/(\w+)\?/g)].map(([, word]) => word))
      const fits = overloads.some(list => {
        const star = list.indexOf('*'), placed = star < 0 ? list : list.slice(0, star)
        const known = order.filter(own => !NEWER.parameters.includes(own) || placed.includes(`${toSnakeCase(own)}?`))
        return known.length <= placed.length && known.every((own, i) => {
          const word = placed[i].replace('?', ''), snake = toSnakeCase(own)
          const spelled = [snake, SPELLINGS[snake], SPELLINGS[own], SPELLINGS[`${key} ${snake}`]].includes(word)
          return spelled && (!placed[i].endsWith('?') || optional.has(own) || text.startsWith('...'))
        })
      })
      assert.ok(fits, `${name}: ${order} is none of ${JSON.stringify(overloads)}`)
    }
  })
}

test('unbiased is true or false, however it is given', () => {
  for (const options of [{ unbiased: 0 }, { unbiased: 'x' }]) {
    assert.throws(() => gf.ones([2]).var(options), { code: 'type', message: /var: unbiased must be true or false/ })
  }
  assert.throws(() => gf.ones([2]).std(0, 0), { code: 'type', message: /std: unbiased/ })
})

test('every function and class has a signature, or is of this library alone', () => {
  const own = ['relativePositionBias', 'rotary', 'noam']
  const missing = (object, table) => Object.keys(object)
    .filter(name => typeof object[name] === 'function' && !(name in table))
  const methods = Object.getOwnPropertyNames(Methods.prototype).filter(name => name !== 'constructor')
  assert.deepEqual(methods.filter(name => !(name in tables.FUNCTIONS || name in tables.METHODS)), [])
  assert.deepEqual(missing(F, tables.FUNCTIONS).filter(name => !own.includes(name)), [])
  assert.deepEqual(missing(nn, tables.MODULES), ['Parameter'])
  assert.deepEqual(missing(nn.init, tables.INIT), [])
  const optimizers = missing({ ...optim, ...optim.lrScheduler }, tables.OPTIMIZERS)
  assert.deepEqual(optimizers.filter(name => !own.includes(name)), [])
  assert.deepEqual(missing(gf.data, tables.DATA), [])
})

const x = gf.tensor([[1, -2, 3, 4], [5, 6, -7, 8.5], [0, 2, 4, 6]])
const w = gf.tensor([1, 2, 3, 4]), b = gf.tensor([0, 1, 0, 1])
const q = gf.arange(16).reshape(1, 1, 4, 4).to('float32'), mask = gf.ones([4, 4]).tril().to('bool')
const p = gf.tensor([[0.1, 0.9], [0.3, 0.4]]), t = gf.tensor([[0, 1], [1, 0]])
const ids = gf.tensor([1, 2], { dtype: 'int32' })
const mha = new nn.MultiheadAttention(4, 2), transformer = new nn.Transformer(4, 2, 1, 1, 8, 0)
const encoder = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0 }).eval()
const decoder = new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 8, dropout: 0 }).eval()
const src = gf.ones(1, 3, 4).mul(gf.tensor([[1], [2], [3]]))
const causal = [[false, true, true], [false, false, true], [false, false, false]]
const padding = [[false, false, true]]

const seeded = () => new gf.Generator().manualSeed(3), sgd = () => new optim.SGD(mha.parameters(), 0.1)

/** Calls in PyTorch's order, and the same by name. */
const SAME = [
  [() => x.sum(-1, true), () => x.sum({ dim: -1, keepdim: true })],
  [() => x.sum(-1, { keepdim: true }), () => x.sum({ dim: -1, keepdim: true })],
  [() => gf.sum(x, [0, 1]), () => gf.sum(x, { dim: [0, 1] })],
  [() => x.mean(-1, true), () => x.mean({ dim: -1, keepdim: true })],
  [() => x.sum(null, true), () => x.sum({ keepdim: true })], [() => x.max(1), () => x.max({ dim: 1 })],
  [() => x.argmax(0, true), () => x.argmax({ dim: 0, keepdim: true })], [() => x.all(0), () => x.all({ dim: 0 })],
  [() => x.var(-1, false), () => x.var({ dim: -1, correction: 0 })],
  [() => x.var(false), () => x.var({ correction: 0 })],
  [() => gf.var(x, false), () => x.var({ correction: 0 })], [() => gf.std(x, 0, true), () => x.std({ dim: 0 })],
  [() => x.std(-1, false, true), () => x.std({ dim: -1, correction: 0, keepdim: true })],
  [() => x.std({ dim: 1, unbiased: false }), () => x.std({ dim: 1, correction: 0 })],
  [() => x.norm(2, -1), () => x.norm({ p: 2, dim: -1 })],
  [() => x.norm('fro', -1, true), () => x.norm({ dim: -1, keepdim: true })],
  [() => x.view(4, -1), () => x.view({ size: [4, 3] })], [() => x.reshape([4, -1]), () => x.reshape({ shape: [4, 3] })],
  [() => x.transpose(0, 1), () => x.transpose(0, { dim1: 1 })],
  [() => x.transpose(-1, 0), () => x.transpose({ dim0: 0, dim1: 1 })],
  [() => F.softmax(x, -1), () => F.softmax(x, { dim: -1 })], [() => x.softmax(0), () => x.softmax({ dim: 0 })],
  [() => F.logSoftmax(x, 0), () => F.logSoftmax(x, { dim: 0 })],
  [() => F.normalize(x, 2, -1), () => F.normalize(x, { p: 2, dim: -1 })],
  [() => F.normalize(x, 1, 0, 0.5), () => F.normalize(x, { p: 1, dim: 0, eps: 0.5 })],
  [() => F.dropout(x, 0.5, true), () => F.dropout(x, { p: 0.5, training: true })],
  [() => F.dropout(x, 0.5, false), () => x], [() => x.clamp(0, 1), () => x.clamp({ min: 0, max: 1 })],
  [() => x.clamp(null, 1), () => x.clamp({ max: 1 })],
  [() => F.leakyRelu(x, 0.2), () => F.leakyRelu(x, { negativeSlope: 0.2 })],
  [() => F.layerNorm(x, [4], w, b, 1e-5), () => F.layerNorm(x, w, b, { eps: 1e-5 })],
  [() => F.layerNorm(x, [4]), () => F.layerNorm(x)],
  [() => F.layerNorm(x, 4, { bias: b }), () => F.layerNorm(x, null, b)],
  [() => F.layerNorm(x, { weight: w, eps: 1 }), () => F.layerNorm(x, w, null, { eps: 1 })],
  [() => F.rmsNorm(x, [4], w, 0.1), () => F.rmsNorm(x, w, { eps: 0.1 })],
  [() => F.crossEntropy(x, [0, 1, 3], w), () => F.crossEntropy(x, [0, 1, 3], { weight: w })],
  [() => F.crossEntropy(x, [0, 1, 3], null, null, 1, null, 'sum', 0.1),
    () => F.crossEntropy(x, [0, 1, 3], { ignoreIndex: 1, reduction: 'sum', labelSmoothing: 0.1 })],
  [() => F.mseLoss(p, t, null, null, 'sum'), () => F.mseLoss(p, t, { reduction: 'sum' })],
  [() => F.binaryCrossEntropy(p, t, p), () => F.binaryCrossEntropy(p, t, { weight: p })],
  [() => F.cosineSimilarity(x, x, 0, 1e-3), () => F.cosineSimilarity(x, x, { dim: 0, eps: 1e-3 })],
  [() => F.embedding([0, 1], p, 1), () => F.embedding([0, 1], p, { paddingIdx: 1 })],
  [() => F.scaledDotProductAttention(q, q, q, mask), () => F.scaledDotProductAttention(q, q, q, { attnMask: mask })],
  [() => F.scaledDotProductAttention(q, q, q, null, 0, true),
    () => F.scaledDotProductAttention(q, q, q, { isCausal: true })],
  [() => gf.cat([x, x], 1), () => gf.cat([x, x], { dim: 1 })],
  [() => gf.stack([x, x], -1), () => gf.stack([x, x], { dim: -1 })],
  [() => x.split(2, 1), () => x.split(2, { dim: 1 })], [() => x.chunk(2, -1), () => x.chunk(2, { dim: -1 })],
  [() => x.repeatInterleave(2, 0), () => x.repeatInterleave(2, { dim: 0 })],
  [() => F.oneHot(ids, 4), () => F.oneHot(ids, { numClasses: 4 })],
  [() => x.sort(0, true).indices, () => x.sort({ dim: 0, descending: true }).indices],
  [() => x.argsort(1), () => x.argsort({ dim: 1 })],
  [() => x.topk(2, 0, false).values, () => x.topk(2, { dim: 0, largest: false }).values],
  [() => x.topk(2, 0, true, true).values, () => x.topk(2, { dim: 0 }).values],
  [() => x.topk(2, 0, false, false).values, () => x.topk(2, { dim: 0, largest: false, sorted: false }).values],
  [() => x.topk(2, 0, { sorted: false }).values, () => x.topk(2, { dim: 0 }).values],
  [() => x.to('int32', true), () => x.to('int32', { nonBlocking: false })],
  [() => new nn.TransformerEncoder(encoder, 1, null, true, false).eval()(src),
    () => new nn.TransformerEncoder(encoder, 1, { enableNestedTensor: true, maskCheck: false }).eval()(src)],
  [() => x.cumsum({ dim: 1 }), () => x.cumsum(1)], [() => x.unsqueeze({ dim: 0 }), () => x.unsqueeze(0)],
  [() => x.narrow({ dim: 1, start: 0, length: 2 }), () => x.narrow(1, 0, 2)],
  [() => x.tril({ diagonal: 1 }), () => x.tril(1)],
  [() => x.flatten({ startDim: 0 }), () => x.flatten(0)],
  [() => gf.transpose(x, { dim0: 0, dim1: 1 }), () => x.transpose(0, 1)],
  [() => x.maskedFill({ mask: x.gt(0), value: 7 }), () => x.maskedFill(x.gt(0), 7)],
  [() => x.allclose(x.add(0.5), 0, 1), () => x.allclose(x.add(0.5), { rtol: 0, atol: 1 })],
  [() => F.layerNorm(x, [3, 4]), () => F.layerNorm(x, { normalizedShape: [3, 4] })],
  [() => F.layerNorm(x, [3, 4], x, x, 0.1), () => F.layerNorm(x, x, x, { eps: 0.1 })],
  [() => x.clone().add_(x, { alpha: 2 }), () => x.mul(3)],
  [() => x.clone().clamp_(0, 1), () => x.clamp({ min: 0, max: 1 })],
  [() => x.clone().normal_(1, 2), () => x.clone().normal_({ mean: 1, std: 2 })],
  [() => x.clone().uniform_(1), () => x.clone().uniform_({ from: 1 })],
  [() => x.clone().copy_(w, true), () => x.clone().copy_({ src: w })],
  [() => x.unfold({ dimension: 1, size: 2, step: 1 }), () => x.unfold(1, 2, 1)],
  [() => F.pad(x, [1, 0], 'reflect'), () => F.pad(x, [1, 0], { mode: 'reflect' })],
  [() => F.conv1d(x, gf.ones(2, 3, 2), null, 2), () => F.conv1d(x, gf.ones(2, 3, 2), null, { stride: 2 })],
  [() => F.unfold(q, 2, 1, 0, 2), () => F.unfold(q, 2, { stride: 2 })], [() => x.median(1), () => x.median({ dim: 1 })],
  [() => F.smoothL1Loss(p, t, null, null, 'sum', 2), () => F.smoothL1Loss(p, t, { reduction: 'sum', beta: 2 })],
  [() => gf.empty(2, 3).shape, () => [2, 3]],
  [() => new nn.Conv1d(3, 2, 2, 2, 1), () => new nn.Conv1d(3, 2, 2, { stride: 2, padding: 1 })],
  [() => gf.zeros(2, 3), () => gf.zeros([2, 3])],
  [() => gf.ones(2, { dtype: 'int32' }), () => gf.ones([2], { dtype: 'int32' })],
  [() => gf.rand(2, 3), () => gf.rand([2, 3])], [() => gf.randn(4), () => gf.randn([4])],
  [() => gf.randint(9, [5]), () => gf.randint(0, 9, [5])],
  [() => gf.normal(1, 2, [3]), () => gf.normal([3], { mean: 1, std: 2 })],
  [() => gf.multinomial(w, 5, true), () => gf.multinomial(w, 5, { replacement: true })],
  [() => new nn.Linear(3, 4, false).bias, () => null], [() => new nn.Dropout(0.1).p, () => 0.1],
  [() => new nn.Dropout({ p: 0.1 }).p, () => 0.1],
  [() => new nn.LayerNorm(4, 0.1, false), () => new nn.LayerNorm(4, { eps: 0.1, elementwiseAffine: false })],
  [() => new nn.Embedding(3, 2, 1), () => new nn.Embedding(3, 2, { paddingIdx: 1 })],
  [() => new nn.Softmax(0)(x), () => x.softmax(0)],
  [() => new nn.ReLU(false)(x), () => x.relu()],
  [() => new nn.CrossEntropyLoss(w)(x, [0, 1, 3]), () => F.crossEntropy(x, [0, 1, 3], w)],
  [() => new nn.MultiheadAttention(4, 2, 0.1, false),
    () => new nn.MultiheadAttention(4, 2, { dropout: 0.1, bias: false })],
  [() => new nn.TransformerEncoderLayer(4, 2, 8, 0, 'gelu', 1e-5, true, true).eval()(src),
    () => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, activation: 'gelu', normFirst: true }).eval()(src)],
  [() => new nn.TransformerEncoder(encoder, 1, new nn.LayerNorm(4)).eval()(src, causal),
    () => new nn.TransformerEncoder(encoder, 1, { norm: new nn.LayerNorm(4) }).eval()(src, { mask: causal })],
  [() => mha(src, src, src, padding)[0], () => mha(src, src, src, { keyPaddingMask: padding })[0]],
  [() => mha(src, src, src, null, false, causal), () => mha(src, src, src, { needWeights: false, attnMask: causal })],
  [() => mha(src, { attnMask: causal })[0], () => mha(src, src, src, { attnMask: causal })[0]],
  [() => encoder(src, causal, padding), () => encoder(src, { srcMask: causal, srcKeyPaddingMask: padding })],
  [() => decoder(src, src, causal, null, padding),
    () => decoder(src, src, { tgtMask: causal, tgtKeyPaddingMask: padding })],
  [() => transformer(src, src, null, causal), () => transformer(src, src, { tgtMask: causal })],
  [() => transformer(src, src, causal, causal, null, padding),
    () => transformer(src, src, { srcMask: causal, tgtMask: causal, srcKeyPaddingMask: padding })],
  [() => nn.init.normal_(gf.zeros(5), 1, 0.02), () => nn.init.normal_(gf.zeros(5), { mean: 1, std: 0.02 })],
  [() => nn.init.xavierUniform_(gf.zeros(2, 3), 2), () => nn.init.xavierUniform_(gf.zeros(2, 3), { gain: 2 })],
  [() => new optim.AdamW(mha.parameters(), 3e-4, [0.9, 0.95]).paramGroups[0].betas[1], () => 0.95],
  [() => new optim.SGD(mha.parameters(), 0.1, 0.9).paramGroups[0].momentum, () => 0.9],
  [() => optim.clipGradNorm(mha.parameters(), 1, Infinity),
    () => optim.clipGradNorm(mha.parameters(), 1, { normType: Infinity })],
  [() => new optim.AdamW(mha.parameters(), 3e-4, [0.9, 0.95], 1e-8, 0, true).paramGroups[0].amsgrad, () => true],
  [() => new optim.lrScheduler.MultiStepLR(sgd(), [2], 0.5).gamma, () => 0.5],
  [() => new optim.lrScheduler.ReduceLROnPlateau(sgd(), 'max', 0.5, 3).stateDict(),
    () => new optim.lrScheduler.ReduceLROnPlateau(sgd(), { mode: 'max', factor: 0.5, patience: 3 }).stateDict()],
  [() => gf.randint(9, [5], { generator: seeded() }), () => gf.randint(0, 9, [5], { generator: seeded() })],
  [() => gf.normal(1, 2, [3], { generator: seeded() }), () => gf.normal([3], { mean: 1, std: 2, generator: seeded() })],
  [() => gf.rand(3, { generator: seeded() }), () => gf.rand([3], { generator: seeded() })],
  [() => [...new DataLoader(x, 2, true)], () => [...new DataLoader(x, { batchSize: 2, shuffle: true })]],
  [() => [...new DataLoader(x, null)], () => [...new DataLoader(x, { batchSize: null })]],
  [() => [...new DataLoader(x, 2, { dropLast: true })], () => [...new DataLoader(x, { batchSize: 2, dropLast: true })]],
  [() => [...new DataLoader(x, 2, false, null, null, 0, rows => rows.length)],
    () => [...new DataLoader(x, { batchSize: 2, collateFn: rows => rows.length })]],
  [() => [...new DataLoader({ length: 3, get: i => i }, 2)], () => [gf.tensor([0, 1]), gf.tensor([2])]],
  [() => [...new DataLoader({ length: 3, get: i => i })].length, () => 3],
  [() => [...new DataLoader({ dataset: x, batchSize: 2 })], () => [...new DataLoader(x, 2)]],
  [() => gf.data.padSequence([[1, 2], [3]], true, -1),
    () => gf.data.padSequence([[1, 2], [3]], { batchFirst: true, paddingValue: -1 })],
  [() => gf.data.randomSplit(x, [1, 2], seeded()).map(part => part.indices),
    () => gf.data.randomSplit(x, [1, 2], { generator: seeded() }).map(part => part.indices)]
]

const plain = value => (value instanceof nn.Module ? [String(value), plain(Object.values(value.stateDict()))]
  : Array.isArray(value) ? value.map(plain)
    : value instanceof Extremes ? [...value].map(plain) : value?.toArray?.() ?? value)

for (const [placed, named] of SAME) test(String(placed).slice(6), () => {
  const [first, second] = [placed, named].map(call => {
    gf.manualSeed(7)
    return plain(call())
  })
  assert.deepEqual(first, second)
})

test('backward and gf.grad take their arguments by position and by name', () => {
  const of = start => {
    const leaf = gf.tensor([1, 2, 3], { requiresGrad: true }), y = leaf.square(), g = gf.tensor([1, 0, 2])
    start(leaf, y, g)
    return leaf.grad?.toArray()
  }
  for (const start of [
    (leaf, y, g) => y.backward(g), (leaf, y, g) => y.backward({ gradient: g }),
    (leaf, y, g) => y.backward(g, { retainGraph: false }), (leaf, y, g) => y.backward(g, null, false),
    (leaf, y, g) => y.mul(g).sum().backward(null, { retainGraph: true })
  ]) assert.deepEqual(of(start), [2, 0, 12], String(start))
  assert.deepEqual(of((leaf, y, g) => { y.backward(g, true); y.backward(g, true); y.backward(g) }), [6, 0, 36])
  of((leaf, y, g) => {
    for (const grads of [
      gf.grad(y, [leaf], g, true), gf.grad({ outputs: y, inputs: [leaf], gradOutputs: g, retainGraph: true }),
      gf.grad(y, [leaf], { gradOutputs: g, retainGraph: true }),
      gf.grad(y, [leaf], { gradOutputs: g, retainGraph: true, onlyInputs: true }),
      gf.grad(y, [leaf], g, null, false, true, true)
    ]) assert.deepEqual(grads.map(one => one.toArray()), [[2, 0, 12]])
  })
  for (const [call, message] of [
    [(leaf, y) => y.backward(3), 'backward: gradient must be a tensor of the shape of this one, got 3'],
    [(leaf, y, g) => y.backward(g, false, true), 'backward: there is no createGraph here, got true; leave it out: gradients have no gradients'],
    [(leaf, y, g) => y.backward(g, false, false, [leaf]),
      'backward: there is no inputs here, got an array of 1; write gf.grad(y, inputs), which changes no grad'],
    [(leaf, y) => y.transpose(0, 1, 2), 'transpose: takes dim0, dim1 in this order, but also got a third: 2'],
    [(leaf, y) => y.view({ shape: [3] }), 'view: there is no option "shape", only size']
  ]) assert.throws(() => of(call), { name: 'GlassformerError', code: 'type', message })
})

test('a value that is given twice, or that PyTorch alone takes, is an error', () => {
  for (const [call, message] of [
    [() => x.sum(1, { dim: 0 }), 'sum: dim is given twice, as 1 by position and as 0 by name'],
    [() => x.topk(2, 0, true, 'no'), 'topk: sorted must be true or false, got "no"'],
    [() => x.topk(2, { sorted: 0 }), 'topk: sorted must be true or false, got 0'],
    [() => x.to('int32', 'cpu'), 'to: nonBlocking must be true or false, got "cpu"'],
    [() => x.to('int32', { nonBlocking: 1 }), 'to: nonBlocking must be true or false, got 1'],
    [() => F.dropout(x, 0.5, { p: 0.1 }), 'dropout: p is given twice, as 0.5 by position and as 0.1 by name'],
    [() => F.dropout(x, 0.5, true, true), 'dropout: there is no inplace here, got true; leave it out'],
    [() => new nn.Linear(2, 3, true, 'cuda'), 'Linear: there is no device here, got "cuda"; leave it out: there is one memory'],
    [() => new nn.MultiheadAttention(4, 2, 0, true, true), 'MultiheadAttention: there is no addBiasKv here, got true; leave it out'],
    [() => x.sum(1, true, false), 'sum: takes dim, keepdim in this order, but also got a third: false'],
    [() => encoder(src, null, null, null, 1),
      'TransformerEncoderLayer: takes src, srcMask, srcKeyPaddingMask, isCausal in this order and { cache }, but also got a fifth: 1'],
    [() => F.layerNorm(x, [3]), 'layerNorm: normalizedShape must be the last side of the input, [4], got [3]'],
    [() => new DataLoader(x, 2, false, null, null, 4),
      'DataLoader: there is no numWorkers here, got 4; leave it out: there are no worker processes'],
    [() => F.mseLoss(x, x, false), 'mseLoss: there is no sizeAverage here, got false; write { reduction: \'sum\' } for false'],
    [() => F.mseLoss(x, x, null, false), 'mseLoss: there is no reduce here, got false; write { reduction: \'none\' } for false'],
    [() => new nn.CrossEntropyLoss(null, false),
      'CrossEntropyLoss: there is no sizeAverage here, got false; write { reduction: \'sum\' } for false'],
    [() => F.gelu(x, 'tanh'), 'gelu: takes input and { approximate }, but also got a second: "tanh"']
  ]) assert.throws(call, { name: 'GlassformerError', code: /type|shape/, message })
})

test('a forward of a subclass calls that of the library in the same ways', () => {
  class Own extends nn.TransformerEncoderLayer {
    forward(input, someMask) { return super.forward(input, someMask) }
  }
  const own = new Own(4, 2, 8, 0).eval()
  own.loadStateDict(encoder.stateDict())
  assert.deepEqual(own(src, causal).toArray(), encoder(src, { srcMask: causal }).toArray())
})

test('hooks and traces see the inputs by name', () => {
  const seen = []
  const hook = encoder.registerForwardHook((_, inputs) => { seen.push(inputs) })
  encoder(src, causal)
  hook.remove()
  assert.deepEqual(seen, [[src, { srcMask: causal }]])
})

test('a call that needs no reading is passed on as it is', () => {
  const { read } = createReader('sum', tables.FUNCTIONS.sum, 2), options = { dim: 1 }
  for (const args of [[x], [x, options], [x, undefined]]) assert.equal(read(args), args)
})
