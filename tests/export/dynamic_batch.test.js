// Checks for single operations whether the batch of an ONNX file has any size. If it has, another batch gives the
// library's numbers; if the result depends on its size, another batch is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { FunctionModule } from './modules.js'
import { assertRuns, sessionOf } from './onnx.js'

const { functional: F } = gf
gf.manualSeed(11)

/** Random inputs of some shapes without the batch; a shape that begins with 'ids' gets integers from 0 to 2. */
const randomFeeds = (shapes, batch) => Object.fromEntries(shapes.map((shape, i) => [shapes.length === 1 ? 'input' : `input_${i}`,
  shape[0] === 'ids' ? gf.randint(0, 3, [batch, ...shape.slice(1)]) : gf.randn([batch, ...shape])]))
const toInputs = feeds => (feeds.input ? feeds.input : Object.values(feeds))

/** Functions that keep the batch in front, with the shapes of their inputs without the batch. */
const OPEN = {
  'linear and norms': [x => [F.linear(x, gf.ones([3, 4]), gf.ones([3])), F.layerNorm(x), F.rmsNorm(x, gf.ones([4]))], [4]],
  'broadcasting': [(x, y) => [x.add(y), x.mul(gf.ones([4])), x.sub(gf.full([1, 4], 2)), x.div(3),
    x.add(gf.full([x.shape[0], 4], 5))], [4], [4]],
  'products': [(a, b) => [a.matmul(b), a.matmul(gf.ones([4, 5]))], [3, 4], [4, 2]],
  'shapes': [x => [x.reshape(-1, 4), x.reshape(-1, 2, 2), x.transpose(1, 2), x.transpose(2, 1), x.permute(0, 2, 1),
    x.flip([1, 2]), x.narrow(1, 0, 2), x.unsqueeze(1).expand([-1, 5, 3, 4])], [3, 4]],
  'indexing': [(x, ids) => [x.gather(1, ids), x.indexSelect(1, [2, 0])], [4], ['ids', 2]],
  'embedding': [ids => F.embedding(ids, gf.linspace(0, 1, 12).reshape(3, 4)), ['ids', 5]],
  'rowwise operations and reductions': [x => [x.softmax({ dim: 1 }), x.cumsum(1), x.sum({ dim: 1 }), x.max({ dim: -1 }).values, gf.cat([x, x.mul(2)],
    { dim: 1 })], [4]],
  'rotary': [x => [F.rotary(x), F.rotary(x, { positions: Array(x.shape[0]).fill([0, 2, 1]) })], [3, 8]],
  'attention': [(q, k, mask) => [F.scaledDotProductAttention(q, k, k),
    ...[mask, gf.ones([3, 5]), gf.ones([1, 2, 3, 5]), gf.ones([q.shape[0], 2, 3, 5])].map(attnMask =>
      F.scaledDotProductAttention(q, k, k, { attnMask }))], [2, 3, 4], [2, 5, 4], [2, 3, 5]]
}

for (const [name, [fn, ...shapes]] of Object.entries(OPEN)) test(`open: ${name}`, async () => {
  const feeds = randomFeeds(shapes, 3)
  const example = toInputs(randomFeeds(shapes, 2))
  await assertRuns(new FunctionModule(fn), example, feeds, () => fn(...Object.values(feeds)), name)
})

/** Functions that use the batch as another axis, too. A number at the end is the upper limit of ids. */
const CLOSED = [
  [x => F.linear(x.sum({ dim: 1 }), gf.ones([3, 2])), [4]],
  [x => F.linear(x, x), [4]],
  [x => F.linear(x, gf.ones([2, 4]), x.sum({ dim: 1 })), [4]],
  [x => x.matmul(x.transpose(0, 1)), [4]],
  [x => gf.ones([3, 2]).matmul(x), [4]],
  [x => x.matmul(gf.linspace(0, 1, 40).reshape(2, 4, 5)), [3, 4]],
  [(a, b) => a.unsqueeze(0).add(b), [4], [4]],
  [x => x.mul(gf.tensor([[1, 2], [3, 4]])), [2]],
  [x => x.add(x.sum({ dim: 1 })), [2]],
  [x => x.sum({ dim: 0 }), [4]],
  [x => x.softmax({ dim: 0 }), [4]],
  [x => x.cumsum(0), [4]],
  [x => x.narrow(0, 0, 1), [4]],
  [x => x.flip(0), [4]],
  [x => x.permute(1, 0), [4]],
  [x => x.transpose(0, 1), [4]],
  [x => x.transpose(1, 0), [4]],
  [x => x.reshape(1, -1), [4]],
  [x => x.expand([2, 2, 4]), [4]],
  [x => x.expand([3, 2, 4]), [4]],
  [x => gf.cat([x, x]), [4]],
  [x => gf.cat([x, gf.ones([2, 1])], { dim: 1 }), [4]],
  [(x, ids) => x.gather(0, ids), [4], ['ids', 4], 2],
  [x => x.gather(1, [[0, 1], [2, 0]]), [4]],
  [(x, ids) => gf.arange(6).reshape(2, 3).gather(1, ids).add(x), [2], ['ids', 2]],
  [x => x.indexSelect(0, [1, 0]), [4]],
  [(x, ids) => x.indexSelect(1, ids.reshape(-1)), [4], ['ids', 1]],
  [(ids, x) => F.embedding(ids, x), ['ids', 2], [4], 2],
  [x => F.rotary(x), [8]],
  [x => F.rotary(x, { positions: [[0, 1, 2], [5, 6, 7]] }), [3, 8]],
  [x => F.rotary(x, { positions: [[3], [5]] }), [1, 8]],
  [(q, k) => F.scaledDotProductAttention(q, k, gf.linspace(0, 1, 80).reshape(2, 2, 5, 4)), [2, 3, 4], [2, 5, 4]],
  [q => F.scaledDotProductAttention(q, q, q, { keyPaddingMask: [[false, true], [true, false]] }), [1, 2, 4]],
  [q => F.scaledDotProductAttention(q, q, q, { attnMask: gf.linspace(0, 1, 8).reshape(2, 1, 2, 2) }), [1, 2, 4]]
]

