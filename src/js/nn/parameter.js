import { getPaddingBytes } from '../tensor/panels.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * A tensor of a module that is trained: torch.nn.Parameter. It lives until it is disposed or garbage collected.
 */
export class Parameter extends Tensor {
  /** Whether it may be stored in fewer bits. @type {boolean} */ isMatrix

  /**
   * @param {import('../engine/engine.js').Engine} engine @param {readonly number[]} shape
   * @param {Tensor | null} [base] makes it a view of this tensor; null leaves its values out until `allocate`
   * @param {import('../tensor/dtype.js').DType} [dtype]
   * @param {boolean} [isMatrix] whether it is only used in matrix products or as a table of rows, so that it may be
   *   stored in fewer bits
   */
  constructor(engine, shape, base, dtype = 'float32', isMatrix = false) {
    super(engine, shape, dtype, base, 0, shape.length === 2 ? getPaddingBytes(shape, dtype) : 0)
    engine.keep(this)
    this.requiresGrad = dtype === 'float32'
    this.isMatrix = isMatrix
  }

  /** @param {import('../tensor/dtype.js').DType} dtype @internal */
  allocate(dtype, padding = this.shape.length === 2 ? getPaddingBytes(this.shape, dtype) : 0) {
    super.allocate(dtype, padding)
    this.requiresGrad = dtype === 'float32'
    this.engine.keep(this)
  }

  toString() {
    return this.storage ? `Parameter containing:\n${super.toString()}` : super.toString()
  }

  /** Parameters are expected to stay. @internal */
  get isCollectable() {
    return false
  }
}
