import { expect } from '../../errors.js'
import { readBoolean, readExpertCounts, readInteger } from '../config.js'
import { LLAMA_QUESTION_HEAD, decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readSliding, readWindow } from './describe.js'

/**
 * The layers with sliding windows: use_sliding_window turns them on, from layer max_window_layers on.
 * @param {import('../config.js').Config} config @param {import('../decoder.js').DecoderDescription} description
 */
function withWindows(config, description) {
  const isUsed = readBoolean(config, 'use_sliding_window', false), window = isUsed ? readWindow(config, 4096) : null
  const first = isUsed ? readInteger(config, 'max_window_layers', 28, 0) : 0, { layers } = description
  const isSliding = readSliding(config, layers.length, i => i >= first)
  return { ...description, layers: layers.map((layer, i) => ({ ...layer, window: isSliding[i] ? window : null })) }
}

/** @type {NonNullable<Parameters<typeof describeLlamaLike>[3]>} */
const DEFAULTS = { defaults: { feedForwardSize: 22016, vocabSize: 151936, maxPositions: 32768 } }

/** Qwen 2 and 2.5 (Yang et al. 2024): Llama with biases of queries, keys and values. */
export const qwen2 = decoderFamily({
  type: 'qwen2',
  architecture: 'Qwen2ForCausalLM',
  heads: LLAMA_QUESTION_HEAD,
  describe: (config, shapeOf) =>
    ({ ...withWindows(config, describeLlamaLike('Qwen2', config, shapeOf, DEFAULTS)), hasQkvBias: true })
})

/**
 * @param {string} name @param {import('../config.js').Config} config @param {import('./describe.js').ShapeOf} shapeOf
 * @param {NonNullable<Parameters<typeof describeLlamaLike>[3]>['defaults']} defaults
 */
function describeQwen3(name, config, shapeOf, defaults) {
  const bias = readBoolean(config, 'attention_bias', false)
  const description = describeLlamaLike(name, config, shapeOf, { defaults: { ...DEFAULTS.defaults, ...defaults } })
  return { ...withWindows(config, description), hasQkvBias: bias, hasOutBias: bias, qkNorm: /** @type {const} */ ('head') }
}

/** Qwen 3 (Yang et al. 2025): queries and keys are normalized. */
export const qwen3 = decoderFamily({
  type: 'qwen3',
  architecture: 'Qwen3ForCausalLM',
  heads: LLAMA_QUESTION_HEAD,
  describe: (config, shapeOf) => describeQwen3('Qwen3', config, shapeOf, { headDim: 128 })
})

/** Qwen 3 with experts. All layers have the window. */
export const qwen3Moe = decoderFamily({
  type: 'qwen3_moe',
  architecture: 'Qwen3MoeForCausalLM',
  heads: LLAMA_QUESTION_HEAD,
  describe(config, shapeOf) {
    const description = describeQwen3('Qwen3Moe', { ...config, max_window_layers: 0, layer_types: null }, shapeOf,
      { channels: 2048, feedForwardSize: 6144, layers: 24, kvHeads: 4 })
    const step = readInteger(config, 'decoder_sparse_step', 1), dense = config.mlp_only_layers ?? []
    expect(Array.isArray(dense), 'format', () => 'config.json: mlp_only_layers must be a list of layers')
    return {
      ...description,
      layers: description.layers.map((layer, i) =>
        ({ ...layer, hasExperts: !dense.includes(i) && (i + 1) % step === 0 })),
      experts: {
        ...readExpertCounts(config, 'num_experts', 128, 8),
        isNormalized: readBoolean(config, 'norm_topk_prob', false), size: readInteger(config, 'moe_intermediate_size', 768)
      }
    }
  }
})
