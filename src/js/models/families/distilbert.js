import { describeBertLike } from './bert.js'
import { encoderFamily } from './encoder_family.js'

/** DistilBERT (Sanh et al. 2019): half of BERT's layers, without token types. */
export const distilbert = encoderFamily({
  type: 'distilbert',
  prefix: 'distilbert',
  architectures: { base: 'DistilBertModel', maskedLM: 'DistilBertForMaskedLM' },
  keys: {
    'layer.{n}': 'transformer.layer.{n}', 'self_attn.q': 'attention.q_lin', 'self_attn.k': 'attention.k_lin',
    'self_attn.v': 'attention.v_lin', 'self_attn.out_proj': 'attention.out_lin', 'norm1': 'sa_layer_norm', 'linear1': 'ffn.lin1',
    'linear2': 'ffn.lin2', 'norm2': 'output_layer_norm', 'predictions.dense': '/vocab_transform',
    'predictions.LayerNorm': '/vocab_layer_norm', 'predictions': '/vocab_projector'
  },
  ignored: [/position_ids$/, /^vocab_projector\.weight$/],
  heads: {
    sequence: { dense: 'pre_classifier', activation: 'relu', out: 'classifier' }, token: { out: 'classifier' }, question: { out: 'qa_outputs' }
  },
  describe(config, shapeOf) {
    const { dim, n_heads, n_layers, hidden_dim, activation, dropout, tie_weights_: tied } = config
    const description = describeBertLike('DistilBert', {
      ...config, hidden_size: dim, num_attention_heads: n_heads, num_hidden_layers: n_layers ?? 6,
      intermediate_size: hidden_dim, hidden_act: activation, hidden_dropout_prob: dropout, type_vocab_size: 0,
      tie_word_embeddings: tied
    })
    return { ...description, hasMaskedLMHead: Boolean(shapeOf('vocab_transform.weight')) }
  }
})
