// Datasets and loaders: PyTorch's orders and PyTorch's random numbers after them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { loadGolden } from './golden/index.js'
import { assertSame } from './lib/compare.js'
import { assertRejects, gf } from './lib/engine.js'

const { DataLoader, Dataset, Subset, TensorDataset, defaultCollate, padSequence, randomSplit } = gf.data
const { loaders, splits, padded, tensors } = loadGolden('data')

class Numbers extends Dataset {
  constructor(n) {
    super()
    this.n = n
  }

  get length() { return this.n }
  get(index) { return index }
}
class AsyncNumbers extends Numbers {
  async get(index) { return index }
}
const numbers = n => Array.from({ length: n }, (_, i) => i)

for (const item of loaders) {
  const { n, epochs, maxBatches, generator: hasOwn, options, length, batches, then, then_own: thenOwn } = item
  const title = `${n} by ${JSON.stringify(options)}${hasOwn ? ' with a generator' : ''}${maxBatches ? `, ${maxBatches} batches of each epoch` : ''}`

  for (const [kind, dataset] of [['a list', numbers(n)], ['a Dataset', new Numbers(n)], ['a tensor', gf.arange(n)]]) {
    test(`${title}, ${kind}: PyTorch's batches, and its numbers after them`, () => {
      gf.manualSeed(5)
      const generator = hasOwn ? new gf.Generator().manualSeed(9) : undefined
      const loader = new DataLoader(dataset, { ...options, generator })
      assert.equal(loader.length, length)
      for (let epoch = 0; epoch < epochs; epoch++) {
        const rows = []
        for (const batch of loader) {
          assert.equal(batch.dtype, 'int32')
          rows.push(batch.toArray())
          if (rows.length === maxBatches) break
        }
        assert.deepEqual(rows, batches[epoch])
      }
      assertSame(gf.rand([2]), then)
      if (thenOwn) assertSame(gf.rand([2], { generator }), thenOwn)
    })
  }

  test(`${title}: the same batches with async samples`, async () => {
    gf.manualSeed(5)
    const generator = hasOwn ? new gf.Generator().manualSeed(9) : undefined
    const loader = new DataLoader(new AsyncNumbers(n), { ...options, generator })
    for (let epoch = 0; epoch < epochs; epoch++) {
      const rows = []
      for await (const batch of loader) {
        rows.push(batch.toArray())
        if (rows.length === maxBatches) break
      }
      assert.deepEqual(rows, batches[epoch])
    }
    assertSame(gf.rand([2]), then)
    if (thenOwn) assertSame(gf.rand([2], { generator }), thenOwn)
  })
}

test("TensorDataset: PyTorch's batches, of the dataset and of a Subset of all of it", () => {
  const x = gf.arange(14).reshape(7, 2).to('float32'), y = gf.arange(7), dataset = new TensorDataset(x, y)
  class Slow extends TensorDataset {
    get(index) { return super.get(index) }
  }
  for (const one of [dataset, new Subset(new Subset(dataset, numbers(7)), numbers(7)), new Slow(x, y)]) {
    gf.manualSeed(11)
    const batches = [...new DataLoader(one, { batchSize: 3, shuffle: true })]
    assert.equal(batches.length, tensors.length)
    batches.forEach((batch, i) => batch.forEach((t, j) => assertSame(t, tensors[i][j])))
    assert.deepEqual(batches[0].map(({ dtype }) => dtype), ['float32', 'int32'])
  }
  assert.deepEqual(dataset.get(-1).map(t => t.toArray()), [[12, 13], 6])
})

for (const { n, lengths, parts, own, then } of splits) {
  test(`randomSplit of ${n} into ${lengths.join(', ')}: PyTorch's parts`, () => {
    gf.manualSeed(7)
    const indices = list => list.map(part => part.indices)
    assert.deepEqual(indices(randomSplit(new Numbers(n), lengths)), parts)
    assert.deepEqual(indices(randomSplit(numbers(n), lengths, { generator: new gf.Generator().manualSeed(3) })), own)
    assert.deepEqual(indices(randomSplit(numbers(n), lengths, new gf.Generator().manualSeed(3))), own)
    assertSame(gf.rand([2]), then)
  })
}

