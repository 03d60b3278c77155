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
