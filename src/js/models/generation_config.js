import { describe, expect, isPlain } from '../errors.js'
import { refuseUnsupported } from './config.js'

/**
 * The settings of generation in a model's files. A setting of generation_config.json takes precedence over the same
 * setting of config.json, as in Hugging Face's library. Its other settings are the defaults of generate's options.
 *
 * @typedef {import('./config.js').Config} Config
 */

const SETTINGS = ['eos_token_id', 'bad_words_ids', 'suppress_tokens', 'decoder_start_token_id', 'forced_bos_token_id']

/**
 * The configuration with the settings of generation_config.json.
 * @param {Config} config @param {Config} generation
 * @returns {Config}
 */
export function mergeGenerationConfig(config, generation) {
  const names = SETTINGS.filter(name => generation[name] != null)
  return { ...config, ...Object.fromEntries(names.map(name => [name, generation[name]])) }
}

/**
 * What a setting may be. @typedef {[isValid: (value: number) => boolean, expected: string]} Check
 * @type {Record<'count' | 'number' | 'positive' | 'fraction', Check>}
 */
const CHECKS = {
  count: [value => Number.isInteger(value) && value >= 0, 'an integer from 0'],
  number: [Number.isFinite, 'a number'],
  positive: [value => Number.isFinite(value) && value > 0, 'a number > 0'],
  fraction: [value => value >= 0 && value <= 1, 'a number from 0 to 1']
}
/**
 * Options of generate by the names of settings that do not need do_sample.
 * @type {Record<string, [option: string, check: Check]>}
 */
const DEFAULTS = {
  num_beams: ['beams', [value => Number.isInteger(value) && value > 0 && value <= 1024, 'an integer from 1 to 1024']],
  length_penalty: ['lengthPenalty', CHECKS.number], repetition_penalty: ['repetitionPenalty', CHECKS.positive],
  no_repeat_ngram_size: ['noRepeatNgramSize', CHECKS.count], min_new_tokens: ['minNewTokens', CHECKS.count],
  max_new_tokens: ['maxNewTokens', CHECKS.count]
}
/**
 * Options of sampling, with Hugging Face's defaults and the values that change nothing, which null stands for.
 * @type {[setting: string, option: string, check: Check, fallback: number, neutral: number][]}
 */
const SAMPLING = [
  ['temperature', 'temperature', [value => Number.isFinite(value) && value >= 0, 'a number >= 0'], 1, 1],
  ['top_k', 'topK', CHECKS.count, 50, 0], ['top_p', 'topP', CHECKS.fraction, 1, 1],
  ['min_p', 'minP', CHECKS.fraction, 0, 0]
]
const FILE = 'generation_config.json'
/** Supported values of settings that change which tokens are generated. @type {Record<string, readonly unknown[]>} */
const UNSUPPORTED = {
  num_beam_groups: [1], diversity_penalty: [0], penalty_alpha: [0], dola_layers: [], constraints: [],
  force_words_ids: [], encoder_repetition_penalty: [1], encoder_no_repeat_ngram_size: [0], guidance_scale: [1],
  forced_decoder_ids: [], begin_suppress_tokens: [], sequence_bias: [], exponential_decay_length_penalty: [],
  token_healing: [false], watermarking_config: [], stop_strings: []
}
/** The same where tokens are sampled. @type {Record<string, readonly unknown[]>} */
const UNSUPPORTED_IN_SAMPLING = { typical_p: [1], epsilon_cutoff: [0], eta_cutoff: [0], top_h: [] }

/** @param {Config} generation @param {string} name @param {Check} check */
function checkSetting(generation, name, [isValid, expected]) {
  const value = generation[name] ?? undefined
  expect(value === undefined || (typeof value === 'number' && isValid(value)), 'format',
    () => `${FILE}: ${name} must be ${expected}, got ${describe(value)}`)
  return value
}

/**
 * The defaults of generate's options.
 * @param {Config} generation the content of generation_config.json
 * @param {boolean} hasEncoder whether the model is an encoder-decoder, whose new tokens follow one token
 * @returns {Record<string, any>}
 * @throws {GlassformerError} 'format' for a value of another type, or one that would change the tokens and is not
 *   supported
 */
