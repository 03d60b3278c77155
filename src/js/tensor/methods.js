import { createReader } from '../interface/arguments.js'
import { GlassformerError, describe } from '../errors.js'
import { FUNCTIONS, METHODS } from '../interface/signatures.js'

/**
 * The methods of tensors that are operations: each is the function of the same name with the tensor as first argument.
 * Operations import the class Tensor, so index.js attaches the methods when the library is loaded.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./tensor.js').DType} DType
 * @typedef {import('../ops/unary.js').UnaryName} UnaryName
 * @typedef {import('../ops/binary.js').BinaryName} BinaryName
 * @typedef {import('../ops/compare.js').ComparisonName} ComparisonName
 * @typedef {import('../ops/arrange.js').ShapeMethods} ShapeMethods
 *
 * @typedef {import('../ops/reduce.js').ReduceOptions} ReduceOptions
 * @typedef {Record<Exclude<import('../ops/reduce.js').ReductionName, 'var' | 'std' | 'norm'>,
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
 * @typedef {import('../interface/argument_types.js').AllWithOrder<PlainMethods,
 *   import('../interface/argument_types.js').MethodSignatures>}
 *   TensorMethods
 *
 * Methods that overwrite the tensor and return it, without a gradient.
 * @typedef {object} InPlaceMethods
 * @property {() => Tensor} abs_ abs in place: torch.Tensor.abs_
 * @property {() => Tensor} ceil_ ceil in place: torch.Tensor.ceil_
 * @property {() => Tensor} exp_ exp in place: torch.Tensor.exp_
 * @property {() => Tensor} floor_ floor in place: torch.Tensor.floor_
 * @property {() => Tensor} log_ log in place: torch.Tensor.log_
 * @property {() => Tensor} neg_ neg in place: torch.Tensor.neg_
 * @property {() => Tensor} reciprocal_ reciprocal in place: torch.Tensor.reciprocal_
 * @property {() => Tensor} relu_ relu in place: torch.Tensor.relu_
 * @property {() => Tensor} round_ round in place: torch.Tensor.round_
 * @property {() => Tensor} rsqrt_ rsqrt in place: torch.Tensor.rsqrt_
 * @property {() => Tensor} sigmoid_ sigmoid in place: torch.Tensor.sigmoid_
 * @property {() => Tensor} sign_ sign in place: torch.Tensor.sign_
 * @property {() => Tensor} sqrt_ sqrt in place: torch.Tensor.sqrt_
 * @property {() => Tensor} square_ square in place: torch.Tensor.square_
 * @property {() => Tensor} tanh_ tanh in place: torch.Tensor.tanh_
 * @property {() => Tensor} trunc_ trunc in place: torch.Tensor.trunc_
 * @property {(other: Tensor | number, options?: { alpha?: number }) => Tensor} add_ x += other, or += alpha × other:
 *   torch.Tensor.add_
 * @property {(other: Tensor | number, options?: { alpha?: number }) => Tensor} sub_ x −= other, or −= alpha × other:
 *   torch.Tensor.sub_
 * @property {(other: Tensor | number) => Tensor} mul_ mul in place: torch.Tensor.mul_
 * @property {(other: Tensor | number) => Tensor} div_ div in place: torch.Tensor.div_
 * @property {(other: Tensor | number) => Tensor} pow_ pow in place: torch.Tensor.pow_
 * @property {(options: { min?: number, max?: number }) => Tensor} clamp_ clamp in place: torch.Tensor.clamp_
 * @property {(end: Tensor, weight: number | Tensor) => Tensor} lerp_ lerp in place: torch.Tensor.lerp_
 * @property {(mask: Tensor, value: number | boolean) => Tensor} maskedFill_ maskedFill in place:
 *   torch.Tensor.masked_fill_
 * @property {(dim: number, index: any, src: Tensor | number) => Tensor} scatter_ scatter in place:
 *   torch.Tensor.scatter_
 * @property {(dim: number, index: any, src: Tensor | number) => Tensor} scatterAdd_ scatterAdd in place:
 *   torch.Tensor.scatter_add_
 * @property {(dim: number, index: any, source: Tensor, options?: { alpha?: number }) => Tensor} indexAdd_ indexAdd in
 *   place: torch.Tensor.index_add_
 * @property {(dim: number, index: any, source: Tensor) => Tensor} indexCopy_ indexCopy in place:
 *   torch.Tensor.index_copy_
 * @property {(dim: number, index: any, value: number | boolean) => Tensor} indexFill_ indexFill in place:
 *   torch.Tensor.index_fill_
 * @property {(diagonal?: number) => Tensor} tril_ tril in place: torch.Tensor.tril_
 * @property {(diagonal?: number) => Tensor} triu_ triu in place: torch.Tensor.triu_
 * @property {(source: Tensor) => Tensor} copy_ the values of another tensor, broadcast and converted:
 *   torch.Tensor.copy_
 * @property {(value: number | boolean) => Tensor} fill_ one value everywhere: torch.Tensor.fill_
 * @property {() => Tensor} zero_ zeros: torch.Tensor.zero_
 * @property {(mean?: number | { mean?: number, std?: number }, std?: number) => Tensor} normal_ normal random numbers,
 *   mean 0 and std 1: torch.Tensor.normal_
 * @property {(from?: number | { from?: number, to?: number }, to?: number) => Tensor} uniform_ uniform random
 *   numbers, from 0 to 1: torch.Tensor.uniform_
 *
 * @typedef {Record<UnaryName | 'ceil' | 'trunc' | 'erf' | 'log1p' | 'expm1' | 'isnan' | 'isinf' | 'isfinite' |
 *   'logicalNot' | 'bitwiseNot', () => Tensor>
 *   & Record<BinaryName | ComparisonName, (other: Tensor | number) => Tensor>
 *   & Record<'bitwiseAnd' | 'bitwiseOr' | 'bitwiseXor', (other: Tensor | number | boolean) => Tensor>
 *   & Reductions & OtherMethods & ShapeMethods & InPlaceMethods} PlainMethods
 */

