import { describe, expect } from '../../errors.js'
import { ACTIVATIONS, checkDivides, readBoolean, readChoice, readInteger, refuseUnsupported } from '../config.js'
import { BERT_KEYS, describeBertLike } from './bert.js'
import { encoderFamily } from './encoder_family.js'

/** The names in a setting such as 'c2p|p2c'. @param {string} setting */
const splitNames = setting => setting.toLowerCase().split('|').map(name => name.trim())

/**
 * The convolution after the first layer; null without one.
 * @param {import('../config.js').Config} config @param {number} channels
 * @returns {import('../disentangled.js').Convolution | null}
 */
function readConvolution(config, channels) {
  const kernelSize = readInteger(config, 'conv_kernel_size', 0, 0), groups = readInteger(config, 'conv_groups', 1)
  if (!kernelSize) return null
  expect(kernelSize % 2 === 1, 'format', () => `config.json: conv_kernel_size must be odd, got ${kernelSize}`)
  checkDivides('hidden_size', channels, 'conv_groups', groups)
  return { kernelSize, groups, activation: readChoice(config, 'conv_act', ACTIVATIONS, 'tanh') }
}

/** DeBERTa 2 and 3 (He et al. 2021): attention with embeddings of relative positions. */
export const debertaV2 = encoderFamily({
  type: 'deberta-v2',
  prefix: 'deberta',
  architectures: { base: 'DebertaV2Model', maskedLM: 'DebertaV2ForMaskedLM' },
  keys: {
    ...BERT_KEYS, 'self_attn.query_proj': 'attention.self.query_proj',
    'self_attn.key_proj': 'attention.self.key_proj', 'self_attn.value_proj': 'attention.self.value_proj',
    'self_attn.pos_key_proj': 'attention.self.pos_key_proj', 'self_attn.pos_query_proj': 'attention.self.pos_query_proj',
    'stack.rel_embeddings': 'encoder.rel_embeddings', 'stack.LayerNorm': 'encoder.LayerNorm',
    'stack.conv.conv': 'encoder.conv.conv', 'stack.conv.LayerNorm': 'encoder.conv.LayerNorm',
    'predictions.dense': '/cls.predictions.transform.dense', 'predictions.LayerNorm': '/cls.predictions.transform.LayerNorm',
    'predictions': '/cls.predictions'
  },
  biasAliases: ['cls.predictions.decoder.bias'],
  // Files of DeBERTa 3 have a head for training that Hugging Face's classes do not use.
  ignored: [/position_ids$/, /^cls\.predictions\.decoder\./, /^(lm_predictions|mask_predictions)\./],
  heads: config => ({
    sequence: { dense: 'pooler.dense', activation: readChoice(config, 'pooler_hidden_act', ACTIVATIONS, 'gelu'), out: 'classifier' },
    token: { out: 'classifier' }, question: { out: 'qa_outputs' }
  }),
  describe(config, shapeOf) {
    const { pos_att_type: types, norm_rel_ebd: norm = 'none', max_relative_positions: given = -1 } = config
    const kinds = typeof types === 'string' ? splitNames(types) : types ?? []
    expect(Array.isArray(kinds) && kinds.every(kind => kind === 'c2p' || kind === 'p2c'), 'format',
      () => `config.json: pos_att_type must be a list of c2p and p2c, got ${describe(types)}`)
    const description = describeBertLike('DebertaV2', {
      type_vocab_size: 0, hidden_size: 1536, num_attention_heads: 24, num_hidden_layers: 24, intermediate_size: 6144,
      ...config
    }, { eps: 1e-7, vocabSize: 128100 })
    const { channels, heads } = description
    // Hugging Face's class has no relative attention if the setting is missing.
    refuseUnsupported({ ...config, relative_attention: config.relative_attention ?? false }, {
      relative_attention: [true], embedding_size: [channels], pooler_hidden_size: [channels],
      attention_head_size: [channels / heads]
    })
    return {
      ...description, hasPositions: readBoolean(config, 'position_biased_input', true),
      hasMaskedLMHead: Boolean(shapeOf('cls.predictions.transform.dense.weight')),
      disentangled: {
        hasC2P: kinds.includes('c2p'), hasP2C: kinds.includes('p2c'), isShared: readBoolean(config, 'share_att_key', false),
        buckets: Math.max(0, config.position_buckets ?? -1), maxDistance: given < 1 ? description.maxPositions : given,
        isNormed: splitNames(String(norm)).includes('layer_norm'), conv: readConvolution(config, channels)
      }
    }
  }
})
