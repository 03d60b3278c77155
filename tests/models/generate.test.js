// generate: greedy decoding is the argmax of forward over all tokens so far, with and without a cache.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

const argmax = values => values.indexOf(Math.max(...values))
const model = async (type, config) => (await gf.models.load(filesOf(cases(type)[0], { config }))).model
const lastRow = ({ logits }) => logits.toArray()[0].at(-1)
const { ids: [row] } = cases('marian')[0].inputs

for (const type of ['gpt2', 'llama']) test(`${type}: continues with the most probable token`, async () => {
  const reader = await model(type), prompt = row.slice(0, 3), answer = []
  for (let i = 0; i < 4; i++) answer.push(
    gf.tidy(() => argmax(lastRow(gf.noGrad(() => reader.forward([[...prompt, ...answer]]))))))
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4 }), answer)
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4, temperature: 0, cache: false }), answer)
  assert.deepEqual(reader.generate([prompt, prompt], { maxNewTokens: 4 }), [answer, answer])
  assert.deepEqual(reader.generate(gf.tensor([prompt], { dtype: 'int32' }), { maxNewTokens: 4 }), [answer])
  assert.deepEqual(reader.generate(prompt, { maxNewTokens: 4, end: answer[1] }),
    answer.slice(0, answer.indexOf(answer[1]) + 1))
  const told = []
  reader.generate(prompt, { maxNewTokens: 3, onToken: id => told.push(id) })
  assert.deepEqual(told, answer.slice(0, 3))
  const drawn = seed => reader.generate(prompt, { maxNewTokens: 4, temperature: 2, topK: 8, seed })
  assert.deepEqual(drawn(5), drawn(5))
  assert.equal(reader.generate(prompt, { maxNewTokens: 4, beams: 3 }).length, 4)
})

for (const type of ['marian', 't5']) test(
  `${type}: answers with the most probable token, and by beams with the best answer`, async () => {
    const reader = await model(type), sentence = row.slice(0, 5), start = reader.decoderStartTokenId, answer = [start],
      never = reader.suppressedTokenIds
    for (let i = 0; i < 4; i++) gf.tidy(() => {
      const logits = lastRow(gf.noGrad(() => reader.forward([sentence], { decoderIds: [answer] })))
      for (const id of never) logits[id] = -Infinity
      answer.push(argmax(logits))
    })
    const options = { maxNewTokens: 4, end: [] }, greedy = answer.slice(1)
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
  const open = await model('gpt2'), prompt = row.slice(0, 3), free = open.generate(prompt, { maxNewTokens: 100 })
  assert.equal(free.length, 6, '8 places: 3 of the prompt, 5 of the answer, and what comes after the last')
  assert.throws(() => open.generate([1, 2, 3, 4, 5, 6, 7, 8, 9]), { code: 'range', message: /ids has 9 positions, but the model has at most 8/ })
  const ending = await model('gpt2', { eos_token_id: free[2] })
  assert.deepEqual(ending.generate(prompt, { maxNewTokens: 100 }), free.slice(0, free.indexOf(free[2]) + 1))
})

for (const name of ['gpt2', 't5']) test(`${name}: a clone generates the same tokens as its model`, async () => {
  const open = await model(name), options = { maxNewTokens: 3, end: [] }
  assert.deepEqual(open.clone().generate(row, options), open.generate(row, options))
})

test('marian: suppressed tokens are not generated', async () => {
  const open = await model('marian'), first = open.generate(row, { maxNewTokens: 1, end: [] })
  const barred = await model('marian', { bad_words_ids: [first] })
  assert.notDeepEqual(barred.generate(row, { maxNewTokens: 1, end: [] }), first)
})

for (const type of ['gpt2', 'llama', 't5']) test(`${type}: invalid ids, seeds and options are refused by name`, async () => {
  const reader = await model(type), refused = (ids, options, code, message) =>
    assert.throws(() => reader.generate(ids, options), { name: 'GlassformerError', code, message })
  refused(gf.tensor([1, 2]), {}, 'type', /ids must be an int32 tensor.*got a float32 tensor \[2\]; to\('int32'\)/)
  refused(gf.tensor([[1, 2]]), {}, 'type', /ids .* float32/)
  refused(row, { topK: 2, seed: 'x' }, 'type', /seed must be an integer, got "x"/)
  refused(row, { topK: 2, seed: 0.5 }, 'type', /seed must be an integer, got 0.5/)
  refused(row, { topK: 2, seed: 2n ** 70n }, 'range', /seed must be from -2\^63 to 2\^64 - 1/)
  refused(row, 50, 'type', /generate: options must be an object .*got 50; write { maxNewTokens: 50 }/)
  const drawn = seed => reader.generate([[1, 2], [1, 2]], { topK: 3, seed, maxNewTokens: 3, end: [] })
  assert.deepEqual(drawn(null).map(ids => ids.length), [3, 3])
  assert.deepEqual(drawn(2n ** 64n - 1n), drawn(-1))
})

