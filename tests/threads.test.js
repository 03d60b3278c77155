// Several threads: the same bits as one, a plain word where that cannot be, an end when all else has ended.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import workerThreads from 'node:worker_threads'
import { promisify } from 'node:util'
import { load } from '../src/js/index.js'
import { SPLITS } from '../src/js/threads/splits.js'
import { DONE } from '../src/js/threads/mailbox.js'

// Whatever machine this is: some cores.
os.availableParallelism = () => 4

const LIBRARY = new URL('../src/js/index.js', import.meta.url).href
const here = path => fileURLToPath(new URL(path, import.meta.url))

/** Everything is divided that can be, however small. */
const all = count => load({ threads: { count, minWork: 0 } })
const one = await load(), two = await all(2)

/** The bits of every tensor that `work` gives, and of the gradients of those it is told to differentiate. */
function bitsOf(gf, work) {
  gf.manualSeed(7)
  return gf.tidy(() => {
    const results = work(gf, gf.functional).flat(Infinity)
    return results.map(tensor => Buffer.from(tensor.data.slice().buffer).toString('base64'))
  })
}

/** One thread and two compute the same. */
function expectSame(work, message) {
  const [expected, actual] = [one, two].map(gf => bitsOf(gf, work))
  assert.ok(expected.length > 0)
  expected.forEach((bits, i) => assert.ok(bits === actual[i], `${message}: result ${i} has other bits`))
}

/** What `fn` gives of leaves, and their gradients. */
function withGradients(gf, leaves, fn) {
  leaves.forEach(leaf => leaf.requiresGrad_())
  const out = fn(...leaves)
  out.backward(gf.randn(out.shape))
  return [out, ...leaves.map(leaf => leaf.grad)]
}

test('two threads run', () => {
  assert.equal(two.threads.reason, null)
  assert.equal(two.threads.count, 2)
  assert.deepEqual([one.threads.count, one.threads.reason], [1, null])
})

const SIZES = [
  [1, 1, 1], [1, 5, 17], [1, 64, 130], [3, 17, 5], [5, 3, 33], [17, 9, 8], [64, 1, 70], [130, 31, 17], [257, 12, 300]
]

test('products of any size, forward and backward', () => {
  for (const [M, K, N] of SIZES) {
    expectSame((gf, F) => [
      F.matmul(gf.randn([M, K]), gf.randn([K, N])),
      withGradients(gf, [gf.randn([M, K]), gf.randn([N, K]), gf.randn([N])], (x, w, b) => F.linear(x, w, b)),
      withGradients(gf, [gf.randn([M, K]), gf.randn([K, N])], (a, b) => F.matmul(a, b)),
      gf.noGrad(() => F.linear(gf.randn([M, K]), gf.randn([N, K]), gf.randn([N])))
    ], `${M} x ${K} x ${N}`)
  }
})

test('sums over several blocks of k and rows', () => {
  expectSame((gf, F) => [
    F.linear(gf.randn([33, 1601]), gf.randn([40, 1601])), F.matmul(gf.randn([300, 800]), gf.randn([800, 24]))
  ], 'K past a block')
})

test('batched matrices', () => {
  expectSame((gf, F) => withGradients(gf, [gf.randn([2, 3, 5, 17]), gf.randn([3, 17, 9])], (a, b) => F.matmul(a, b)), 'heads')
})

test('weights of 16 and 8 bits', () => {
  for (const dtype of ['float16', 'bfloat16', 'int8']) for (const M of [1, 3, 5, 17, 130]) {
    expectSame((gf, F) => {
      const weight = gf.randn([41, 70]).to(dtype), bias = gf.randn([41])
      return [F.linear(gf.randn([M, 70]), weight, bias), F.linear(gf.randn([M, 70]).mul(1e6), weight, null)]
    }, `${dtype}, ${M} rows`)
  }
})

const grid = (rows, columns, cell) =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, j) => cell(i, j)))

const MASKS = {
  none: () => ({}),
  causal: () => ({ isCausal: true }),
  window: () => ({ isCausal: true, window: 6 }),
  added: (gf, { B, H, Tq, Tk }) => ({ attnMask: gf.randn([B, H, Tq, Tk]) }),
  shared: (gf, { Tq, Tk }) => ({ attnMask: gf.randn([Tq, Tk]) }),
  dropout: () => ({ dropoutP: 0.3, isCausal: true }),
  padding: (_, { B, Tk }) => ({
    keyPaddingMask: grid(B, Tk, (b, k) => k > 2 && (k + b) % 3 === 0)
  })
}

