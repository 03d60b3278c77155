import { ACTIVATIONS, readChoice, readInteger } from '../config.js'
import { BERT_KEYS, describeBertLike } from './bert.js'
import { encoderFamily } from './encoder_family.js'

/** ELECTRA (Clark et al. 2020), discriminator and generator: BERT with smaller embeddings, without a pooler. */
export const electra = encoderFamily({
  type: 'electra',
  prefix: 'electra',
  architectures: { base: 'ElectraModel', maskedLM: 'ElectraForMaskedLM' },
  keys: {
    ...BERT_KEYS, 'projection': 'embeddings_project', 'predictions.dense': '/generator_predictions.dense',
    'predictions.LayerNorm': '/generator_predictions.LayerNorm', 'predictions': '/generator_lm_head'
  },
  ignored: [/position_ids$/, /^generator_lm_head\.weight$/],
  heads: config => ({
    sequence: { dense: 'classifier.dense', activation: ACTIVATIONS.gelu, out: 'classifier.out_proj' }, token: { out: 'classifier' },
    question: { out: 'qa_outputs' },
    discriminator: {
      dense: 'discriminator_predictions.dense', activation: readChoice(config, 'hidden_act', ACTIVATIONS, 'gelu'),
      out: 'discriminator_predictions.dense_prediction'
    }
  }),
  describe: (config, shapeOf) => ({
    ...describeBertLike('Electra', config, { allowed: { embedding_size: [config.embedding_size] } }),
    embeddingSize: readInteger(config, 'embedding_size', 128), hasMaskedLMHead: Boolean(shapeOf('generator_predictions.dense.weight'))
  })
})
