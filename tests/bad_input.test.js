// Whatever is given, what comes back is a GlassformerError that names it, and nothing is left half done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance } from '../src/js/errors.js'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional, { nn, optim } = gf
const refused = (call, code, message) => assert.throws(() => gf.tidy(call), error => {
  assert.equal(error.name, 'GlassformerError', error.stack)
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  return true
})

test('tensors of another engine are refused by every module and operation before they are read', async () => {
  const other = await load(), x = () => other.rand([1, 3, 4]), state = [/one engine/]
  const modules = [
    new nn.MultiheadAttention(4, 2), new nn.Linear(4, 4), new nn.LayerNorm(4), new nn.PositionalEncoding(4),
    new nn.TransformerEncoderLayer(4, 2), new nn.LearnedPositionalEncoding(3, 4)
  ]
  for (const module of modules) for (const run of [f => f(), f => gf.noGrad(f), f => other.noGrad(f)]) {
    refused(() => run(() => module.forward(x())), 'state', ...state)
  }
  refused(() => modules[0].forward(gf.rand([1, 3, 4]), x()), 'state', ...state)
  refused(() => new nn.TransformerDecoderLayer(4, 2).forward(gf.rand([1, 3, 4]), x()), 'state', ...state)
  refused(() => new nn.Embedding(4, 2).forward(other.tensor([1], { dtype: 'int32' })), 'state', ...state)
  refused(() => F.crossEntropy(gf.rand([1, 3]), other.tensor([1], { dtype: 'int32' })), 'state', ...state)
  refused(() => F.layerNorm(gf.rand([4]), other.rand([4])), 'state', ...state)
  refused(() => new nn.Parameter(other.rand([4])), 'state', ...state)
})

