// The engine's random stream against PyTorch's: the very same values, no tolerance.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from './golden/index.js'
import { assertSame, plain } from './lib/compare.js'
import { assertRejects, gf } from './lib/engine.js'
import { assertSummary } from './lib/summary.js'
import { Generator } from '../src/reference/random.js'

const { seeds } = loadGolden('rng')

for (const entry of seeds) {
  const fresh = draw => {
    gf.manualSeed(entry.seed)
    return draw()
  }

  test(`seed ${entry.seed}: uniforms and normals`, () => {
    assertSame(
      fresh(() => gf.rand([20])),
      entry.rand_20,
      'rand'
    )
    assertSame(
      fresh(() => gf.rand([5], { dtype: 'float64' })),
      entry.rand_f64_5,
      'float64 rand'
    )
    for (const count of [5, 16, 17, 40])
      assertSame(
        fresh(() => gf.randn([count])),
        entry[`randn_${count}`],
        `randn ${count}`
      )
  })

  test(`seed ${entry.seed}: the second normal of a pair is saved for the next call`, () => {
    const { calls, values, then_rand } = entry.randn_sequence
    gf.manualSeed(entry.seed)
    calls.forEach((count, i) => assertSame(gf.randn([count]), values[i], `call ${i}`))
    assertSame(gf.rand([2]), then_rand, 'rand afterwards')
  })

  test(`seed ${entry.seed}: integers`, () => {
    for (const count of [10, 33])
      assertSame(
        fresh(() => gf.randperm(count)),
        entry[`randperm_${count}`],
        `randperm ${count}`
      )
    for (const { low, high, values } of entry.randint) {
      assertSame(
        fresh(() => gf.randint(low, high, values.shape)),
        values,
        `randint ${low} ${high}`
      )
    }
  })

  test(`seed ${entry.seed}: initial weights of Embedding and Linear`, () => {
    const { Embedding, Linear } = gf.nn
    for (const [rows, width] of [
      [13, 4],
      [14, 4],
      [5, 16]
    ]) {
      const { weight } = fresh(() => new Embedding(rows, width))
      assert.deepEqual(weight.shape, [rows, width])
      assertSummary(weight, entry[`embedding_${rows}x${width}`], `embedding ${rows} x ${width}`)
    }
    for (const [inputs, outputs] of [
      [16, 16],
      [7, 5]
    ]) {
      const { weight, bias } = fresh(() => new Linear(inputs, outputs))
      assert.deepEqual(weight.shape, [outputs, inputs])
      assertSummary(weight, entry[`linear_${inputs}_${outputs}.weight`], 'linear weight')
      assertSummary(bias, entry[`linear_${inputs}_${outputs}.bias`], 'linear bias')
    }
  })
}

test('randn has the shape asked for, filled in row-major order', () => {
  gf.manualSeed(9)
  const flat = plain(gf.randn([80]))
  gf.manualSeed(9)
  assertSame(gf.randn([2, 8, 5]), { shape: [2, 8, 5], data: flat.data })
})

test("long streams: the generator's state is updated many times", () => {
  const generator = new Generator(2024)
  gf.manualSeed(2024)
  assertSame(gf.rand([5000]), generator.rand(5000), 'rand')
  assertSame(gf.randn([4099]), generator.randn(4099), 'randn')
  assertSame(gf.randperm(1000), generator.randperm(1000), 'randperm')
  assertSame(gf.rand([1]), generator.rand(1), 'rand afterwards')
})

test("seeds: only the low 32 bits count, and a negative one is two's complement", () => {
  const first = seed => {
    gf.manualSeed(seed)
    return plain(gf.rand([4]))
  }
  assertSame(first(2 ** 32), first(0))
  assertSame(first(-1), first(2 ** 32 - 1))
  assertSame(first(2n ** 63n - 1n), first(2 ** 32 - 1))
  assert.notDeepEqual(first(1), first(2))
})

test('a new seed discards the saved normal', () => {
  gf.manualSeed(4)
  const expected = plain(gf.randn([2]))
  gf.manualSeed(4)
  gf.randn([1])
  gf.manualSeed(4)
  assertSame(gf.randn([2]), expected)
})

