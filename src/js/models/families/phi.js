import { readBoolean } from '../config.js'
import { decoderFamily } from './decoder_family.js'
import { describeLlamaLike, readRotaryFraction, readWindow } from './describe.js'

/** Phi 1, 1.5 and 2 (Gunasekar et al. 2023): attention and feed-forward network in parallel, biases everywhere. */
export const phi = decoderFamily({
  type: 'phi',
  architecture: 'PhiForCausalLM',
  keys: {
    'norm': 'final_layernorm', 'self_attn.o_proj': 'self_attn.dense', 'self_attn.q_norm': 'self_attn.q_layernorm',
    'self_attn.k_norm': 'self_attn.k_layernorm', 'mlp.up_proj': 'mlp.fc1', 'mlp.down_proj': 'mlp.fc2'
  },
  describe: (config, shapeOf) => ({
    ...describeLlamaLike('Phi', config, shapeOf, {
      defaults: { channels: 2048, feedForwardSize: 8192, vocabSize: 51200, layers: 24, activation: 'gelu_new' },
      norm: { kind: 'layer' }, epsName: 'layer_norm_eps', eps: 1e-5, rotaryFraction: readRotaryFraction(config, 0.5)
    }),
    order: 'parallel', isGated: false, hasQkvBias: true, hasOutBias: true, hasMlpBias: true, hasHeadBias: true,
    qkNorm: readBoolean(config, 'qk_layernorm', false) ? 'head' : null
  })
})

/**
 * The first Phi 3 files call LongRoPE su or yarn, and may leave out the original length.
 * @param {import('../config.js').Config} config @returns {import('../config.js').Config}
 */
function withLongRope(config) {
  const name = config.rope_parameters ? 'rope_parameters' : 'rope_scaling', { [name]: scaling } = config
  const type = scaling?.rope_type ?? scaling?.type
  return {
    ...config, original_max_position_embeddings: config.original_max_position_embeddings ?? 4096,
    ...(type === 'yarn' && { [name]: { ...scaling, rope_type: 'longrope' } })
  }
}

/** Phi 3 and 4 mini (Abdin et al. 2024): Llama with fused projections. */
export const phi3 = decoderFamily({
  type: 'phi3',
  architecture: 'Phi3ForCausalLM',
  fused: ({ heads, kvHeads, headDim, feedForwardSize }) => ({
    'self_attn.qkv_proj': {
      groups: 1,
      parts: [['self_attn.q_proj', heads * headDim], ['self_attn.k_proj', kvHeads * headDim],
        ['self_attn.v_proj', kvHeads * headDim]]
    },
    'mlp.gate_up_proj': { groups: 1, parts: [['mlp.gate_proj', feedForwardSize], ['mlp.up_proj', feedForwardSize]] }
  }),
  describe: (config, shapeOf) => describeLlamaLike('Phi3', withLongRope(config), shapeOf, {
    defaults: { channels: 3072, feedForwardSize: 8192, vocabSize: 32064, maxPositions: 4096 }, epsName: 'rms_norm_eps',
    eps: 1e-5, rotaryFraction: readRotaryFraction(config, 1), window: readWindow(config)
  })
})
