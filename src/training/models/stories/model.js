import { createLayer, createNorm } from '../layer.js'
import { createPositionalEncoding } from '../positional_encoding.js'

/**
 * @typedef {{ positions?: string | null, normFirst?: boolean,
 *   activation?: string, norm?: string, kvHeads?: number, longest?: number }} Shape
 *   positions: null leaves them out
 */

/** The maximum number of tokens. */
export const LONGEST = 72

/** The size of the model on the page. */
export const CONFIG = { vocabSize: 1024, dModel: 40, nhead: 4, layers: 2, dimFeedforward: 96, dropout: 0, base: 10 }

/**
 * A smaller standard deviation than torch's, since the same table also gives the logits; learned positions get it too,
 * or they would dominate.
 */
const EMBEDDING_STD = 0.3

/** The base of the rotation (Su et al. 2021): slow pairs hardly rotate within a story, and find words by content. */
const ROTARY_BASE = 10000

/** @param {{ values: Float32Array }} weight */
const scaleDown = weight => weight.values.forEach((value, i, all) => { all[i] = value * EMBEDDING_STD })

/**
 * A decoder-only model like GPT-2: embedding, positions, causal pre-norm layers, a final norm. The embedding is tied to
 * the output layer.
 * @param {any} gf the library
 * @param {typeof CONFIG & Shape} [config]
 */
export function createStories(gf, config = CONFIG) {
  const { vocabSize, dModel, nhead, layers, dimFeedforward, dropout, base } = config
  const { positions = 'interleaved', normFirst = true, activation = 'gelu', longest = LONGEST, norm, kvHeads } = config
  const isRotary = positions === 'rotary'

  class StoryTeller extends gf.nn.Module {
    static inputNames = ['ids']

    constructor() {
      super()
      this.embedding = new gf.nn.Embedding(vocabSize, dModel)
      scaleDown(this.embedding.weight)
      this.positions = null
      const layer = createLayer(gf, { dModel, nhead, dimFeedforward, dropout, normFirst, activation, norm, kvHeads,
        ...(isRotary && { rotaryBase: ROTARY_BASE }) })
      this.decoder = new gf.nn.TransformerEncoder(layer, layers, { norm: createNorm(gf, norm, dModel) })
      // Created last, so that a random table leaves the initialization of all other weights unchanged.
      if (positions && !isRotary) {
        this.positions = createPositionalEncoding(gf, { positions, base, dModel, dropout, longest })
      }
      if (positions === 'learned') scaleDown(this.positions.weight)
    }

    /**
     * Logits [B, T, tokens] of every next token.
     * @param {number[][]} ids [B, T]
     * @param {any} [mask] [T, T], true where attention is masked, besides later positions
     * @param {any} [cache] keys and values of earlier passes, after which `ids` continue
     */
    forward(ids, mask, cache) {
      const embedded = this.embedding.forward(ids)
      const x = this.positions ? this.positions.forward(embedded, { start: cache?.length ?? 0 }) : embedded
      const y = this.decoder.forward(x, { isCausal: true, ...(mask && { mask }), ...(cache && { cache }) })
      return gf.functional.linear(y, this.embedding.weight)
    }
  }
  return new StoryTeller()
}
