// Generators and their states: PyTorch's numbers and PyTorch's bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { loadGolden } from './golden/index.js'
import { assertClose, assertSame } from './lib/compare.js'
import { assertRejects, gf } from './lib/engine.js'

const { generators, states } = loadGolden('data')
const bytesOf = text => Uint8Array.from(Buffer.from(text, 'base64'))
/** Normals of Box-Muller differ in their last bits from machine to machine. */
const NORMAL = { tol: 1e-6 }

test("a Generator gives PyTorch's numbers, from its default seed and from another", () => {
  const generator = new gf.Generator()
  assertSame(gf.rand([3], { generator }), generators.default_rand)
  assert.equal(generator.manualSeed(2 ** 40 + 3), generator)
  assertSame(gf.rand([3], { generator }), generators.rand)
  assertSame(gf.rand([2], { generator, dtype: 'float64' }), generators.rand_f64)
  assertClose(gf.randn([5], { generator }), generators.randn, NORMAL)
  assertSame(gf.randint(-3, 9, [4], { generator }), generators.randint)
  assertSame(gf.randperm(6, { generator }), generators.randperm)
  assertClose(gf.normal([20], { mean: 1.5, std: 0.5, generator }), generators.normal, NORMAL)
  const p = [0.1, 0.2, 0.3, 0.4]
  assertSame(gf.bernoulli(p, { generator }), generators.bernoulli)
  assertSame(gf.multinomial(p, 6, { replacement: true, generator }), generators.multinomial)
})

test('a Generator does not change the stream of the engine and outlives a tidy', () => {
  gf.manualSeed(1)
  const expected = gf.rand([4]).toArray()
  gf.manualSeed(1)
  const generator = gf.tidy(() => [new gf.Generator()])[0], first = gf.rand([2]).toArray()
  gf.rand([5], { generator })
  assert.deepEqual([...first, ...gf.rand([2]).toArray()], expected)
  assert.ok(generator instanceof gf.Generator)
})

for (const { seed, bytes, rand, randn, randperm } of states) {
  test(`seed ${seed}: PyTorch's bytes give PyTorch's numbers and are written back`, () => {
    const state = bytesOf(bytes), generator = new gf.Generator()
    gf.setRngState(state)
    generator.setState(state)
    for (const options of [{}, { generator }]) {
      assertSame(gf.rand([3], options), rand)
      assertClose(gf.randn([3], options), randn, NORMAL)
      assertSame(gf.randperm(5, options), randperm)
    }
    gf.setRngState(state)
    // The seed is not part of our state; after seeding, the position may be 0 or the number of all words.
    const isOther = i => i < 8 || (i >= 16 && i < 24 && state[8] === 1)
    gf.getRngState().forEach((byte, i) => assert.ok(isOther(i) || byte === state[i], `byte ${i}: ${byte}, not ${state[i]}`))
  })
}

test('a state restores the numbers that followed, including dropout and the cached second normal', async () => {
  const sample = lib => [lib.randn([3]), lib.functional.dropout(lib.ones([20]), { p: 0.5, training: true }),
    lib.randn([17]), lib.randint(0, 9, [5])].map(t => t.toArray())
  gf.manualSeed(9)
  gf.randn([3])
  const state = gf.getRngState(), first = sample(gf), other = await load()
  other.setRngState(state)
  assert.deepEqual(sample(other), first)
  gf.setRngState(state)
  assert.deepEqual(sample(gf), first)
  const generator = new gf.Generator().setState(state), again = generator.getState()
  assert.deepEqual(again, state)
})

test('bytes that are no state give an error and change nothing', async () => {
  const state = gf.getRngState(), generator = new gf.Generator(), own = generator.getState()
  const changed = (at, value) => {
    const copy = state.slice()
    new DataView(copy.buffer).setInt32(at, value, true)
    return copy
  }
  for (const wrong of [undefined, null, [], 'state', state.slice(1), new Uint8Array(), { length: 5056 }, new Int32Array(5056)]) {
    assertRejects(() => gf.setRngState(wrong), 'type', 'setRngState', '5056')
    assertRejects(() => generator.setState(wrong), 'type', 'setState', '5056')
  }
  const noState = [new Uint8Array(5056), changed(8, 0), changed(8, 625), changed(8, -1), changed(12, 0),
    changed(16, 700), changed(5040, 2), changed(5028, 0x7ff00000)]
  for (const wrong of noState) {
    assertRejects(() => gf.setRngState(wrong), 'format', 'setRngState', 'torch.get_rng_state')
    assertRejects(() => generator.setState(wrong), 'format', 'setState')
  }
  assert.deepEqual([gf.getRngState(), generator.getState()], [state, own])
  const other = await load()
  for (const wrong of [3, {}, new other.Generator()]) {
    assertRejects(() => gf.rand([2], { generator: wrong }), 'type', 'rand: generator must be a gf.Generator')
  }
  assertRejects(() => gf.randperm(3, 7), 'type', 'randperm', 'generator')
  assertRejects(() => new gf.Generator(3), 'type', 'Generator')
  assertRejects(() => generator.manualSeed('x'), 'type', 'manualSeed', 'seed')
})