export function readGenerationDefaults(generation, hasEncoder) {
  refuseUnsupported(generation, hasEncoder ? UNSUPPORTED : { ...UNSUPPORTED, min_length: [0] }, FILE)
  const { do_sample: isSampled = null } = generation
  expect(isSampled === null || typeof isSampled === 'boolean', 'format', () => `${FILE}: do_sample must be true or false, got ${describe(isSampled)}`)
  /** @type {[string, number | undefined][]} */
  const list = Object.entries(DEFAULTS).map(
    ([name, [option, check]]) => [option, checkSetting(generation, name, check)])
  const minLength = checkSetting(generation, 'min_length', CHECKS.count)
  if (minLength > 1 && (generation.min_new_tokens ?? null) === null) list.push(['minNewTokens', minLength - 1])
  const sampling = SAMPLING.map(([name, option, check, fallback, neutral]) => /** @type {[string, number]} */ (
    [option, checkSetting(generation, name, check) ?? (generation[name] === null ? neutral : fallback)]))
  if (isSampled) {
    refuseUnsupported(generation, UNSUPPORTED_IN_SAMPLING, FILE)
    list.push(...sampling)
  }
  return Object.fromEntries(list.filter(([, value]) => value !== undefined))
}

/**
 * The options of generate with a model's defaults: those of sampling hold only where the caller asks for nothing else.
 * @param {{ generationDefaults: Readonly<Record<string, any>>, ownTokenizer: any }} model @param {any} options
 */
export function withDefaults({ generationDefaults: defaults, ownTokenizer }, options) {
  if (options !== undefined && options !== null && !isPlain(options)) return options
  const given = options ?? {}
  const isSampled = SAMPLING.some(([, option]) => given[option] !== undefined) && given.temperature !== 0
  const isOther = (given.beams ?? 1) > 1 || given.temperature === 0, sampling = SAMPLING.map(([, option]) => option)
  const kept = Object.entries(defaults).filter(([option]) =>
    (sampling.includes(option) ? !isOther : option !== 'beams' || !isSampled))
  const merged = Object.fromEntries(kept)
  if (merged.beams > 1) for (const option of sampling) delete merged[option]
  const tokenizer = given.stop !== undefined && ownTokenizer ? { tokenizer: ownTokenizer } : {}
  return { ...merged, ...tokenizer, ...given }
}

/**
 * The ids that end a generation. Other integers, such as -1 for none, are left out: they are never generated.
 * @param {unknown} value of eos_token_id @returns {number[]}
 */
function readEosTokenIds(value) {
  const ids = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  const wrong = ids.findIndex(id => !Number.isInteger(id))
  expect(wrong < 0, 'format', () => `models: eos_token_id must be an id or a list of ids, got ${describe(ids[wrong])}`)
  return ids.filter(id => isTokenId(id, 2 ** 31))
}

/** @param {unknown} id @param {number} vocabSize */
const isTokenId = (id, vocabSize) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabSize

/**
 * Ids that are never generated: bad_words_ids of one token each (usually the padding) and suppress_tokens.
 * @param {Config} config @param {number} vocabSize of the decoder @returns {number[]}
 */
function readSuppressedTokens({ bad_words_ids: lists, suppress_tokens: suppressed }, vocabSize) {
  const check = (/** @type {string} */ name, /** @type {unknown} */ list, /** @type {(item: any) => boolean} */ isValid,
    /** @type {string} */ expected) => {
    const items = list ?? []
    expect(Array.isArray(items) && items.every(isValid), 'format', () => `models: ${name} must be a list of ${expected}, got ` +
      (Array.isArray(items) ? JSON.stringify(items.find(item => !isValid(item))) : describe(items)))
    return items
  }
  const isSingleId = (/** @type {any} */ item) =>
    Array.isArray(item) && item.length === 1 && isTokenId(item[0], vocabSize)
  return [...new Set([
    ...check('bad_words_ids', lists, isSingleId, `lists of one id below ${vocabSize} each`).flat(),
    ...check('suppress_tokens', suppressed, item => isTokenId(item, vocabSize), `ids below ${vocabSize}`)
  ])]
}

/**
 * Checks the settings of generation.
 * @param {Config} config with the settings of generation_config.json @param {number} vocabSize of the decoder
 * @returns {{ eosTokenIds: number[], suppressedTokenIds: number[], forcedBosTokenId: number | null }}
 *   forcedBosTokenId: the first token that is generated
 */
export function readGenerationConfig(config, vocabSize) {
  const { eos_token_id: eosTokenIds, forced_bos_token_id: forcedBosTokenId = null } = config
  expect(forcedBosTokenId === null || isTokenId(forcedBosTokenId, vocabSize), 'format',
    () => `models: forced_bos_token_id must be an id below ${vocabSize}, got ${describe(forcedBosTokenId)}`)
  return {
    eosTokenIds: readEosTokenIds(eosTokenIds),
    suppressedTokenIds: readSuppressedTokens(config, vocabSize), forcedBosTokenId
  }
}
