import { LONGEST } from './data.js'

/** The size of the model on the page. */
export const CONFIG = { vocabSize: 1024, dModel: 40, nhead: 4, layers: 2, dimFeedforward: 96, dropout: 0, base: 10 }

/** Tokens are drawn closer together than torch draws them, since the same table also gives the logits. */
const EMBEDDING_STD = 0.3

/**
 * A decoder without an encoder, as GPT-2 is built: embedding, positions, causal layers with the norm first, a norm at
 * the end. The next token is measured against the same embedding that was read with.
 * @param {any} gf the library
 * @param {typeof CONFIG} [config]
 */
export function createStories(gf, config = CONFIG) {
  const { vocabSize, dModel, nhead, layers, dimFeedforward, dropout, base } = config

  class StoryTeller extends gf.nn.Module {
    constructor() {
      super()
      this.embedding = new gf.nn.Embedding(vocabSize, dModel)
      this.embedding.weight.values.forEach((value, i, all) => { all[i] = value * EMBEDDING_STD })
      this.positions = new gf.nn.PositionalEncoding(dModel, dropout, LONGEST, { base })
      const options = { dimFeedforward, dropout, normFirst: true, activation: 'gelu' }
      const layer = new gf.nn.TransformerEncoderLayer(dModel, nhead, options)
      this.decoder = new gf.nn.TransformerEncoder(layer, layers, { norm: new gf.nn.LayerNorm(dModel) })
    }

    /**
     * Logits [B, T, tokens] of every next token.
     * @param {number[][]} ids [B, T]
     * @param {any} [mask] [T, T], true where a place may not look, besides what is after it
     */
    forward(ids, mask) {
      const x = this.positions.forward(this.embedding.forward(ids))
      const y = this.decoder.forward(x, { isCausal: true, ...(mask && { mask }) })
      return gf.functional.linear(y, this.embedding.weight)
    }
  }
  return new StoryTeller()
}
