/**
 * A transformer layer with optional newer parts: RMSNorm, rotary positions, grouped-query attention, SwiGLU. Without
 * them it is the library's own layer.
 */

import { multiheadAttention } from '../../js/ops/attention.js'
import { linearRows } from '../../js/ops/linear.js'

/** @import { Tensor as LibraryTensor } from '../../js/tensor/tensor.js' */

/**
 * @typedef {object} LayerShape
 * @property {number} dModel
 * @property {number} nhead
 * @property {number} dimFeedforward
 * @property {number} dropout
 * @property {boolean} normFirst
 * @property {string} activation 'relu', 'gelu' or 'swiglu'
 * @property {string} [norm] 'layer' or 'rms'
 * @property {number} [kvHeads] heads of keys and values; by default as many as of queries
 * @property {number} [rotaryBase] base of the rotation frequencies; without it nothing is rotated
 */

/** The ε of layer norm, so that the two norms differ only in their formula. */
const EPS = 1e-5

/**
 * The width of a gated layer: two thirds, so that its three matrices have as many parameters as two (Shazeer 2020).
 * @param {number} width
 */
const gatedWidth = width => Math.max(1, Math.round(2 * width / 3))

/** A norm by name. @param {any} gf @param {string | undefined} norm @param {number} dModel */
export const createNorm = (gf, norm, dModel) => (
  norm === 'rms' ? new gf.nn.RMSNorm(dModel, { eps: EPS }) : new gf.nn.LayerNorm(dModel))

/** @param {any} gf @param {LayerShape} shape */
export function createLayer(gf, shape) {
  const { dModel, nhead, dimFeedforward, dropout, normFirst, activation, norm, kvHeads = nhead, rotaryBase } = shape
  if (norm !== 'rms' && activation !== 'swiglu' && kvHeads === nhead && !rotaryBase) {
    return new gf.nn.TransformerEncoderLayer(dModel, nhead, { dimFeedforward, dropout, normFirst, activation })
  }
  const { functional: F, nn } = gf

  /** nn.MultiheadAttention with its names and initialization, except that keys and values may have fewer rows. */
  class GroupedAttention extends nn.Module {
    static inputNames = ['x']

    constructor() {
      super()
      const size = dModel / nhead, rows = dModel + 2 * kvHeads * size
      this.dropout = dropout
      /** @type {number | undefined} */ this.scale = undefined
      this.in_proj_weight = this.parameter(rows, dModel)
      this.in_proj_bias = this.parameter(rows)
      this.out_proj = new nn.Linear(dModel, dModel)
      nn.init.xavierUniform_(this.in_proj_weight)
      for (const bias of [this.in_proj_bias, this.out_proj.bias]) bias.values.fill(0)
      this.places = [[0, dModel], [dModel, kvHeads * size], [dModel + kvHeads * size, kvHeads * size]]
    }

    /**
     * The rows of one of the three projections, rotated by their positions.
     * @param {LibraryTensor} x @param {number} which @param {number} heads @param {number} past positions in the cache
     */
    project(x, which, heads, past) {
      const [first, count] = this.places[which]
      const y = linearRows(x, this.in_proj_weight, this.in_proj_bias, { first, count })
      if (!rotaryBase || !heads) return y
      const positions = past ? { positions: Array.from({ length: x.shape[1] }, (_, t) => past + t) } : {}
      return F.rotary(y, { heads, base: rotaryBase, ...positions })
    }

    /** @param {LibraryTensor} x @param {Record<string, any>} options masks, and the cache of earlier passes */
    forward(x, { attnMask, isCausal, keyPaddingMask, cache }) {
      const entry = cache?.of(this), past = entry?.queries ?? 0
      const q = this.tag('q', this.project(x, 0, nhead, past))
      const k = this.tag('k', this.project(x, 1, kvHeads, past))
      const v = this.tag('v', this.project(x, 2, 0, past))
      const { out, weights } = multiheadAttention(q, k, v, nhead, {
        attnMask, isCausal, keyPaddingMask, kvHeads, needWeights: false, scale: this.scale, cache: entry,
        dropoutP: this.training ? this.dropout : 0, where: 'GroupedAttention'
      })
      if (weights && this.training && this.dropout) this.tag('dropout.output', weights)
      return this.out_proj.forward(this.tag('heads', out))
    }
  }

  class Layer extends nn.Module {
    static inputNames = ['src']

    constructor() {
      super()
      const isGated = activation === 'swiglu', width = isGated ? gatedWidth(dimFeedforward) : dimFeedforward
      this.self_attn = new GroupedAttention()
      this.linear1 = new nn.Linear(dModel, width)
      this.linear2 = new nn.Linear(width, dModel)
      this.norm1 = createNorm(gf, norm, dModel)
      this.norm2 = createNorm(gf, norm, dModel)
      this.dropout = new nn.Dropout(dropout)
      this.dropout1 = new nn.Dropout(dropout)
      this.dropout2 = new nn.Dropout(dropout)
      this.linear3 = isGated ? new nn.Linear(dModel, width) : null
    }

    /** @param {LibraryTensor} x @param {1 | 2} n @param {(x: LibraryTensor) => LibraryTensor} sublayer */
    residual(x, n, sublayer) {
      const ownNorm = this[`norm${n}`]
      const sum = this.tag(`residual${n}`,
        F.add(x, this[`dropout${n}`].forward(sublayer(normFirst ? ownNorm.forward(x) : x))))
      return normFirst ? sum : ownNorm.forward(sum)
    }

    /**
     * The feed-forward network; with SwiGLU, the activated gate is multiplied by the output of the third matrix.
     * @param {LibraryTensor} x
     */
    feedForward(x) {
      const wide = this.linear1.forward(x)
      if (!this.linear3) return this.linear2.forward(this.dropout.forward(this.tag('activation', F[activation](wide))))
      const gate = this.tag('activation', F.silu(wide))
      return this.linear2.forward(this.dropout.forward(this.tag('gated', F.mul(gate, this.linear3.forward(x)))))
    }

    /** @param {LibraryTensor} src @param {Record<string, any>} options */
    forward(src, { srcMask, isCausal, srcKeyPaddingMask, cache }) {
      const masks = { attnMask: srcMask, isCausal, keyPaddingMask: srcKeyPaddingMask, cache }
      const y = this.residual(src, 1, x => this.self_attn.forward(x, masks))
      return this.residual(y, 2, x => this.feedForward(x))
    }
  }
  return new Layer()
}
