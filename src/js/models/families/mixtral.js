import { readExpertCounts } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readWindow } from './describe.js'

/** Mixtral 8x7B (Jiang et al. 2024): Mistral with experts. */
export const mixtral = decoderFamily({
  type: 'mixtral',
  architecture: 'MixtralForCausalLM',
  keys: {
    'mlp.gate': 'block_sparse_moe.gate', 'mlp.experts.{e}.gate_proj': 'block_sparse_moe.experts.{e}.w1',
    'mlp.experts.{e}.down_proj': 'block_sparse_moe.experts.{e}.w2', 'mlp.experts.{e}.up_proj': 'block_sparse_moe.experts.{e}.w3'
  },
  describe(config, shapeOf) {
    const description = describeLlamaLike('Mixtral', config, shapeOf, {
      defaults: { kvHeads: 8, feedForwardSize: 14336, maxPositions: 4096 * 32 }, eps: 1e-5, rotary: { base: 1e6 },
      window: readWindow(config)
    })
    return {
      ...description,
      layers: description.layers.map(layer => ({ ...layer, hasExperts: true })),
      experts: {
        ...readExpertCounts(config, 'num_local_experts', 8, 2), isNormalized: true
      }
    }
  }
})
