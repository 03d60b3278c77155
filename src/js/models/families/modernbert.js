import { ACTIVATIONS, UNSUPPORTED, readBoolean, readChoice, readInteger, readNumber, refuseUnsupported } from '../config.js'
import { readRotary } from '../rope.js'
import { readSliding } from './describe.js'
import { encoderFamily } from './encoder_family.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} config */
const readNorm = config => ({ eps: readNumber(config, 'norm_eps', 1e-5), hasBias: readBoolean(config, 'norm_bias', false) })

/**
 * The heads, which all have the projection and the norm of the masked language modeling head.
 * @param {Config} config @returns {import('../heads.js').HeadForms}
 */
function readHeads(config) {
  /** @type {import('../heads.js').HeadForm} */ const form = {
    dense: 'head.dense', hasDenseBias: readBoolean(config, 'classifier_bias', false), norm: { key: 'head.norm', ...readNorm(config) },
    activation: readChoice(config, 'classifier_activation', ACTIVATIONS, 'gelu'), out: 'classifier'
  }
  const pool = readChoice(config, 'classifier_pooling', POOLS, 'cls')
  return { sequence: { ...form, pool }, token: form, question: form }
}

/** @type {Record<string, 'first' | 'mean'>} */
const POOLS = { cls: 'first', mean: 'mean' }

/** ModernBERT (Warner et al. 2024): an encoder of pre-norm layers with rotary positions; most layers see a window. */
export const modernbert = encoderFamily({
  type: 'modernbert',
  prefix: 'model',
  architectures: { base: 'ModernBertModel', maskedLM: 'ModernBertForMaskedLM' },
  keys: {
    'embeddings.word_embeddings': 'embeddings.tok_embeddings', 'embeddings.LayerNorm': 'embeddings.norm', 'norm': 'final_norm',
    'layer.{n}': 'layers.{n}', 'input_layernorm': 'attn_norm', 'self_attn.o_proj': 'attn.Wo', 'post_attention_layernorm': 'mlp_norm',
    'mlp.down_proj': 'mlp.Wo', 'predictions.dense': '/head.dense', 'predictions.LayerNorm': '/head.norm', 'predictions': '/decoder'
  },
  fused: ({ channels, feedForwardSize }) => ({
    'attn.Wqkv': { groups: 1, parts: [['self_attn.q_proj', channels], ['self_attn.k_proj', channels], ['self_attn.v_proj', channels]] },
    'mlp.Wi': { groups: 1, parts: [['mlp.gate_proj', feedForwardSize], ['mlp.up_proj', feedForwardSize]] }
  }),
  ignored: [/^decoder\.weight$/],
  heads: readHeads,
  describe(config, shapeOf) {
    refuseUnsupported(config, { ...UNSUPPORTED, decoder_bias: [true], tie_word_embeddings: [true] })
    const channels = readInteger(config, 'hidden_size', 768), heads = readInteger(config, 'num_attention_heads', 12)
    const layerCount = readInteger(config, 'num_hidden_layers', 22), every = readInteger(config, 'global_attn_every_n_layers', 3)
    const isSliding = readSliding(config, layerCount, i => i % every !== 0)
    const maxPositions = readInteger(config, 'max_position_embeddings', 8192)
    const window = Math.floor(readInteger(config, 'local_attention', 128) / 2) + 1
    const headDim = channels / heads, globalBase = readNumber(config, 'global_rope_theta', 160000)
    const rotaryOf = (/** @type {boolean} */ isGlobal) => readRotary({ ...config, rope_theta: undefined }, {
      dims: headDim, maxPositions, layerType: isGlobal ? 'full_attention' : 'sliding_attention',
      base: isGlobal ? globalBase : readNumber(config, 'local_rope_theta', config.local_rope_theta === null ? globalBase : 10000)
    })
    const sizes = {
      name: 'ModernBert', channels, heads, vocabSize: readInteger(config, 'vocab_size', 50368), maxPositions,
      feedForwardSize: readInteger(config, 'intermediate_size', 1152),
      activation: readChoice(config, 'hidden_activation', ACTIVATIONS, 'gelu')
    }
    const norm = readNorm(config), bias = readBoolean(config, 'attention_bias', false)
    return {
      ...sizes, layerCount, eps: norm.eps, dropout: readNumber(config, 'embedding_dropout', 0), hasPositions: false,
      hasMaskedLMHead: Boolean(shapeOf('decoder.bias')), hasHeadBias: readBoolean(config, 'classifier_bias', false),
      headActivation: readChoice(config, 'classifier_activation', ACTIVATIONS, 'gelu'),
      modern: {
        ...sizes, kvHeads: heads, headDim, isCausal: false, isGated: true, isTied: true, order: 'pre',
        hasQkvBias: bias, hasOutBias: bias, hasMlpBias: readBoolean(config, 'mlp_bias', false),
        norm: { kind: 'layer', ...norm },
        layers: Array.from({ length: layerCount }, (_, i) => ({
          hasInputNorm: i > 0, rotary: rotaryOf(!isSliding[i]), window: isSliding[i] ? window : null
        }))
      }
    }
  }
})
