import { describe, expect } from '../../errors.js'
import { readInteger, readNumber } from '../config.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { readSizes } from './describe.js'

/**
 * 'global' or 'local' for each layer: attention_types has patterns with how often they are repeated.
 * @param {import('../config.js').Config} config @param {number} count @returns {string[]}
 */
function readAttentionTypes({ attention_types: types = [[['global', 'local'], 12]] }, count) {
  const isPattern = (/** @type {any} */ entry) => Array.isArray(entry?.[0]) && Number.isSafeInteger(entry[1])
  const repeat = (/** @type {[string[], number]} */ [pattern, times]) =>
    Array.from({ length: Math.min(times, count) }, () => pattern).flat()
  const all = Array.isArray(types) && types.every(isPattern) ? types.flatMap(repeat) : []
  expect(all.length >= count && all.every(type => type === 'global' || type === 'local'), 'format',
    () => `config.json: attention_types must give global or local for ${count} layers, got ${describe(types)}`)
  return all.slice(0, count)
}

/** GPT-Neo (Black et al. 2021): every other layer has a window, scores are not scaled. */
export const gptNeo = decoderFamily({
  type: 'gpt_neo',
  architecture: 'GPTNeoForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'wte', 'embed_positions': 'wpe', 'norm': 'ln_f', 'layers.{n}': 'h.{n}', 'input_layernorm': 'ln_1',
    'post_attention_layernorm': 'ln_2', 'self_attn.q_proj': 'attn.attention.q_proj', 'self_attn.k_proj': 'attn.attention.k_proj',
    'self_attn.v_proj': 'attn.attention.v_proj', 'self_attn.o_proj': 'attn.attention.out_proj', 'mlp.up_proj': 'mlp.c_fc',
    'mlp.down_proj': 'mlp.c_proj'
  },
  ignored: [/attention\.(masked_)?bias$/],
  isTied: true,
  describe(config, shapeOf) {
    const { layerCount, ...sizes } = readSizes(config,
      { layers: 'num_layers', heads: 'num_heads', activation: 'activation_function' },
      { channels: 2048, heads: 16, layers: 24, vocabSize: 50257, activation: 'gelu_new' })
    const window = readInteger(config, 'window_size', 256), types = readAttentionTypes(config, layerCount)
    return {
      name: 'GPTNeo', ...sizes, layers: types.map(type => ({ window: type === 'local' ? window : null })),
      norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_epsilon', 1e-5) }, order: 'pre', learnedPositions: { offset: 0 },
      attentionScale: 1, isGated: false, hasOutBias: true, hasMlpBias: true, isTied: isTied(config, shapeOf)
    }
  }
})
