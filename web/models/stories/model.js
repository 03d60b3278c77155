import { createPlaces } from '../places.js'
import { LONGEST } from './data.js'

/**
 * @typedef {{ positions?: 'interleaved' | 'concatenated' | 'learned' | null, normFirst?: boolean,
 *   activation?: 'relu' | 'gelu', longest?: number }} Shape positions: null leaves them out
 */

/** The size of the model on the page. */
export const CONFIG = { vocabSize: 1024, dModel: 40, nhead: 4, layers: 2, dimFeedforward: 96, dropout: 0, base: 10 }

/** Tokens are drawn closer together than torch draws them, since the same table also gives the logits. */
const EMBEDDING_STD = 0.3

/**
 * A decoder without an encoder, as GPT-2 is built: embedding, positions, causal layers with the norm first, a norm at
 * the end. The next token is measured against the same embedding that was read with.
 * @param {any} gf the library
 * @param {typeof CONFIG & Shape} [config]
 */
export function createStories(gf, config = CONFIG) {
  const { vocabSize, dModel, nhead, layers, dimFeedforward, dropout, base } = config
  const { positions = 'interleaved', normFirst = true, activation = 'gelu', longest = LONGEST } = config

  class StoryTeller extends gf.nn.Module {
    constructor() {
      super()
      this.embedding = new gf.nn.Embedding(vocabSize, dModel)
      this.embedding.weight.values.forEach((value, i, all) => { all[i] = value * EMBEDDING_STD })
      this.positions = null
      const options = { dimFeedforward, dropout, normFirst, activation }
      const layer = new gf.nn.TransformerEncoderLayer(dModel, nhead, options)
      this.decoder = new gf.nn.TransformerEncoder(layer, layers, { norm: new gf.nn.LayerNorm(dModel) })
      // Made last, so that a table drawn at random leaves every other weight as it would be without one.
      if (positions) this.positions = createPlaces(gf, { positions, base, dModel, dropout, longest })
    }

    /**
     * Logits [B, T, tokens] of every next token.
     * @param {number[][]} ids [B, T]
     * @param {any} [mask] [T, T], true where a place may not look, besides what is after it
     */
    forward(ids, mask) {
      const embedded = this.embedding.forward(ids)
      const x = this.positions ? this.positions.forward(embedded) : embedded
      const y = this.decoder.forward(x, { isCausal: true, ...(mask && { mask }) })
      return gf.functional.linear(y, this.embedding.weight)
    }
  }
  return new StoryTeller()
}
