import { describe, expect } from '../../errors.js'
import { ACTIVATIONS, UNSUPPORTED, checkDivides, readChoice, readInteger, readNumber, refuseUnsupported } from '../config.js'
import { readRotary } from '../rope.js'
import { isTied } from '../tied.js'

/**
 * The parts of a description that most decoders have in common, read under the names that Llama's config.json has.
 * @typedef {import('../config.js').Config} Config
 * @typedef {import('../decoder.js').DecoderDescription} DecoderDescription
 * @typedef {import('../decoder.js').LayerDescription} LayerDescription
 * @typedef {(key: string) => readonly number[] | undefined} ShapeOf the shape of a tensor of the file
 */

/** Llama's names of settings. */
const NAMES = {
  channels: 'hidden_size', heads: 'num_attention_heads', kvHeads: 'num_key_value_heads', headDim: 'head_dim',
  feedForwardSize: 'intermediate_size', layers: 'num_hidden_layers', vocabSize: 'vocab_size',
  maxPositions: 'max_position_embeddings', activation: 'hidden_act'
}

/** @typedef {Partial<Record<keyof typeof NAMES, string | null>>} Names */

/**
 * Sizes and activation.
 * @param {Config} config
 * @param {Names} [names] that differ from Llama's; null for what the family does not set
 * @param {Partial<Record<keyof typeof NAMES, any>>} [defaults] of settings that are missing
 */
export function readSizes(config, names, defaults = {}) {
  const key = { ...NAMES, ...names }
  const read = (/** @type {keyof typeof NAMES} */ name, /** @type {number} */ fallback) => {
    const { [name]: setting } = key, value = defaults[name] ?? fallback
    return setting === null ? value : readInteger(config, setting, value)
  }
  const channels = read('channels', 4096), heads = read('heads', 32)
  const kvHeads = config[String(key.kvHeads)] === null ? heads : read('kvHeads', heads)
  checkDivides(String(key.heads), heads, String(key.kvHeads), kvHeads)
  const hasHeadDim = config[String(key.headDim)] || defaults.headDim
  if (!hasHeadDim) checkDivides(String(key.channels), channels, String(key.heads), heads)
  return {
    channels, heads, kvHeads, headDim: read('headDim', channels / heads), feedForwardSize: read('feedForwardSize', 4 * channels),
    vocabSize: read('vocabSize', 32000), maxPositions: read('maxPositions', 2048), layerCount: read('layers', 32),
    activation: readChoice(config, String(key.activation), ACTIVATIONS, defaults.activation ?? 'silu')
  }
}

/**
 * The window of sliding attention, or null for none.
 * @param {Config} config @param {number | null} [fallback] if the setting is missing @returns {number | null}
 */
export function readWindow({ sliding_window: window }, fallback = null) {
  const value = window === undefined ? fallback : window
  return value === null ? null : readInteger({ sliding_window: value }, 'sliding_window')
}

/**
 * The fraction of a head's channels that are rotated; newer files have it in rope_parameters.
 * @param {Config} config @param {number} fallback @param {string} [name]
 */
export function readRotaryFraction(config, fallback, name = 'partial_rotary_factor') {
  const value = config.rope_parameters?.partial_rotary_factor ?? config[name]
  const fraction = readNumber({ [name]: value }, name, fallback)
  expect(fraction <= 1, 'format', () => `config.json: ${name} must be at most 1, got ${fraction}`)
  return fraction
}

/**
 * Which layers have sliding attention.
 * @param {Config} config @param {number} count @param {(i: number) => boolean} isSliding when the configuration has no
 *   layer_types
 * @returns {boolean[]}
 */
export function readSliding(config, count, isSliding) {
  const { layer_types: types } = config
  if (types === undefined || types === null) return Array.from({ length: count }, (_, i) => isSliding(i))
  const isKnown = Array.isArray(types) && types.length === count &&
    types.every(type => type === 'full_attention' || type === 'sliding_attention')
  expect(isKnown, 'format', () => `config.json: layer_types must be ${count} times full_attention or sliding_attention, ` +
    `got ${describe(types)}`)
  return types.map((/** @type {string} */ type) => type === 'sliding_attention')
}

/**
 * The description of a decoder like Llama: RMS norms before attention and a gated feed-forward network, rotary
 * positions, grouped queries.
 * @param {string} name @param {Config} config @param {ShapeOf} shapeOf
 * @param {{ names?: Names, defaults?: Parameters<typeof readSizes>[2],
 *   allowed?: Record<string, readonly unknown[]>, norm?: Partial<import('../decoder.js').Norm>, epsName?: string,
 *   eps?: number,
 *   rotary?: Partial<Parameters<typeof readRotary>[1]>, rotaryFraction?: number, window?: number | null, head?: string
 * }} [options]
 * @returns {DecoderDescription}
 */
export function describeLlamaLike(name, config, shapeOf, options = {}) {
  const { names, defaults, allowed, norm, epsName = 'rms_norm_eps', eps = 1e-6 } = options
  const { rotary, rotaryFraction = 1, window = null, head } = options
  refuseUnsupported(config, { ...UNSUPPORTED, pretraining_tp: [1], use_bidirectional_attention: [false], ...allowed })
  const fraction = 'partial_rotary_factor of rope_parameters'
  refuseUnsupported({ [fraction]: config.rope_parameters?.partial_rotary_factor }, { [fraction]: [rotaryFraction] })
  const { layerCount, ...sizes } = readSizes(config, names, defaults)
  const rotation = readRotary(config, {
    dims: Math.floor(sizes.headDim * rotaryFraction), maxPositions: sizes.maxPositions, ...rotary
  })
  const isPermuted = config.rotary_layout === 'interleaved' && rotation.layout === 'half'
  return {
    name, ...sizes, maxPositions: rotation.maxPositions ?? sizes.maxPositions, ...(isPermuted && { isPermuted }),
    layers: Array.from({ length: layerCount }, () => ({ rotary: rotation, window })),
    norm: { kind: 'rms', eps: readNumber(config, epsName, eps), ...norm }, order: 'pre', isGated: true,
    isTied: isTied(config, shapeOf, head)
  }
}
