// generate of models: greedy decoding takes the argmax of forward over all tokens so far, with and without a cache.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

const argmax = values => values.indexOf(Math.max(...values))
const model = async (type, config) => (await gf.models.load(filesOf(cases(type)[0], { config }))).model
const lastRow = ({ logits }) => logits.toArray()[0].at(-1)
const { ids: [row] } = cases('marian')[0].inputs

for (const type of ['gpt2', 'llama']) test(`${type}: continues with the most probable token`, async () => {
  const reader = await model(type), prompt = row.slice(0, 3), expected = []
  for (let i = 0; i < 4; i++) expected.push(
    gf.tidy(() => argmax(lastRow(gf.noGrad(() => reader.forward([[...prompt, ...expected]]))))))
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4 }), expected)
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4, temperature: 0, cache: false }), expected)
  assert.deepEqual(reader.generate([prompt, prompt], { maxNewTokens: 4 }), [expected, expected])
  assert.deepEqual(reader.generate(gf.tensor([prompt], { dtype: 'int32' }), { maxNewTokens: 4 }), [expected])
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4, end: expected[1] }),
    expected.slice(0, expected.indexOf(expected[1]) + 1))
  const tokens = []
  reader.generate(prompt, { maxNewTokens: 3, onToken: id => tokens.push(id) })
  assert.deepEqual(tokens, expected.slice(0, 3))
  const sample = seed => reader.generate(prompt, { maxNewTokens: 4, temperature: 2, topK: 8, seed })
  assert.deepEqual(sample(5), sample(5))
  assert.equal(reader.generate(prompt, { maxNewTokens: 4, beams: 3 }).length, 4)
})

for (const type of ['marian', 't5']) test(
  `${type}: generates the most probable tokens, and with beams a sequence that is no worse`, async () => {
    const reader = await model(type), sentence = row.slice(0, 5), start = reader.decoderStartTokenId, target = [start]
    for (let i = 0; i < 4; i++) gf.tidy(() => {
      const logits = lastRow(gf.noGrad(() => reader.forward([sentence], { decoderIds: [target] })))
      for (const id of reader.suppressedTokenIds) logits[id] = -Infinity
      target.push(argmax(logits))
    })
    const options = { maxNewTokens: 4, end: [] }, greedy = target.slice(1)
    assert.deepEqual(reader.generate(sentence, options), greedy)
    assert.deepEqual(reader.generate(sentence, { ...options, cache: false }), greedy)
    assert.deepEqual(reader.generate([sentence, sentence], options), [greedy, greedy])
    assert.deepEqual(await reader.generate(sentence, { ...options, signal: new AbortController().signal }), greedy)
    const beams = cache => reader.generate(sentence, { ...options, beams: 4, cache })
    assert.deepEqual(beams(true), beams(false))
    const score = ids => gf.tidy(() => {
      const logits = gf.noGrad(() => reader.forward([sentence], { decoderIds: [[start, ...ids.slice(0, -1)]] })).logits
      const logs = gf.functional.logSoftmax(logits).toArray()[0]
      return ids.reduce((sum, id, i) => sum + logs[i][id], 0)
    })
    assert.ok(score(beams(true)) >= score(greedy) - 1e-6, 'no worse than greedy')
  })

test('generation ends with the eos token of the configuration or at the maximum length', async () => {
  const reader = await model('gpt2'), prompt = row.slice(0, 3), free = reader.generate(prompt, { maxNewTokens: 100 })
  assert.equal(free.length, 6, '8 positions: 3 of the prompt and 5 new ones, then one more token, which needs none')
  assert.throws(() => reader.generate([1, 2, 3, 4, 5, 6, 7, 8, 9]), { code: 'range', message: /ids has 9 positions, but the model has at most 8/ })
  const ending = await model('gpt2', { eos_token_id: free[2] })
  assert.deepEqual(ending.generate(prompt, { maxNewTokens: 100 }), free.slice(0, free.indexOf(free[2]) + 1))
})

for (const name of ['gpt2', 't5']) test(`${name}: a clone generates the same tokens as its model`, async () => {
  const reader = await model(name), options = { maxNewTokens: 3, end: [] }
  assert.deepEqual(reader.clone().generate(row, options), reader.generate(row, options))
})

test('marian: suppressed tokens are not generated', async () => {
  const reader = await model('marian'), first = reader.generate(row, { maxNewTokens: 1, end: [] })
  const suppressing = await model('marian', { bad_words_ids: [first] })
  assert.notDeepEqual(suppressing.generate(row, { maxNewTokens: 1, end: [] }), first)
})

for (const type of ['gpt2', 'llama', 't5']) test(`${type}: invalid ids, seeds and options are refused by name`, async () => {
  const reader = await model(type), assertRefused = (ids, options, code, message) =>
    assert.throws(() => reader.generate(ids, options), { name: 'GlassformerError', code, message })
  assertRefused(gf.tensor([1, 2]), {}, 'type', /ids must be an int32 tensor.*got a float32 tensor \[2\]; to\('int32'\)/)
  assertRefused(gf.tensor([[1, 2]]), {}, 'type', /ids .* float32/)
  assertRefused(row, { topK: 2, seed: 'x' }, 'type', /seed must be an integer, got "x"/)
  assertRefused(row, { topK: 2, seed: 0.5 }, 'type', /seed must be an integer, got 0.5/)
  assertRefused(row, { topK: 2, seed: 2n ** 70n }, 'range', /seed must be from -2\^63 to 2\^64 - 1/)
  assertRefused(row, 50, 'type', /generate: options must be an object .*got 50; write { maxNewTokens: 50 }/)
  const sample = seed => reader.generate([[1, 2], [1, 2]], { topK: 3, seed, maxNewTokens: 3, end: [] })
  assert.deepEqual(sample(null).map(ids => ids.length), [3, 3])
  assert.deepEqual(sample(2n ** 64n - 1n), sample(-1))
})

