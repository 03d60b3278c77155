// Memory without `tidy` and `await`: what the collector frees, moves out and keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load()

/** Training loops as beginners write them: without tidy, and without await. */
const LOOPS = {
  'a perceptron with SGD'(own) {
    const { nn, optim, functional } = own
    const model = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 1))
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 })
    const x = own.tensor([[0, 0], [0, 1], [1, 0], [1, 1]]), y = own.tensor([[0], [1], [1], [0]])
    return () => [functional.mseLoss(model(x), y), optimizer]
  },
  'a GPT of its own modules with AdamW'(own) {
    const { nn, optim, functional } = own
    class Head extends nn.Module {
      constructor() {
        super()
        for (const name of ['key', 'query', 'value']) this[name] = new nn.Linear(16, 8, { bias: false })
        this.registerBuffer('tril', own.ones([8, 8]).tril())
      }

      forward(x) {
        const scores = this.query(x).matmul(this.key(x).transpose(-2, -1)).mul(8 ** -0.5)
        return functional.softmax(scores.maskedFill(this.tril.eq(0), -Infinity), -1).matmul(this.value(x))
      }
    }
    const heads = new nn.ModuleList([new Head(), new Head()]), last = new nn.Linear(16, 20)
    const table = new nn.Embedding(20, 16), position = new nn.Embedding(8, 16)
    const optimizer = new optim.AdamW([table, position, heads, last].flatMap(m => m.parameters()))
    return () => {
      const data = own.randint(0, 20, [4, 9]), x = table(data.narrow(1, 0, 8)).add(position(own.arange(8)))
      const logits = last(own.cat([...heads].map(head => head(x)), -1))
      const loss = functional.crossEntropy(logits.view(32, 20), data.narrow(1, 1, 8).reshape(32))
      logits.argmax(-1).toArray()
      return [loss, optimizer]
    }
  },
  'a masked encoder with clipped gradients'(own) {
    const { nn, optim, functional } = own
    const table = new nn.Embedding(20, 16), position = new nn.Parameter(own.randn([12, 16]))
    const layer = new nn.TransformerEncoderLayer(16, 2, { dimFeedforward: 32, batchFirst: true })
    const head = new nn.Linear(16, 20), parameters = [position, ...[table, layer, head].flatMap(m => m.parameters())]
    const optimizer = new optim.AdamW(parameters)
    return () => {
      const ids = own.randint(1, 20, [4, 10]), mask = own.rand([4, 10]).lt(0.5)
      const logits = head(layer(table(ids.maskedFill(mask, 0)).add(position.narrow(0, 0, 10))))
      const targets = own.where(mask, ids, -100).view(-1)
      const loss = functional.crossEntropy(logits.view(-1, 20), targets, { ignoreIndex: -100 })
      optim.clipGradNorm(parameters, 1)
      return [loss, optimizer]
    }
  },
  'a Transformer from sequence to sequence'(own) {
    const { nn, optim, functional } = own, table = new nn.Embedding(20, 16), head = new nn.Linear(16, 20)
    const transformer = new nn.Transformer(16, 2, 1, 1, { dimFeedforward: 32, batchFirst: true })
    const optimizer = new optim.Adam([table, transformer, head].flatMap(m => m.parameters()))
    return () => {
      const source = own.randint(1, 20, [4, 6]), target = own.randint(1, 20, [4, 6])
      const out = head(transformer(table(source), table(target.narrow(1, 0, 5)), { tgtIsCausal: true }))
      return [functional.crossEntropy(out.reshape(-1, 20), target.narrow(1, 1, 5).reshape(-1)), optimizer]
    }
  }
}
for (const [name, start] of Object.entries(LOOPS)) test(`a loop without tidy and await stays flat: ${name}`, async () => {
  const own = await load(), step = start(own), losses = []
  let peak = 0, tensors = 0
  for (let i = 0; i < 2000; i++) {
    const [loss, optimizer] = step()
    optimizer.zeroGrad()
    loss.backward()
    optimizer.step()
    losses.push(loss)
    if (i < 500) peak = own.engine.memory.size
    tensors = Math.max(tensors, own.memory().tensors)
  }
  assert.equal(own.engine.memory.size, peak)
  assert.ok(tensors < 6000, `${tensors} tensors`)
  assert.ok(own.memory().tensors < 2000, `${own.memory().tensors} tensors`)
  assert.ok(losses.every(loss => Number.isFinite(loss.item())))
})

test('an evaluation without tidy and await stays flat', async () => {
  const own = await load(), layer = new own.nn.TransformerEncoderLayer(16, 2, { dimFeedforward: 32 }).eval()
  let peak = 0
  for (let i = 0; i < 3000; i++) {
    own.noGrad(() => layer(own.randn([4, 8, 16])).argmax(-1).eq(3).to('float32').mean().item())
    if (i < 1500) ({ peak } = own.memory())
  }
  assert.ok(own.memory().peak < 1.2 * peak, `${own.memory().peak} and ${peak} bytes`)
})

