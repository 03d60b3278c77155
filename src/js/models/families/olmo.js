import { readBoolean, readExpertCounts } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** OLMo 2 (OLMo team 2024): norms after attention and feed-forward network, normalized queries and keys. */
export const olmo2 = decoderFamily({
  type: 'olmo2',
  architecture: 'Olmo2ForCausalLM',
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'attention_bias', false)
    const description = describeLlamaLike('Olmo2', config, shapeOf, {
      defaults: { feedForwardSize: 11008, vocabSize: 50304 }, epsName: 'rms_norm_eps', eps: 1e-5
    })
    return { ...description, order: 'post', qkNorm: 'all', hasQkvBias: bias, hasOutBias: bias }
  }
})

/** OLMoE (Muennighoff et al. 2024): experts. */
export const olmoe = decoderFamily({
  type: 'olmoe',
  architecture: 'OlmoeForCausalLM',
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'attention_bias', false)
    const description = describeLlamaLike('Olmoe', config, shapeOf, {
      defaults: { channels: 2048, heads: 16, layers: 16, feedForwardSize: 2048, vocabSize: 50304, maxPositions: 4096 },
      epsName: 'rms_norm_eps', eps: 1e-5
    })
    return {
      ...description, qkNorm: 'all', hasQkvBias: bias, hasOutBias: bias, clipQkv: config.clip_qkv ?? null,
      layers: description.layers.map(layer => ({ ...layer, hasExperts: true })),
      experts: {
        ...readExpertCounts(config, 'num_experts', 64, 8),
        isNormalized: readBoolean(config, 'norm_topk_prob', false)
      }
    }
  }
})
