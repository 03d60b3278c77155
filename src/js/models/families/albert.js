import { readInteger } from '../config.js'
import { describeBertLike } from './bert.js'
import { encoderFamily } from './encoder_family.js'

/** ALBERT (Lan et al. 2019): BERT whose layers share their weights, with smaller embeddings. */
export const albert = encoderFamily({
  type: 'albert',
  prefix: 'albert',
  architectures: { base: 'AlbertModel', maskedLM: 'AlbertForMaskedLM' },
  keys: {
    'layer.{n}': 'encoder.albert_layer_groups.{group}.albert_layers.{inner}', 'projection': 'encoder.embedding_hidden_mapping_in',
    'self_attn.q': 'attention.query', 'self_attn.k': 'attention.key', 'self_attn.v': 'attention.value',
    'self_attn.out_proj': 'attention.dense', 'norm1': 'attention.LayerNorm', 'linear1': 'ffn', 'linear2': 'ffn_output',
    'norm2': 'full_layer_layer_norm', 'pooler': 'pooler', 'predictions.dense': '/predictions.dense',
    'predictions.LayerNorm': '/predictions.LayerNorm', 'predictions': '/predictions'
  },
  biasAliases: ['predictions.decoder.bias'],
  ignored: [/position_ids$/, /^predictions\.decoder\./, /^sop_classifier\./],
  heads: {
    sequence: { out: 'classifier', pool: 'pooled' }, token: { out: 'classifier' }, question: { out: 'qa_outputs' }
  },
  describe(config, shapeOf) {
    const description = describeBertLike('Albert', {
      hidden_act: 'gelu_new', intermediate_size: 16384, hidden_size: 4096, num_attention_heads: 64, ...config
    }, { vocabSize: 30000, allowed: { embedding_size: [config.embedding_size] } })
    return {
      ...description, embeddingSize: readInteger(config, 'embedding_size', 128),
      sharing: { groups: readInteger(config, 'num_hidden_groups', 1), perGroup: readInteger(config, 'inner_group_num', 1) },
      hasPooler: Boolean(shapeOf('pooler.weight')), hasMaskedLMHead: Boolean(shapeOf('predictions.dense.weight'))
    }
  }
})
