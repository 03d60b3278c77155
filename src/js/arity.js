import { GlassformerError, describe, isPlain } from './errors.js'

/** JavaScript ignores surplus arguments. PyTorch takes by position what is an option here, so surplus is an error. */

/**
 * The maximum number of arguments where `fn.length` is too small: it stops at the first parameter with a default.
 * @type {Record<string, number>}
 */
const MAX_ARGUMENTS = {
  arange: Infinity, checkpoint: Infinity, einsum: Infinity, expand: Infinity, flip: Infinity, permute: Infinity,
  repeat: Infinity, tile: Infinity, flatten: 3, slice: 5, tril: 2, triu: 2,
  Dropout: 1, Embedding: 3, Flatten: 2, Identity: Infinity, LayerNorm: 2, Module: Infinity, ModuleDict: 1,
  ModuleList: 1, PositionalEncoding: 4, Sequential: Infinity, Transformer: Infinity,
  TransformerDecoderLayer: Infinity, TransformerEncoderLayer: Infinity
}

/** The same for forward methods. @type {Record<string, number>} */
const MAX_FORWARD_ARGUMENTS = { MultiheadAttention: 4 }

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/** @param {string} name @param {object} options passed to a function without options */
const noOptionsHint = (name, options) =>
  ('alpha' in options ? `there is no alpha; write x.${name}(y.mul(alpha))` : `${name} has no options`)

/**
 * Throws if there are more than `max` arguments.
 * @param {string} name @param {number} max @param {readonly unknown[]} args
 */
export function expectArgumentCount(name, max, args) {
  if (args.length <= max) return
  const words = max === 0 ? 'no arguments, but got'
    : `${max === 1 ? 'one argument' : `${max} arguments at most`}, but also got a ${ORDINALS[max] ?? 'further one'}:`
  const surplus = args[max], isOption = ['number', 'boolean'].includes(typeof surplus) && isPlain(args[max - 1])
  const hint = isOption ? '; options go into one object' : isPlain(surplus) ? `; ${noOptionsHint(name, surplus)}` : ''
  throw new GlassformerError('type', `${name}: takes ${words} ${describe(surplus)}${hint}`)
}

/** The maximum number of arguments of a function. @param {string} name @param {Function} fn */
export const getMaxArguments = (name, fn) => MAX_ARGUMENTS[name] ?? fn.length

/**
 * Wraps a function so that surplus arguments are an error.
 * @template {(...args: any[]) => unknown} F @param {string} name @param {F} fn @returns {F}
 */
function withArityCheck(name, fn) {
  const max = getMaxArguments(name, fn)
  if (max === Infinity) return fn
  const checked = (/** @type {any[]} */ ...args) => {
    if (args.length > max) expectArgumentCount(name, max, args)
    return fn(...args)
  }
  return /** @type {any} */ (Object.defineProperties(checked, { name: { value: name }, length: { value: max } }))
}

/**
 * Wraps every function of an object so that surplus arguments are an error.
 * @template {Record<string, any>} T @param {T} functions @returns {T}
 */
export const withArityChecks = functions => /** @type {T} */ (Object.fromEntries(Object.entries(functions).map(
  ([name, value]) => [name, typeof value === 'function' ? withArityCheck(name, value) : value])))

/**
 * The maximum number of arguments of a class's constructor, without the engine.
 * @param {Function} Class @param {string} name its public name: a minified bundle's own may be shorter
 * @returns {number}
 */
export function getMaxConstructorArguments(Class, name) {
  let Defined = Class
  // A class without a constructor has its superclass's.
  while (Defined.length === 0) Defined = Object.getPrototypeOf(Defined)
  return MAX_ARGUMENTS[name] ?? Defined.length - 1
}

/** The maximum number of inputs of the library's forwards. @type {WeakMap<Function, number>} */
const maxInputs = new WeakMap()

/** @param {Record<string, any>} classes of modules; a forward with a rest parameter is not limited */
export function registerForwards(classes) {
  for (const [name, Class] of Object.entries(classes)) {
    const { forward } = Class.prototype
    if (Object.hasOwn(Class.prototype, 'forward') && forward.length) {
      maxInputs.set(forward, MAX_FORWARD_ARGUMENTS[name] ?? forward.length)
    }
  }
}

/**
 * The maximum number of inputs of a forward; not limited for a user's, which has its own defaults.
 * @param {Function} forward
 */
export const getMaxInputs = forward => maxInputs.get(forward) ?? Infinity
