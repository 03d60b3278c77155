import { GlassformerError, describe, isPlain } from './errors.js'

/** Arguments that are too many would be ignored without a word: PyTorch takes by position what is an option here. */

/**
 * How many are taken, where the length of a function does not tell: it stops at the first one that has a default.
 * @type {Record<string, number>}
 */
const MOST = {
  arange: Infinity, checkpoint: Infinity, einsum: Infinity, expand: Infinity, flip: Infinity, permute: Infinity,
  repeat: Infinity, flatten: 3, slice: 5, tril: 2, triu: 2,
  Dropout: 1, Embedding: 3, Flatten: 2, Identity: Infinity, LayerNorm: 2, Module: Infinity, ModuleDict: 1,
  ModuleList: 1, PositionalEncoding: 4, Sequential: Infinity, Transformer: Infinity,
  TransformerDecoderLayer: Infinity, TransformerEncoderLayer: Infinity
}

/** The same of forwards. @type {Record<string, number>} */
const FORWARDS = { MultiheadAttention: 4 }

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/** @param {string} name @param {object} options which it does not have */
const withoutOptions = (name, options) =>
  ('alpha' in options ? `there is no alpha; write x.${name}(y.mul(alpha))` : `${name} has no options`)

/** @param {string} name @param {number} most @param {readonly unknown[]} given */
export function expectAtMost(name, most, given) {
  if (given.length <= most) return
  const words = most === 0 ? 'no arguments, but got'
    : `${most === 1 ? 'one argument' : `${most} arguments at most`}, but also got a ${ORDINALS[most] ?? 'further one'}:`
  const surplus = given[most], isOption = ['number', 'boolean'].includes(typeof surplus) && isPlain(given[most - 1])
  const hint = isOption ? '; options go into one object' : isPlain(surplus) ? `; ${withoutOptions(name, surplus)}` : ''
  throw new GlassformerError('type', `${name}: takes ${words} ${describe(surplus)}${hint}`)
}

/** How many arguments a function takes. @param {string} name @param {Function} fn */
export const mostOfFunction = (name, fn) => MOST[name] ?? fn.length

/**
 * A function that refuses what it does not take.
 * @template {(...args: any[]) => unknown} F @param {string} name @param {F} fn @returns {F}
 */
function countedFunction(name, fn) {
  const most = mostOfFunction(name, fn)
  if (most === Infinity) return fn
  const counted = (/** @type {any[]} */ ...given) => {
    if (given.length > most) expectAtMost(name, most, given)
    return fn(...given)
  }
  return /** @type {any} */ (Object.defineProperties(counted, { name: { value: name }, length: { value: most } }))
}

/**
 * The same functions, each refusing what it does not take.
 * @template {Record<string, any>} T @param {T} functions @returns {T}
 */
export const counted = functions => /** @type {T} */ (Object.fromEntries(Object.entries(functions).map(
  ([name, value]) => [name, typeof value === 'function' ? countedFunction(name, value) : value])))

/**
 * How many arguments a class takes, without the engine.
 * @param {Function} Class @param {string} name by which the library gives it: a bundle's own may be shorter
 * @returns {number}
 */
export function mostOf(Class, name) {
  let Written = Class
  // A class without a constructor has that of another.
  while (Written.length === 0) Written = Object.getPrototypeOf(Written)
  return MOST[name] ?? Written.length - 1
}

/** How many inputs the library's own forwards take. @type {WeakMap<Function, number>} */
const inputs = new WeakMap()

/** @param {Record<string, any>} classes of modules; a forward that takes a list has no end */
export function countForwards(classes) {
  for (const [name, Class] of Object.entries(classes)) {
    const { forward } = Class.prototype
    if (Object.hasOwn(Class.prototype, 'forward') && forward.length) inputs.set(forward, FORWARDS[name] ?? forward.length)
  }
}

/** How many inputs a forward takes: those of users, with their own defaults, any number. @param {Function} forward */
export const mostInputs = forward => inputs.get(forward) ?? Infinity
