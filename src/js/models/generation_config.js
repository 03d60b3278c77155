import { describe, expect, isPlain } from '../errors.js'

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

/** Options of generate by the names of settings that do not need do_sample. @type {Record<string, string>} */
const DEFAULTS = {
  num_beams: 'beams', length_penalty: 'lengthPenalty', repetition_penalty: 'repetitionPenalty', no_repeat_ngram_size: 'noRepeatNgramSize',
  min_new_tokens: 'minNewTokens', max_new_tokens: 'maxNewTokens'
}
/** Options of sampling, with Hugging Face's defaults. @type {[setting: string, option: string, fallback: number][]} */
const SAMPLING = [['temperature', 'temperature', 1], ['top_k', 'topK', 50], ['top_p', 'topP', 1], ['min_p', 'minP', 0]]

/**
 * The defaults of generate's options.
 * @param {Config} generation the content of generation_config.json @returns {Record<string, number>}
 */
export function readGenerationDefaults(generation) {
  const list = Object.entries(DEFAULTS).map(([setting, option]) => [option, generation[setting]])
  if (generation.do_sample === true) {
    list.push(...SAMPLING.map(([setting, option, fallback]) => [option, generation[setting] ?? fallback]))
  }
  return Object.fromEntries(list.filter(([, value]) => typeof value === 'number'))
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
