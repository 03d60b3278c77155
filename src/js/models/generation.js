import { describe, expect } from '../errors.js'

/**
 * What a model's files say about how it answers. generation_config.json counts before config.json, setting by setting,
 * as at Hugging Face. Of ways to sample (temperature, beams, lengths) nothing is taken: those are options of generate.
 *
 * @typedef {import('./config.js').Config} Config
 */

const SETTINGS = ['eos_token_id', 'bad_words_ids', 'suppress_tokens', 'decoder_start_token_id', 'forced_bos_token_id']

/**
 * The configuration with what generation_config.json says in its place.
 * @param {Config} config @param {Config} generation
 * @returns {Config}
 */
export function withGeneration(config, generation) {
  const names = SETTINGS.filter(name => generation[name] != null)
  return { ...config, ...Object.fromEntries(names.map(name => [name, generation[name]])) }
}

/** @param {unknown} id @param {number} words */
const isWord = (id, words) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < words

/**
 * Tokens that no answer may hold: bad_words_ids of one token each, the padding as a rule, and suppress_tokens.
 * @param {Config} config @param {number} words that can be answered @returns {number[]}
 */
function neverOf({ bad_words_ids: lists, suppress_tokens: suppressed }, words) {
  const check = (/** @type {string} */ name, /** @type {unknown} */ list, /** @type {(one: any) => boolean} */ isRight,
    /** @type {string} */ expected) => {
    const all = list ?? []
    expect(Array.isArray(all) && all.every(isRight), 'format', () => `models: ${name} must be a list of ${expected}, got ` +
      (Array.isArray(all) ? JSON.stringify(all.find(one => !isRight(one))) : describe(all)))
    return all
  }
  const single = (/** @type {any} */ one) => Array.isArray(one) && one.length === 1 && isWord(one[0], words)
  return [...new Set([
    ...check('bad_words_ids', lists, single, `lists of one id below ${words} each`).flat(),
    ...check('suppress_tokens', suppressed, one => isWord(one, words), `ids below ${words}`)
  ])]
}

/**
 * How answers end and begin, and what they never hold.
 * @param {Config} config with what generation_config.json says @param {number} words that can be answered
 * @returns {{ ends: number[], never: number[], first: number | null }} first: the token that is answered first, forced
 */
export function generationOf(config, words) {
  const { eos_token_id: ends, forced_bos_token_id: first = null } = config
  expect(first === null || isWord(first, words), 'format',
    () => `models: forced_bos_token_id must be an id below ${words}, got ${describe(first)}`)
  return {
    ends: [ends ?? []].flat().filter(id => Number.isInteger(id) && id >= 0 && id < 2 ** 31),
    never: neverOf(config, words), first
  }
}
