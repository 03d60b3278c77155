import { readBoolean } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readRotaryFraction } from './describe.js'

/** GLM-4 of 2025 (Zhipu): a norm before and after attention and feed-forward network, half of every head is rotated. */
export const glm4 = decoderFamily({
  type: 'glm4',
  architecture: 'Glm4ForCausalLM',
  keys: {
    post_attention_layernorm: 'post_self_attn_layernorm', pre_feedforward_layernorm: 'post_attention_layernorm',
    post_feedforward_layernorm: 'post_mlp_layernorm'
  },
  fused: ({ feedForwardSize }) => ({
    'mlp.gate_up_proj': { groups: 1, parts: [['mlp.gate_proj', feedForwardSize], ['mlp.up_proj', feedForwardSize]] }
  }),
  describe: (config, shapeOf) => ({
    ...describeLlamaLike('Glm4', config, shapeOf, {
      defaults: {
        kvHeads: 2, headDim: 128, layers: 40, feedForwardSize: 13696, vocabSize: 151552, maxPositions: 131072
      },
      epsName: 'rms_norm_eps', eps: 1.5625e-7, rotaryFraction: readRotaryFraction(config, 0.5),
      rotary: { layout: 'interleaved' }
    }),
    order: 'sandwich', hasQkvBias: readBoolean(config, 'attention_bias', true)
  })
})
