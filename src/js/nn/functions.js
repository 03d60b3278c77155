import { expectOptions } from '../errors.js'
import { crossEntropy } from '../ops/cross_entropy.js'
import { logSoftmax } from '../ops/log_softmax.js'
import { elu, glu } from '../ops/gated.js'
import {
  binaryCrossEntropy, binaryCrossEntropyWithLogits, huberLoss, klDiv, l1Loss, mseLoss, smoothL1Loss
} from '../ops/losses.js'
import { nllLoss } from '../ops/nll_loss.js'
import { cosineSimilarity } from '../ops/normalize.js'
import { flattenAxes, unflatten } from '../ops/sides.js'
import { softmax } from '../ops/softmax.js'
import { unaryFunctions } from '../ops/unary.js'
import { fold, unfold } from '../ops/windows.js'
import { formatTuple } from '../tensor/print_tensor.js'
import { Module } from './module.js'
import { formatArguments } from './print_module.js'

/**
 * Modules that call a function of torch.nn.functional. The constructor takes the function's options, forward its
 * tensors.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 */

/**
 * @template {any[]} I
 * @template O
 * @param {string} name @param {(...args: [...I, (O | undefined)?]) => Tensor} fn
 * @param {readonly (keyof O & string)[]} names of options
 * @param {(options: any) => string} [extraRepr] what is printed of the options
 * @returns {new (engine: Engine, options?: O) => Module & { options: O, forward(...inputs: I): Tensor }}
 */
function defineModule(name, fn, names, extraRepr = () => '') {
  const Class = class extends Module {
    /** @param {Engine} engine @param {O} [options] */
    constructor(engine, options) {
      super(engine)
      this.options = { ...expectOptions(name, options, names) }
    }

    /** @param {I} inputs */
    forward(...inputs) {
      return fn(...inputs, this.options)
    }

    extraRepr() {
      return extraRepr(this.options)
    }
  }
  return /** @type {any} */ (Object.defineProperty(Class, 'name', { value: name }))
}

/** @typedef {import('../ops/losses.js').Reduction} Reduction used by the declarations generated from this file */
/** @typedef {[input: Tensor, target: Tensor]} Pair @typedef {[input: Tensor, target: any]} Classified */
/** @typedef {NonNullable<Parameters<typeof crossEntropy>[2]>} CrossEntropyOptions */
/** @typedef {NonNullable<Parameters<typeof nllLoss>[2]>} NLLOptions */
/** @typedef {NonNullable<Parameters<typeof mseLoss>[2]>} ReductionOptions */
/** @typedef {NonNullable<Parameters<typeof binaryCrossEntropy>[2]>} BCEOptions */
/** @typedef {NonNullable<Parameters<typeof binaryCrossEntropyWithLogits>[2]>} BCEWithLogitsOptions */
/** @typedef {NonNullable<Parameters<typeof klDiv>[2]>} KLOptions */

export const CrossEntropyLoss = /** @type {typeof defineModule<Classified, CrossEntropyOptions>} */ (defineModule)(
  'CrossEntropyLoss', crossEntropy, ['weight', 'ignoreIndex', 'labelSmoothing', 'reduction'])
export const NLLLoss = /** @type {typeof defineModule<Classified, NLLOptions>} */ (defineModule)(
  'NLLLoss', nllLoss, ['weight', 'ignoreIndex', 'reduction'])
export const MSELoss = /** @type {typeof defineModule<Pair, ReductionOptions>} */ (defineModule)(
  'MSELoss', mseLoss, ['reduction'])
export const L1Loss = /** @type {typeof defineModule<Pair, ReductionOptions>} */ (defineModule)(
  'L1Loss', l1Loss, ['reduction'])
export const BCELoss = /** @type {typeof defineModule<Pair, BCEOptions>} */ (defineModule)(
  'BCELoss', binaryCrossEntropy, ['weight', 'reduction'])
export const BCEWithLogitsLoss = /** @type {typeof defineModule<Pair, BCEWithLogitsOptions>} */ (defineModule)(
  'BCEWithLogitsLoss', binaryCrossEntropyWithLogits, ['weight', 'posWeight', 'reduction'])
export const KLDivLoss = /** @type {typeof defineModule<Pair, KLOptions>} */ (defineModule)(
  'KLDivLoss', klDiv, ['reduction', 'logTarget'])
export const CosineSimilarity = /** @type {typeof defineModule<Pair, { dim?: number, eps?: number }>} */ (defineModule)(
  'CosineSimilarity', cosineSimilarity, ['dim', 'eps'])

/** @typedef {ReductionOptions & { beta?: number }} SmoothL1Options */
export const SmoothL1Loss = /** @type {typeof defineModule<Pair, SmoothL1Options>} */ (defineModule)(
  'SmoothL1Loss', smoothL1Loss, ['reduction', 'beta'])
export const HuberLoss = /** @type {typeof defineModule<Pair, ReductionOptions & { delta?: number }>} */ (defineModule)(
  'HuberLoss', huberLoss, ['reduction', 'delta'])

