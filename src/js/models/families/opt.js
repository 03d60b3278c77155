import { readBoolean, readInteger } from '../config.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { equalLayers } from '../decoder.js'
import { readSizes } from './describe.js'

/** OPT (Zhang et al. 2022). OPT-350m has its norms after the residual connections, and smaller embeddings. */
export const opt = decoderFamily({
  type: 'opt',
  architecture: 'OPTForCausalLM',
  prefix: 'model.decoder.',
  otherPrefixes: ['decoder.'],
  keys: {
    'norm': 'final_layer_norm', 'input_layernorm': 'self_attn_layer_norm', 'post_attention_layernorm': 'final_layer_norm',
    'self_attn.o_proj': 'self_attn.out_proj', 'mlp.up_proj': 'fc1', 'mlp.down_proj': 'fc2'
  },
  isTied: true,
  describe(config, shapeOf) {
    const { layerCount, ...sizes } = readSizes(config,
      { feedForwardSize: 'ffn_dim', kvHeads: null, activation: 'activation_function' },
      { channels: 768, heads: 12, layers: 12, vocabSize: 50272, activation: 'relu' })
    const isBefore = readBoolean(config, 'do_layer_norm_before', true), bias = readBoolean(config, 'enable_bias', true)
    return {
      name: 'OPT', ...sizes, layers: equalLayers(layerCount, {}),
      norm: { kind: 'layer', eps: 1e-5, hasWeights: readBoolean(config, 'layer_norm_elementwise_affine', true) },
      order: isBefore ? 'pre' : 'residual', hasFinalNorm: isBefore && !readBoolean(config, '_remove_final_layer_norm', false),
      learnedPositions: { offset: 2 }, embeddingSize: readInteger(config, 'word_embed_proj_dim', sizes.channels),
      isGated: false, hasQkvBias: bias, hasOutBias: bias, hasMlpBias: bias, isTied: isTied(config, shapeOf)
    }
  }
})
