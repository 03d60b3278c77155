import { rowsOf } from '../ids.js'
import { createPositionalEncoding } from '../positional_encoding.js'
import { LONGEST, PAD, TOKENS, WORDS } from './tokens.js'

/**
 * @typedef {{ positions?: string | null, normFirst?: boolean, activation?: string }}
 *   Shape positions: null leaves them out
 */

/**
 * The size of the model on the page. The wavelengths of the positions are short (base 10), so that neighbors differ:
 * the letter before [?] has to be found.
 */
export const CONFIG = { dModel: 32, nhead: 4, layers: 2, dimFeedforward: 64, dropout: 0, base: 10 }

/** A smaller standard deviation than torch's, so that positions have enough weight at the start. */
const EMBEDDING_STD = 0.5

const PAD_ID = TOKENS.indexOf(PAD)

/**
 * An encoder that predicts missing words: embedding, positions, torch.nn.TransformerEncoder, a linear layer to the
 * possible words.
 * @param {any} gf the library
 * @param {typeof CONFIG & Shape} [config]
 */
export function createParticles(gf, config = CONFIG) {
  const { dModel, nhead, layers, dimFeedforward, dropout, base } = config
  const { positions = 'interleaved', normFirst = false, activation = 'relu' } = config

  class MissingWord extends gf.nn.Module {
    static inputNames = ['ids']

    constructor() {
      super()
      this.embedding = new gf.nn.Embedding(TOKENS.length, dModel)
      const weights = /** @type {Float32Array} */ (this.embedding.weight.values)
      weights.forEach((value, i, all) => { all[i] = value * EMBEDDING_STD })
      this.positions = null
      const options = { dimFeedforward, dropout, normFirst, activation }
      const layer = new gf.nn.TransformerEncoderLayer(dModel, nhead, options)
      this.encoder = new gf.nn.TransformerEncoder(layer, layers)
      this.output = new gf.nn.Linear(dModel, WORDS.length)
      // Created last, so that a random table leaves the initialization of all other weights unchanged.
      if (positions) {
        this.positions = createPositionalEncoding(gf, { positions, base, dModel, dropout, longest: LONGEST })
      }
    }

    /**
     * Logits [B, T, words] at every position; only those at [?] are trained.
     * @param {number[][]} ids [B, T]
     * @param {boolean[][]} [hidden] [B, T], true for keys to mask besides the padding
     */
    forward(ids, hidden) {
      const srcKeyPaddingMask = rowsOf(ids)
        .map((row, b) => row.map((id, t) => id === PAD_ID || Boolean(hidden?.[b][t])))
      const embedded = this.embedding.forward(ids)
      const x = this.positions ? this.positions.forward(embedded) : embedded
      return this.output.forward(this.encoder.forward(x, { srcKeyPaddingMask }))
    }
  }
  return new MissingWord()
}