test('attention split by heads and by queries, with every mask, stored or not', () => {
  const sizes = [
    { B: 1, H: 1, KV: 1, Tq: 1, Tk: 1, D: 4 }, { B: 1, H: 1, KV: 1, Tq: 37, Tk: 37, D: 5 },
    { B: 2, H: 3, KV: 3, Tq: 17, Tk: 17, D: 8 }, { B: 2, H: 6, KV: 2, Tq: 9, Tk: 9, D: 3 },
    { B: 1, H: 12, KV: 4, Tq: 33, Tk: 33, D: 16 }, { B: 3, H: 1, KV: 1, Tq: 3, Tk: 21, D: 7 }
  ]
  for (const [name, mask] of Object.entries(MASKS)) for (const size of sizes) {
    const { B, H, KV, Tq, Tk, D } = size
    expectSame((gf, F) => {
      const leaves = [gf.randn([B, H, Tq, D]), gf.randn([B, KV, Tk, D]), gf.randn([B, KV, Tk, D + 2])]
      const attend = (q, k, v) => F.scaledDotProductAttention(q, k, v, { ...mask(gf, size), enableGqa: KV < H })
      return [gf.noGrad(() => attend(...leaves)), withGradients(gf, leaves, attend)]
    }, `${name}, ${JSON.stringify(size)}`)
  }
})

test('rowwise and elementwise kernels, and a step of Adam', () => {
  for (const shape of [[1, 1], [3, 5], [17, 9], [130, 33]]) {
    const [, C] = shape
    expectSame((gf, F) => [
      ...['softmax', 'logSoftmax', 'gelu'].flatMap(name => withGradients(gf, [gf.randn(shape)], x => F[name](x))),
      withGradients(gf, [gf.randn(shape)], x => F.gelu(x, { approximate: 'tanh' })),
      withGradients(gf, [gf.randn(shape), gf.randn([C]), gf.randn([C])], (x, w, b) => F.layerNorm(x, w, b)),
      withGradients(gf, [gf.randn(shape), gf.randn([C])], (x, w) => F.rmsNorm(x, w)),
      gf.noGrad(() => [F.layerNorm(gf.randn(shape)), F.rmsNorm(gf.randn(shape))])
    ], shape)
  }
})

/** A Transformer that learns for a few steps: what it says and loses, and all that it has become. */
function learned(gf) {
  const { nn, optim, functional: F } = gf
  const model = new nn.Transformer(24, 4, 2, 2, 56, 0.1, { activation: 'gelu', normFirst: true })
  const optimizer = new optim.AdamW(model.parameters(), { lr: 0.01 })
  const mask = grid(7, 7, (i, j) => j > i), losses = []
  for (let step = 0; step < 3; step++) {
    const out = model.forward(gf.randn([3, 9, 24]), gf.randn([3, 7, 24]), { tgtMask: mask })
    const loss = F.mseLoss(out, gf.randn(out.shape))
    optimizer.zeroGrad()
    loss.backward()
    optimizer.step()
    losses.push(loss)
  }
  model.eval()
  const last = gf.noGrad(() => model.forward(gf.randn([1, 9, 24]), gf.randn([1, 7, 24])))
  return [losses, last, model.parameters(), model.parameters().map(parameter => parameter.grad)]
}

test('a whole Transformer, forward, backward and trained; and a trace of it', () => {
  expectSame(learned, 'the Transformer')
  expectSame(gf => {
    const layer = new gf.nn.TransformerEncoderLayer(24, 4, { dimFeedforward: 40 }).eval(), x = gf.randn([2, 11, 24])
    const { trace } = gf.trace(() => layer.forward(x, { isCausal: true }))
    return trace.names.map(name => trace.get(name))
  }, 'its trace')
})

test('a model that decodes with a cache', () => {
  expectSame(gf => {
    const attention = new gf.nn.MultiheadAttention(24, 3), cache = new gf.decoding.Cache(16), tokens = [5, 1, 1, 3]
    return gf.noGrad(() => tokens.map(T => {
      const x = gf.randn([1, T, 24])
      return attention.forward(x, x, x, { isCausal: true, needWeights: false, cache })[0]
    }))
  }, 'with a cache')
})

test('a forward that is recorded, and its kernels called again', () => {
  expectSame(gf => {
    const layer = new gf.nn.TransformerEncoderLayer(40, 4, { dimFeedforward: 96, dropout: 0 }), fast = gf.compile(layer)
    const outputs = [1, 2, 3, 4].map(() => gf.noGrad(() => fast(gf.randn([2, 19, 40]), { isCausal: true })))
    assert.equal(fast.recordings, 1)
    return outputs
  }, 'compiled')
})

test('text is read into a memory that is shared', () => {
  const text = '나는 최근 파리 여행을 다녀왔다\nI wonder what will come next 😀'.repeat(50)
  const readBy = ({ text: { words, whitespace, Vocab, trainBPE } }) => {
    const tokenizer = trainBPE(text, { vocabSize: 300 })
    return [words(text), whitespace(text), new Vocab([words(text)]).itos, tokenizer.encode(text).ids]
  }
  assert.deepEqual(readBy(two), readBy(one))
})