/** The superclass of Tensor. */
export const Methods = /** @type {new () => TensorMethods} */ (/** @type {unknown} */ (class {}))

// Without an iterator, destructuring would throw an error that names no alternative.
Object.defineProperty(Methods.prototype, Symbol.iterator, {
  /** @this {Tensor} */
  value() {
    throw new GlassformerError('type', `${describe(this)} is not iterable; write x.amax({ dim }) for ` +
      'the values of x.max({ dim }) alone, x.select(0, i) for a row, x.toArray() for all as an array')
  }
})

/**
 * Lets methods that the class of tensors declares itself read their arguments in PyTorch's order and by name.
 * @param {Record<string, any>} prototype of tensors @param {readonly string[]} names
 */
export function readArgumentsOfMethods(prototype, names) {
  /** @type {Record<string, string>} */ const signatures = { ...FUNCTIONS, ...METHODS }
  for (const name of names) {
    const fn = prototype[name], { read } = createReader(name, signatures[name], fn.length + 1, 1)
    Object.defineProperty(prototype, name, {
      /** @this {Tensor} @param {any[]} rest */
      value(...rest) {
        return fn.apply(this, read(rest))
      },
      configurable: true, writable: true
    })
  }
}

/** @param {Record<string, (tensor: any, ...rest: any[]) => unknown>} functions by the names of the methods */
export function attachMethods(functions) {
  /** @type {Record<string, string>} */ const signatures = { ...FUNCTIONS, ...METHODS }
  for (const [name, fn] of Object.entries(functions)) {
    const { read } = createReader(name, signatures[name], fn.length, 1)
    Object.defineProperty(Methods.prototype, name, {
      /** @this {Tensor} @param {any[]} rest */
      value(...rest) {
        return fn(this, ...read(rest))
      },
      configurable: true, writable: true
    })
  }
}
