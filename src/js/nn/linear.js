import { expectBoolean, expectOptions, expectInteger } from '../errors.js'
import { linear } from '../ops/linear.js'
import { fillUniform } from '../tensor/random.js'
import { Module } from './module.js'

/**
 * y = x Wᵀ + b: torch.nn.Linear. weight [outFeatures, inFeatures], bias [outFeatures].
 * @example
 * const layer = new gf.nn.Linear(4, 2)
 * layer.forward(gf.randn([3, 4])).shape           // [3, 2]
 * layer.namedParameters().map(([name]) => name)   // ['weight', 'bias']
 */
export class Linear extends Module {
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} inFeatures
   * @param {number} outFeatures
   * @param {{ bias?: boolean }} [options] bias: true
   */
  constructor(engine, inFeatures, outFeatures, options) {
    super(engine)
    const { bias = true } = expectOptions('Linear', options, ['bias'])
    this.inFeatures = expectInteger('Linear', 'inFeatures', inFeatures)
    this.outFeatures = expectInteger('Linear', 'outFeatures', outFeatures)
    this.weight = this.matrix(outFeatures, inFeatures)
    this.bias = expectBoolean('Linear', 'bias', bias) ? this.parameter(outFeatures) : null
    this.resetParameters()
  }

  /** As in PyTorch, kaiming_uniform_ with a = √5 for the weight, and uniform up to ±1 / √inFeatures for the bias. */
  resetParameters() {
    const gain = Math.sqrt(2 / (1 + Math.sqrt(5) ** 2)), bound = Math.sqrt(3) * (gain / Math.sqrt(this.inFeatures))
    fillUniform(this.weight, -bound, bound)
    const biasBound = this.inFeatures ? 1 / Math.sqrt(this.inFeatures) : 0
    if (this.bias) fillUniform(this.bias, -biasBound, biasBound)
  }

  /**
   * @param {import('../tensor/tensor.js').Tensor} x [..., inFeatures]
   * @returns {import('../tensor/tensor.js').Tensor} [..., outFeatures]
   */
  forward(x) {
    return linear(x, this.weight, this.bias)
  }

  /** @returns {string} */
  extraRepr() {
    const { inFeatures, outFeatures, bias } = this
    return `in_features=${inFeatures}, out_features=${outFeatures}, bias=${bias ? 'True' : 'False'}`
  }
}
