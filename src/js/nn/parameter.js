import { getPaddingBytes } from '../panels.js'
import { Tensor } from '../tensor.js'

/**
 * A tensor that belongs to a module and is trained: torch.nn.Parameter. It lives until disposed or forgotten.
 */
export class Parameter extends Tensor {
  /** Whether it may be stored in fewer bits. @type {boolean} */ isMatrix

  /**
   * @param {import('../engine.js').Engine} engine @param {readonly number[]} shape
   * @param {Tensor} [base] whose values it shows @param {import('../dtype.js').DType} [dtype]
   * @param {boolean} [isMatrix] of products, or a table of rows, and nothing else: it may be stored in fewer bits
   */
  constructor(engine, shape, base, dtype = 'float32', isMatrix = false) {
    super(engine, shape, dtype, base, 0, shape.length === 2 ? getPaddingBytes(shape, dtype) : 0)
    engine.keep(this)
    this.requiresGrad = dtype === 'float32'
    this.isMatrix = isMatrix
  }

  /** It is here to stay. @internal */
  get isCollectable() {
    return false
  }
}
