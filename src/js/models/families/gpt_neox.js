import { readBoolean, readNumber } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readRotaryFraction } from './describe.js'

/** GPT-NeoX, Pythia (Black et al. 2022, Biderman et al. 2023) and Polyglot-Ko. */
export const gptNeox = decoderFamily({
  type: 'gpt_neox',
  architecture: 'GPTNeoXForCausalLM',
  prefix: 'gpt_neox.',
  keys: {
    'embed_tokens': 'embed_in', 'norm': 'final_layer_norm', 'lm_head': '/embed_out', 'self_attn.o_proj': 'attention.dense',
    'mlp.up_proj': 'mlp.dense_h_to_4h', 'mlp.down_proj': 'mlp.dense_4h_to_h'
  },
  fused: ({ heads, headDim }) => ({
    'attention.query_key_value': {
      groups: heads, parts: [['self_attn.q_proj', headDim], ['self_attn.k_proj', headDim], ['self_attn.v_proj', headDim]]
    }
  }),
  ignored: [/attention\.(masked_)?bias$/],
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'attention_bias', true)
    const { rope_theta: theta = config.rotary_emb_base } = config
    return {
      ...describeLlamaLike('GPTNeoX', { ...config, rope_theta: theta }, shapeOf, {
        defaults: { channels: 6144, heads: 64, layers: 44, feedForwardSize: 24576, vocabSize: 50432, activation: 'gelu' },
        norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_eps', 1e-5) }, head: 'embed_out.weight',
        rotaryFraction: readRotaryFraction(config, 0.25, 'rotary_pct')
      }),
      order: readBoolean(config, 'use_parallel_residual', true) ? 'parallelNorms' : 'pre', isGated: false,
      hasQkvBias: bias, hasOutBias: bias, hasMlpBias: true
    }
  }
})
