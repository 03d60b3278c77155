import { readBoolean, readNumber, readPositive } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** Granite 3 (IBM 2024): Llama with factors of embeddings, scores, residual connections and logits. */
export const granite = decoderFamily({
  type: 'granite',
  architecture: 'GraniteForCausalLM',
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'attention_bias', false)
    return {
      ...describeLlamaLike('Granite', config, shapeOf, { defaults: { feedForwardSize: 11008 } }),
      hasQkvBias: bias, hasOutBias: bias, hasMlpBias: readBoolean(config, 'mlp_bias', false),
      embeddingScale: readNumber(config, 'embedding_multiplier', 1), attentionScale: readNumber(config, 'attention_multiplier', 1),
      residualScale: readNumber(config, 'residual_multiplier', 1), logitScale: 1 / readPositive(config, 'logits_scaling', 1)
    }
  }
})
