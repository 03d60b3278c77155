import { ACTIVATIONS, readBoolean, readChoice, readInteger, readNumber, readPositive } from '../config.js'
import { readRotary } from '../rope.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readSliding } from './describe.js'

/**
 * @typedef {import('../config.js').Config} Config
 * @typedef {import('../decoder.js').DecoderDescription} DecoderDescription
 */

/**
 * What all Gemmas have in common: norms that multiply by 1 + weight, scaled embeddings, GELU's tanh form.
 * @param {string} name @param {Config} config @param {import('./describe.js').ShapeOf} shapeOf
 * @param {Parameters<typeof describeLlamaLike>[3]} options
 * @returns {DecoderDescription}
 */
function describeGemma(name, config, shapeOf, options) {
  const description = describeLlamaLike(name, { ...config, hidden_act: undefined }, shapeOf,
    { ...options, norm: { addsOne: true } })
  const bias = readBoolean(config, 'attention_bias', false)
  return {
    ...description, hasQkvBias: bias, hasOutBias: bias, embeddingScale: Math.fround(Math.sqrt(description.channels)),
    // Files say hidden_act = gelu for what is computed as gelu_pytorch_tanh.
    activation: readChoice(config, 'hidden_activation', ACTIVATIONS, 'gelu_pytorch_tanh')
  }
}

/** A number > 0, or null. @param {Config} config @param {string} name @param {number | null} fallback */
function readOptional(config, name, fallback) {
  const { [name]: value = fallback } = config
  return value === null ? null : readNumber({ [name]: value }, name, 0)
}

/**
 * @param {DecoderDescription} description
 * @param {Config} config @param {number | null} softCap @returns {DecoderDescription}
 */
const withScores = (description, config, softCap) => ({
  ...description, order: 'sandwich', attentionScale: readPositive(config, 'query_pre_attn_scalar', 256) ** -0.5,
  attentionSoftCap: readOptional(config, 'attn_logit_softcapping', softCap),
  logitSoftCap: readOptional(config, 'final_logit_softcapping', softCap && 30)
})

/** The defaults of Gemma 2 and 3. */
const SIZES_OF_GEMMA2 = { channels: 2304, heads: 8, kvHeads: 4, headDim: 256, feedForwardSize: 9216, layers: 26 }

/** Gemma (Mesnard et al. 2024). */
export const gemma = decoderFamily({
  type: 'gemma',
  architecture: 'GemmaForCausalLM',
  isTied: true,
  describe: (config, shapeOf) => describeGemma('Gemma', config, shapeOf, {
    defaults: {
      channels: 3072, heads: 16, headDim: 256, feedForwardSize: 24576, vocabSize: 256000, maxPositions: 8192, layers: 28
    }
  })
})

/** Gemma 2 (Riviere et al. 2024): every other layer has a sliding window, scores and logits are limited. */
export const gemma2 = decoderFamily({
  type: 'gemma2',
  architecture: 'Gemma2ForCausalLM',
  isTied: true,
  describe(config, shapeOf) {
    const description = withScores(describeGemma('Gemma2', config, shapeOf, {
      defaults: { ...SIZES_OF_GEMMA2, vocabSize: 256000, maxPositions: 8192 }
    }), config, 50)
    const window = readInteger(config, 'sliding_window', 4096), { layers } = description
    const isSliding = readSliding(config, layers.length, i => i % 2 === 0)
    return { ...description, layers: layers.map((layer, i) => ({ ...layer, window: isSliding[i] ? window : null })) }
  }
})

/**
 * Gemma 3 (Kamath et al. 2025), its text model: normalized queries and keys, another rotary base for sliding layers.
 */
export const gemma3 = decoderFamily({
  type: 'gemma3_text',
  architecture: 'Gemma3ForCausalLM',
  isTied: true,
  describe(config, shapeOf) {
    const sizes = { ...SIZES_OF_GEMMA2, vocabSize: 262208, maxPositions: 131072 }
    const base = describeGemma('Gemma3', config, shapeOf,
      { defaults: sizes, rotary: { base: 1e6, layerType: 'full_attention' } })
    const description = withScores(base, config, null), pattern = readInteger(config, 'sliding_window_pattern', 6)
    const window = readInteger(config, 'sliding_window', 4096), { headDim, maxPositions, layers } = description
    const isSliding = readSliding(config, layers.length, i => (i + 1) % pattern !== 0)
    const isByType = Boolean(config.rope_parameters?.sliding_attention)
    const local = readRotary(config, {
      dims: headDim, maxPositions, isScaled: isByType, layerType: 'sliding_attention',
      base: readNumber(config, 'rope_local_base_freq', 10000)
    })
    return {
      ...description, qkNorm: 'head',
      layers: layers.map((layer, i) => (isSliding[i] ? { window, rotary: local } : layer))
    }
  }
})
