// Tensors and workspaces that are larger than memory, or than the kernels' integers, are refused before any write.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

/** The number of float32 cells in the maximum memory of 4 GB. */
const MAX_CELLS = 2 ** 30

test('sizes of workspaces do not wrap around', async () => {
  const { engine } = await load(), { c } = engine
  assert.equal(c.gf_panels_size(1, 3e8), 2.4e9)
  assert.equal(c.gf_panels_size(2 ** 31 - 1, 2 ** 31 - 1), 2 ** 31 * (2 ** 31 - 1))
  assert.ok(c.gf_matmul_workspace(2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1) < 2 ** 20)
  const sizes = [1, 1, 2 ** 15, 2 ** 27, 1, 1]
  for (const backward of [0, 1]) {
    assert.ok(c.gf_attention_workspace(engine.pass([...sizes, ...new Array(19).fill(0)]), backward) > 2 ** 31)
  }
})

test('attention over too many keys for a workspace is rejected', async () => {
  const gf = await load(), { engine } = gf, F = gf.functional
  const neighbour = gf.tensor([1, 2, 3, 4]), q = gf.tensor([[[[1]]]])
  const keys = engine.empty([1, 1, 2 ** 27, 1])
  assert.throws(() => F.scaledDotProductAttention(q, keys, keys), { code: 'memory', message: /^out of memory: / })
  assert.deepEqual(neighbour.toArray(), [1, 2, 3, 4])
  assert.equal(F.scaledDotProductAttention(q, q, q).item(), 1, 'the engine can still be used')
})

test('a weight that packing would enlarge eightfold is used unpacked', async () => {
  const gf = await load(), { engine } = gf, size = 2 ** 12
  const x = engine.empty([1, size]), weight = engine.empty([1, size])
  weight.values[size - 1] = 3
  x.values[size - 1] = 2
  assert.equal(gf.noGrad(() => gf.functional.linear(x, weight)).item(), 6)
  assert.equal(weight.storage.packedColumns, 0)
})

test('blocks of absurd sizes are rejected', async () => {
  const { engine } = await load()
  for (const size of [-1, -4294967000, NaN, Infinity, 2 ** 32, 2 ** 53]) {
    assert.throws(() => engine.memory.alloc(size), { code: 'memory' }, `${size} bytes`)
    assert.throws(() => engine.scratch(size), { code: 'memory' }, `${size} floats`)
  }
  assert.throws(() => engine.memory.alloc(1.5), { code: 'memory' })
})

test('empty shapes with sides that are too large are rejected', async () => {
  const gf = await load(), startTime = performance.now()
  for (const shape of [[2 ** 31 - 1, 0], [0, 2 ** 31 - 1], [2 ** 20, 2 ** 20, 0], [MAX_CELLS + 1, 0]]) {
    for (const make of [() => gf.rand(shape), () => gf.tensor(new Float32Array(0), { shape })]) {
      assert.throws(make, { code: 'memory', message: /sides/ }, `[${shape}]`)
    }
  }
  assert.ok(performance.now() - startTime < 1000)
})

test('operations on a large number of empty rows take little time', async () => {
  const gf = await load(), F = gf.functional, startTime = performance.now()
  const x = gf.tensor(new Float32Array(0), { shape: [2 ** 22, 0], requiresGrad: true })
  for (const fn of ['softmax', 'logSoftmax', 'relu', 'gelu']) F[fn](x).backward(
    gf.tensor(new Float32Array(0), { shape: x.shape }))
  const wide = gf.tensor(new Float32Array(0), { shape: [2 ** 20, 0, 3] })
  assert.deepEqual(F.matmul(wide, wide.transpose(1, 2).reshape(2 ** 20, 3, 0)).shape, [2 ** 20, 0, 0])
  assert.ok(performance.now() - startTime < 10000)
})

test('scores are stored with and without weights, also of hidden keys', async () => {
  const { engine } = await load(), { c } = engine, T = 11
  const bits = new Int32Array(new Float32Array([1]).buffer)[0], strides = [T, T, 1]
  const [q, out, scores, weights] = [[T], [T], [T, T], [T, T]].map(shape => engine.empty(shape))
  q.values.forEach((_, i) => { q.values[i] = i - 5 })
  const fields = [1, 1, T, T, 1, 1, 1, 0, 0, bits, ...strides, ...strides, ...strides, ...strides, 0, 0, 0, 0, 1, 0, 0]
  const run = weightsPointer => {
    const pass = () => engine.pass([...fields, 0, scores.dataPtr(), 0, weightsPointer])
    const workspace = engine.scratch(c.gf_attention_workspace(pass(), 0)), struct = pass()
    const inputs = Array(3).fill(q.dataPtr())
    c.gf_attention_forward(out.dataPtr(), struct + 4 * fields.length, workspace, ...inputs, 0, struct)
    return { out: [...out.values], scores: [...scores.values] }
  }
  const all = run(weights.dataPtr())
  assert.deepEqual(all.scores, all.scores.map((_, n) => 0 + q.values[Math.floor(n / T)] * q.values[n % T]))
  assert.deepEqual(run(0), all)
})

test('a weight is used unpacked if there is no memory for packing', async () => {
  const gf = await load(), { engine } = gf, side = 1024
  const x = gf.rand([3, side]), weight = gf.rand([side, side]), expected = gf.functional.linear(x, weight).toArray()
  for (let cells = 2 ** 27; cells >= 2 ** 17;) {
    try {
      engine.empty([cells])
    } catch {
      cells /= 2
    }
  }
  assert.deepEqual(gf.noGrad(() => gf.functional.linear(x, weight)).toArray(), expected)
})