test('empty tensors use no random numbers', () => {
  gf.manualSeed(6)
  const expected = plain(gf.rand([1]))
  gf.manualSeed(6)
  for (const draw of [() => gf.rand([0]), () => gf.randn([3, 0]), () => gf.randint(0, 5, [0]), () => gf.randperm(0)]) {
    assert.equal(draw().numel(), 0)
  }
  assertSame(gf.rand([1]), expected)
})

test('two engines have separate streams', async () => {
  const { load } = await import('../src/js/index.js')
  const other = await load()
  gf.manualSeed(8)
  other.manualSeed(8)
  const expected = plain(gf.rand([3]))
  other.rand([3])
  gf.manualSeed(8)
  assertSame(gf.rand([3]), expected)
})

test('random functions reject invalid arguments', () => {
  assertRejects(() => gf.manualSeed('42'), 'type', 'manualSeed', 'seed', '42')
  assertRejects(() => gf.manualSeed(0.5), 'type', 'manualSeed', 'seed', '0.5')
  assertRejects(() => gf.rand('3'), 'type', 'rand', 'shape', '3')
  assertRejects(() => gf.randn([2, -1]), 'range', 'randn', 'shape', '-1')
  assertRejects(() => gf.randint(5, 5, [1]), 'range', 'randint', 'high', '5')
  assertRejects(() => gf.randint(0.5, 5, [1]), 'range', 'randint: low must be an integer below 2^53, got 0.5')
  assertRejects(() => gf.randint(0, 2 ** 53, [1]), 'range', 'randint: high must be an integer below 2^53')
  assertRejects(() => gf.randperm(-1), 'range', 'randperm', 'n', '-1')
})

test('randint is int32 if its numbers fit', () => {
  const cases = [[-(2 ** 31), 0, 'int32'], [0, 2 ** 31, 'int32'], [-(2 ** 31), 2 ** 31, 'int32'],
    [-(2 ** 31) - 1, 0, 'float64'], [0, 2 ** 31 + 1, 'float64']]
  for (const [low, high, dtype] of cases) {
    const drawn = gf.randint(low, high, [200])
    assert.equal(drawn.dtype, dtype, `${low} to ${high}`)
    assert.ok(drawn.toArray().every(v => v >= low && v < high && Number.isInteger(v)))
  }
  assert.deepEqual(gf.randint(5, 6, [3]).toArray(), [5, 5, 5])
  const floats = gf.randint(5, 6, [3], { dtype: 'float32' })
  assert.deepEqual([floats.dtype, floats.toArray()], ['float32', [5, 5, 5]])
  assertRejects(() => gf.randint(0, 2, [1], { dtype: 'long' }), 'range', 'randint: dtype', 'got "long"')
})

test('weights of multinomial must be finite and >= 0', () => {
  assert.deepEqual(gf.multinomial([0, 1, 0], 1).toArray(), [1])
  for (const wrong of [-1e-30, Infinity, NaN]) for (const at of [0, 1, 2]) {
    assert.throws(() => gf.multinomial([1, 1, 1].with(at, wrong), 1), { name: 'GlassformerError', code: 'range' })
  }
})

test('many samples without replacement start like few, and take no longer than sorting', () => {
  const C = 300, p = Array.from({ length: C }, (_, i) => i % 7 / 3)
  const drawn = n => {
    gf.manualSeed(11)
    return gf.multinomial(p, n).toArray()
  }
  const all = drawn(C)
  assert.deepEqual(all.toSorted((a, b) => a - b), Array.from(p.keys()), 'each class once')
  assert.deepEqual(all.slice(-43), Array.from(p.keys()).filter(c => p[c] === 0), 'those of weight 0 come last, in order')
  for (const n of [1, 2, 7, 8, 9, 10, 64, 257, 299]) assert.deepEqual(drawn(n), all.slice(0, n), `${n} draws`)
  const start = process.cpuUsage()
  gf.multinomial(gf.ones([40000]), 20000)
  assert.ok(process.cpuUsage(start).user < 5e5, 'it took 2.4 s')
})
