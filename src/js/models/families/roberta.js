import { readPaddingId } from '../config.js'
import { BERT_KEYS, describeBertLike } from './bert.js'
import { encoderFamily } from './encoder_family.js'

/**
 * RoBERTa (Liu et al. 2019) and relatives: BERT whose positions count from the id of padding on.
 * @param {string} type @param {string} name
 */
const robertaFamily = (type, name) => encoderFamily({
  type,
  prefix: 'roberta',
  architectures: { base: `${name}Model`, maskedLM: `${name}ForMaskedLM` },
  keys: {
    ...BERT_KEYS, 'predictions.dense': '/lm_head.dense', 'predictions.LayerNorm': '/lm_head.layer_norm', 'predictions': '/lm_head'
  },
  biasAliases: ['lm_head.decoder.bias'],
  ignored: [/position_ids$/, /^lm_head\.decoder\./],
  heads: {
    sequence: { dense: 'classifier.dense', out: 'classifier.out_proj' }, token: { out: 'classifier' },
    question: { out: 'qa_outputs' }
  },
  describe(config, shapeOf) {
    const description = describeBertLike(name, config, { vocabSize: 50265 })
    const paddingId = readPaddingId(config, description.vocabSize)
    return {
      ...description, maxPositions: description.maxPositions - paddingId - 1, paddingId,
      hasPooler: Boolean(shapeOf('pooler.dense.weight')), hasMaskedLMHead: Boolean(shapeOf('lm_head.dense.weight'))
    }
  }
})

export const roberta = robertaFamily('roberta', 'Roberta')
export const xlmRoberta = robertaFamily('xlm-roberta', 'XLMRoberta')
export const camembert = robertaFamily('camembert', 'Camembert')
