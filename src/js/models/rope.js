import { describe, expect, isPlain } from '../errors.js'
import { readNumber } from './config.js'

/**
 * Scaled rotary position embedding: the frequencies of a configuration, with the kinds of rope_scaling that Hugging
 * Face's modeling_rope_utils has. All steps are rounded to float32 as there.
 *
 * @typedef {import('./config.js').Config} Config
 *
 * @typedef {object} Rotary what an attention rotates its queries and keys by
 * @property {number} dims channels of a head that are rotated
 * @property {'half' | 'interleaved'} layout
 * @property {number} base
 * @property {number} [scale] of cosines and sines
 * @property {(length: number) => readonly number[]} [frequencies] for a sequence of a length, if they are scaled
 * @property {number} [maxPositions] longest sequence that scaled frequencies are made for, if max_position_embeddings
 *   may be the length before the scaling
 */

const { fround } = Math

/** base^(2i/dims) for all pairs. @param {number} base @param {number} dims */
const wavelengths = (base, dims) => Array.from({ length: dims / 2 }, (_, i) => fround(base ** fround(2 * i / dims)))

/** @param {readonly number[]} list */
const inverses = list => list.map(value => fround(1 / value))

/** The setting that an object with a kind of scaling was read from. */
const SOURCE = Symbol('setting')

/**
 * @param {Record<string | symbol, any>} scaling
 * @param {string} name @param {number} [fallback] @returns {number} more than 0
 */
function readPositive(scaling, name, fallback) {
  const value = scaling[name] ?? fallback
  expect(Number.isFinite(value) && value > 0, 'format',
    () => `config.json: ${name} of ${scaling[SOURCE] ?? 'rope_scaling'} must be a number > 0, got ${describe(scaling[name])}`)
  return value
}

/**
 * Position interpolation (Chen et al. 2023).
 * @param {Config} scaling @param {number} base @param {number} dims @param {number} maxPositions
 */
function linear(scaling, base, dims, maxPositions) {
  const factor = readPositive(scaling, 'factor')
  const frequencies = inverses(wavelengths(base, dims)).map(value => fround(value / factor))
  return { frequencies: () => frequencies, maxPositions: Math.floor(maxPositions * factor) }
}

/**
 * A base that grows with the length of the sequence ("dynamic NTK").
 * @param {Config} scaling @param {number} base @param {number} dims @param {number} maxPositions
 */
function dynamic(scaling, base, dims, maxPositions) {
  const factor = readPositive(scaling, 'factor')
  return {
    maxPositions: Infinity,
    frequencies: (/** @type {number} */ length) => {
      const stretch = factor * Math.max(length, maxPositions) / maxPositions - (factor - 1)
      return inverses(wavelengths(base * stretch ** (dims / (dims - 2)), dims))
    }
  }
}

/** @param {number} factor @param {number} [mscale] */
const yarnScale = (factor, mscale = 1) => (factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1)

/**
 * YaRN (Peng et al. 2023): high frequencies stay, low ones are interpolated.
 * @param {Config} scaling @param {number} base @param {number} dims @param {number} maxPositions
 */
function yarn(scaling, base, dims, maxPositions) {
  const original = readPositive(scaling, 'original_max_position_embeddings', maxPositions)
  const factor = readPositive(scaling, 'factor', maxPositions / original)
  const { mscale, mscale_all_dim: mscaleAllDim, truncate = true } = scaling
  const scale = readPositive(scaling, 'attention_factor',
    mscale && mscaleAllDim ? yarnScale(factor, mscale) / yarnScale(factor, mscaleAllDim) : yarnScale(factor))
  const pairOf = (/** @type {number} */ rotations) =>
    dims * Math.log(original / (rotations * 2 * Math.PI)) / (2 * Math.log(base))
  const [first, last] = [readPositive(scaling, 'beta_fast', 32), readPositive(scaling, 'beta_slow', 1)].map(pairOf)
  const low = Math.max(0, truncate ? Math.floor(first) : first)
  const high = Math.min(dims - 1, truncate ? Math.ceil(last) : last), end = low === high ? high + 0.001 : high
  const frequencies = wavelengths(base, dims).map((wavelength, i) => {
    const ramp = fround(Math.min(1, Math.max(0, fround(fround(i - low) / fround(end - low))))), kept = fround(1 - ramp)
    const scaled = fround(1 / fround(factor * wavelength))
    return fround(fround(scaled * fround(1 - kept)) + fround(fround(1 / wavelength) * kept))
  })
  return { frequencies: () => frequencies, scale, maxPositions: Math.max(maxPositions, Math.floor(original * factor)) }
}

/**
 * Llama 3.1's scaling: long waves are interpolated, short ones stay.
 * @param {Config} scaling @param {number} base @param {number} dims
 */
function llama3(scaling, base, dims) {
  const factor = readPositive(scaling, 'factor'), original = readPositive(scaling, 'original_max_position_embeddings')
  const low = readPositive(scaling, 'low_freq_factor'), high = readPositive(scaling, 'high_freq_factor')
  const frequencies = inverses(wavelengths(base, dims)).map(value => {
    const wavelength = fround(2 * Math.PI / value)
    if (wavelength > original / low) return fround(value / factor)
    if (wavelength < original / high) return value
    const smooth = fround(fround(fround(original / wavelength) - low) / (high - low))
    return fround(fround(fround(fround(1 - smooth) * value) / factor) + fround(smooth * value))
  })
  return { frequencies: () => frequencies }
}

