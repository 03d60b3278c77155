import { expect, expectBoolean, expectNumber, expectOptions, expectInteger } from '../errors.js'
import { layerNorm } from '../ops/layer_norm.js'
import { Module } from './module.js'
import { formatTuple } from '../tensor/print_tensor.js'
import { formatArguments } from './print_module.js'

/**
 * Layer normalization over the last axes (Ba et al. 2016): torch.nn.LayerNorm. weight and bias [...normalizedShape].
 */
export class LayerNorm extends Module {
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number | readonly number[]} normalizedShape the size of the last axis, or the sizes of the last axes
   * @param {{ eps?: number, elementwiseAffine?: boolean, bias?: boolean }} [options] eps: 1e-5; elementwiseAffine:
   *   true; bias: true, if elementwiseAffine is
   */
  constructor(engine, normalizedShape, options) {
    super(engine)
    const { eps = 1e-5, elementwiseAffine = true, bias = true } =
      expectOptions('LayerNorm', options, ['eps', 'elementwiseAffine', 'bias'])
    const sides = Array.isArray(normalizedShape) ? normalizedShape : [normalizedShape]
    expect(sides.length > 0, 'type', () => 'LayerNorm: normalizedShape must have at least one side, got []')
    this.normalizedShape = sides.map((side, i) =>
      expectInteger('LayerNorm', sides.length > 1 ? `normalizedShape[${i}]` : 'normalizedShape', side))
    this.eps = expectNumber('LayerNorm', 'eps', eps, 'a number >= 0', v => v >= 0)
    expectBoolean('LayerNorm', 'elementwiseAffine', elementwiseAffine)
    expectBoolean('LayerNorm', 'bias', bias)
    this.weight = elementwiseAffine ? this.parameter(...this.normalizedShape) : null
    this.bias = elementwiseAffine && bias ? this.parameter(...this.normalizedShape) : null
    this.resetParameters()
  }

  /** Sets weight to 1 and bias to 0. */
  resetParameters() {
    this.weight?.values.fill(1)
    this.bias?.values.fill(0)
  }

  /** @param {import('../tensor/tensor.js').Tensor} x @returns {import('../tensor/tensor.js').Tensor} */
  forward(x) {
    const { eps, normalizedShape } = this
    return layerNorm(x, this.weight, this.bias, normalizedShape.length > 1 ? { eps, normalizedShape } : { eps })
  }

  /** @returns {string} */
  extraRepr() {
    const { normalizedShape, eps, weight } = this
    return `${formatTuple(normalizedShape)}, ${formatArguments({ eps, elementwise_affine: weight !== null })}`
  }
}
