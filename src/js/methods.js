import { expectArgumentCount, getMaxArguments } from './arity.js'
import { GlassformerError, describe } from './errors.js'
import { refusesSubscripts } from './subscripts.js'

/**
 * The methods of tensors that are operations: each is the function of the same name with the tensor as first argument.
 * Operations import the class Tensor, so index.js attaches the methods when the library is loaded.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./tensor.js').DType} DType
 * @typedef {import('./ops/unary.js').UnaryName} UnaryName
 * @typedef {import('./ops/binary.js').BinaryName} BinaryName
 * @typedef {import('./ops/compare.js').ComparisonName} ComparisonName
 * @typedef {import('./ops/arrange.js').ShapeMethods} ShapeMethods
 *
 * @typedef {import('./ops/reduce.js').ReduceOptions} ReduceOptions
 * @typedef {Record<Exclude<import('./ops/reduce.js').ReductionName, 'var' | 'std' | 'norm'>,
 *   (options?: ReduceOptions) => Tensor>} Reductions
 *
 * @typedef {object} OtherMethods
 * @property {() => Tensor} clone a copy with memory of its own; gradients flow through it
 * @property {() => Tensor} detach a view of the same memory without its recorded computation
 * @property {(b: Tensor) => Tensor} matmul
 * @property {(b: Tensor) => Tensor} dot
 * @property {(b: Tensor) => boolean} equal whether shape and values are the same
 * @property {(b: Tensor, options?: { rtol?: number, atol?: number, equalNan?: boolean }) => boolean} allclose
 * @property {(b: Tensor) => Tensor} outer
 * @property {(options?: { dim?: number }) => Tensor} softmax
 * @property {(options?: { dim?: number }) => Tensor} logSoftmax
 * @property {(options?: ReduceOptions & { correction?: number }) => Tensor} var
 * @property {(options?: ReduceOptions & { correction?: number }) => Tensor} std
 * @property {(options?: ReduceOptions & { p?: number }) => Tensor} norm
 * @property {(options?: { dim?: number, keepdim?: boolean }) => Tensor} argmax the index of the first maximum, int32
 * @property {(options?: { dim?: number, keepdim?: boolean }) => Tensor} argmin
 * @property {(options?: { beta?: number, threshold?: number }) => Tensor} softplus
 * @property {(options?: { negativeSlope?: number }) => Tensor} leakyRelu
 * @property {(options: { min?: number, max?: number }) => Tensor} clamp limits values to min and max
 * @property {(dtype: DType) => Tensor} to converts to another dtype; the tensor itself if it has that dtype
 *
 * @typedef {Record<UnaryName | 'ceil' | 'trunc' | 'erf' | 'log1p' | 'expm1' | 'isnan' | 'isinf' | 'isfinite' |
 *   'logicalNot' | 'bitwiseNot', () => Tensor>
 *   & Record<BinaryName | ComparisonName, (other: Tensor | number) => Tensor>
 *   & Record<'bitwiseAnd' | 'bitwiseOr' | 'bitwiseXor', (other: Tensor | number | boolean) => Tensor>
 *   & Reductions & OtherMethods & ShapeMethods} TensorMethods
 */

/** The superclass of Tensor. */
export const Methods = /** @type {new () => TensorMethods} */ (/** @type {unknown} */ (class {}))

Object.setPrototypeOf(Methods.prototype, refusesSubscripts)

// Without an iterator, destructuring would throw an error that names no alternative.
Object.defineProperty(Methods.prototype, Symbol.iterator, {
  /** @this {Tensor} */
  value() {
    throw new GlassformerError('type', `${describe(this)} is not iterable; x.max({ dim }) gives the values alone, ` +
      'x.argmax({ dim }) the indices; write x.select(0, i) for a row, x.toArray() for all as an array')
  }
})

/** @param {Record<string, (tensor: any, ...rest: any[]) => unknown>} functions by the names of the methods */
export function attachMethods(functions) {
  for (const [name, fn] of Object.entries(functions)) {
    const max = getMaxArguments(name, fn) - 1
    Object.defineProperty(Methods.prototype, name, {
      /** @this {Tensor} @param {any[]} rest */
      value(...rest) {
        if (rest.length > max) expectArgumentCount(name, max, rest)
        return fn(this, ...rest)
      },
      configurable: true, writable: true
    })
  }
}
