import { readInteger, readNumber } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** MiniCPM (Hu et al. 2024): Llama with factors of embeddings, residual connections and logits. */
export const minicpm = decoderFamily({
  type: 'minicpm',
  architecture: 'MiniCPMForCausalLM',
  isTied: true,
  describe(config, shapeOf) {
    const description = describeLlamaLike('MiniCPM', config, shapeOf, { defaults: { feedForwardSize: 11008 } })
    const { channels, layers } = description
    return {
      ...description, embeddingScale: readNumber(config, 'scale_emb', 1),
      residualScale: readNumber(config, 'scale_depth', 1) / Math.sqrt(layers.length),
      logitScale: readInteger(config, 'dim_model_base', 1) / channels
    }
  }
})
