import { describe, GlassformerError, expectOneOf, expectOptions } from '../errors.js'
import { gelu } from '../ops/gelu.js'
import { relu, unaryFunctions } from '../ops/unary.js'
import { Module } from './module.js'
import { formatArguments } from './print_module.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** max(x, 0): torch.nn.ReLU. */
export class ReLU extends Module {
  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return relu(x)
  }
}

/** x × sigmoid(x): torch.nn.SiLU. */
export class SiLU extends Module {
  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return unaryFunctions.silu(x)
  }
}

/** The hyperbolic tangent: torch.nn.Tanh. */
export class Tanh extends Module {
  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return unaryFunctions.tanh(x)
  }
}

/** 1 / (1 + exp(−x)): torch.nn.Sigmoid. */
export class Sigmoid extends Module {
  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return unaryFunctions.sigmoid(x)
  }
}

/** Gaussian error linear unit (Hendrycks and Gimpel 2016): torch.nn.GELU. */
export class GELU extends Module {
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {{ approximate?: 'none' | 'tanh' }} [options] approximate: 'none' (exact) or 'tanh'; default: 'none'
   */
  constructor(engine, options) {
    super(engine)
    const { approximate = 'none' } = expectOptions('GELU', options, ['approximate'])
    this.approximate = expectOneOf('GELU', 'approximate', approximate, ['none', 'tanh'])
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return gelu(x, { approximate: this.approximate })
  }

  /** @returns {string} */
  extraRepr() {
    return formatArguments({ approximate: this.approximate })
  }
}

/** The activations that layers know by name. @type {Record<string, (x: Tensor) => Tensor>} */
export const activations = { relu, gelu: x => gelu(x) }

/**
 * The activation function that a layer's option names.
 * @param {string} where @param {unknown} activation 'relu', 'gelu' or a function of a tensor
 * @returns {(x: Tensor) => Tensor}
 */
export function getActivation(where, activation) {
  if (typeof activation === 'function') return /** @type {any} */ (activation)
  if (activation === 'relu' || activation === 'gelu') return activations[activation]
  throw new GlassformerError('type',
    `${where}: activation must be 'relu', 'gelu' or a function, got ${describe(activation)}`)
}
