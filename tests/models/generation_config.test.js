// generation_config.json takes precedence over config.json.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

const load = async (type, generation, config) => (await gf.models.load({
  ...filesOf(cases(type)[0], { config }), 'generation_config.json': JSON.stringify(generation)
})).model
const generate = (model, options) => model.generate([3, 1, 4], { maxNewTokens: 4, end: [], ...options })

for (const type of ['gpt2', 'llama', 't5', 'marian']) test(`${type}: reads eos ids and suppressed ids`, async () => {
  const free = await load(type, {}, { eos_token_id: 5, bad_words_ids: null }), [first] = generate(free)
  assert.deepEqual(free.eosTokenIds, [5], 'config.json applies to settings that generation_config.json lacks')
  const ended = await load(type, { eos_token_id: [2, first] }, { eos_token_id: 5 })
  assert.deepEqual(ended.eosTokenIds, [2, first])
  assert.deepEqual(ended.generate([3, 1, 4], { maxNewTokens: 4 }), [first])
  for (const [generation, suppressed] of [
    [{ bad_words_ids: [[first], [9]] }, [first, 9]], [{ suppress_tokens: [first] }, [7, first]]
  ]) {
    const model = await load(type, generation, { bad_words_ids: [[7]] })
    assert.deepEqual(model.suppressedTokenIds, [...new Set(suppressed)])
    for (const options of [{}, { cache: false }, { beams: 3 }, { topK: 11, seed: 1 }]) {
      assert.ok(!generate(model, options).includes(first), JSON.stringify(options))
    }
  }
  assert.deepEqual((await load(type, {}, { bad_words_ids: [[7]] })).suppressedTokenIds, [7])
})

for (const type of ['t5', 'marian']) test(`${type}: reads the decoder start token and the forced first token`, async () => {
  const model = await load(type, { decoder_start_token_id: 4, forced_bos_token_id: 6 }, { decoder_start_token_id: 3 })
  assert.equal(model.decoderStartTokenId, 4)
  const logits = options => gf.noGrad(() => model.forward([[3, 1, 4]], options)).logits.toArray()
  assert.deepEqual(logits(), logits({ decoderIds: [[4]] }))
  for (const options of [{}, { cache: false }, { beams: 2 }]) {
    const ids = generate(model, options)
    assert.equal(ids[0], 6)
    assert.equal(ids.length, 4)
  }
  const after = gf.noGrad(() => model.forward([[3, 1, 4]], { decoderIds: [[4, 6]] })).logits.toArray()[0][1]
  assert.equal(generate(model)[1], after.indexOf(Math.max(...after)))
})

for (const type of ['gpt2', 't5']) test(`${type}: generation_config.json has the defaults of generate`, async () => {
  const plain = await load(type, {}), free = generate(plain)
  const settings = { num_beams: 3, length_penalty: 0.5, no_repeat_ngram_size: 2, repetition_penalty: 1.5 }
  const beams = await load(type, settings)
  const options = { beams: 3, lengthPenalty: 0.5, noRepeatNgramSize: 2, repetitionPenalty: 1.5 }
  assert.deepEqual(beams.generationDefaults, options)
  assert.deepEqual(generate(beams), generate(plain, options))
  assert.deepEqual(generate(beams, { ...options, beams: 1 }), generate(plain, { ...options, beams: 1 }))
  const sampled = await load(type, { do_sample: true, temperature: 0.7, top_p: 0.9 })
  assert.deepEqual(generate(sampled, { seed: 5 }), generate(plain, { temperature: 0.7, topK: 50, topP: 0.9, seed: 5 }))
  assert.deepEqual(generate(sampled, { temperature: 0 }), free)
  assert.deepEqual(generate(sampled, { beams: 2 }), generate(plain, { beams: 2 }))
  assert.deepEqual(generate(await load(type, { temperature: 0.7 })), free, 'without do_sample')
})

test('save writes generation_config.json, and invalid settings are refused by name', async () => {
  const generation = { eos_token_id: [2, 5], temperature: 0.5 }, model = await load('gpt2', generation)
  const files = gf.models.save(model)
  assert.deepEqual(JSON.parse(files['generation_config.json']), generation)
  assert.deepEqual((await gf.models.load(files)).model.eosTokenIds, [2, 5])
  for (const [wrong, message] of [
    [{ bad_words_ids: [[1, 2]] }, /bad_words_ids must be a list of lists of one id below 11 each, got \[1,2\]/],
    [{ bad_words_ids: [[11]] }, /bad_words_ids .* got \[11\]/], [{ suppress_tokens: [-1] }, /suppress_tokens .* got -1/],
    [{ suppress_tokens: 3 }, /suppress_tokens must be a list of ids below 11, got 3/],
    [{ forced_bos_token_id: 11 }, /forced_bos_token_id must be an id below 11, got 11/]
  ]) {
    await assert.rejects(load('gpt2', wrong), { name: 'GlassformerError', code: 'format', message })
  }
  const files2 = { ...filesOf(cases('gpt2')[0]), 'generation_config.json': '{' }
  assert.match(gf.models.inspect(files2).problems.join(), /generation_config\.json is not JSON/)
})

test('an eos_token_id that is no id is refused, in both files', async () => {
  for (const value of ['2', 2.5, {}, [1, 'x'], [[2]], true, [null]]) {
    for (const files of [[{ eos_token_id: value }, {}], [{}, { eos_token_id: value }]]) {
      await assert.rejects(load('gpt2', ...files), { name: 'GlassformerError', code: 'format', message: /eos_token_id must be an id or a list of ids, got/ })
    }
  }
  for (const value of [null, undefined, []]) assert.deepEqual((await load('gpt2', {}, { eos_token_id: value })).eosTokenIds, [])
})
