/**
 * Common mistakes, built in: each is a module of the library with one changed line and the same weights. The run uses
 * it, so every number after it is what such a mistake produces.
 */

import { multiheadAttention } from '../../../src/js/ops/attention.js'
import { linearRows } from '../../../src/js/ops/linear.js'

/** @import { Library, LibraryTensor } from '../../types.d.ts' */

/** Keys are computed with the weights of values, and values with those of keys. @param {any} gf */
const swapped = gf => class SwappedAttention extends gf.nn.MultiheadAttention {
  /** @param {LibraryTensor} query @param {LibraryTensor} key @param {LibraryTensor} value @param {any} options */
  forward(query, key = query, value = key, { attnMask, isCausal, keyPaddingMask } = /** @type {any} */ ({})) {
    const { embedDim: count } = this
    /** @param {LibraryTensor} x @param {number} which */
    const project = (x, which) => linearRows(x, this.in_proj_weight, this.in_proj_bias, { first: which * count, count })
    const q = this.tag('q', project(query, 0))
    const k = this.tag('k', project(key, 2)), v = this.tag('v', project(value, 1))
    const { out } = multiheadAttention(q, k, v, this.numHeads, {
      attnMask, isCausal, keyPaddingMask, needWeights: false, scale: this.scale,
      dropoutP: this.training ? this.dropout : 0, where: 'SwappedAttention'
    })
    return [this.out_proj.forward(this.tag('heads', out)), null]
  }
}

/** Mean and variance of each channel over the tokens, instead of each token over its channels. @param {any} gf */
const tokenNorm = gf => class TokenNorm extends gf.nn.LayerNorm {
  static inputNames = ['x']

  /** @param {LibraryTensor} x */
  forward(x) {
    const { functional: F } = gf
    const y = F.layerNorm(x.permute(0, 2, 1), null, null, { eps: this.eps }).permute(0, 2, 1)
    return F.add(F.mul(y, this.weight), this.bias)
  }
}

/**
 * `pe[:x.size(0)]`, correct where time comes first; batch first it is the row of position 0 for all.
 * @param {any} gf
 */
const batchPositions = gf => class BatchPositions extends gf.nn.PositionalEncoding {
  static inputNames = ['x']

  /** @param {LibraryTensor} x */
  forward(x) {
    const [B, T, C] = x.shape, added = this.tag('added', this.pe.narrow(0, 0, B).expand(T, C))
    return this.dropout.forward(this.tag('sum', gf.functional.add(x, added)))
  }
}
/**
 * By fault: the class that contains it, the faulty class, and its constructor arguments from a module.
 * @type {Record<string, { of: string, make: (gf: any) => any, from: (module: any) => any[] }>}
 */
const FAULTS = {
  swapped: { of: 'MultiheadAttention', make: swapped,
    from: ({ embedDim, numHeads, dropout }) => [embedDim, numHeads, { dropout }] },
  tokenNorm: { of: 'LayerNorm', make: tokenNorm,
    from: ({ normalizedShape, eps }) => [normalizedShape, { eps }] },
  batchPositions: { of: 'PositionalEncoding', make: batchPositions,
    from: ({ dropout, pe, options }) => [pe.shape[1], dropout.p, pe.shape[0], options] }
}

/**
 * A model with a fault in every module that can have it.
 * @template Model
 * @param {Library} gf @param {Model} model @param {string} fault as the setting says @returns {Model}
 */
export function withFault(gf, model, fault) {
  if (!(fault in FAULTS)) return model
  const { of, make, from } = FAULTS[fault]
  const Faulty = make(gf)
  for (const [path, module] of /** @type {any} */ (model).namedModules()) {
    if (!(module instanceof /** @type {any} */ (gf.nn)[of])) continue
    const names = path.split('.'), last = names.pop()
    const parent = names.reduce((/** @type {any} */ node, /** @type {string} */ name) => node[name], model)
    parent[last] = new Faulty(...from(module))
    module.dispose()
  }
  return model
}
