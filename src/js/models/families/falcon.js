import { readBoolean, readInteger, readNumber } from '../config.js'
import { readRotary } from '../rope.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { equalLayers } from '../decoder.js'
import { readSizes } from './describe.js'

/** Falcon (Almazrouei et al. 2023), of all three architectures: falcon-rw, falcon-7b and falcon-40b. */
export const falcon = decoderFamily({
  type: 'falcon',
  architecture: 'FalconForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'word_embeddings', 'norm': 'ln_f', 'layers.{n}': 'h.{n}', 'self_attn.o_proj': 'self_attention.dense',
    'mlp.up_proj': 'mlp.dense_h_to_4h', 'mlp.down_proj': 'mlp.dense_4h_to_h'
  },
  fused: ({ heads, kvHeads, headDim }) => ({
    'self_attention.query_key_value': {
      groups: kvHeads,
      parts: [['self_attn.q_proj', heads / kvHeads * headDim], ['self_attn.k_proj', headDim], ['self_attn.v_proj', headDim]]
    }
  }),
  adjust: (row, { order }) => (order !== 'parallelNorms' ? row
    : { ...row, key: row.key.replace('input_layernorm', 'ln_attn').replace('post_attention_layernorm', 'ln_mlp') }),
  isTied: true,
  describe(config, shapeOf) {
    const { layerCount, ...sizes } = readSizes(config,
      { kvHeads: null, feedForwardSize: 'ffn_hidden_size', activation: 'activation' },
      { channels: 4544, heads: 71, layers: 32, vocabSize: 65024, activation: 'gelu' })
    const isNew = readBoolean(config, 'new_decoder_architecture', false), isShared = readBoolean(config, 'multi_query', true)
    const kvHeads = isNew || !isShared ? readInteger(config, 'num_kv_heads', sizes.heads) : 1
    const hasAlibi = readBoolean(config, 'alibi', false), bias = readBoolean(config, 'bias', false)
    const isParallel = isNew || readBoolean(config, 'parallel_attn', true)
    const hasTwoNorms = isNew && readInteger(config, 'num_ln_in_parallel_attn', 2) === 2
    const rotary = hasAlibi ? null : readRotary(config, { dims: sizes.headDim, maxPositions: sizes.maxPositions })
    return {
      name: 'Falcon', ...sizes, maxPositions: rotary ? rotary.maxPositions ?? sizes.maxPositions : Infinity,
      kvHeads: isNew || isShared ? kvHeads : sizes.heads, layers: equalLayers(layerCount, { rotary }),
      norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_epsilon', 1e-5) },
      order: !isParallel ? 'pre' : hasTwoNorms ? 'parallelNorms' : 'parallel',
      // The biases are scaled with the scores, and rounded to bfloat16.
      alibi: hasAlibi ? { scale: 1 / Math.sqrt(sizes.headDim), isRounded: true } : null,
      isGated: false, hasQkvBias: bias, hasOutBias: bias, hasMlpBias: bias, isTied: isTied(config, shapeOf)
    }
  }
})
