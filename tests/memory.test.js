import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GlassformerError, load } from '../src/js/index.js'

const gf = await load(), F = gf.functional
const { memory } = gf.engine

test('tidy frees everything except what it returns', () => {
  const kept = []
  const result = gf.tidy(() => {
    const x = gf.rand([4]), y = F.mul(x, x)
    kept.push(x)
    return { y, more: [new Map([['z', F.add(x, y)]])] }
  })
  assert.equal(kept[0].disposed, true)
  assert.equal(result.y.disposed, false)
  assert.equal(result.more[0].get('z').disposed, false)
})

test('disposing a tensor disposes its gradient', () => {
  const x = gf.ones([3], { requiresGrad: true })
  gf.tidy(() => F.mul(x, 2).sum().backward())
  const { tensors } = gf.memory(), { grad } = x
  x.dispose()
  assert.ok(grad.disposed)
  assert.equal(gf.memory().tensors, tensors - 2)
})

test('tidy frees when the function throws, and scopes nest', () => {
  const made = []
  assert.throws(() => gf.tidy(() => {
    made.push(gf.rand([2]))
    throw new Error('inside')
  }), /inside/)
  assert.equal(made[0].disposed, true)
  const inner = gf.tidy(() => {
    const passed = gf.tidy(() => gf.rand([2]))
    made.push(passed)
    return passed.item === undefined ? null : F.relu(passed)
  })
  assert.equal(made[1].disposed, true)
  assert.equal(inner.disposed, false)
})

test('tidy, noGrad and trace reject async functions', () => {
  for (const name of ['tidy', 'noGrad', 'trace']) {
    assert.throws(() => gf[name](3), { code: 'type', message: `${name}: fn must be a function, got 3; write gf.${name}(() => …)` })
    assert.throws(() => gf[name](async () => gf.rand([2])), { code: 'type', message: new RegExp(`^${name}: .*async`) })
    assert.equal(gf[name](() => 7).output ?? 7, 7, 'nothing is left open')
  }
  const y = F.relu(gf.tensor([1], { requiresGrad: true }))
  assert.ok(y.requiresGrad)
})

test('parameters, their gradients and optimizer state outlive a tidy', () => {
  const model = new gf.nn.Linear(3, 2), optimizer = new gf.optim.AdamW(model.parameters())
  for (let i = 0; i < 3; i++) gf.tidy(() => {
    F.crossEntropy(model.forward(gf.rand([4, 3])), [0, 1, 0, 1]).backward()
    optimizer.step()
    optimizer.zeroGrad({ setToNone: false })
  })
  assert.equal(model.weight.disposed, false)
  assert.deepEqual(model.weight.grad.toArray(), [[0, 0, 0], [0, 0, 0]])
  const { bytes, tensors } = gf.memory()
  gf.tidy(() => optimizer.zeroGrad())
  assert.equal(model.weight.grad, null)
  gf.tidy(() => F.crossEntropy(model.forward(gf.rand([4, 3])), [0, 1, 0, 1]).backward())
  assert.equal(model.weight.grad.shape.join(), '2,3')
  assert.deepEqual([gf.memory().bytes, gf.memory().tensors], [bytes, tensors], 'in the same memory')
})

test('typed-array views are created again after the memory has grown', () => {
  const x = gf.tensor([1, 2, 3]), before = memory.size
  const large = gf.rand([before / 4 + 1000])
  assert.ok(memory.size > before)
  assert.deepEqual([...x.data], [1, 2, 3])
  assert.deepEqual(x.toArray(), [1, 2, 3])
  large.dispose()
})

test('running out of memory is an error, after which the library works', () => {
  assert.throws(() => gf.rand([2 ** 30]), error => error instanceof GlassformerError && error.code === 'memory')
  assert.throws(() => gf.tensor(new Float32Array(4), { shape: [2 ** 31 - 1, 2 ** 31 - 1] }), { code: 'shape' })
  assert.equal(gf.tensor([1]).item(), 1)
})

test('two engines are independent', async () => {
  const other = await load()
  gf.manualSeed(1)
  other.manualSeed(1)
  assert.deepEqual(gf.rand([5]).toArray(), other.rand([5]).toArray())
  assert.throws(() => F.add(gf.rand([2]), other.rand([2])), { code: 'state', message: /one engine/ })
})

test('tensors of another engine are rejected before a kernel runs', async () => {
  const small = await load(), other = await load(), { functional: G } = small
  other.zeros([8e6])
  const a = small.ones([2, 2]), far = other.ones([2, 2]) // beyond the end of the first one's memory
  assert.ok(far.dataPtr() > small.engine.memory.size)
  for (const [name, call] of Object.entries({
    add: () => a.add(far), mul: () => far.mul(a), eq: () => a.eq(far), matmul: () => a.matmul(far),
    linear: () => G.linear(a, far), where: () => small.where(a.gt(0), a, far), cat: () => small.cat([a, far]),
    maskedFill: () => a.maskedFill(far.gt(0), 1), gather: () => a.gather(0, far.to('int32')), mseLoss: () => G.mseLoss(a, far),
    layerNorm: () => G.layerNorm(a, far.reshape(4).narrow(0, 0, 2)), embedding: () => G.embedding([1], far).add(a),
    einsum: () => small.einsum('ij,jk', a, far), dot: () => a.reshape(4).dot(far.reshape(4))
  })) assert.throws(call, { name: 'GlassformerError', code: 'state', message: /one engine/ }, name)
})

