import { readInteger, readPaddingId } from '../config.js'
import { bartFamily, describeBartLike } from './bart_family.js'

/** BART (Lewis et al. 2019) and KoBART: a post-norm transformer with learned positions. */
export const bart = bartFamily({
  type: 'bart',
  architecture: 'BartForConditionalGeneration',
  describe: (config, shapeOf) => describeBartLike('Bart', config, shapeOf, {
    vocabSize: 50265, decoderStart: 2, positions: { kind: 'learned' }, isPreNorm: false, hasEmbeddingNorm: true, hasLogitBias: true
  })
})

/** mBART (Liu et al. 2020): BART with norms before attention and feed-forward networks. */
export const mbart = bartFamily({
  type: 'mbart',
  architecture: 'MBartForConditionalGeneration',
  describe: (config, shapeOf) => describeBartLike('MBart', config, shapeOf, {
    vocabSize: 50265, decoderStart: 2, positions: { kind: 'learned' }, isPreNorm: true, hasEmbeddingNorm: true, hasLogitBias: true
  })
})

/** M2M100 (Fan et al. 2020) and NLLB: mBART with computed positions. */
export const m2m100 = bartFamily({
  type: 'm2m_100',
  architecture: 'M2M100ForConditionalGeneration',
  describe: (config, shapeOf) => describeBartLike('M2M100', config, shapeOf, {
    vocabSize: 128112, decoderStart: 2, positions: { kind: 'fairseq', paddingId: readPaddingId(config, readInteger(config, 'vocab_size', 128112)) },
    isPreNorm: true, hasEmbeddingNorm: false, hasLogitBias: false, defaults: { isScaled: true, activation: 'relu' }
  })
})

/** Pegasus (Zhang et al. 2019). */
export const pegasus = bartFamily({
  type: 'pegasus',
  architecture: 'PegasusForConditionalGeneration',
  describe: (config, shapeOf) => describeBartLike('Pegasus', config, shapeOf, {
    vocabSize: 50265, decoderStart: 0, positions: { kind: 'sinusoidal' }, isPreNorm: true, hasEmbeddingNorm: false, hasLogitBias: true,
    allowed: { static_position_embeddings: [true] }
  })
})
