import { expectBoolean, expectNumber, expectOptions, expectInteger } from '../errors.js'
import { rmsNorm } from '../ops/rms_norm.js'
import { Module } from './module.js'
import { formatTuple } from '../tensor/print_tensor.js'
import { formatArguments } from './print_module.js'

/**
 * Divides each row by the root of its mean square (Zhang and Sennrich 2019): torch.nn.RMSNorm. weight
 * [normalizedShape].
 */
export class RMSNorm extends Module {
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number | [number]} normalizedShape the size of the last axis
   * @param {{ eps?: number | null, elementwiseAffine?: boolean }} [options] eps: null, which means 2⁻²³, the spacing of
   *   float32 at 1; elementwiseAffine: true
   */
  constructor(engine, normalizedShape, options) {
    super(engine)
    const { eps = null, elementwiseAffine = true } = expectOptions('RMSNorm', options, ['eps', 'elementwiseAffine'])
    const C = Array.isArray(normalizedShape) && normalizedShape.length === 1 ? normalizedShape[0] : normalizedShape
    this.normalizedShape = [expectInteger('RMSNorm', 'normalizedShape', C)]
    this.eps = eps === null ? null : expectNumber('RMSNorm', 'eps', eps, 'a number >= 0, or null', v => v >= 0)
    this.weight = expectBoolean('RMSNorm', 'elementwiseAffine', elementwiseAffine)
      ? this.parameter(...this.normalizedShape) : null
    this.resetParameters()
  }

  /** Sets weight to 1. */
  resetParameters() {
    this.weight?.values.fill(1)
  }

  /**
   * @param {import('../tensor/tensor.js').Tensor} x [..., C]
   * @returns {import('../tensor/tensor.js').Tensor} the same shape
   */
  forward(x) {
    return rmsNorm(x, this.weight, { eps: this.eps })
  }

  /** @returns {string} */
  extraRepr() {
    const { normalizedShape, eps, weight } = this
    return `${formatTuple(normalizedShape)}, ${formatArguments({ eps, elementwise_affine: weight !== null })}`
  }
}