test('10,000 training steps do not grow the heap', async () => {
  // In an engine of its own: what other tests leave behind is moved out of the shared one at any time.
  const gf = await load(), { functional: F, engine: { memory } } = gf
  gf.manualSeed(3)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16 })
  const head = new gf.nn.Linear(8, 5), table = new gf.nn.Embedding(7, 8)
  const params = [layer, head, table].flatMap(m => m.parameters()), optimizer = new gf.optim.AdamW(params, { lr: 1e-3 })
  const step = () => gf.tidy(() => {
    const srcKeyPaddingMask = [[false, false, false], [false, false, true]]
    const x = layer.forward(table.forward([[1, 2, 3], [4, 5, 6]]), { isCausal: true, srcKeyPaddingMask })
    const loss = F.crossEntropy(head.forward(x).reshape(6, 5), [0, 1, 2, 3, 4, 0])
    optimizer.zeroGrad()
    loss.backward()
    gf.optim.clipGradNorm(params, 1)
    optimizer.step()
    return loss.item()
  })
  for (let i = 0; i < 100; i++) step()
  const size = memory.size, probe = memory.alloc(64)
  memory.free(probe)
  for (let i = 0; i < 9900; i++) step()
  const again = memory.alloc(64)
  memory.free(again)
  assert.equal(memory.size, size)
  assert.equal(again, probe, 'a new block comes from the same place')
  assert.ok(step() < 1)
})

test('1,000 traced runs and 1,000 texts do not grow the memory', () => {
  const run = () => {
    const { trace } = gf.tidy(() => gf.trace(() => F.softmax(F.mul(gf.rand([20, 20]), gf.rand([20, 20])))))
    trace.dispose()
    new gf.text.Vocab([gf.text.words("나는 최근 파리 여행을 다녀왔다. Hello, what's a basic split?")])
  }
  for (let i = 0; i < 50; i++) run()
  const { size } = memory
  for (let i = 0; i < 1000; i++) run()
  assert.equal(memory.size, size)
})

test('an async function is rejected without an unhandled rejection', async () => {
  const lost = []
  const note = reason => lost.push(reason)
  process.on('unhandledRejection', note)
  assert.throws(() => gf.tidy(async () => {
    const x = gf.tensor([1])
    await null
    x.item()
  }), { code: 'type' })
  await new Promise(resolve => { setTimeout(resolve, 10) })
  process.off('unhandledRejection', note)
  assert.deepEqual(lost, [])
})

test('a trace whose function throws leaves nothing behind', () => {
  const layer = new gf.nn.Linear(64, 64)
  const attempt = () => gf.tidy(() => {
    assert.throws(() => gf.trace(() => {
      layer.forward(gf.rand([256, 64]))
      throw new Error('on purpose')
    }), { message: 'on purpose' })
  })
  for (let i = 0; i < 5; i++) attempt()
  const { size } = gf.engine.memory
  for (let i = 0; i < 300; i++) attempt()
  assert.equal(gf.engine.memory.size, size)
  assert.deepEqual(gf.trace(() => 1).output, 1, 'and a new one may begin')
})

test('out of memory says what to do about it', () => {
  assert.throws(() => gf.rand([2 ** 30, 4]), { code: 'memory', message: /^out of memory: 17179869184 bytes .* gf\.tidy/ })
})

test('memory() reports bytes, tensors and the peak', async () => {
  const own = await load(), before = own.memory()
  assert.deepEqual(Object.keys(before), ['bytes', 'tensors', 'peak'])
  const x = own.tensor([[1, 2], [3, 4]]), view = x.reshape(4)
  assert.deepEqual(own.memory(), { bytes: before.bytes + 16, tensors: before.tensors + 2, peak: before.peak + 16 })
  own.tidy(() => { own.rand([100]) })
  x.dispose()
  assert.deepEqual(own.memory(), { bytes: before.bytes + 16, tensors: before.tensors + 1, peak: before.peak + 416 })
  view.dispose()
  view.dispose()
  assert.deepEqual(own.memory(), { ...before, peak: before.peak + 416 })
})

test('the memory grows ahead, so many tensors cause few growths', async () => {
  const own = await load()
  let grown = 0, { size } = own.engine.memory
  for (let i = 0; i < 2000; i++) {
    own.engine.empty([16384])
    const now = own.engine.memory.size
    if (now !== size) grown++
    assert.ok(now <= 1.3 * size, `from ${size} to ${now} bytes at once`)
    size = now
  }
  assert.ok(grown > 0 && grown <= 12, `${grown} growths for 131 MB`)
})

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