for (const [fn, ...rest] of CLOSED) test(`closed: ${String(fn).replace(/\s+/g, ' ')}`, async () => {
  // Ids that index the batch itself must be smaller than its size.
  const shapes = rest.filter(Array.isArray), limit = rest.at(-1)
  const limitIds = feeds => (typeof limit === 'number' ? Object.fromEntries(Object.entries(feeds).map(([key, t]) => [key,
    t.dtype === 'int32' ? t.minimum(limit - 1) : t])) : feeds)
  const session = await sessionOf(gf.toOnnx(new FunctionModule(fn), toInputs(limitIds(randomFeeds(shapes, 2)))))
  await session.run(limitIds(randomFeeds(shapes, 2)))
  await assert.rejects(session.run(limitIds(randomFeeds(shapes, 3))), /invalid dimensions|Got: 3/)
})

test('closed: inputs with a batch of one, with one axis, or with several batches', async () => {
  const double = (...xs) => xs.map(x => x.mul(2))
  const exported = (...xs) => sessionOf(gf.toOnnx(new FunctionModule(double), xs))
  const [one, two, three, vector, longerVector] = [[1, 4], [2, 4], [3, 4], [2], [3]].map(shape => gf.randn(shape))
  const pairs = [[[one], [three]], [[vector], [longerVector]], [[two, vector], [three, longerVector]],
    [[two, three], [three, three]]]
  for (const [example, other] of pairs) {
    const session = await exported(...example)
    const toFeeds = xs => Object.fromEntries(session.inputs.map((key, i) => [key, xs[i]]))
    await session.run(toFeeds(example))
    await assert.rejects(session.run(toFeeds(other)), /invalid dimensions|Got: 3/)
  }
})

/** Constants that have as many rows as the example's batch only by chance: other batches must work, too. */
const BY_CHANCE = {
  'a mean over two positions': [x => gf.full([2, 2], 0.5).matmul(x).sum({ dim: 1 }), [2, 3]],
  'a weight': [x => F.linear(x, gf.ones([2, 3])).sum({ dim: 2 }), [2, 3]],
  'a broadcast row': [x => x.narrow(1, 0, 1).add(gf.ones([2, 3])).sum({ dim: 1 }), [2, 3]],
  'a product of matrices': [x => x.matmul(gf.ones([2, 4])), [3, 2]],
  'an embedding table': [ids => F.embedding(ids, gf.ones([2, 4]).mul(gf.tensor([1, 2, 3, 4]))), ['ids', 3]]
}
for (const [name, [fn, ...shapes]] of Object.entries(BY_CHANCE)) test(`as many rows as the batch by chance: ${name}`, async () => {
  for (const batch of [2, 3]) {
    const feeds = Object.fromEntries(Object.entries(randomFeeds(shapes, batch)).map(([key, value]) => (
      [key, shapes[0][0] === 'ids' ? gf.ones([batch, 3]).to('int32') : value])))
    const example = shapes[0][0] === 'ids' ? gf.ones([2, 3]).to('int32') : toInputs(randomFeeds(shapes, 2))
    await assertRuns(new FunctionModule(fn), example, feeds, () => fn(...Object.values(feeds)), `${name}, ${batch}`)
  }
})

test('a model without an input is refused', () => {
  for (const inputs of [[], [[]]]) for (const write of [gf.toOnnx, gf.toPyTorch]) {
    assert.throws(() => write(new FunctionModule(() => gf.ones([2])), inputs), { name: 'GlassformerError' }, JSON.stringify(inputs))
  }
})
