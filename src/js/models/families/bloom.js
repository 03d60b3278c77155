import { ACTIVATIONS, readBoolean, readNumber } from '../config.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { equalLayers } from '../decoder.js'
import { readSizes } from './describe.js'

/** BLOOM (Le Scao et al. 2022): linear biases instead of positions (ALiBi), a norm of the embeddings. */
export const bloom = decoderFamily({
  type: 'bloom',
  architecture: 'BloomForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'word_embeddings', 'embed_norm': 'word_embeddings_layernorm', 'norm': 'ln_f', 'layers.{n}': 'h.{n}',
    'self_attn.o_proj': 'self_attention.dense', 'mlp.up_proj': 'mlp.dense_h_to_4h', 'mlp.down_proj': 'mlp.dense_4h_to_h'
  },
  fused: ({ heads, headDim }) => ({
    'self_attention.query_key_value': {
      groups: heads, parts: [['self_attn.q_proj', headDim], ['self_attn.k_proj', headDim], ['self_attn.v_proj', headDim]]
    }
  }),
  isTied: true,
  describe(config, shapeOf) {
    const channels = config.n_embed === undefined ? 'hidden_size' : 'n_embed'
    const heads = config.num_attention_heads === undefined ? 'n_head' : 'num_attention_heads'
    const layers = config.num_hidden_layers === undefined ? 'n_layer' : 'num_hidden_layers'
    const { layerCount, ...sizes } = readSizes(config,
      { channels, heads, layers, kvHeads: null, feedForwardSize: null, activation: null },
      { channels: 64, heads: 8, layers: 2, vocabSize: 250880 })
    return {
      name: 'Bloom', ...sizes, maxPositions: Infinity, activation: ACTIVATIONS.gelu_pytorch_tanh,
      layers: equalLayers(layerCount, {}),
      norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_epsilon', 1e-5) }, order: 'pre', hasEmbeddingNorm: true,
      residualIsNormed: readBoolean(config, 'apply_residual_connection_post_layernorm', false), alibi: { scale: 1 },
      isGated: false, hasQkvBias: true, hasOutBias: true, hasMlpBias: true, isTied: isTied(config, shapeOf)
    }
  }
})