/** As if the machine had so many cores. */
async function withCores(count, work) {
  const { availableParallelism } = os
  os.availableParallelism = () => count
  try {
    return await work()
  } finally {
    os.availableParallelism = availableParallelism
  }
}

test('three threads, which all take parts, in a memory that has grown', async () => {
  const three = await all(3)
  assert.equal(three.threads.count, 3)
  const work = (gf, F) => {
    gf.zeros([5_000_000])
    // So long that all of them are at it at a time, however few the cores are: each packs in a workspace of its own.
    const x = gf.randn([1190, 700]), w = gf.randn([310, 700])
    return Array.from({ length: 5 }, () => F.linear(x, w))
  }
  const expected = bitsOf(one, work)
  for (const gf of [two, three]) {
    const before = gf.threads.taken
    assert.deepEqual(bitsOf(gf, work), expected)
    assert.ok(gf.engine.memory.size > 2 ** 24, 'the memory has not grown')
    for (let left = 200; gf.threads.taken === before && left > 0; left--) bitsOf(gf, work)
    assert.ok(gf.threads.taken > before, 'workers have done nothing')
  }
  three.threads.stop()
  assert.deepEqual([three.threads.count, three.threads.reason], [1, 'they were stopped'])
  assert.deepEqual(bitsOf(three, work), expected)
})

test('alone: the calling thread does all while a function runs', () => {
  const { threads } = two, { taken } = threads, work = gf => bitsOf(gf, learned)
  assert.deepEqual(threads.alone(() => work(two)), work(one))
  assert.equal(threads.taken, taken)
  assert.throws(() => threads.alone(() => { throw new RangeError('thrown') }), RangeError)
  assert.throws(() => threads.alone(), { code: 'type', message: /^threads.alone: fn must be a function/ })
  assert.equal(one.threads.alone(() => 5), 5)
  for (let left = 200; threads.taken === taken && left > 0; left--) work(two)
  assert.ok(threads.taken > taken, 'they are back')
})

test('what is small is not divided', async () => {
  const gf = await load({ threads: 2 }), { taken } = gf.threads
  for (let i = 0; i < 200; i++) gf.functional.linear(gf.ones([8, 64]), gf.ones([64, 64]))
  assert.equal(gf.threads.taken, taken)
  gf.threads.stop()
})

test('gf.threads reports why one thread is left', async t => {
  const gf = await all(2), x = gf.ones([64, 64]), { load: read } = Atomics
  let clock = 0
  t.mock.method(Atomics, 'load', (ints, at) => (at === DONE ? 0 : read.call(Atomics, ints, at)))
  t.mock.method(Atomics, 'wait', () => 'timed-out')
  t.mock.method(performance, 'now', () => (clock += 100))
  assert.throws(() => x.matmul(x), { code: 'state', message: /a worker has not responded for 60 seconds; one thread continues/ })
  t.mock.restoreAll()
  assert.deepEqual([gf.threads.count, gf.threads.reason], [1, 'a worker has not responded for 60 seconds'])
  assert.equal(x.matmul(x).at(0, 0), 64)
})

test('a worker that ends is reported, and the rest is computed alone', async () => {
  const { Worker } = workerThreads, made = []
  workerThreads.Worker = class extends Worker {
    constructor(...args) { made.push(super(...args) ?? this) }
  }
  const gf = await all(2).finally(() => { workerThreads.Worker = Worker })
  await made[0].terminate()
  await new Promise(done => { setTimeout(done, 20) })
  assert.equal(gf.threads.count, 1)
  assert.match(gf.threads.reason, /^a worker is gone: it has ended/)
  assert.deepEqual(bitsOf(gf, learned), bitsOf(one, learned))
  gf.threads.stop()
  assert.match(gf.threads.reason, /^a worker is gone: it has ended/, 'what was first')
})

test('every kernel that is divided exists, and its part', async () => {
  const names = (await Promise.all(['threads', 'blocks.threads'].map(async build => {
    const bytes = await readFile(here(`../dist/glassformer.${build}.wasm`))
    return WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name)
  }))).flat()
  for (const name of Object.keys(SPLITS)) assert.ok(names.includes(name), name)
})

/** Loads for two while the world is as `prepare` makes it; gives why there is one, which then computes. */
async function reasonFor(threads, globals = {}) {
  const before = Object.fromEntries(Object.keys(globals).map(name => [name, globalThis[name]]))
  Object.assign(globalThis, globals)
  const gf = await load({ threads }).finally(() => Object.assign(globalThis, before))
  assert.equal(gf.threads.count, 1)
  assert.equal(gf.ones([3]).sum().item(), 3)
  gf.threads.stop()
  return gf.threads.reason
}

