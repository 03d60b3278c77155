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

const refusal = message => ({ name: 'GlassformerError', code: 'format', message })

test('settings of generation_config.json that would change the tokens and are not supported are refused', async () => {
  const wrong = {
    num_beam_groups: 2, diversity_penalty: 0.5, penalty_alpha: 0.6, dola_layers: 'high', constraints: [{}],
    force_words_ids: [[3]], encoder_repetition_penalty: 1.5, encoder_no_repeat_ngram_size: 3, guidance_scale: 1.5,
    forced_decoder_ids: [[1, 4]], begin_suppress_tokens: [4], sequence_bias: [[[4], -2]],
    exponential_decay_length_penalty: [5, 1.5], token_healing: true,
    watermarking_config: { bias: 2 }, stop_strings: ['x']
  }
  for (const [name, value] of Object.entries(wrong)) for (const type of ['gpt2', 't5']) {
    await assert.rejects(load(type, { [name]: value }), refusal(new RegExp(`^generation_config.json: ${name} = .* is not supported; expected .*none`)))
  }
  const neutral = { num_beam_groups: 1, diversity_penalty: 0, penalty_alpha: null, guidance_scale: 1,
    forced_decoder_ids: null, begin_suppress_tokens: [], sequence_bias: {}, encoder_repetition_penalty: 1,
    token_healing: false, typical_p: 1, epsilon_cutoff: 0, min_length: 0 }
  const free = generate(await load('gpt2', {}))
  assert.deepEqual(generate(await load('gpt2', neutral)), free)
  // These concern other things, or only what is sampled.
  const others = { transformers_version: '4.57.0', pad_token_id: 0, use_cache: true, early_stopping: true,
    renormalize_logits: true, max_length: 512, forced_eos_token_id: 0, cache_implementation: 'hybrid', chat_format: 'chatml',
    typical_p: 0.9, epsilon_cutoff: 3e-4, eta_cutoff: 3e-4, top_h: 0.4 }
  assert.deepEqual(generate(await load('gpt2', others)), free)
  for (const name of ['typical_p', 'epsilon_cutoff', 'eta_cutoff', 'top_h']) {
    await assert.rejects(load('gpt2', { do_sample: true, [name]: 0.5 }), refusal(new RegExp(`generation_config.json: ${name} = 0.5 is not supported`)))
  }
})

test('settings of generation_config.json of another type are refused', async () => {
  for (const [name, values, expected] of [
    ['num_beams', ['4', 0, 1.5, 5000, true], 'an integer from 1 to 1024'], ['length_penalty', ['1', {}], 'a number'],
    ['repetition_penalty', ['1', 0, -1], 'a number > 0'], ['no_repeat_ngram_size', ['3', -1, 0.5], 'an integer from 0'],
    ['min_new_tokens', ['3', -1], 'an integer from 0'], ['max_new_tokens', ['3', -1], 'an integer from 0'],
    ['min_length', ['3', -1], 'an integer from 0'], ['temperature', ['1', -1], 'a number >= 0'], ['top_k', ['50', -1], 'an integer from 0'],
    ['top_p', ['1', 1.5], 'a number from 0 to 1'], ['min_p', [[], -1], 'a number from 0 to 1'], ['do_sample', ['true', 1], 'true or false']
  ]) for (const value of values) {
    const message = new RegExp(`generation_config.json: ${name} must be ${expected}, got`)
    await assert.rejects(load('t5', { [name]: value }), refusal(message), `${name} ${value}`)
    assert.deepEqual((await load('t5', { [name]: null })).generationDefaults, {})
  }
  await assert.rejects(load('gpt2', { min_length: 3 }), refusal(/min_length = 3 is not supported; expected 0 or none/))
})

test('min_length of an encoder-decoder counts the token that the decoder starts with; null switches a filter off', async () => {
  const free = await load('t5', {}), [first] = generate(free), end = { end: [first] }
  assert.deepEqual(generate(free, end), [first])
  const model = await load('t5', { min_length: 3 })
  assert.deepEqual(model.generationDefaults, { minNewTokens: 2 })
  assert.deepEqual(generate(model, end), generate(free, { ...end, minNewTokens: 2 }))
  assert.ok(generate(model, end).length > 2)
  assert.deepEqual((await load('t5', { min_length: 3, min_new_tokens: 1 })).generationDefaults, { minNewTokens: 1 })
  const sampled = { do_sample: true, temperature: null, top_k: null, top_p: null, min_p: null }
  assert.deepEqual((await load('t5', sampled)).generationDefaults, { temperature: 1, topK: 0, topP: 1, minP: 0 })
  assert.deepEqual((await load('t5', { do_sample: true })).generationDefaults, { temperature: 1, topK: 50, topP: 1, minP: 0 })
})
