import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { beams, filterLogits, pick } from '../../src/reference/decoding.js'

const { nn, decoding } = gf, V = 11

/** A small causal language model. */
class Language extends nn.Module {
  constructor() {
    super()
    this.embedding = new nn.Embedding(V, 16)
    this.positions = new nn.PositionalEncoding(16, 0, 64)
    this.layers = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(16, 2, 24, 0), 2)
    this.output = new nn.Linear(16, V)
    this.inputLengths = []
  }

  forward(ids, { cache } = {}) {
    this.inputLengths.push(Array.isArray(ids) ? ids.map(row => row.length) : Array(ids.shape[0]).fill(ids.shape[1]))
    const x = this.positions.forward(this.embedding.forward(ids), { start: cache?.length ?? 0 })
    return this.output.forward(this.layers.forward(x, { isCausal: true, cache }))
  }
}
gf.manualSeed(4)
const model = new Language().eval()
for (const parameter of model.output.parameters()) parameter.data.forEach((v, i, all) => { all[i] = 6 * v })

/** The last row of logits, without a cache. */
const logitsOf = ids => gf.tidy(() => gf.noGrad(() => Array.from(model.forward([ids]).values.slice(-V))))
const logsOf = ids => gf.tidy(() => Array.from(gf.functional.logSoftmax(gf.tensor([logitsOf(ids)])).values))

/** Generates step by step with a function that chooses a token. */
function generateStepwise(prompt, count, choose) {
  const ids = []
  for (let step = 0; step < count; step++) ids.push(choose(logitsOf([...prompt, ...ids]), step))
  return ids
}
const argmax = row => row.indexOf(Math.max(...row))

test('greedy decoding generates the most probable tokens, with and without a cache', () => {
  const expected = generateStepwise([1, 2, 3], 20, argmax)
  for (const options of [{}, { cache: false }, { temperature: 0 }, { temperature: 0, topK: 5 }, { seed: 3 },
    { beams: 1 }]) {
    assert.deepEqual(gf.decoding.generate(model, [1, 2, 3], options), expected, JSON.stringify(options))
  }
  assert.ok(new Set(expected).size > 1, 'different tokens')
})

test('with a cache the model gets only new tokens', () => {
  model.inputLengths = []
  decoding.generate(model, [1, 2, 3], { maxNewTokens: 4 })
  assert.deepEqual(model.inputLengths, [[3], [1], [1], [1]])
  model.inputLengths = []
  decoding.generate(model, [1, 2, 3], { maxNewTokens: 4, cache: false })
  assert.deepEqual(model.inputLengths, [[3], [4], [5], [6]])
})

test('sampling with a seed uses torch\'s random numbers and leaves the engine\'s generator alone', () => {
  for (const options of [{ temperature: 1 }, { temperature: 0.7, topK: 4 }, { topP: 0.8 },
    { temperature: 1.5, topK: 6, topP: 0.9 }]) {
    gf.manualSeed(42)
    const randoms = Array.from(gf.rand([15]).values)
    gf.manualSeed(8)
    const before = gf.rand([1]).item()
    gf.manualSeed(8)
    const expected = generateStepwise([5], 15, (row, step) => pick(filterLogits(row, options), randoms[step]))
    for (const cache of [true, false]) {
      assert.deepEqual(decoding.generate(model, [5], { ...options, seed: 42, maxNewTokens: 15, cache }), expected,
        JSON.stringify(options))
    }
    assert.equal(gf.rand([1]).item(), before)
  }
})

test('sampling without a seed uses the engine\'s generator', () => {
  const sample = () => decoding.generate(model, [5], { temperature: 1, maxNewTokens: 15 })
  gf.manualSeed(42)
  const first = sample()
  assert.deepEqual(first, decoding.generate(model, [5], { temperature: 1, maxNewTokens: 15, seed: 42 }))
  assert.notDeepEqual(sample(), first)
})

test('each step has its candidates, its random number and its token', () => {
  const calls = []
  const { ids, steps } = decoding.decode(model, [5],
    { topK: 3, seed: 1, maxNewTokens: 6, onToken: (id, step) => calls.push([id, step]) })
  assert.deepEqual(calls, ids.map((id, i) => [id, steps[i]]))
  steps.forEach(({ step, id, candidates, random }, i) => {
    assert.equal(step, i)
    assert.equal(candidates.ids.length, 3)
    assert.equal(decoding.pick(candidates, random), id)
  })
})

