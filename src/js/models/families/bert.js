import { ACTIVATIONS, UNSUPPORTED, readChoice, readInteger, readNumber, refuseUnsupported } from '../config.js'
import { encoderFamily } from './encoder_family.js'

/**
 * BERT and the families that have its layers.
 * @typedef {import('../config.js').Config} Config
 * @typedef {import('../encoder.js').EncoderDescription} EncoderDescription
 * @typedef {(key: string) => readonly number[] | undefined} ShapeOf
 */

/** The keys of the layers and the embeddings. */
export const BERT_KEYS = {
  'layer.{n}': 'encoder.layer.{n}', 'self_attn.q': 'attention.self.query', 'self_attn.k': 'attention.self.key',
  'self_attn.v': 'attention.self.value', 'self_attn.out_proj': 'attention.output.dense', 'norm1': 'attention.output.LayerNorm',
  'linear1': 'intermediate.dense', 'linear2': 'output.dense', 'norm2': 'output.LayerNorm', 'pooler': 'pooler.dense'
}
const PREDICTIONS = {
  'predictions.dense': '/cls.predictions.transform.dense', 'predictions.LayerNorm': '/cls.predictions.transform.LayerNorm',
  'predictions': '/cls.predictions'
}

/**
 * The settings that BERT's relatives share.
 * @param {string} name @param {Config} config @param {{ eps?: number, vocabSize?: number, maxPositions?: number,
 *   allowed?: Record<string, readonly unknown[]> }} [defaults]
 * @returns {EncoderDescription}
 */
export function describeBertLike(name, config, { eps = 1e-12, vocabSize = 30522, maxPositions = 512, allowed } = {}) {
  refuseUnsupported(config, {
    ...UNSUPPORTED, position_embedding_type: ['absolute'], is_decoder: [false], add_cross_attention: [false],
    embedding_size: [config.hidden_size], tie_word_embeddings: [true], ...allowed
  })
  return {
    name,
    channels: readInteger(config, 'hidden_size', 768), heads: readInteger(config, 'num_attention_heads', 12),
    layerCount: readInteger(config, 'num_hidden_layers', 12),
    feedForwardSize: readInteger(config, 'intermediate_size', 3072),
    vocabSize: readInteger(config, 'vocab_size', vocabSize),
    maxPositions: readInteger(config, 'max_position_embeddings', maxPositions),
    tokenTypes: readInteger(config, 'type_vocab_size', 2, 0),
    activation: readChoice(config, 'hidden_act', ACTIVATIONS, 'gelu'),
    eps: readNumber(config, 'layer_norm_eps', eps), dropout: readNumber(config, 'hidden_dropout_prob', 0.1)
  }
}

/** BERT (Devlin et al. 2018) and relatives such as MiniLM: a bidirectional encoder with post-norm layers. */
export const bert = encoderFamily({
  type: 'bert',
  prefix: 'bert',
  architectures: { base: 'BertModel', maskedLM: 'BertForMaskedLM' },
  keys: { ...BERT_KEYS, ...PREDICTIONS },
  biasAliases: ['cls.predictions.decoder.bias'],
  /** Position ids, the tied output projection and the next sentence prediction head. */
  ignored: [/position_ids$/, /^cls\.predictions\.decoder\./, /^cls\.seq_relationship\./],
  heads: {
    sequence: { out: 'classifier', pool: 'pooled' }, token: { out: 'classifier' }, question: { out: 'qa_outputs' }
  },
  describe: (config, shapeOf) => ({
    ...describeBertLike('Bert', config), hasPooler: Boolean(shapeOf('pooler.dense.weight')),
    hasMaskedLMHead: Boolean(shapeOf('cls.predictions.transform.dense.weight'))
  })
})
