import { readBoolean, readNumber, refuseUnsupported } from '../config.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { equalLayers } from '../decoder.js'
import { readSizes } from './describe.js'

/** SantaCoder and StarCoder (Ben Allal et al. 2023): GPT-2 in which all heads share one key and one value. */
export const gptBigcode = decoderFamily({
  type: 'gpt_bigcode',
  architecture: 'GPTBigCodeForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'wte', 'embed_positions': 'wpe', 'norm': 'ln_f', 'layers.{n}': 'h.{n}', 'input_layernorm': 'ln_1',
    'post_attention_layernorm': 'ln_2', 'self_attn.o_proj': 'attn.c_proj', 'mlp.up_proj': 'mlp.c_fc', 'mlp.down_proj': 'mlp.c_proj'
  },
  fused: ({ heads, kvHeads, headDim }) => ({
    'attn.c_attn': {
      groups: kvHeads,
      parts: [['self_attn.q_proj', heads / kvHeads * headDim], ['self_attn.k_proj', headDim], ['self_attn.v_proj', headDim]]
    }
  }),
  ignored: [/attn\.(masked_)?bias$/],
  isTied: true,
  describe(config, shapeOf) {
    refuseUnsupported(config, { add_cross_attention: [false] })
    const { layerCount, ...sizes } = readSizes(config, {
      channels: 'n_embd', heads: 'n_head', kvHeads: null, layers: 'n_layer', feedForwardSize: 'n_inner',
      maxPositions: 'n_positions', activation: 'activation_function'
    }, { channels: 768, heads: 12, layers: 12, vocabSize: 50257, maxPositions: 1024, activation: 'gelu_pytorch_tanh' })
    const isScaled = readBoolean(config, 'scale_attn_weights', true)
    return {
      name: 'GPTBigCode', ...sizes, kvHeads: readBoolean(config, 'multi_query', true) ? 1 : sizes.heads,
      attentionScale: isScaled ? undefined : 1, layers: equalLayers(layerCount, {}), order: 'pre',
      norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_epsilon', 1e-5) },
      learnedPositions: { offset: 0 }, isGated: false, hasQkvBias: true, hasOutBias: true, hasMlpBias: true,
      isTied: isTied(config, shapeOf)
    }
  }
})
