import { readBoolean, readNumber } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** Command R and Aya (Cohere 2024): attention and feed-forward network in parallel, layer norms without bias. */
export const cohere = decoderFamily({
  type: 'cohere',
  architecture: 'CohereForCausalLM',
  isTied: true,
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'attention_bias', false)
    return {
      ...describeLlamaLike('Cohere', config, shapeOf, {
        defaults: {
          channels: 8192, heads: 64, layers: 40, feedForwardSize: 22528, vocabSize: 256000, maxPositions: 8192
        },
        norm: { kind: 'layer', hasBias: false }, epsName: 'layer_norm_eps', eps: 1e-5, rotary: { layout: 'interleaved' }
      }),
      order: 'parallel', hasQkvBias: bias, hasOutBias: bias, qkNorm: readBoolean(config, 'use_qk_norm', false) ? 'heads' : null,
      logitScale: readNumber(config, 'logit_scale', 0.0625)
    }
  }
})