test('beam search returns the result of an independent search, with and without a cache', () => {
  for (const width of [2, 3, 5, 20]) for (const end of [7, 99]) {
    const expected = beams(logsOf, [1, 2], width, 6, end)
    for (const cache of [true, false]) {
      const options = { beams: width, maxNewTokens: 6, end, cache, lengthPenalty: 0 }
      assert.deepEqual(decoding.generate(model, [1, 2], options), expected, JSON.stringify(options))
    }
  }
})

test('beam search returns the tree of all branches', () => {
  const { ids, tree, best } = decoding.decode(model, [1], { beams: 3, maxNewTokens: 4, end: 99 })
  assert.deepEqual(decoding.pathTo(tree, best), ids)
  for (let step = 0; step < 4; step++) assert.equal(
    tree.filter(branch => branch.step === step && branch.isKept).length, 3)
  for (const { parent, score, logProbability } of tree) {
    assert.equal(score, (tree[parent]?.score ?? 0) + logProbability)
    assert.ok(parent === -1 || tree[parent].isKept)
  }
  const unfinished = decoding.decode(model, [1], { beams: 2, maxNewTokens: 4, end: 99, lengthPenalty: 2 })
  assert.equal(unfinished.ids.length, 4)
})

test('an end token ends the generation and is its last id', () => {
  const free = decoding.generate(model, [1, 2, 3], { maxNewTokens: 10 }), end = free[3]
  assert.deepEqual(decoding.generate(model, [1, 2, 3], { maxNewTokens: 10, end }), free.slice(0, free.indexOf(end) + 1))
  assert.deepEqual(decoding.generate(model, [1, 2, 3], { maxNewTokens: 0 }), [])
  assert.deepEqual(decoding.generate(model, [1, 2, 3], { maxNewTokens: 0, beams: 2 }), [])
})

test('prompts and models may have every documented form; several prompts give several results', () => {
  const [first, second] = [[1, 2, 3], [4]].map(ids => decoding.generate(model, ids))
  assert.deepEqual(decoding.generate(model, Int32Array.of(1, 2, 3)), first)
  assert.deepEqual(decoding.generate(model, gf.tensor([4], { dtype: 'int32' })), second)
  assert.deepEqual(decoding.generate(model, [[1, 2, 3], [4]]), [first, second])
  assert.deepEqual(decoding.generate({ forward: (...args) => ({ logits: model.forward(...args) }) }, [4]), second)
  assert.deepEqual(decoding.generate((rows, cache) => model.forward(rows, { cache }), [4]), second)
})

test('stoppingCriteria is called after each token with the ids so far, and true ends the generation', async () => {
  for (const options of [{}, { cache: false }, { topK: 3, seed: 1 }]) {
    const full = decoding.generate(model, [1], options), calls = []
    const stoppingCriteria = ids => calls.push(ids) === 4
    assert.deepEqual(decoding.generate(model, [1], { ...options, stoppingCriteria }), full.slice(0, 4))
    assert.deepEqual(calls, [1, 2, 3, 4].map(count => full.slice(0, count)))
    const pending = decoding.generate(model, [1],
      { ...options, stoppingCriteria: ids => ids.length === 3, signal: new AbortController().signal })
    assert.deepEqual(await pending, full.slice(0, 3))
  }
  const calls = [], end = decoding.generate(model, [1])[2]
  decoding.generate(model, [1], { end, stoppingCriteria: ids => { calls.push(ids) } })
  assert.equal(calls.length, 2, 'it is not called after an end token')
})

test('stoppingCriteria gets the best ids so far in a beam search', () => {
  const calls = [], stoppingCriteria = ids => calls.push(ids) === 3
  const { ids, tree, best } = decoding.decode(model, [1, 2], { beams: 3, end: 99, stoppingCriteria })
  calls.forEach((best, t) => assert.deepEqual(best, beams(logsOf, [1, 2], 3, t + 1, 99)))
  assert.equal(calls.length, 3)
  assert.deepEqual(ids, calls[2])
  assert.deepEqual(decoding.pathTo(tree, best), ids)
})

test('with a signal the result is a promise, other tasks run between tokens, and abort rejects it', async () => {
  const ids = decoding.generate(model, [1])
  let timerCalls = 0
  const timer = setInterval(() => { timerCalls += 1 })
  assert.deepEqual(await decoding.generate(model, [1], { signal: new AbortController().signal }), ids)
  clearInterval(timer)
  assert.ok(timerCalls > 3, `${timerCalls} calls`)
  for (const stop of [controller => controller.abort(), controller => setTimeout(() => controller.abort(), 5)]) {
    const controller = new AbortController(), tokens = []
    const running = decoding.generate(model, [1],
      { maxNewTokens: 60, signal: controller.signal, onToken: id => tokens.push(id) })
    stop(controller)
    await assert.rejects(running, { name: 'AbortError' })
    assert.ok(tokens.length < 60)
  }
  const controller = new AbortController()
  const aborted = decoding.generate(model, [1],
    { signal: controller.signal, onToken: (_, { step }) => step === 2 && controller.abort() })
  await assert.rejects(aborted, { name: 'AbortError' })
})