test('tensors of a used computation, and those that were not used for long, keep their values', async () => {
  const own = await load(), start = own.memory()
  const x = own.tensor([[1, 2], [3, 4]], { requiresGrad: true }), y = x.mul(2), row = y.view(4), apart = y.detach()
  const loss = row.square().sum()
  const bytes = own.memory().bytes
  loss.backward()
  assert.ok(own.memory().bytes < bytes + 16, 'x has a gradient, and y has left the memory')
  apart.data[3] = 7
  assert.deepEqual([y.toArray(), row.toArray(), apart.at(0, 0)], [[[2, 4], [6, 7]], [2, 4, 6, 7], 2])
  assert.equal(loss.item(), 120)
  const old = own.arange(6).view(2, 3), list = Array.from({ length: 100 }, (_, i) => own.tensor([i, i]))
  const weights = own.randn([9, 4]).to('bfloat16'), before = own.functional.linear(own.ones([1, 4]), weights).toArray()
  for (let i = 0; i < 20_000; i++) own.ones([2]).add(1)
  assert.ok(own.memory().tensors < 10_000)
  assert.deepEqual(old.toArray(), [[0, 1, 2], [3, 4, 5]])
  assert.deepEqual(own.functional.linear(own.ones([1, 4]), weights).toArray(), before)
  assert.deepEqual(list.map(tensor => tensor.at(1)), list.map((_, i) => i))
  for (let i = 0; i < 20_000; i++) own.ones([2]).add(1)
  assert.deepEqual(row.toArray(), [2, 4, 6, 7])
  for (let i = 0; i < 20_000; i++) own.ones([2]).add(1)
  for (const tensor of [y, row, old]) tensor.dispose()
  assert.throws(() => row.toArray(), { code: 'state', message: /disposed/ })
  assert.deepEqual(apart.toArray(), [[2, 4], [6, 7]])
  assert.ok(start.bytes < own.memory().bytes)
})

test('a view of a leaf outlives it after backward', () => {
  const leaf = gf.tensor([1, 2, 3], { requiresGrad: true }), before = gf.memory(), view = leaf.narrow(0, 1, 2)
  view.square().sum().backward()
  assert.equal(gf.memory().tensors, before.tensors + 2, 'the loss and the gradient')
  leaf.dispose()
  assert.ok(gf.memory().bytes < before.bytes)
  assert.deepEqual(view.toArray(), [2, 3])
  assert.deepEqual(view.add(1).toArray(), [3, 4])
  view.dispose()
  assert.equal(view.disposed, true)
})

test('sweeps at every operation change no result', async () => {
  const results = [null, { blocks: 0, bytes: 0 }].map(async limits => {
    const own = await load()
    if (limits) own.engine.collector.setLimits(limits)
    own.manualSeed(4)
    const layer = new own.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16 }), x = own.randn([2, 3, 8])
    const optimizer = new own.optim.AdamW(layer.parameters()), losses = []
    for (let i = 0; i < 5; i++) {
      const hidden = own.checkpoint(layer, x.add(0).requiresGrad_()), loss = hidden.square().mean().add(hidden.std())
      optimizer.zeroGrad()
      loss.backward({ retainGraph: i % 2 === 0 })
      if (i % 2 === 0) loss.backward()
      optimizer.step()
      losses.push(loss.item(), hidden.toArray())
    }
    return losses
  })
  assert.deepEqual(await results[1], await results[0])
})

test('what a tidy returns lives, in whatever structure', () => {
  const make = () => gf.ones([2]).clone(), inside = gf.tidy(() => {
    const model = new gf.nn.Linear(2, 2), bare = Object.assign(Object.create(null), { clone: make() })
    const holder = new gf.nn.ModuleDict({ model: model.clone() }), own = class extends gf.nn.Module { cached = make() }
    holder.registerBuffer('mask', make())
    const state = Object.fromEntries(Object.entries(model.stateDict()).map(([key, value]) => [key, value.clone()]))
    return { list: [[make()]], map: new Map([['key', { clone: make() }], [make(), 1]]), set: new Set([make()]), bare, holder, own: new own(), state }
  })
  const { list, map, set, bare, holder, own, state } = inside
  const tensors = [list[0][0], map.get('key').clone, [...map.keys()][1], ...set, bare.clone, own.cached, ...Object.values(state),
    ...Object.values(holder.stateDict())]
  assert.deepEqual(tensors.map(tensor => tensor.disposed), tensors.map(() => false))
  assert.equal(tensors.length, 11)
})

test('an async function is refused before it runs', () => {
  let calls = 0
  for (const name of ['tidy', 'noGrad', 'enableGrad']) {
    assert.throws(() => gf[name](async () => { calls++ }), { code: 'type', message: new RegExp(`^${name}: fn must not be async`) })
  }
  assert.equal(calls, 0)
})

test('100,000 calls without tidy reach a plateau, which memory() shows', async () => {
  const own = await load(), x = own.ones([16384]), peaks = [0, 0]
  for (let call = 0; call < 100_000; call++) {
    x.add(1)
    const half = Number(call >= 50_000)
    peaks[half] = Math.max(peaks[half], own.memory().bytes)
    if (call % 10 === 9) await new Promise(setImmediate)
  }
  // Together they would take 6.6 GB; left to a collector that does not see them, 1.2 GB were alive at once.
  assert.ok(Math.max(...peaks) < 400e6, `${peaks.map(peak => Math.round(peak / 1e6))} MB`)
  assert.ok(peaks[1] < 2 * peaks[0], `${peaks}`)
})

test('tidied, disposed and trained tensors do not count as collectable memory', async t => {
  const { ArrayBuffer: Plain } = globalThis, own = await load()
  const made = []
  globalThis.ArrayBuffer = class extends Plain {
    constructor(...sizes) {
      super(...sizes)
      if (sizes[0] >= 2 ** 25) made.push(sizes[0])
    }
  }
  t.after(() => { globalThis.ArrayBuffer = Plain })
  const layer = new own.nn.Linear(4096, 4096), x = own.tidy(() => own.ones([1, 4096]))
  own.tidy(() => { for (let i = 0; i < 20; i++) own.zeros([2 ** 20]) })
  for (let i = 0; i < 20; i++) own.zeros([2 ** 20]).dispose()
  assert.deepEqual(made, [])
  const kept = Array.from({ length: 10 }, () => own.zeros([2 ** 20]))
  assert.deepEqual(made, [2 ** 25])
  for (const tensor of [...kept, x, ...layer.parameters()]) tensor.dispose()
})