test("padSequence: PyTorch's tensors", () => {
  const rows = [3, 1, 2].map(n => gf.arange(1, 2 * n + 1).reshape(n, 2).to('float32')), ids = [[1, 2], [1, 2, 3, 4], []]
  assertSame(padSequence(rows), padded.rows)
  assertSame(padSequence(rows, { batchFirst: true, paddingValue: -1.5 }), padded.rows_first)
  for (const list of [ids, ids.map(one => gf.tensor(one, { dtype: 'int32' })), ids.map(one => Int32Array.from(one))]) {
    const batch = padSequence(list, { batchFirst: true, paddingValue: -100 })
    assert.equal(batch.dtype, 'int32')
    assertSame(batch, padded.ids)
    assertSame(padSequence(list), padded.ids_time)
  }
  assert.deepEqual(padSequence(ids, { batchFirst: true, paddingSide: 'left' }).toArray(), [[0, 0, 1, 2], [1, 2, 3, 4], [0, 0, 0, 0]])
  assert.equal(padSequence([[0.5], [1, 2]]).dtype, 'float32')
  const masks = padSequence([gf.tensor([true]), gf.tensor([true, true])], { batchFirst: true })
  assert.deepEqual(masks.toArray(), [[true, false], [true, true]])
  const [a, b] = [[1, 2, 3], [4]].map(one => gf.tensor(one, { requiresGrad: true }))
  padSequence([a, b]).mul(gf.tensor([[1, 2], [3, 4], [5, 6]])).sum().backward()
  assert.deepEqual([a.grad.toArray(), b.grad.toArray()], [[1, 3, 5], [2]])
  const before = gf.memory().tensors
  padSequence(ids).dispose()
  assert.equal(gf.memory().tensors, before)
})

test('defaultCollate puts samples together field by field', () => {
  const plain = value => value?.toArray?.() ?? (Array.isArray(value) ? value.map(plain)
    : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)])) : value)
  const sample = i => ({ x: gf.tensor([i, i + 0.5]), y: i, z: i / 2, isOdd: i % 2 === 1, text: `t${i}`, pair: [i, [i]], row: Float32Array.of(i, 2) })
  const batch = defaultCollate([0, 1, 2].map(sample))
  assert.deepEqual(plain(batch), {
    x: [[0, 0.5], [1, 1.5], [2, 2.5]], y: [0, 1, 2], z: [0, 0.5, 1], isOdd: [false, true, false], text: ['t0', 't1', 't2'],
    pair: [[0, 1, 2], [[0, 1, 2]]], row: [[0, 2], [1, 2], [2, 2]]
  })
  const dtypes = { x: 'float32', y: 'int32', z: 'float32', isOdd: 'bool', row: 'float32' }
  for (const [name, dtype] of Object.entries(dtypes)) assert.equal(batch[name].dtype, dtype, name)
  for (const [list, dtype] of [[Int32Array, 'int32'], [Uint8Array, 'int32'], [Uint16Array, 'int32'], [Float64Array, 'float64']]) {
    assert.equal(defaultCollate([list.of(1, 2), list.of(3, 4)]).dtype, dtype)
  }
  assert.equal(defaultCollate([1, 2 ** 40]).dtype, 'float64')
})

test('what makes no batch is named', () => {
  const refuse = (batch, code, ...words) => assertRejects(() => defaultCollate(batch), code, 'defaultCollate', ...words)
  refuse([], 'type', 'batch')
  refuse([null], 'type', 'null', 'collateFn')
  refuse([{ a: 1 }, { b: 1 }], 'type', 'must have a', 'index 1')
  refuse([{ a: 1 }, { a: 'x' }], 'type', 'sample.a', 'a number', '"x"')
  refuse([[1, 2], [1]], 'shape', 'length', '2', 'padSequence')
  refuse([[gf.ones([2])], [gf.ones([3])]], 'shape', 'sample[0]', '[2]', '[3]', 'index 1')
  refuse([gf.ones([2]), gf.tensor([1, 2], { dtype: 'int32' })], 'shape', 'int32')
  refuse([Float32Array.of(1), Float32Array.of(1, 2)], 'shape', 'index 1')
  refuse([() => 1], 'type', 'function')
})

test('samplers, batchSamplers, own collate functions and no batches', () => {
  const data = ['a', 'b', 'c', 'd']
  assert.deepEqual([...new DataLoader(data, { batchSize: 3, sampler: [3, 1, 1, 0] })], [['d', 'b', 'b'], ['a']])
  const sampler = { * [Symbol.iterator]() { yield 2; yield 0 }, length: 2 }, loader = new DataLoader(data, { sampler })
  for (let epoch = 0; epoch < 2; epoch++) assert.deepEqual([...loader], [['c'], ['a']])
  assert.equal(loader.length, 2)
  const lists = new DataLoader(data, { batchSampler: [[0, 1, 2], [3]] })
  assert.deepEqual([[...lists], lists.length], [[['a', 'b', 'c'], ['d']], 2])
  for (const name of ['collateFn', 'collate']) {
    assert.deepEqual([...new DataLoader(data, { batchSize: 3, [name]: list => list.join('') })], ['abc', 'd'])
  }
  const alone = new DataLoader(data, { batchSize: null })
  assert.deepEqual([[...alone], alone.length], [data, 4])
  assert.deepEqual([...new DataLoader(data, { batchSize: null, collateFn: text => text + text })], ['aa', 'bb', 'cc', 'dd'])
  assert.deepEqual([...new DataLoader([], { shuffle: true })], [])
  const map = new Map([['x', 1], ['y', 2]])
  const byName = new DataLoader({ length: 2, get: name => map.get(name) }, { sampler: ['y', 'x'], batchSize: 2 })
  assert.deepEqual([...byName][0].toArray(), [2, 1])
  assert.throws(() => new DataLoader(data, { sampler: new Set([1])[Symbol.iterator]() }).length, { code: 'state' })
})