test('with a signal an async onToken is awaited and its error ends the generation; without one it is refused', async () => {
  const { signal } = new AbortController(), before = gf.memory().tensors
  for (const beams of [1, 2]) {
    let pending = 0, calls = 0
    const onToken = async () => {
      calls += 1
      assert.equal(pending++, 0, 'the call before must have ended')
      await new Promise(resolve => { setTimeout(resolve, 2) })
      pending -= 1
    }
    const ids = await decoding.generate(model, [1], { beams, maxNewTokens: 4, signal, onToken })
    assert.deepEqual([calls, pending, ids], [4, 0, decoding.generate(model, [1], { beams, maxNewTokens: 4 })])
    calls = 0
    const failing = async () => { calls += 1; throw new Error('closed') }
    await assert.rejects(decoding.generate(model, [1], { beams, signal, onToken: failing }), /closed/)
    assertRejects(() => decoding.generate(model, [1], { beams, onToken: failing }), 'type', 'onToken', 'signal')
    assert.equal(calls, 2)
  }
  assert.equal(gf.memory().tensors, before)
})

test('no tensors leak, even after errors and abort', async () => {
  const count = () => gf.memory().tensors
  decoding.generate(model, [1], { temperature: 1, seed: 1 })
  const before = count()
  for (let n = 0; n < 5; n++) {
    decoding.generate(model, [1], { temperature: 1, seed: n })
    decoding.generate(model, [1], { beams: 4 })
    assert.throws(() => decoding.generate(model, [1], { onToken() { throw new Error('enough') } }), /enough/)
    const controller = new AbortController(), running = decoding.generate(model, [1], { signal: controller.signal })
    controller.abort()
    await assert.rejects(running)
  }
  assert.equal(count(), before)
})

test('in a very long generation the cache grows, and the ids are those of one forward pass', () => {
  const { positions } = model
  model.positions = new nn.PositionalEncoding(16, 0, 2600)
  const { bytes } = gf.memory(), usedBytes = []
  const ids = decoding.generate(model, [1, 2], { maxNewTokens: 1e9, stoppingCriteria: current => {
    usedBytes.push(gf.memory().bytes - bytes)
    return current.length === 2500
  } })
  const chosen = gf.tidy(() => gf.noGrad(() => (
    model.forward([[1, 2, ...ids.slice(0, -1)]]).argmax({ dim: 2 }).toArray()[0])))
  assert.deepEqual(ids, chosen.slice(1))
  // Two layers, keys and values of 16 channels, a capacity of at most twice the tokens.
  assert.ok(Math.max(...usedBytes) < 2 * 2 * 16 * 4 * 2 * 2600, `${Math.max(...usedBytes)} bytes`)
  assert.equal(gf.memory().bytes, bytes)
  model.positions = positions
})

test('generate refuses invalid arguments', () => {
  const reject = (code, args, ...rest) => assertRejects(() => decoding.generate(...args), code, 'generate', ...rest)
  reject('type', [model, gf.tensor([1, 2])], 'ids', 'int32', 'float32')
  reject('type', [model, Float32Array.of(1)], 'ids', 'Float32Array')
  reject('type', [model, [[1], Float64Array.of(1)]], 'ids', 'Float64Array')
  for (const topK of [undefined, 2]) {
    reject('range', [model, [1], { topK, seed: 2n ** 70n }], 'seed', '2^64 - 1', '1180591620717411303424n')
    reject('range', [model, [1], { topK, seed: 2 ** 60 }], 'seed', 'bigint')
    reject('type', [model, [1], { topK, seed: 1.5 }], 'seed', '1.5')
  }
  reject('type', [3, [1]], 'model')
  reject('type', [model, 'abc'], 'ids')
  reject('shape', [model, []], 'ids')
  reject('range', [model, [1.5]], 'ids[0]')
  reject('range', [model, [1], { beams: 0 }], 'beams')
  reject('range', [model, [1], { beams: 2, topK: 3 }], 'beams')
  reject('range', [model, [1], { topP: 2 }], 'topP')
  reject('type', [model, [1], { seed: 'x', topK: 1 }], 'seed')
  reject('type', [model, [1], { seed: 'x' }], 'seed')
  reject('type', [model, [1], { max_new_tokens: 3 }], 'max_new_tokens')
  reject('type', [model, [1], { onToken: 3 }], 'onToken')
  reject('type', [model, [1], { stoppingCriteria: [] }], 'stoppingCriteria')
  reject('type', [model, [1], { stoppingCriteria: async () => false }], 'true or false')
  reject('type', [model, [1], { signal: { aborted: false } }], 'AbortSignal')
  reject('type', [model, [1, [2]]], 'ids beside arrays')
  reject('type', [model, [1], { signal: 3 }], 'signal')
  reject('shape', [() => gf.rand([2, 2]), [1]], 'logits')
})

