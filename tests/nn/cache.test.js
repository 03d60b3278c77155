// Keys and values of earlier passes: with them the same bits as without, and no more memory than was taken at first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { nn } = gf, { Cache } = gf.decoding
const quiet = fn => gf.tidy(() => gf.noGrad(fn))

/** Columns from..to of x [B, T, C]. */
const part = (x, from, to) => gf.tensor(x.toArray().map(rows => rows.slice(from, to)))

/** A pass over each piece of x, put together again. */
function inPieces(x, cuts, forward) {
  const ends = [...cuts, x.shape[1]]
  const pieces = ends.map((end, n) => forward(part(x, n ? ends[n - 1] : 0, end)).toArray())
  return gf.tensor(pieces[0].map((_, b) => pieces.flatMap(piece => piece[b])))
}

gf.manualSeed(3)
const attention = new nn.MultiheadAttention(24, 3).eval()
const encoder = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(16, 4, 24, 0), 2).eval()
const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(16, 2, 24, 0, { normFirst: true }), 3).eval()
const cuts = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [5], [1, 9], [8, 9, 10]]

test('MultiheadAttention: decoding token by token or in parts gives the bits of one causal pass', () => quiet(() => {
  const x = gf.randn([2, 11, 24]), options = { isCausal: true, averageAttnWeights: false }
  for (const window of [undefined, 4]) {
    const whole = plain(attention.forward(x, x, x, { ...options, window })[0])
    for (const cut of cuts) {
      const cache = new Cache(11)
      assertSame(inPieces(x, cut, y => attention.forward(y, y, y, { ...options, window, cache })[0]), whole)
      assert.equal(cache.length, 11)
      cache.dispose()
    }
  }
}))

test('MultiheadAttention with a window: decoding token by token gives the bits of one pass', () => quiet(() => {
  const x = gf.randn([2, 50, 24]), options = { isCausal: true, window: 7, needWeights: false }
  const whole = plain(attention.forward(x, x, x, options)[0])
  for (const cut of [Array.from({ length: 49 }, (_, i) => i + 1), [30], [13, 41]]) {
    const cache = new Cache(50)
    assertSame(inPieces(x, cut, y => attention.forward(y, y, y, { ...options, cache })[0]), whole)
    cache.dispose()
  }
}))

test('both stacks: decoding with a cache gives the bits of one causal pass', () => quiet(() => {
  const x = gf.randn([2, 11, 16]), memory = gf.randn([2, 5, 16])
  const padding = [[false, false, false, false, true], [false, true, false, false, false]]
  const encode = (y, cache) => encoder.forward(y, { isCausal: true, cache })
  const decode = (y, cache) =>
    decoder.forward(y, memory, { tgtIsCausal: true, memoryKeyPaddingMask: padding, cache })
  for (const forward of [encode, decode]) {
    const whole = plain(forward(x))
    for (const cut of cuts) {
      const cache = new Cache(11)
      assertSame(inPieces(x, cut, y => forward(y, cache)), whole)
      cache.dispose()
    }
  }
}))

/** Passes with a cache that is given more room in between. */
const widening = () => quiet(() => {
  const x = gf.randn([2, 11, 16]), memory = gf.randn([2, 5, 16])
  const whole = plain(decoder.forward(x, memory, { tgtIsCausal: true }))
  const cache = new Cache(2), widened = inPieces(x, [1, 2, 3, 7, 10], piece => {
    if (cache.length + piece.shape[1] > cache.capacity) cache.reserve(2 * cache.length + piece.shape[1])
    return decoder.forward(piece, memory, { tgtIsCausal: true, cache })
  })
  assertSame(widened, whole)
  cache.dispose()
})
test('a cache whose capacity grows gives the same bits and frees the old memory', () => {
  widening()
  const { bytes } = gf.memory()
  widening()
  assert.equal(gf.memory().bytes, bytes)
})

test('a trace of a pass with a cache has the same bits and explains every key', () => quiet(() => {
  const x = gf.randn([1, 4, 16]), cache = new Cache(8)
  const whole = plain(encoder.forward(x, { isCausal: true }))
  encoder.forward(part(x, 0, 3), { isCausal: true, cache })
  const { output, trace } = gf.trace(() => encoder.forward(part(x, 3, 4), { isCausal: true, cache }))
  assertSame(plain(output).data, whole.data.slice(-16))
  const at = 'layers.1.self_attn'
  assert.deepEqual(trace.get(`${at}.dots`).shape, [1, 4, 1, 4])
  assert.equal(trace.explain(`${at}.dots`, [0, 2, 0, 1]).rounding, 0)
  const [old, fresh] = [1, 3].map(t => trace.explain(`${at}.cached_k`, [0, t, 5]))
  assert.equal(old.formula, 'out = cache')
  assert.deepEqual(fresh.sources, [{ name: `${at}.k`, index: [0, 0, 5] }])
  for (const { rounding } of [old, fresh]) assert.equal(rounding, 0)
  trace.dispose()
  cache.dispose()
}))

test('a cache allocates its memory at the first pass', () => quiet(() => {
  const cache = new Cache(512), step = () =>
    gf.tidy(() => { encoder.forward(gf.randn([1, 1, 16]), { isCausal: true, cache }) })
  step()
  const { size } = gf.engine.memory
  for (let t = 1; t < 512; t++) step()
  assert.equal(gf.engine.memory.size, size)
  assertRejects(step, 'range', 'cache', '512', '1 more')
  cache.dispose()
}))

