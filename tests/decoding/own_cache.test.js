// Models that implement attention themselves store their keys and values in the cache of generate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'

const gf = await load(), F = gf.functional, { nn, decoding } = gf
const V = 11, C = 8, T = 24

/** nanoGPT's head, with a cache. */
class Head extends nn.Module {
  constructor(size) {
    super()
    for (const name of ['key', 'query', 'value']) this[name] = new nn.Linear(C, size, { bias: false })
    this.registerBuffer('tril', gf.ones([T, T]).tril())
  }

  forward(x, { cache } = {}) {
    let k = this.key(x), v = this.value(x)
    const q = this.query(x), count = x.shape[1]
    if (cache) [k, v] = cache.update(this, k, v)
    const all = k.shape[1], mask = this.tril.narrow(0, all - count, count).narrow(1, 0, all).eq(0)
    const scores = q.matmul(k.transpose(-2, -1)).mul(k.shape[2] ** -0.5)
    return F.softmax(scores.maskedFill(mask, -Infinity), -1).matmul(v)
  }
}

class GPT extends nn.Module {
  lengths = []
  constructor() {
    super()
    this.tokens = new nn.Embedding(V, C)
    this.positions = new nn.Embedding(T, C)
    this.heads = new nn.ModuleList([new Head(4), new Head(4)])
    this.last = new Head(C)
    this.out = new nn.Linear(C, V)
  }

  forward(ids, { cache } = {}) {
    const [, count] = ids.shape, past = cache?.length ?? 0
    this.lengths.push(count)
    const x = this.tokens(ids).add(this.positions(gf.arange(past, past + count)))
    const hidden = x.add(gf.cat([...this.heads].map(head => head(x, { cache })), -1))
    // The same module is called twice: the cache stores separate keys and values for each call.
    return [this.out(this.last(this.last(hidden, { cache }), { cache })), null]
  }
}

gf.manualSeed(8)
const model = new GPT().eval()

for (const options of [
  {}, { temperature: 0.8, topK: 5, seed: 2 }, { beams: 3 }, { beams: 2, lengthPenalty: 1, end: 4 }
]) {
  test(`a GPT with its own attention gives the same ids with and without a cache: ${JSON.stringify(options)}`, () => {
    for (const prompt of [[1], [1, 2, 3, 4], [[5, 6], [7, 8, 9]]]) {
      const generate = cache => decoding.generate(model, prompt, { ...options, maxNewTokens: 12, cache })
      assert.deepEqual(generate(true), generate(false))
    }
  })
}

test('with a cache its forward gets only new tokens, and nothing is left in memory', () => {
  decoding.generate(model, [1, 2, 3], { maxNewTokens: 4 })
  const { tensors, bytes } = gf.memory()
  model.lengths = []
  decoding.generate(model, [1, 2, 3], { maxNewTokens: 4 })
  assert.deepEqual(model.lengths, [3, 1, 1, 1])
  assert.deepEqual([gf.memory().tensors, gf.memory().bytes], [tensors, bytes])
})

test('a pass in parts gives the logits of one pass; truncate takes tokens back', () => {
  gf.noGrad(() => {
    const ids = gf.tensor([[1, 2, 3, 4, 5]], { dtype: 'int32' }), [whole] = model(ids), cache = new decoding.Cache(8)
    const part = (from, count) => model(ids.narrow(1, from, count), { cache })[0]
    const assertCloseToWhole = (logits, from, count) => assert.ok(gf.allclose(logits, whole.narrow(1, from, count)))
    assertCloseToWhole(part(0, 3), 0, 3)
    assertCloseToWhole(part(3, 2), 3, 2)
    assert.equal(cache.length, 5)
    cache.truncate(2)
    assertCloseToWhole(part(2, 3), 2, 3)
    cache.truncate(4)
    const failing = model.out.registerForwardHook(() => { throw new Error('on purpose') })
    assert.throws(() => part(4, 1), /on purpose/)
    failing.remove()
    assert.equal(cache.length, 4, 'a pass that fails leaves nothing in the cache')
    assertCloseToWhole(part(4, 1), 4, 1)
    cache.select([0, 0])
    assert.equal(model(ids.narrow(1, 0, 1).expand(2, 1), { cache })[0].shape[0], 2)
    cache.dispose()
    assert.equal(cache.length, 0)
  })
})

test('update rejects what it cannot store', () => {
  const cache = new decoding.Cache(8), [head] = model.heads, x = gf.ones([1, 2, 4])
  const assertRejected = (work, code, message) => assert.throws(work, { code, message })
  assertRejected(() => cache.update(x, x), 'type', /const \[k, v\] = cache\.update\(this, k, v\)/)
  assertRejected(() => cache.update(head), 'type', /takes a module and its tensors/)
  assertRejected(() => cache.update(head, [1, 2]), 'type', /got an array of 2 as tensor 0/)
  assertRejected(() => cache.update(head, gf.ones([1, 2, 4], { requiresGrad: true })), 'state', /keeps no gradients/)
  assertRejected(() => cache.update(head, x, gf.ones([1, 3, 4])), 'shape', /same number of tokens, got \[1, 2, 4\] and \[1, 3, 4\]/)
  cache.update(head, x, x)
  assertRejected(() => cache.update(head, x), 'shape', /expected 2 tensors as in the first call, got 1/)
  assertRejected(() => cache.update(head, gf.ones([1, 2, 5]), x), 'shape', /./)
  const attention = new nn.MultiheadAttention(4, 2)
  gf.noGrad(() => attention(x, x, x, { cache }))
  assertRejected(() => cache.update(attention, x), 'state', /MultiheadAttention stores its keys itself/)
})

test('values of a traced pass with a cache can be explained', () => {
  const cache = new decoding.Cache(8), step = id => gf.tensor([[id]], { dtype: 'int32' })
  gf.noGrad(() => {
    model(step(1), { cache })
    const { output, trace } = gf.trace(() => model(step(2), { cache }), { modules: { model } })
    assert.ok(trace.names.some(name => trace.explain(name, trace.get(name).shape.map(() => 0)).formula))
    assert.deepEqual(output[0].shape, [1, 1, V])
    trace.dispose()
  })
  cache.dispose()
})
