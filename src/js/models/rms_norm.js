import { Module } from '../nn/module.js'
import { add, mul } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { unaryFunctions } from '../ops/unary.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** Rows divided by the root of their mean square, then scaled (Zhang and Sennrich 2019). weight [C]. */
export class RMSNorm extends Module {
  /** @param {import('../engine.js').Engine} engine @param {number} channels @param {number} eps */
  constructor(engine, channels, eps) {
    super(engine)
    this.weight = this.parameter(channels)
    this.weight.values.fill(1)
    this.eps = eps
  }

  /** @param {Tensor} x [..., C] @returns {Tensor} the same shape */
  forward(x) {
    const C = /** @type {number} */ (x.shape.at(-1)), share = this.engine.empty([1, C])
    share.values.fill(1 / C)
    const meanSquare = linear(unaryFunctions.square(x), share)
    return mul(mul(x, unaryFunctions.rsqrt(add(meanSquare, this.eps))), this.weight)
  }
}
