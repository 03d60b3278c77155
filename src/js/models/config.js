import { GlassformerError, describe, expect } from '../errors.js'
import { gelu } from '../ops/gelu.js'
import { activationFunctions } from '../ops/unary.js'

/** @typedef {Record<string, any>} Config the content of Hugging Face's config.json */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** @type {(x: Tensor) => Tensor} */
const geluTanh = x => gelu(x, { approximate: 'tanh' })

/** Activation functions by Hugging Face's names. @type {Record<string, (x: Tensor) => Tensor>} */
export const ACTIVATIONS = {
  gelu: x => gelu(x), gelu_new: geluTanh, gelu_pytorch_tanh: geluTanh, gelu_fast: geluTanh, ...activationFunctions,
  swish: activationFunctions.silu
}

/**
 * An integer of a configuration.
 * @param {Config} config @param {string} name @param {number} [fallback] if it is missing or null
 * @param {number} [min] 1
 * @returns {number}
 * @throws {GlassformerError} 'format' for any other value
 */
export function readInteger(config, name, fallback, min = 1) {
  const value = config[name] ?? fallback
  expect(Number.isSafeInteger(value) && value >= min && value < 2 ** 31, 'format',
    () => `config.json: ${name} must be an integer from ${min}, got ${describe(config[name])}`)
  return value
}

/**
 * The token that the decoder starts with.
 * @param {Config} config @param {number} fallback if it is missing @param {number} vocabSize of the decoder
 */
export function readDecoderStart(config, fallback, vocabSize) {
  const name = 'decoder_start_token_id', start = readInteger(config, name, fallback, 0)
  expect(start < vocabSize || config[name] == null, 'format',
    () => `config.json: ${name} must be an id below ${vocabSize}, got ${start}`)
  return start
}

/** @param {Config} config @param {string} name @param {number} fallback @returns {number} at least 0 */
export function readNumber(config, name, fallback) {
  const value = config[name] ?? fallback
  expect(Number.isFinite(value) && value >= 0, 'format',
    () => `config.json: ${name} must be a number >= 0, got ${describe(config[name])}`)
  return value
}

/** @param {Config} config @param {string} name @param {number} fallback @returns {number} more than 0 */
export function readPositive(config, name, fallback) {
  const value = readNumber(config, name, fallback)
  expect(value > 0, 'format', () => `config.json: ${name} must be more than 0, got ${value}`)
  return value
}

/**
 * How many experts there are, and how many of them compute a token.
 * @param {Config} config @param {string} name of the first @param {number} count if it is missing
 * @param {number} perToken if it is missing
 */
export function readExpertCounts(config, name, count, perToken) {
  const counts = { count: readInteger(config, name, count), perToken: readInteger(config, 'num_experts_per_tok', perToken) }
  expect(counts.perToken <= counts.count, 'format',
    () => `config.json: num_experts_per_tok must be at most ${name}, which is ${counts.count}, got ${counts.perToken}`)
  return counts
}

/**
 * The id of padding, which positions count from.
 * @param {Config} config @param {number} vocabSize
 */
export function readPaddingId(config, vocabSize) {
  const id = readInteger(config, 'pad_token_id', 1, 0)
  expect(id < vocabSize, 'format', () => `config.json: pad_token_id must be an id below ${vocabSize}, got ${id}`)
  return id
}

/** @param {Config} config @param {string} name @param {boolean} fallback @returns {boolean} */
export function readBoolean(config, name, fallback) {
  const value = config[name] ?? fallback
  expect(typeof value === 'boolean', 'format',
    () => `config.json: ${name} must be true or false, got ${describe(config[name])}`)
  return value
}

/**
 * The value of `choices` that a string of a configuration names.
 * @template T
 * @param {Config} config @param {string} name @param {Record<string, T>} choices @param {string} fallback
 * @returns {T}
 */
export function readChoice(config, name, choices, fallback) {
  const value = config[name] ?? fallback
  if (typeof value === 'string' && Object.hasOwn(choices, value)) return choices[value]
  throw new GlassformerError('format',
    `config.json: ${name} must be one of ${Object.keys(choices).join(', ')}, got ${describe(value)}`)
}

/**
 * Refuses settings that would change the numbers and are not supported.
 * @param {Config} config @param {Record<string, readonly unknown[]>} allowed supported values by name
 * @param {string} [file] that they come from
 */
export function refuseUnsupported(config, allowed, file = 'config.json') {
  for (const [name, values] of Object.entries(allowed)) {
    const value = config[name] ?? null
    expect(value === null || values.includes(value) || isEmptyObject(value), 'format',
      () => `${file}: ${name} = ${describe(value)} is not supported; expected ${[...values, 'none'].join(' or ')}`)
  }
}

/** No model has more layers. */
const MAX_LAYERS = 1000
const LAYER_COUNT_KEYS = /^(n_layer|num_(hidden_|decoder_)?layers|(en|de)coder_layers)$/

/**
 * Refuses an absurd number of layers, which would take minutes to build before the missing tensors are noticed.
 * @param {Config} config
 */
export function checkLayerCount(config) {
  for (const [name, value] of Object.entries(config)) expect(!LAYER_COUNT_KEYS.test(name) || !(value > MAX_LAYERS), 'format',
    () => `config.json: ${name} must be at most ${MAX_LAYERS}, got ${describe(value)}`)
}

/** @param {string} name @param {number} value @param {string} divisorName @param {number} divisor */
export const checkDivides = (name, value, divisorName, divisor) => expect(value % divisor === 0, 'format',
  () => `config.json: ${name} must be divisible by ${divisorName}, got ${value} and ${divisor}`)

/** @param {unknown} value */
const isEmptyObject = value => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * Supported values of settings that concern every family; no other value is accepted.
 * @type {Record<string, readonly unknown[]>}
 */
export const UNSUPPORTED = {
  quantization_config: [], quantization: [], compression_config: [], pruned_heads: [], chunk_size_feed_forward: [0]
}