test('DataLoader reads async samples of a batch at the same time and passes on their errors', async () => {
  const log = []
  class Files extends Dataset {
    get length() { return 4 }
    async get(index) {
      log.push(`+${index}`)
      await new Promise(done => setTimeout(done, 2))
      log.push(`-${index}`)
      if (index === 3) throw new Error('no such file')
      return { index }
    }
  }
  const batches = []
  await assert.rejects(async () => {
    for await (const { index } of new DataLoader(new Files(), { batchSize: 2 })) batches.push(index.toArray())
  }, /no such file/)
  assert.deepEqual([batches, log.slice(0, 4)], [[[0, 1]], ['+0', '+1', '-0', '-1']])
  assertRejects(() => [...new DataLoader(new Files())], 'type', 'for await')
  assertRejects(() => [...new DataLoader([1], { collateFn: async list => list })], 'type', 'for await')
  const doubled = []
  for await (const batch of new DataLoader([1, 2], { collateFn: async ([n]) => 2 * n })) doubled.push(batch)
  for await (const sample of new DataLoader(new AsyncNumbers(2), { batchSize: null })) doubled.push(sample)
  assert.deepEqual(doubled, [2, 4, 0, 1])
})

test('what loaders and datasets do not take', async () => {
  const other = await load(), data = [1, 2, 3]
  const refuse = (options, code, ...words) => assertRejects(() => new DataLoader(data, options), code, 'DataLoader', ...words)
  refuse({ batchSize: 0 }, 'range', 'batchSize')
  refuse({ batchSize: 1.5 }, 'range', 'batchSize')
  refuse({ shuffle: 'yes' }, 'type', 'shuffle')
  refuse({ batchsize: 2 }, 'type', 'batchSize')
  refuse(-2, 'range', 'batchSize')
  refuse({ numWorkers: 4 }, 'type', 'for await')
  refuse({ pinMemory: true }, 'type', 'pinMemory')
  refuse({ sampler: [0], shuffle: true }, 'range', 'shuffle')
  refuse({ sampler: 3 }, 'type', 'sampler')
  refuse({ batchSampler: [[0]], batchSize: 2 }, 'range', 'batchSize')
  refuse({ batchSize: null, dropLast: true }, 'range', 'dropLast')
  refuse({ collateFn: 'x' }, 'type', 'collateFn')
  refuse({ generator: new other.Generator() }, 'type', 'generator')
  for (const dataset of [undefined, 3, 'text', gf.tensor(1), { length: 3 }, new Map()]) {
    assertRejects(() => new DataLoader(dataset), 'type', 'DataLoader: dataset must be')
  }
  assertRejects(() => [...new DataLoader(data, { sampler: [3] })], 'index', '0 to 2', '3')
  assertRejects(() => [...new DataLoader(new (class Empty extends Dataset {})())], 'state', 'Empty: length is not defined')
  assertRejects(() => [...new DataLoader(new (class Half extends Dataset { length = 2 })())], 'state', 'Half: get is not defined')
  assertRejects(() => new TensorDataset(), 'type', 'TensorDataset')
  assertRejects(() => new TensorDataset(gf.ones([2]), gf.ones([3])), 'shape', 'tensors[1]', '2 rows', '[3]')
  assertRejects(() => new TensorDataset([1]), 'type', 'tensors[0]')
  assertRejects(() => new TensorDataset(other.ones([2])), 'state', 'TensorDataset')
  assertRejects(() => new Subset(data, 3), 'type', 'indices')
  assertRejects(() => new Subset(data, [0]).get(1), 'range', 'index')
  assertRejects(() => randomSplit(data, [1, 1]), 'range', '3', '1, 1')
  assertRejects(() => randomSplit(data, [-1, 4]), 'range', 'lengths[0]')
  assertRejects(() => randomSplit(data, 3), 'type', 'lengths')
  assertRejects(() => padSequence([]), 'type', 'sequences')
  assertRejects(() => padSequence([gf.ones([2, 3]), gf.ones([2, 4])]), 'shape', 'sequences[1]', '[2, 4]')
  assertRejects(() => padSequence([[1]], { paddingValue: 0.5 }), 'range', 'paddingValue')
  assertRejects(() => DataLoader(data), 'type', 'new gf.data.DataLoader')
  assert.throws(() => gf.DataLoader, { message: 'DataLoader is gf.data.DataLoader here' })
  assert.throws(() => gf.data.random_split, { message: 'random_split is spelled randomSplit here' })
  assert.throws(() => gf.data.WeightedRandomSampler, { message: /gf\.multinomial/ })
})
