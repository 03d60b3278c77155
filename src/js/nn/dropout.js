import { expectProbability } from '../errors.js'
import { dropout } from '../ops/dropout.js'
import { Module } from './module.js'
import { formatArguments } from './print_module.js'

/** In training mode, sets values to 0 with probability p and scales the rest by 1 / (1 − p): torch.nn.Dropout. */
export class Dropout extends Module {
  /** @param {import('../engine/engine.js').Engine} engine @param {number} [p] 0.5 */
  constructor(engine, p = 0.5) {
    super(engine)
    this.p = expectProbability('Dropout', 'p', p)
  }

  /** @param {import('../tensor/tensor.js').Tensor} x @returns {import('../tensor/tensor.js').Tensor} */
  forward(x) {
    return dropout(x, { p: this.p, training: this.training })
  }

  /** @returns {string} */
  extraRepr() {
    return formatArguments({ p: this.p, inplace: false })
  }
}