test('marian: generation ends at the maximum length', async () => {
  const reader = await model('marian'), options = { maxNewTokens: 1e9, end: [] }, ids = reader.generate(row, options)
  assert.equal(ids.length, 8, '8 positions: the start and 7 new ones, then one more token, which needs none')
  assert.deepEqual(ids, reader.generate(row, { ...options, maxNewTokens: 8, cache: false }))
  assert.equal(reader.generate(row, { ...options, beams: 2 }).length, 8)
})

test('the maximum length applies to each prompt separately', async () => {
  const reader = await model('gpt2'), options = { maxNewTokens: 5, end: [] }, prompts = [[1, 2, 3, 4, 5, 6], [1]]
  assert.deepEqual(reader.generate(prompts, options), prompts.map(prompt => reader.generate(prompt, options)))
  assert.deepEqual(reader.generate(prompts, options).map(ids => ids.length), [3, 5])
})

test('several sources with a signal run one after the other, and none runs after an error', async () => {
  const reader = await model('t5'), steps = [], { signal } = new AbortController()
  const options = { maxNewTokens: 3, end: [], signal }, onToken = (_, { step }) => { steps.push(step) }
  const outputs = await reader.generate([row, row.slice(0, 3)], { ...options, onToken })
  assert.deepEqual(steps, [0, 1, 2, 0, 1, 2])
  assert.deepEqual(outputs, [row, row.slice(0, 3)].map(ids => reader.generate(ids, { maxNewTokens: 3, end: [] })))
  let calls = 0
  const failing = reader.generate([row, row], { ...options, onToken() { calls += 1; throw new Error('enough') } })
  await assert.rejects(failing, /enough/)
  await new Promise(resolve => { setTimeout(resolve, 50) })
  assert.equal(calls, 1)
})

test('generate leaks no tensors, even if it is aborted', async () => {
  const reader = await model('t5')
  reader.generate(row, { maxNewTokens: 3 })
  const count = gf.memory().tensors // includes the packed weights of noGrad
  reader.generate(row, { maxNewTokens: 3 })
  assert.equal(gf.memory().tensors, count)
  const stop = new AbortController()
  const pending = reader.generate(row, { maxNewTokens: 50, end: [], signal: stop.signal,
    onToken: () => stop.abort(new Error('enough')) })
  await assert.rejects(pending, /enough/)
  assert.equal(gf.memory().tensors, count)
  assert.throws(() => reader.generate(row, { tokens: 3 }), { code: 'type', message: /no option "tokens"/ })
  assert.equal(gf.memory().tensors, count)
})

test('an encoder refuses to generate; cache must be a Cache', async () => {
  const { model: reader } = await gf.models.load(filesOf(cases('bert')[0]))
  assert.throws(() => reader.generate([1]), { name: 'GlassformerError', code: 'state', message: /Bert: .* cannot generate/ })
  for (const type of ['gpt2', 'llama']) {
    const reader = await model(type)
    for (const cache of [{}, false, 0, '']) assert.throws(() => reader.forward([[1]], { cache }),
      { name: 'GlassformerError', code: 'type', message: /(GPT2|Llama): cache must be a gf.decoding.Cache/ })
    assert.equal(gf.noGrad(() => reader.forward([[1]], { cache: null })).logits.shape[1], 1)
  }
})

test('a long prompt is processed in chunks of 32 tokens with the same result', async () => {
  for (const [type, maxLength] of [['gpt2', 'n_positions'], ['llama', 'max_position_embeddings']]) {
    const [item] = cases(type), wide = { ...item, tensors: item.tensors.map(([key, shape, ...rest]) =>
      [key, key.includes('wpe') ? [200, shape[1]] : shape, ...rest]) }
    const { model: reader } = await gf.models.load(filesOf(wide, { config: { [maxLength]: 200 } }))
    const prompt = Array.from({ length: 150 }, (_, i) => i * 7 % 11), options = { maxNewTokens: 3, end: [] }
    const withoutCache = reader.generate(prompt, { ...options, cache: false })
    let longest = 0
    if ('h' in reader) reader.h[0].registerForwardHook((_, [x]) => { longest = Math.max(longest, x.shape[1]) })
    for (const length of [31, 32, 33, 64, 65, 150]) {
      const ids = reader.generate(prompt.slice(0, length), options)
      assert.deepEqual(ids, reader.generate(prompt.slice(0, length), { ...options, cache: false }), `${length} tokens`)
      if (length === 150) assert.deepEqual(ids, withoutCache)
    }
    longest = 0
    reader.generate(prompt, options)
    assert.ok(!('h' in reader) || longest === 32, `${longest} at a time`)
  }
})
