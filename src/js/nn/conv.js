import { expect, expectBoolean, expectInteger, expectOneOf, expectOptions } from '../errors.js'
import { conv1d, conv2d, pad } from '../ops/windows.js'
import { formatTuple } from '../tensor/print_tensor.js'
import { fillUniform } from '../tensor/random.js'
import { range, sizeOf } from '../tensor/shape.js'
import { Module } from './module.js'

/**
 * Convolutions, which are products with windows of the input: patch embeddings, the front of a speech model.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../ops/windows.js').Sizes} Sizes
 * @typedef {{ stride?: Sizes, padding?: Sizes | 'valid' | 'same', dilation?: Sizes, groups?: number, bias?: boolean,
 *   paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular' }} ConvModuleOptions stride: 1; padding: 0; dilation:
 * 1; groups: 1; bias: true; paddingMode: 'zeros'
 */

const OPTIONS = ['stride', 'padding', 'dilation', 'groups', 'bias', 'paddingMode']

/** What Conv1d and Conv2d share. */
class Convolution extends Module {
  /**
   * @param {Engine} engine @param {string} where @param {number} n the number of axes of the kernel
   * @param {number} inChannels @param {number} outChannels @param {Sizes} kernelSize @param {unknown} options
   */
  constructor(engine, where, n, inChannels, outChannels, kernelSize, options) {
    super(engine)
    const { stride = 1, padding = 0, dilation = 1, groups = 1, bias = true, paddingMode = 'zeros' } =
      expectOptions(where, options, OPTIONS)
    this.inChannels = expectInteger(where, 'inChannels', inChannels, 1)
    this.outChannels = expectInteger(where, 'outChannels', outChannels, 1)
    this.groups = expectInteger(where, 'groups', groups, 1)
    expect(inChannels % groups === 0 && outChannels % groups === 0, 'range',
      () => `${where}: groups must divide inChannels ${inChannels} and outChannels ${outChannels}, got ${groups}`)
    const sizes = Array.isArray(kernelSize) ? kernelSize : range(n).map(() => kernelSize)
    expect(sizes.length === n, 'shape', () => `${where}: kernelSize must be a number or a list of ${n}, got a list of ${sizes.length}`)
    this.kernelSize = sizes.map(size => expectInteger(where, 'kernelSize', size, 1))
    this.stride = stride
    this.padding = padding
    this.dilation = dilation
    this.paddingMode = expectOneOf(where, 'paddingMode', paddingMode, ['zeros', 'reflect', 'replicate', 'circular'])
    expect(paddingMode === 'zeros' || typeof padding !== 'string', 'type',
      () => `${where}: padding must be numbers for paddingMode '${paddingMode}', got '${padding}'`)
    this.weight = this.parameter(outChannels, inChannels / groups, ...this.kernelSize)
    this.bias = expectBoolean(where, 'bias', bias) ? this.parameter(outChannels) : null
    this.resetParameters()
  }

  /** As in PyTorch, uniform up to ±1 / √(inputs of an output) for weight and bias. */
  resetParameters() {
    const fan = sizeOf(this.weight.shape.slice(1)), gain = Math.sqrt(2 / (1 + Math.sqrt(5) ** 2))
    const bound = Math.sqrt(3) * (gain / Math.sqrt(fan)), biasBound = 1 / Math.sqrt(fan)
    fillUniform(this.weight, -bound, bound)
    if (this.bias) fillUniform(this.bias, -biasBound, biasBound)
  }

  /** @returns {string} */
  extraRepr() {
    const { inChannels, outChannels, kernelSize, stride, padding, dilation, groups, bias, paddingMode } = this
    /** @param {Sizes} sizes */
    const toTuple = sizes => formatTuple(Array.isArray(sizes) ? sizes : kernelSize.map(() => sizes))
    /** @param {Sizes | string} sizes @param {number} value */
    const isAll = (sizes, value) => [sizes].flat().every(size => size === value)
    return `${inChannels}, ${outChannels}, kernel_size=${formatTuple(kernelSize)}, stride=${toTuple(stride)}` +
      (isAll(padding, 0) ? '' : `, padding=${typeof padding === 'string' ? padding : toTuple(padding)}`) +
      (isAll(dilation, 1) ? '' : `, dilation=${toTuple(dilation)}`) + (groups === 1 ? '' : `, groups=${groups}`) +
      (bias ? '' : ', bias=False') + (paddingMode === 'zeros' ? '' : `, padding_mode=${paddingMode}`)
  }

  /** The input with its padding, unless that is zeros, and the options that remain. @param {Tensor} x */
  prepare(x) {
    const { stride, padding, dilation, groups, paddingMode, kernelSize } = this
    if (paddingMode === 'zeros') return { input: x, options: { stride, padding, dilation, groups } }
    const sides = kernelSize.map((_, i) => (Array.isArray(padding) ? padding[i] : padding))
    const around = sides.reverse().flatMap(n => [n, n])
    return { input: pad(x, around, { mode: paddingMode }), options: { stride, dilation, groups } }
  }
}

/**
 * Convolution along one axis: torch.nn.Conv1d. weight [outChannels, inChannels / groups, kernel], bias [outChannels].
 * @example
 * new gf.nn.Conv1d(80, 16, 3, { padding: 1 }).forward(gf.ones([1, 80, 10])).shape   // [1, 16, 10]
 */
export class Conv1d extends Convolution {
  /**
   * @param {Engine} engine @param {number} inChannels @param {number} outChannels @param {Sizes} kernelSize
   * @param {ConvModuleOptions} [options] stride: 1; padding: 0; dilation: 1; groups: 1; bias: true; paddingMode:
   *   'zeros'
   */
  constructor(engine, inChannels, outChannels, kernelSize, options) {
    super(engine, 'Conv1d', 1, inChannels, outChannels, kernelSize, options)
  }

  /** @param {Tensor} x [N, C, L] or [C, L] @returns {Tensor} [N, outChannels, windows] */
  forward(x) {
    const { input, options } = this.prepare(x)
    return conv1d(input, this.weight, this.bias, options)
  }
}

/**
 * Convolution of images: torch.nn.Conv2d. weight [outChannels, inChannels / groups, rows, columns], bias [outChannels].
 * @example
 * const patches = new gf.nn.Conv2d(3, 16, 4, { stride: 4 })
 * patches.forward(gf.ones([1, 3, 8, 8])).flatten(2).transpose(1, 2).shape   // [1, 4, 16]
 */
export class Conv2d extends Convolution {
  /**
   * @param {Engine} engine @param {number} inChannels @param {number} outChannels @param {Sizes} kernelSize
   * @param {ConvModuleOptions} [options] stride: 1; padding: 0; dilation: 1; groups: 1; bias: true; paddingMode:
   *   'zeros'
   */
  constructor(engine, inChannels, outChannels, kernelSize, options) {
    super(engine, 'Conv2d', 2, inChannels, outChannels, kernelSize, options)
  }

  /** @param {Tensor} x [N, C, H, W] or [C, H, W] @returns {Tensor} [N, outChannels, rows, columns] */
  forward(x) {
    const { input, options } = this.prepare(x)
    return conv2d(input, this.weight, this.bias, options)
  }
}
