import { readBoolean } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike } from './describe.js'

/** InternLM 2 (Cai et al. 2024): Llama with names of its own and fused projections. */
export const internlm2 = decoderFamily({
  type: 'internlm2',
  architecture: 'InternLM2ForCausalLM',
  keys: {
    'embed_tokens': 'tok_embeddings', 'lm_head': '/output', 'input_layernorm': 'attention_norm',
    'post_attention_layernorm': 'ffn_norm', 'self_attn.o_proj': 'attention.wo', 'mlp.gate_proj': 'feed_forward.w1',
    'mlp.up_proj': 'feed_forward.w3', 'mlp.down_proj': 'feed_forward.w2'
  },
  fused: ({ heads, kvHeads, headDim }) => ({
    'attention.wqkv': {
      groups: kvHeads,
      parts: [['self_attn.q_proj', heads / kvHeads * headDim], ['self_attn.k_proj', headDim], ['self_attn.v_proj', headDim]]
    }
  }),
  describe(config, shapeOf) {
    const bias = readBoolean(config, 'bias', true)
    return {
      ...describeLlamaLike('InternLM2', config, shapeOf, {
        defaults: { feedForwardSize: 11008, vocabSize: 103168 }, head: 'output.weight'
      }),
      hasQkvBias: bias, hasOutBias: bias
    }
  }
})