test('hundreds of beams do not overflow the stack', () => {
  const zeros = rows => gf.zeros([rows.length, 1, 500])
  assert.equal(gf.decoding.generate(zeros, [0], { beams: 400, maxNewTokens: 2, cache: false }).length, 2)
})

/** A module that calls the language model from a forward with other parameters or results. */
const wrap = forward => {
  class Wrapped extends nn.Module {}
  Wrapped.prototype.forward = forward
  return new Wrapped()
}

test('forward gets an int32 tensor [B, T]; nanoGPT\'s forward with optional targets works as it stands', () => {
  class NanoGPT extends nn.Module {
    forward(idx, targets = null) {
      const [B, T] = idx.shape
      assert.equal(idx.dtype, 'int32')
      assert.ok(B === 1 || B === 3)
      assert.equal(targets, null)
      const logits = model.forward(idx)
      return [logits.narrow(1, T - 1, 1), null]
    }
  }
  for (const options of [{}, { beams: 3 }]) {
    assert.deepEqual(decoding.generate(new NanoGPT(), [1, 2, 3], options), decoding.generate(model, [1, 2, 3], options))
  }
})

test('forward may return logits, an array that starts with them, or an object with logits', () => {
  const expected = decoding.generate(model, [1, 2])
  for (const output of [logits => logits, logits => [logits, gf.zeros([])], logits => ({ logits, hidden: null })]) {
    assert.deepEqual(decoding.generate(wrap(ids => output(model.forward(ids))), [1, 2]), expected)
  }
  for (const output of [null, 3, [], {}, [[1]], Promise.resolve()]) {
    assertRejects(() => decoding.generate(wrap(() => output), [1]), 'type', 'forward of Wrapped must return logits [1, T, V]',
      'an array that starts with them', 'an object with logits')
  }
  assertRejects(() => decoding.generate(wrap(() => gf.zeros([3, V])), [1]), 'shape', 'logits [1, T, V]', '[3, 11]')
})

test('forward gets { cache } where its second parameter takes one, and nothing else in its place', () => {
  const expected = decoding.generate(model, [1, 2, 3], { maxNewTokens: 3 })
  const check = (forward, isCached) => {
    model.inputLengths = []
    assert.deepEqual(decoding.generate(wrap(forward), [1, 2, 3], { maxNewTokens: 3 }), expected, String(forward))
    assert.deepEqual(model.inputLengths, isCached ? [[3], [1], [1]] : [[3], [4], [5]], String(forward))
  }
  const none = { mask: null }
  check((ids, { cache } = {}) => model.forward(ids, { cache }), true)
  check((ids, { start = none, cache: kv } = {}) => model.forward(ids, { cache: kv, start }), true)
  check((ids, { ...rest }) => model.forward(ids, rest), true)
  check((ids, options) => model.forward(ids, options), true)
  check((ids, o = {}) => model.forward(ids, { cache: o.cache }), true)
  check((ids, o) => { const { cache } = o ?? {}; return model.forward(ids, { cache }) }, true)
  check((...inputs) => model.forward(...inputs), true)
  check(function (ids, targets /* or { cache } */) {
    return assert.equal(targets, undefined) ?? model.forward(ids)
  }, false)
  check((ids, targets = [null, { cache: 1 }]) => assert.equal(targets.length, 2) ?? model.forward(ids), false)
  check((ids, { mask } = none) => assert.equal(mask, null) ?? model.forward(ids), false)
  check((ids, $mask, { cache } = {}) => assert.equal($mask, undefined) ?? model.forward(ids, { cache }), false)
  check(ids => model.forward(ids), false)
})

test('an error of forward passes unchanged, and a forward that expects rows reads what to write', () => {
  assert.throws(() => decoding.generate({ forward() { throw new RangeError('mine') } }, [4]), { name: 'RangeError', message: 'mine' })
  assertRejects(() => decoding.generate(wrap(rows => gf.zeros([rows.length, 1, 3])), [4]), 'type', 'x.shape[0] for the rows')
})
