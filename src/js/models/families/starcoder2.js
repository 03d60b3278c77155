import { readBoolean } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readWindow } from './describe.js'

/** StarCoder 2 (Lozhkov et al. 2024): layer norms, biases, grouped queries, sliding windows. */
export const starcoder2 = decoderFamily({
  type: 'starcoder2',
  architecture: 'Starcoder2ForCausalLM',
  keys: { 'mlp.up_proj': 'mlp.c_fc', 'mlp.down_proj': 'mlp.c_proj' },
  isTied: true,
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'use_bias', true)
    return {
      ...describeLlamaLike('Starcoder2', config, shapeOf, {
        defaults: {
          channels: 3072, heads: 24, kvHeads: 2, layers: 30, feedForwardSize: 12288, vocabSize: 49152,
          maxPositions: 4096, activation: 'gelu_pytorch_tanh'
        },
        norm: { kind: 'layer' }, epsName: 'norm_epsilon', eps: 1e-5, window: readWindow(config)
      }),
      isGated: false, hasQkvBias: bias, hasOutBias: bias, hasMlpBias: bias
    }
  }
})