test('where threads are impossible, one thread computes and the reason is reported', async () => {
  assert.match(await reasonFor({ count: 2, wasm: new URL('none.wasm', import.meta.url) }),
    /ENOENT.*; give load\(\{ threads: \{ count, wasm \} \}\) .* glassformer\.threads\.wasm$/)
  const ordinary = await readFile(here('../dist/glassformer.wasm'))
  assert.match(await reasonFor({ count: 2, wasm: ordinary }), /not the build of the kernels for threads/)
  assert.match(await reasonFor({ count: 2, wasm: Uint8Array.of(0) }), /WebAssembly/)
  assert.match(await reasonFor(2, { crossOriginIsolated: false }), /not isolated.*Cross-Origin-Opener-Policy/)
  assert.equal(await reasonFor(1, { crossOriginIsolated: false }), null, 'who asks for one has what was asked for')
  assert.equal(await withCores(1, () => reasonFor(2)), 'there is 1 core here')
  const fewer = await withCores(2, () => load({ threads: 3 }))
  assert.deepEqual([fewer.threads.count, fewer.threads.reason], [2, 'there are 2 cores here'])
  fewer.threads.stop()
  assert.deepEqual([fewer.threads.count, fewer.threads.reason], [1, 'they were stopped'])
  const Refused = class { constructor() { throw new Error('not here') } }
  assert.equal(await reasonFor(2, { Worker: Refused, document: {} }), 'a worker could not be started: not here')
  const Violating = class {
    constructor() { setTimeout(() => this.onerror({})) }
    postMessage() {}
    terminate() {}
  }
  assert.match(await reasonFor(2, { Worker: Violating, document: {} }), /Content-Security-Policy needs worker-src blob:/)
  assert.match(await reasonFor(2, { WebAssembly: { ...everything(WebAssembly), Memory: Refused } }), /^not here/)
})

const everything = object => Object.fromEntries(Object.getOwnPropertyNames(object).map(name => [name, object[name]]))

test('the number of threads must be an integer from 1 to 64', async () => {
  for (const [threads, code, message] of [
    [0, 'range', /load: threads must be an integer from 1 to 64, got 0/], [1.5, 'range', /got 1.5/], [65, 'range', /got 65/],
    [{}, 'type', /threads.count must be .* got undefined/], [true, 'type', /an integer, or \{ count, .* got true/],
    ['two', 'type', /load: threads must be an integer, or \{ count, wasm, minWork \}, got "two"/],
    [{ count: 2, cores: 3 }, 'type', /no option "cores"/], [{ count: 2, minWork: -1 }, 'range', /threads.minWork/]
  ]) await assert.rejects(load({ threads }), { name: 'GlassformerError', code, message })
})

/** Runs a script in a process of its own, which has to end by itself. */
async function ends(script, ...flags) {
  const head = `import os from 'node:os'\nimport { load } from '${LIBRARY}'\nos.availableParallelism = () => 2\nconst gf = await load({ threads: { count: 2, minWork: 0 } })\n`
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', head + script],
    { timeout: 60_000 })
  return stdout.trim()
}

test('a process ends when all else has ended, or when it is told to', async () => {
  const [idle, exit] = await Promise.all([
    ends('console.log(gf.threads.count, gf.threads.reason, gf.ones([9, 9]).matmul(gf.ones([9, 9])).sum().item())'),
    ends('gf.ones([9, 9]).matmul(gf.ones([9, 9])); console.log(gf.threads.count); process.exit()')
  ])
  assert.deepEqual([idle, exit], ['2 null 729', '2'])
})

test('who forgets an engine has no workers left', async () => {
  const script = `import workerThreads from 'node:worker_threads'
let gone = 0
const { Worker } = workerThreads
workerThreads.Worker = class extends Worker { constructor(...args) { super(...args).on('exit', () => gone++) } }
await (async () => { (await load({ threads: 2 })).ones([2]) })()
for (let left = 200; !gone && left > 0; left--) {
  globalThis.gc()
  await new Promise(done => setTimeout(done, 10))
}
console.log(gone, gf.threads.count)`
  assert.equal(await ends(script, '--expose-gc'), '1 2')
})

test('a page\'s Worker that somebody put into Node is no hindrance', async () => {
  const { Worker } = await import('node:worker_threads'), before = globalThis.Worker
  globalThis.Worker = Worker
  const gf = await withCores(2, () => load({ threads: 2 })).finally(() => {
    if (before) globalThis.Worker = before
    else delete globalThis.Worker
  })
  assert.deepEqual([gf.threads.count, gf.threads.reason], [2, null])
  gf.threads.stop()
})
