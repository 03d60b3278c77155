import { GlassformerError, describe, expect } from '../errors.js'
import { gelu } from '../ops/gelu.js'
import { unaryFunctions } from '../ops/unary.js'

/** @typedef {Record<string, any>} Config of Hugging Face: what config.json holds */
/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @type {(x: Tensor) => Tensor} */
const geluTanh = x => gelu(x, { approximate: 'tanh' })

/** Activations by Hugging Face's names. @type {Record<string, (x: Tensor) => Tensor>} */
export const ACTIVATIONS = {
  gelu: x => gelu(x), gelu_new: geluTanh, gelu_pytorch_tanh: geluTanh,
  relu: unaryFunctions.relu, silu: unaryFunctions.silu, swish: unaryFunctions.silu, tanh: unaryFunctions.tanh
}

/**
 * A whole number of a configuration.
 * @param {Config} config @param {string} name @param {number} [usual] where it is left out or null
 * @param {number} [least] 1
 * @returns {number}
 * @throws {GlassformerError} 'format' for anything else
 */
export function whole(config, name, usual, least = 1) {
  const value = config[name] ?? usual
  expect(Number.isSafeInteger(value) && value >= least && value < 2 ** 31, 'format',
    () => `config.json: ${name} must be a whole number from ${least}, got ${describe(config[name])}`)
  return value
}

/**
 * With which word an answer begins.
 * @param {Config} config @param {number} usual where it is left out @param {number} words that can be answered
 */
export function startOf(config, usual, words) {
  const name = 'decoder_start_token_id', start = whole(config, name, usual, 0)
  expect(start < words || config[name] == null, 'format',
    () => `config.json: ${name} must be one of ${words} words, from 0, got ${start}`)
  return start
}

/** @param {Config} config @param {string} name @param {number} usual @returns {number} not below 0 */
export function real(config, name, usual) {
  const value = config[name] ?? usual
  expect(Number.isFinite(value) && value >= 0, 'format',
    () => `config.json: ${name} must be a number >= 0, got ${describe(config[name])}`)
  return value
}

/** @param {Config} config @param {string} name @param {boolean} usual @returns {boolean} */
export function truth(config, name, usual) {
  const value = config[name] ?? usual
  expect(typeof value === 'boolean', 'format',
    () => `config.json: ${name} must be true or false, got ${describe(config[name])}`)
  return value
}

/**
 * What a word of a configuration stands for.
 * @template T
 * @param {Config} config @param {string} name @param {Record<string, T>} meanings @param {string} usual
 * @returns {T}
 */
export function meaning(config, name, meanings, usual) {
  const word = config[name] ?? usual
  if (typeof word === 'string' && Object.hasOwn(meanings, word)) return meanings[word]
  throw new GlassformerError('format',
    `config.json: ${name} must be one of ${Object.keys(meanings).join(', ')}, got ${describe(word)}`)
}

/**
 * Refuses what would change the numbers and is not understood.
 * @param {Config} config @param {Record<string, readonly unknown[]>} allowed the values that change nothing, by name
 */
export function refuseOthers(config, allowed) {
  for (const [name, values] of Object.entries(allowed)) {
    const value = config[name] ?? null
    expect(value === null || values.includes(value) || isEmpty(value), 'format',
      () => `config.json: ${name} = ${describe(value)} is not understood; expected ${[...values, 'none'].join(' or ')}`)
  }
}

/** More layers than any model has. */
const MOST_LAYERS = 1000
const LAYERS = /^(n_layer|num_(hidden_|decoder_)?layers|(en|de)coder_layers)$/

/**
 * A number of layers that nobody has would be built for minutes before it was seen that they are missing.
 * @param {Config} config
 */
export function expectFewLayers(config) {
  for (const [name, value] of Object.entries(config)) expect(!LAYERS.test(name) || !(value > MOST_LAYERS), 'format',
    () => `config.json: ${name} must be at most ${MOST_LAYERS}, got ${describe(value)}`)
}

/** @param {string} name @param {number} value @param {string} by @param {number} parts */
export const expectDivides = (name, value, by, parts) => expect(value % parts === 0, 'format',
  () => `config.json: ${name} must be divisible by ${by}, got ${value} and ${parts}`)

/** @param {unknown} value */
const isEmpty = value => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Refused in every class of model. @type {Record<string, readonly unknown[]>} */
export const NEVER = {
  quantization_config: [], quantization: [], compression_config: [], pruned_heads: [], chunk_size_feed_forward: [0]
}