test('marian: generation ends at the maximum length', async () => {
  const reader = await model('marian'), options = { maxNewTokens: 1e9, end: [] }, answer = reader.generate(row, options)
  assert.equal(answer.length, 8, '8 places: the start, 7 of the answer, and what comes after the last')
  assert.deepEqual(answer, reader.generate(row, { ...options, maxNewTokens: 8, cache: false }))
  assert.equal(reader.generate(row, { ...options, beams: 2 }).length, 8)
})

test('the maximum length counts for each prompt by itself', async () => {
  const reader = await model('gpt2'), options = { maxNewTokens: 5, end: [] }, prompts = [[1, 2, 3, 4, 5, 6], [1]]
  assert.deepEqual(reader.generate(prompts, options), prompts.map(prompt => reader.generate(prompt, options)))
  assert.deepEqual(reader.generate(prompts, options).map(ids => ids.length), [3, 5])
})

test('several sources with a signal run one after the other, and none runs after an error', async () => {
  const reader = await model('t5'), told = [], { signal } = new AbortController()
  const options = { maxNewTokens: 3, end: [], signal }, onToken = (_, { step }) => { told.push(step) }
  const answers = await reader.generate([row, row.slice(0, 3)], { ...options, onToken })
  assert.deepEqual(told, [0, 1, 2, 0, 1, 2])
  assert.deepEqual(answers, [row, row.slice(0, 3)].map(ids => reader.generate(ids, { maxNewTokens: 3, end: [] })))
  let calls = 0
  const failing = reader.generate([row, row], { ...options, onToken() { calls += 1; throw new Error('enough') } })
  await assert.rejects(failing, /enough/)
  await new Promise(resolve => { setTimeout(resolve, 50) })
  assert.equal(calls, 1)
})

test('generate leaves no tensor in memory, even when it is aborted', async () => {
  const reader = await model('t5')
  reader.generate(row, { maxNewTokens: 3 })
  const held = gf.memory().tensors // what noGrad packed of the weights is among them
  reader.generate(row, { maxNewTokens: 3 })
  assert.equal(gf.memory().tensors, held)
  const stop = new AbortController()
  const answer = reader.generate(row, { maxNewTokens: 50, end: [], signal: stop.signal,
    onToken: () => stop.abort(new Error('enough')) })
  await assert.rejects(answer, /enough/)
  assert.equal(gf.memory().tensors, held)
  assert.throws(() => reader.generate(row, { tokens: 3 }), { code: 'type', message: /no option "tokens"/ })
  assert.equal(gf.memory().tensors, held)
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

test('a long prompt is processed in chunks: the same tokens, with little memory beside the weights', async () => {
  for (const [type, places] of [['gpt2', 'n_positions'], ['llama', 'max_position_embeddings']]) {
    const [item] = cases(type), wide = { ...item, tensors: item.tensors.map(([key, shape, ...rest]) =>
      [key, key.includes('wpe') ? [200, shape[1]] : shape, ...rest]) }
    const { model: reader } = await gf.models.load(filesOf(wide, { config: { [places]: 200 } }))
    const prompt = Array.from({ length: 150 }, (_, i) => i * 7 % 11), options = { maxNewTokens: 3, end: [] }
    const whole = reader.generate(prompt, { ...options, cache: false })
    let longest = 0
    reader.h?.[0].registerForwardHook((_, [x]) => { longest = Math.max(longest, x.shape[1]) })
    for (const length of [31, 32, 33, 64, 65, 150]) {
      const own = reader.generate(prompt.slice(0, length), options)
      assert.deepEqual(own, reader.generate(prompt.slice(0, length), { ...options, cache: false }), `${length} tokens`)
      if (length === 150) assert.deepEqual(own, whole)
    }
    longest = 0
    reader.generate(prompt, options)
    assert.ok(!reader.h || longest === 32, `${longest} at a time`)
  }
})