test('operations with indices free their copies, unless gradients need them', () => {
  const x = gf.randn([3, 4]), places = gf.zeros([3, 4], { dtype: 'int32' }), list = gf.tensor([2, 0], { dtype: 'int32' })
  const held = () => gf.memory().tensors
  for (const work of [() => x.gather(1, places), () => x.sort(), () => x.topk(2), () => x.indexSelect(0, list),
    () => x.scatter(1, places, 3), () => x.scatterAdd(1, places, x), () => gf.functional.embedding(list, x)]) {
    const before = held()
    for (const made of [work()].flat()) made.dispose()
    assert.equal(held(), before, String(work))
  }
  const src = gf.ones([3, 4], { requiresGrad: true }), out = x.scatterAdd(1, places, src)
  places.values.fill(1)
  out.sum().backward()
  assert.deepEqual(src.grad.toArray(), gf.ones([3, 4]).toArray())
  const first = gf.tensor([[1, 2]]), at = gf.tensor([[0]], { dtype: 'int32' }), own = gf.tensor([[5]], { requiresGrad: true })
  const put = first.scatter(1, at, own)
  at.values.fill(1)
  put.mul(gf.tensor([[3, 7]])).sum().backward()
  assert.deepEqual(own.grad.toArray(), [[3]])
})

// The loop that README recommends for looking at a model many times.
for (const [name, look] of Object.entries({
  trace: fn => {
    const { output, trace } = gf.trace(fn)
    return [output, trace]
  },
  observe: fn => {
    const run = gf.observe(() => ({ output: fn() }))
    return [null, run]
  }
})) test(`tidy around ${name} frees what the ${name} was given, with its gradient, once it is disposed`, () => {
  const layer = new gf.nn.Linear(4, 4), weights = gf.rand([4, 4], { requiresGrad: true }), before = gf.memory().tensors
  const fn = x => () => F.dropout(layer.forward(x.mul(weights)), { p: 0.5 }).sum()
  const round = () => gf.tidy(() => {
    const x = gf.randn([4, 4], { requiresGrad: true }), [output, record] = look(fn(x))
    output?.backward()
    const isAlive = !x.disposed
    record.dispose()
    return isAlive && !x.disposed
  })
  assert.ok(round())
  const { tensors } = gf.memory()
  assert.ok(tensors - before <= 3, 'only the gradients of weights and layer are left')
  for (let i = 0; i < 20; i++) round()
  assert.equal(gf.memory().tensors, tensors)
})

test('a trace that outlives its tidy keeps its inputs until it is disposed; returned ones stay', () => {
  const { tensors } = gf.memory(), layer = new gf.nn.Linear(2, 2), parameters = 2
  const { trace, x } = gf.tidy(() => {
    const x = gf.ones([1, 2]), y = gf.ones([1, 2])
    return { x, ...gf.trace(() => layer.forward(x.add(y)), { modules: { layer } }) }
  })
  assert.deepEqual(trace.get('input').toArray(), [[1, 1]])
  assert.equal(trace.get('input:2').disposed, false)
  trace.dispose()
  assert.equal(x.disposed, false)
  x.dispose()
  assert.equal(gf.memory().tensors, tensors + parameters)
})

test('a disposed trace of attention with dropout leaves no tensors', () => {
  const q = gf.rand([1, 2, 3, 4]), { tensors } = gf.memory()
  const run = () => F.scaledDotProductAttention(q, q, q, { dropoutP: 0.5 })
  for (let i = 0; i < 3; i++) gf.tidy(() => gf.trace(run).trace.dispose())
  assert.equal(gf.memory().tensors, tensors)
})

test('an input that a trace returns is freed with its gf.tidy', () => {
  const { tensors } = gf.memory()
  for (let i = 0; i < 3; i++) gf.tidy(() => {
    const y = gf.ones([2])
    gf.trace(() => y).trace.dispose()
    gf.observe(() => y).dispose()
    assert.equal(y.disposed, false)
  })
  assert.equal(gf.memory().tensors, tensors)
})

test('a buffer that is assigned anew inside tidy lives on', async () => {
  class Average extends gf.nn.Module {
    constructor() {
      super()
      this.registerBuffer('mean', gf.zeros([2]))
    }

    forward(x) {
      this.mean = this.mean.mul(0.5).add(x)
      return x
    }
  }
  for (const average of [new Average(), new Average().clone()]) {
    const before = gf.memory().tensors
    for (let i = 0; i < 3; i++) gf.tidy(() => { average(gf.ones([2])) })
    assert.deepEqual(average.mean.toArray(), [1.75, 1.75])
    assert.ok(gf.memory().tensors - before <= 3)
    assert.deepEqual(Object.keys(average.stateDict()), ['mean'])
    average.mean = null
    assert.deepEqual(average.buffers(), [])
  }
})