test('truncate and select: rows continue from the selected ones', () => quiet(() => {
  const x = gf.randn([2, 6, 16]), memory = gf.randn([2, 3, 16]), cache = new Cache(6)
  const forward = (y, m, given) => decoder.forward(y, m, { tgtIsCausal: true, cache: given })
  const whole = forward(x, memory).toArray()
  forward(part(x, 0, 4), memory, cache)
  forward(gf.randn([2, 2, 16]), memory, cache)
  cache.truncate(4)
  assert.equal(cache.length, 4)
  cache.select([1, 0, 1])
  const [rows, memories] = [part(x, 4, 6), memory].map(t => gf.tensor([1, 0, 1].map(b => t.toArray()[b])))
  const [first, second, third] = forward(rows, memories, cache).toArray()
  for (const [found, b] of [[first, 1], [second, 0], [third, 1]]) assert.deepEqual(found, whole[b].slice(4))
  cache.dispose()
}))

test('a cache rejects invalid uses', () => {
  const x = gf.randn([1, 2, 24])
  const forward = (given, cache) => attention.forward(given, given, given, { isCausal: true, cache })
  assertRejects(() => forward(x, new Cache(4)), 'state', 'MultiheadAttention', 'cache', 'noGrad')
  assertRejects(() => forward(x, {}), 'type', 'cache', 'gf.decoding.Cache')
  assertRejects(() => new Cache(0), 'range', 'Cache', 'capacity')
  quiet(() => {
    const cache = new Cache(4)
    forward(x, cache)
    assertRejects(() => forward(gf.randn([2, 1, 24]), cache), 'shape', 'cache', '[1, 3, 8, 8]', '[2, 3, 8, 8]')
    const memories = new Cache(4), [short, long] = [gf.randn([1, 3, 24]), gf.randn([1, 5, 24])]
    attention.forward(x, short, short, { cache: memories })
    assertRejects(() => attention.forward(x, long, long, { cache: memories }), 'shape', 'memory', '3', '5')
    assertRejects(() => cache.truncate(3), 'range', 'length')
  })
})

test('a failing pass restores the cache in all layers', () => quiet(() => {
  const x = gf.randn([1, 3, 24]), whole = plain(attention.forward(x, x, x, { isCausal: true })[0])
  for (const wrong of [{ keyPaddingMask: [[false]] }, { attnMask: [[0]] }, { isCausal: 1 }, { window: 0 }]) {
    const cache = new Cache(8), go = (y, more) => attention.forward(y, y, y, { isCausal: true, cache, ...more })[0]
    assert.throws(() => go(part(x, 0, 2), wrong), { name: 'GlassformerError' })
    assert.equal(cache.length, 0)
    const first = go(part(x, 0, 2)).toArray()[0]
    assert.throws(() => go(part(x, 2, 3), wrong), { name: 'GlassformerError' })
    assert.equal(cache.length, 2)
    assertSame(gf.tensor([[...first, ...go(part(x, 2, 3)).toArray()[0]]]), whole)
    cache.dispose()
  }
  const y = gf.randn([1, 4, 16]), all = plain(encoder.forward(y, { isCausal: true })), cache = new Cache(8)
  const go = piece => encoder.forward(piece, { isCausal: true, cache })
  const first = go(part(y, 0, 3)).toArray()[0]
  const hook = encoder.layers.at(1).registerForwardHook(() => { throw new Error('the second layer') })
  assert.throws(() => go(part(y, 3, 4)), /the second layer/)
  hook.remove()
  assertSame(gf.tensor([[...first, ...go(part(y, 3, 4)).toArray()[0]]]), all)
  cache.dispose()
}))

test('a layer in two places of a model has a cache entry for each', () => {
  class Tied extends nn.Module {
    embedding = new nn.Embedding(11, 16)
    layers = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(16, 2, 24, 0), 3)
    constructor() {
      super()
      this.layers.layers[2] = this.layers.layers[0]
    }

    forward(ids, { cache } = {}) {
      const x = this.layers.forward(this.embedding.forward(ids), { isCausal: true, cache })
      return x.matmul(this.embedding.weight.transpose(0, 1))
    }
  }
  const model = new Tied().eval()
  quiet(() => {
    const x = gf.randn([2, 11, 16]), whole = plain(model.layers.forward(x, { isCausal: true })), cache = new Cache(11)
    assertSame(inPieces(x, [1, 2, 7], y => model.layers.forward(y, { isCausal: true, cache })), whole)
    assert.equal(cache.length, 11)
    cache.dispose()
  })
  for (const settings of [{}, { beams: 3 }]) {
    const answer = cache => gf.decoding.generate(model, [1, 2, 3], { maxNewTokens: 6, cache, ...settings }).ids
    assert.deepEqual(answer(true), answer(false))
  }
  model.dispose()
})

test('select rejects rows outside the batch', () => quiet(() => {
  const cache = new Cache(8), x = gf.randn([2, 3, 24])
  attention.forward(x, x, x, { cache })
  for (const row of [2, -1, 0.5, NaN]) assertRejects(() => cache.select([0, row]), 'range', 'from[1]', `${row}`)
  assertRejects(() => cache.select(['1']), 'type', 'from[0]', '1')
  for (const from of [null, undefined, 'a', []]) assertRejects(() => cache.select(from), 'type', 'from', 'list of rows')
  const y = gf.randn([1, 1, 24])
  cache.select([1])
  assert.equal(attention.forward(y, y, y, { cache })[1].shape[2], 4)
  cache.dispose()
}))
