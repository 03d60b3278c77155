import { createPositionalEncoding } from '../positional_encoding.js'
import { LONGEST, TOKENS } from './tokens.js'

/** The size of the model on the page. */
export const CONFIG = { dModel: 64, nhead: 4, layers: 2, dropout: 0, positions: 'learned', base: 10000 }

/**
 * A layer without a feed-forward network: attention, with a residual sum and a norm.
 * @param {any} gf @param {{ dModel: number, nhead: number, dropout: number, normFirst: boolean }} shape
 */
function createLayer({ functional: F, nn }, { dModel, nhead, dropout, normFirst }) {
  class AttentionLayer extends nn.Module {
    static inputNames = ['src']

    constructor() {
      super()
      this.self_attn = new nn.MultiheadAttention(dModel, nhead, { dropout })
      this.norm1 = new nn.LayerNorm(dModel)
      this.dropout1 = new nn.Dropout(dropout)
    }

    /** @param {any} src @param {Record<string, any>} options */
    forward(src, { srcMask, isCausal, srcKeyPaddingMask, cache }) {
      const x = normFirst ? this.norm1.forward(src) : src
      const masks = { attnMask: srcMask, isCausal, keyPaddingMask: srcKeyPaddingMask, cache, needWeights: false }
      const [attended] = this.self_attn.forward(x, x, x, masks)
      const sum = this.tag('residual1', F.add(src, this.dropout1.forward(attended)))
      return normFirst ? sum : this.norm1.forward(sum)
    }
  }
  return new AttentionLayer()
}

/**
 * A decoder-only model without feed-forward networks (Elhage et al. 2021): embedding, positions, causal attention
 * layers, a final norm, a linear layer to the tokens.
 * @param {any} gf the library
 * @param {Omit<typeof CONFIG, 'positions'> & { normFirst?: boolean, positions?: string | null }} [config] positions:
 *   null leaves them out
 */
export function createInduction(gf, config = CONFIG) {
  const { dModel, nhead, layers, dropout, positions, base, normFirst = true } = config

  class InductionModel extends gf.nn.Module {
    static inputNames = ['ids']

    constructor() {
      super()
      this.embedding = new gf.nn.Embedding(TOKENS.length, dModel)
      this.positions = null
      this.decoder = new gf.nn.TransformerEncoder(createLayer(gf, { dModel, nhead, dropout, normFirst }), layers,
        { norm: new gf.nn.LayerNorm(dModel) })
      this.output = new gf.nn.Linear(dModel, TOKENS.length)
      // Created last, so that a random table leaves the initialization of all other weights unchanged.
      if (positions) {
        this.positions = createPositionalEncoding(gf, { positions, base, dModel, dropout, longest: LONGEST })
      }
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
      return this.output.forward(y)
    }
  }
  return new InductionModel()
}