/** @typedef {[x: Tensor]} One */
const formatDim = (/** @type {{ dim?: number }} */ { dim }) => `dim=${dim ?? 'None'}`
export const ELU = /** @type {typeof defineModule<One, { alpha?: number }>} */ (defineModule)(
  'ELU', elu, ['alpha'], ({ alpha = 1 }) => formatArguments({ alpha }))
export const GLU = /** @type {typeof defineModule<One, { dim?: number }>} */ (defineModule)(
  'GLU', glu, ['dim'], ({ dim = -1 }) => `dim=${dim}`)
export const Softmax = /** @type {typeof defineModule<One, { dim?: number }>} */ (defineModule)(
  'Softmax', softmax, ['dim'], formatDim)
export const LogSoftmax = /** @type {typeof defineModule<One, { dim?: number }>} */ (defineModule)(
  'LogSoftmax', logSoftmax, ['dim'], formatDim)
export const LeakyReLU = /** @type {typeof defineModule<One, { negativeSlope?: number }>} */ (defineModule)(
  'LeakyReLU', unaryFunctions.leakyRelu, ['negativeSlope'],
  ({ negativeSlope = 0.01 }) => formatArguments({ negative_slope: negativeSlope }))
export const Softplus = /** @type {typeof defineModule<One, { beta?: number, threshold?: number }>} */ (defineModule)(
  'Softplus', unaryFunctions.softplus, ['beta', 'threshold'],
  ({ beta = 1, threshold = 20 }) => formatArguments({ beta, threshold }))

/** Merges the axes from startDim to endDim, by default all but the first: torch.nn.Flatten. */
export class Flatten extends Module {
  /** @param {Engine} engine @param {number} [startDim] 1 @param {number} [endDim] -1 */
  constructor(engine, startDim = 1, endDim = -1) {
    super(engine)
    this.startDim = startDim
    this.endDim = endDim
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return flattenAxes(x, this.startDim, this.endDim)
  }

  /** @returns {string} */
  extraRepr() {
    return `start_dim=${this.startDim}, end_dim=${this.endDim}`
  }
}

/** Splits an axis into several: torch.nn.Unflatten. */
export class Unflatten extends Module {
  /** @param {Engine} engine @param {number} dim @param {readonly number[]} sides one may be −1 and is then inferred */
  constructor(engine, dim, sides) {
    super(engine)
    this.dim = dim
    this.sides = sides
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    return unflatten(x, this.dim, this.sides)
  }

  /** @returns {string} */
  extraRepr() {
    return `dim=${this.dim}, unflattened_size=${formatTuple(this.sides)}`
  }
}

/**
 * @typedef {import('../ops/windows.js').Sizes} Sizes
 * @typedef {import('../ops/windows.js').WindowOptions} WindowOptions
 */

/** @param {Sizes} size */
const formatSize = size => (Array.isArray(size) ? formatTuple(size) : String(size))

/** @param {WindowOptions} options */
const formatWindows = ({ dilation = 1, padding = 0, stride = 1 }) =>
  `dilation=${formatSize(dilation)}, padding=${formatSize(padding)}, stride=${formatSize(stride)}`

/** The windows of images as columns: torch.nn.Unfold. */
export class Unfold extends Module {
  /**
   * @param {Engine} engine
   * @param {Sizes} kernelSize @param {WindowOptions} [options] dilation: 1; padding: 0; stride: 1
   */
  constructor(engine, kernelSize, options) {
    super(engine)
    this.kernelSize = kernelSize
    this.options = { ...expectOptions('Unfold', options, ['dilation', 'padding', 'stride']) }
  }

  /** @param {Tensor} x [N, C, H, W] @returns {Tensor} [N, C × kernel cells, windows] */
  forward(x) {
    return unfold(x, this.kernelSize, this.options)
  }

  /** @returns {string} */
  extraRepr() {
    return `kernel_size=${formatSize(this.kernelSize)}, ${formatWindows(this.options)}`
  }
}

/** Sums columns into images: torch.nn.Fold. */
export class Fold extends Module {
  /**
   * @param {Engine} engine @param {Sizes} outputSize @param {Sizes} kernelSize
   * @param {WindowOptions} [options] dilation: 1;
   *   padding: 0; stride: 1
   */
  constructor(engine, outputSize, kernelSize, options) {
    super(engine)
    this.outputSize = outputSize
    this.kernelSize = kernelSize
    this.options = { ...expectOptions('Fold', options, ['dilation', 'padding', 'stride']) }
  }

  /** @param {Tensor} x [N, C × kernel cells, windows] @returns {Tensor} [N, C, H, W] */
  forward(x) {
    return fold(x, this.outputSize, this.kernelSize, this.options)
  }

  /** @returns {string} */
  extraRepr() {
    const { outputSize, kernelSize, options } = this
    return `output_size=${formatSize(outputSize)}, kernel_size=${formatSize(kernelSize)}, ${formatWindows(options)}`
  }
}