test('rejects cyclic, too deep and too many arrays', () => {
  const cyclic = [1]
  cyclic[0] = cyclic
  let deep = 1
  for (let i = 0; i < 20_000; i++) deep = [deep]
  const q = gf.rand([1, 1, 1, 4])
  for (const nested of [cyclic, deep]) {
    refused(() => gf.tensor(nested), 'shape', /tensor: values .*nested/)
    refused(() => new nn.Embedding(4, 2).forward(nested), 'shape', /ids .*nested/)
    refused(() => F.scaledDotProductAttention(q, q, q, { attnMask: nested }), 'shape', /attnMask .*nested/)
    refused(() => F.scaledDotProductAttention(q, q, q, { keyPaddingMask: nested }), 'type', /keyPaddingMask/)
    refused(() => F.scaledDotProductAttention(q, gf.rand([1, 1, 2, 4]), gf.rand([1, 1, 2, 4]),
      { keyPaddingMask: nested }),
    'shape', /keyPaddingMask .*\[1, 1, 1/)
    refused(() => new nn.Linear(1, 1).loadStateDict({ weight: nested, bias: [1] }), 'shape', /weight .*nested/)
  }
  const half = [[1, 2], [3, 4]]
  half[1] = half
  refused(() => gf.tensor(half), 'shape', /nested/)
})

test('rejects a module inside itself', () => {
  const list = new nn.ModuleList()
  list.push(list)
  for (const call of [() => list.parameters(), () => list.eval(), () => list.stateDict()]) {
    refused(call, 'state', /ModuleList.* contains itself/)
  }
  const shared = new nn.Linear(2, 2), twice = new nn.ModuleList([shared, shared])
  assert.equal(twice.parameters().length, 2, 'shared is not cyclic')
})

test('rejects edits that are not numbers', () => {
  const edit = edits => () => gf.trace(() => F.relu(gf.tensor([1, 2])), { edits })
  refused(edit([{ name: 'relu', index: [0n], value: 1 }]), 'index', /index must be an array/)
  refused(edit([{ name: 'relu', index: [0], value: 1n }]), 'type', /must be a number, got 1n/)
  refused(edit([{ name: 'relu', index: 0n, value: 1 }]), 'index', /index must be an array/)
  const { trace } = gf.trace(() => F.relu(gf.tensor([1, 2])))
  refused(() => trace.explain('relu', [0n]), 'index', /got an array of 1/)
})

test('rejects texts longer than a string can be', () => {
  refused(() => gf.text.words(new Uint8Array(2 ** 29)), 'text', /text.words: .* 536870912 bytes/)
})

test('a state dict has only own properties', () => {
  const layer = new nn.Linear(2, 1), before = layer.weight.toArray()
  const state = Object.assign(Object.create({ weight: [[5, 5]] }), { bias: [1] })
  refused(() => layer.loadStateDict(state), 'shape', /weight is missing/)
  for (const key of ['toString', 'constructor', '__proto__']) {
    refused(() => layer.loadStateDict(JSON.parse(`{ "weight": [[1, 1]], "bias": [1], "${key}": [1] }`)), 'shape',
      new RegExp(`${key} is unknown`))
  }
  assert.deepEqual(layer.weight.toArray(), before)
})

test('options of optimizers and modules are checked after later changes', () => {
  const w = gf.engine.keep(gf.tensor([1], { requiresGrad: true })), adam = new optim.AdamW([w])
  for (const lr of [NaN, 'fast', -1, null]) {
    refused(() => new optim.SGD([w], { lr }), typeof lr === 'number' ? 'range' : 'type', /SGD: lr must be a number/)
    refused(() => { adam.lr = lr }, typeof lr === 'number' ? 'range' : 'type', /AdamW: lr must be a number/)
  }
  assert.equal(adam.lr, 1e-3, 'undefined is the default')
  refused(() => new optim.SGD([w], { lr: undefined }), 'type', /lr must be a number/)
  for (const training of ['false', 0, null]) {
    refused(() => F.dropout(gf.tensor([1]), { training }), 'type', /dropout: training must be true or false/)
    refused(() => new nn.Dropout().train(training), 'type', /train: mode must be true or false/)
  }
  refused(() => new nn.TransformerEncoderLayer(4, 2, { normFirst: 'no' }), 'type', /normFirst must be true or false/)
  refused(() => gf.tensor([1], { requiresGrad: 'false' }), 'type', /requiresGrad must be true or false/)
})

test('rejects seeds that torch rejects or that a number cannot represent', () => {
  for (const seed of [2 ** 63 - 1, 2 ** 53, -(2 ** 53)]) refused(() => gf.manualSeed(seed), 'range', /bigint from 2\^53/)
  for (const seed of [2n ** 64n, -(2n ** 63n) - 1n]) refused(() => gf.manualSeed(seed), 'range', /-2\^63 to 2\^64 - 1/)
  const first = seed => { gf.manualSeed(seed); return gf.rand([1]).item() }
  assert.equal(first(2n ** 63n - 1n), first(0xffffffff))
  assert.equal(first(-1), first(2n ** 64n - 1n))
})

test('a tidy closes its scope for any result', () => {
  const cyclic = { x: gf.tensor([1]) }, made = []
  cyclic.self = [cyclic]
  const result = gf.tidy(() => {
    made.push(gf.rand([1]))
    cyclic.y = gf.rand([1])
    return cyclic
  })
  assert.equal(made[0].disposed, true)
  assert.equal(result.y.disposed, false)
  assert.equal(gf.engine.scopes.length, 0)
  assert.throws(() => gf.tidy(() => {
    made.push(gf.rand([1]))
    return { get x() { throw new Error('in a getter') } }
  }), /in a getter/)
  assert.equal(made[1].disposed, true)
  assert.equal(gf.engine.scopes.length, 0)
  let deep = [gf.rand([1])]
  for (let i = 0; i < 100_000; i++) deep = [deep]
  gf.tidy(() => deep)
  assert.equal(gf.engine.scopes.length, 0)
})

test("a tensor's own values are copied correctly while the memory grows; stale views are rejected", async () => {
  const own = await load(), { memory } = own.engine, size = memory.size / 4
  const x = own.tensor(Float32Array.from({ length: size }, (_, i) => i))
  const view = x.data, copy = own.tensor(view)
  assert.equal(copy.at(size - 1), size - 1)
  const held = x.data
  own.rand([memory.size / 4])
  refused(() => own.tensor(held), 'state', /values .*no longer valid/)
})

test('the distance of two names is the Levenshtein distance', () => {
  for (const [a, b, letters] of [['', '', 0], ['', 'dim', 3], ['dim', '', 3], ['dims', 'dim', 1], ['im', 'dim', 1],
    ['kitten', 'sitting', 3], ['lenght', 'length', 2], ['abc', 'cab', 2], ['abcd', 'xabc', 2]]) {
    assert.equal(editDistance(a, b), letters, `${a}, ${b}`)
  }
})

test('errors name the index of a wrong value, first, last or between', () => {
  const table = gf.randn([5, 4]), rows = gf.randn([3, 5])
  for (const at of [0, 1, 2]) for (const wrong of [-1, 5]) {
    const ids = [1, 4, 0].with(at, wrong), says = new RegExp(`got ${wrong} at index ${at}`)
    refused(() => F.embedding(ids, table), 'index', says)
    refused(() => table.indexSelect(0, ids), 'index', says)
    refused(() => F.crossEntropy(rows, ids), 'index', says)
    refused(() => F.nllLoss(rows, ids), 'index', says)
    const broken = gf.randn([3, 40])
    broken.data[40 * at + 33] = wrong * Infinity
    refused(() => broken.to('int8'), 'range', new RegExp(`some in row ${at} that are not`))
  }
})

test('rejects cyclic, too deep, sparse and empty lists, and values that cannot be exported', () => {
  const x = gf.ones([2, 3]), q = gf.ones([1, 3, 8]), mha = new nn.MultiheadAttention(8, 2)
  const decoder = new nn.TransformerDecoderLayer(8, 2), encoder = new nn.TransformerEncoderLayer(8, 2)
  const round = []
  round.push(round)
  let deep = 1
  for (let i = 0; i < 20000; i++) deep = [deep]
  const levels = /attnMask must be nested arrays of at most 64 levels/
  for (const wrong of [round, deep]) {
    refused(() => x.sum(wrong), 'type', /sum: dim must be an integer .* got an array of 1$/)
    refused(() => gf.toPyTorch(mha, { query: q, attnMask: wrong }), 'shape', levels)
    refused(() => gf.toOnnx(mha, { query: q, attnMask: wrong }), 'shape', levels)
  }
  // eslint-disable-next-line no-sparse-arrays
  refused(() => gf.tensor([[1, , 3]]), 'type', /values must be numbers, got undefined/)
  refused(() => mha.forward(q, q, q, { attnMask: [] }), 'shape', /attnMask must have shape .* got \[0\]/)
  refused(() => decoder.forward(q, q, { tgtIsCausal: 1 }), 'type', /TransformerDecoderLayer: tgtIsCausal must be true/)
  refused(() => decoder.forward(q, q, { memoryIsCausal: 1 }), 'type', /TransformerDecoderLayer: memoryIsCausal must be/)
  refused(() => encoder.forward(q, { isCausal: 1 }), 'type', /TransformerEncoderLayer: isCausal must be true or false/)
  refused(() => gf.toPyTorch(mha, { query: q, cache: new gf.decoding.Cache(8) }), 'type', /toPyTorch: cache must be left out/)
})
