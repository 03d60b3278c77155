import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'

const F = gf.functional, golden = loadGolden('positions')

test('alibi: the slopes of the paper, for any number of heads', () => {
  for (const [heads, slopes] of Object.entries(golden.slopes)) {
    const bias = gf.alibi(Number(heads), 2, 2).toArray()[0]
    assertSame(bias.map(head => head[1][0]), slopes.map(m => Math.fround(-m)), `${heads} heads`)
  }
})

test('alibi: distances in both directions and with a past', () => {
  const far = gf.alibi(1, 3, 5, { past: 1 }).toArray()[0][0].map(row => row.map(v => -v * 2 ** 8))
  assertSame(far.flat(), [[1, 0, 1, 2, 3], [2, 1, 0, 1, 2], [3, 2, 1, 0, 1]].flat())
  const lastRows = gf.alibi(6, 7).toArray()[0].flatMap(head => head[6])
  assertSame(gf.alibi(6, 1, 7), { shape: [1, 6, 1, 7], data: lastRows })
  assert.deepEqual(gf.alibi(2, 0, 3).shape, [1, 2, 0, 3])
})

test('alibi: cells are explained', () => {
  const { trace } = gf.trace(() => gf.alibi(3, 4, 6, { past: 2 }))
  for (const at of [[0, 0, 0, 0], [0, 1, 3, 5], [0, 2, 1, 5]]) assert.equal(trace.explain('alibi', at).rounding, 0)
  trace.dispose()
})

test('relativePositionBuckets: PyTorch\'s, at every distance', () => {
  for (const { first, buckets, ...options } of golden.buckets) {
    const keys = buckets.length, found = plain(gf.relativePositionBuckets(1, keys, { ...options, past: -first }))
    assertSame(found, { shape: [1, keys], data: buckets }, JSON.stringify(options))
  }
})

test('relativePositionBias: a number for each bucket and head, and its gradient counts the uses', () => {
  const weight = gf.tensor(Float32Array.from(numbers([8, 3], 1).data), { shape: [8, 3], requiresGrad: true })
  const options = { bidirectional: false, maxDistance: 20 }, bias = F.relativePositionBias(weight, 5, 7, options)
  const buckets = gf.relativePositionBuckets(5, 7, { ...options, numBuckets: 8 }).toArray()
  for (let h = 0; h < 3; h++) for (let i = 0; i < 5; i++) for (let j = 0; j < 7; j++) {
    assert.equal(bias.at(0, h, i, j), weight.at(buckets[i][j], h))
  }
  const cot = numbers([1, 3, 5, 7], 2)
  bias.backward(toTensor(cot))
  const expected = Array.from({ length: 24 }, (_, n) => buckets.flat().reduce((sum, bucket, at) => (
    bucket === Math.floor(n / 3) ? sum + cot.data[(n % 3) * 35 + at] : sum), 0))
  assertClose(weight.grad, { shape: [8, 3], data: expected }, { tol: 1e-5 })
})

test('relativePositionBias as a mask: the table learns through attention', () => {
  const weight = gf.tensor(Float32Array.from(numbers([8, 2], 1).data), { shape: [8, 2], requiresGrad: true })
  const [q, k, v] = [1, 2, 3].map(seed => toTensor(numbers([1, 2, 4, 3], seed))),
    cot = toTensor(numbers([1, 2, 4, 3], 4))
  const attend = () => F.scaledDotProductAttention(q, k, v,
    { attnMask: F.relativePositionBias(weight, 4, 4, { maxDistance: 20 }) })
  const loss = () => plain(attend()).data.reduce((sum, y, i) => sum + y * cot.values[i], 0)
  attend().backward(cot)
  const slope = weight.grad.at(1, 1), before = weight.at(1, 1)
  weight.data[3] = before + 0.01
  const up = loss()
  weight.data[3] = before - 0.01
  assertClose(slope, (up - loss()) / 0.02, { tol: 1e-3 * (1 + Math.abs(slope)) })
  assert.ok(Math.abs(slope) > 1e-3)
})

test('rejects invalid arguments', () => {
  assertRejects(() => gf.alibi(0, 3), 'range', 'alibi', 'heads')
  assertRejects(() => gf.alibi(2, 3, 3, { slope: 1 }), 'type', 'slope')
  assertRejects(() => gf.relativePositionBuckets(3, 3, { numBuckets: 7 }), 'range', 'numBuckets')
  assertRejects(() => gf.relativePositionBuckets(3, 3, { maxDistance: 8 }), 'range', 'maxDistance')
  assertRejects(() => F.relativePositionBias(gf.rand([8]), 3, 3), 'shape', 'weight')
})

test('relativePositionBuckets: starts of many buckets are exact', () => {
  const start = process.cpuUsage()
  for (const [numBuckets, maxDistance] of [[1024, 65536], [1024, 2 ** 20], [256, 1000], [512, 513]]) {
    const k = numBuckets / 2, e = k, options = { numBuckets, maxDistance, bidirectional: false, past: 2999 }
    const found = gf.relativePositionBuckets(1, 3000, options).reshape(3000).toArray().reverse()
    for (let n = e; n < 3000; n += 7) {
      const j = found[n] - e, left = BigInt(n) ** BigInt(k)
      const reaches = i => i < k && left >= BigInt(maxDistance) ** BigInt(i) * BigInt(e) ** BigInt(k - i)
      assert.ok(reaches(j) && !reaches(j + 1), `${numBuckets} ${maxDistance} ${n} ${j}`)
    }
  }
  gf.relativePositionBuckets(1, 1, { numBuckets: 1024, maxDistance: 65536 })
  assert.ok(process.cpuUsage(start).user < 3e6)
})
