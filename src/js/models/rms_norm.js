import { Module } from '../nn/module.js'
import { rmsNorm } from '../ops/rms_norm.js'

/** Rows divided by the root of their mean square, then scaled (Zhang and Sennrich 2019). weight [C]. */
export class RMSNorm extends Module {
  /** @param {import('../engine.js').Engine} engine @param {number} channels @param {number} eps */
  constructor(engine, channels, eps) {
    super(engine)
    this.weight = this.parameter(channels)
    this.weight.values.fill(1)
    this.eps = eps
  }

  /** @param {import('../tensor.js').Tensor} x [..., C] @returns {import('../tensor.js').Tensor} the same shape */
  forward(x) {
    return rmsNorm(x, this.weight, { eps: this.eps })
  }
}