/**
 * A factor for each rotated pair.
 * @param {Record<string | symbol, any>} scaling @param {string} name @param {number} dims @returns {number[]}
 */
function readFactors(scaling, name, dims) {
  const { [name]: list } = scaling, isList = Array.isArray(list) && list.length === dims / 2
  const isFactor = (/** @type {unknown} */ value) => typeof value === 'number' && value > 0 && value < Infinity
  expect(isList && list.every(isFactor), 'format', () => `config.json: ${name} of ${scaling[SOURCE]} must be ${dims / 2} ` +
    `numbers > 0, one for each rotated pair, got ${isList ? describe(list.find(value => !isFactor(value))) : describe(list)}`)
  return list
}

/**
 * LongRoPE (Ding et al. 2024): a factor for each pair, other ones for sequences longer than in the first training.
 * @param {Config} scaling @param {number} base @param {number} dims @param {number} maxPositions @param {Config} config
 */
function longrope(scaling, base, dims, maxPositions, config) {
  const { original_max_position_embeddings: nested } = scaling
  const original = readPositive({ original_max_position_embeddings: config.original_max_position_embeddings ?? nested },
    'original_max_position_embeddings', maxPositions)
  const factor = original === maxPositions ? readPositive(scaling, 'factor', 1) : maxPositions / original
  const scale = readPositive(scaling, 'attention_factor',
    factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original)))
  const [short, long] = ['short_factor', 'long_factor'].map(name => {
    const factors = readFactors(scaling, name, dims)
    return wavelengths(base, dims).map((wavelength, i) => fround(1 / fround(fround(factors[i]) * wavelength)))
  })
  return {
    frequencies: (/** @type {number} */ length) => (length > original ? long : short), scale,
    maxPositions: Math.max(maxPositions, Math.floor(original * factor))
  }
}

/**
 * A factor of every wavelength, as GGUF files have it.
 * @param {Config} scaling @param {number} base @param {number} dims
 */
function factors(scaling, base, dims) {
  const list = readFactors(scaling, 'factors', dims)
  const frequencies = wavelengths(base, dims).map((wavelength, i) => fround(fround(1 / wavelength) / list[i]))
  return { frequencies: () => frequencies }
}

/**
 * @type {Record<string, (scaling: Config, base: number, dims: number, maxPositions: number, config: Config) =>
 *   Partial<Rotary>>}
 */
const SCALINGS = { default: () => ({}), factors, linear, dynamic, yarn, llama3, longrope, su: longrope }

/** @param {Config} scaling */
const hasType = ({ rope_type: type, type: oldType }) => (type ?? oldType ?? null) !== null
/**
 * Whether there is no scaling, or one for each kind of layers, as rope_parameters may have.
 * @param {Config} scaling
 */
const hasOnlyBase = scaling => Object.keys(scaling).length > 0 && Object.entries(scaling).every(([name, value]) =>
  ['rope_theta', 'partial_rotary_factor'].includes(name) || isPlain(value))

/**
 * The settings of rope_scaling, or of rope_parameters, which newer files have. In files with several kinds of layers,
 * rope_parameters has an object for each.
 * @param {Config} config @param {string} [layerType] @returns {Record<string | symbol, any>}
 */
function readScaling(config, layerType) {
  for (const name of ['rope_parameters', 'rope_scaling']) {
    const all = config[name] ?? null, scaling = layerType && all?.[layerType] ? all[layerType] : all
    expect(scaling === null || isPlain(scaling), 'format',
      () => `config.json: ${name} must be an object or null, got ${describe(scaling)}`)
    if (!scaling) continue
    expect(hasType(scaling) || hasOnlyBase(scaling), 'format', () => `config.json: ${name} must have a rope_type, got ${describe(scaling)}`)
    return { ...scaling, [SOURCE]: name }
  }
  return {}
}

/**
 * How a configuration's attention rotates queries and keys.
 * @param {Config} config
 * @param {{ dims: number, layout?: 'half' | 'interleaved', base?: number, maxPositions: number, layerType?: string,
 *   isScaled?: boolean }} options base: when the configuration has none, 10000; layerType: as in layer_types; isScaled:
 *   true; false ignores rope_scaling
 * @returns {Rotary}
 */
export function readRotary(config, { dims, layout = 'half', base: fallback = 10000, maxPositions, layerType, isScaled = true }) {
  const scaling = readScaling(config, layerType)
  const type = isScaled ? scaling.rope_type ?? scaling.type ?? 'default' : 'default'
  expect(typeof type === 'string' && Object.hasOwn(SCALINGS, type), 'format', () => `config.json: ${scaling[SOURCE]} of type ` +
    `${describe(type)} is not supported; expected none or one of ${Object.keys(SCALINGS).join(', ')}`)
  expect(dims % 2 === 0, 'format', () => 'config.json: a head must have an even number of channels, which are ' +
    `rotated in pairs, got ${dims}`)
  const base = readNumber({ rope_theta: isScaled ? config.rope_theta ?? scaling.rope_theta : null }, 'rope_theta', fallback)
  expect(base > 0, 'format', () => `config.json: rope_theta must be more than 0, got ${base}`)
  return { dims, layout, base, ...SCALINGS[type](scaling, base, dims, maxPositions, config) }
}
