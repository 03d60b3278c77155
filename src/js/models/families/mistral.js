import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readWindow } from './describe.js'

/** Mistral 7B (Jiang et al. 2023): Llama with sliding windows. */
export const mistral = decoderFamily({
  type: 'mistral',
  architecture: 'MistralForCausalLM',
  describe: (config, shapeOf) => describeLlamaLike('Mistral', config, shapeOf, {
    defaults: { kvHeads: 8, feedForwardSize: 14336, maxPositions: 4096 * 32 }, window: readWindow(config, 4096)
  })
})
