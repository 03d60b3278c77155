/** From logits to sampling probabilities as modules, so that every number of it can be explained. */

import { cutMask } from './decoding.js'

/** @import { LibraryTensor } from '../types.d.ts' */

/**
 * A module that divides logits by the temperature, applies softmax, and applies it again after top-k and top-p.
 * and top-p cut.
 * @param {any} gf @param {{ temperature: number, topK: number, topP: number }} settings
 */
export function createSampling(gf, { temperature, topK, topP }) {
  const F = gf.functional

  class Choice extends gf.nn.Module {
    static roles = { mask: 'cut_mask' }

    /** @param {LibraryTensor} tempered logits */
    constructor({ values, shape }) {
      super()
      this.registerBuffer('mask', gf.tensor(cutMask(gf, /** @type {Float32Array} */ (values), shape[shape.length - 1], { topK, topP }), { shape: [...shape] }))
    }

    /** @param {LibraryTensor} tempered */
    forward(tempered) {
      return F.softmax(this.tag('cut', F.add(tempered, this.mask)))
    }
  }

  class Sampling extends gf.nn.Module {
    static inputNames = ['logits']
    static roles = { inverse_temperature: 'inverse_temperature' }

    constructor() {
      super()
      this.registerBuffer('inverse_temperature', gf.tensor([1 / temperature]))
    }

    /** @param {LibraryTensor} logits */
    forward(logits) {
      const tempered = this.tag('tempered', F.mul(logits, this.inverse_temperature))
      this.tag('probabilities', F.softmax(tempered))
      this.choice = new Choice(tempered)
      return this.choice.forward(tempered)
    }
  }
  return new Sampling()
}
