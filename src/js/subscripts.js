import { GlassformerError, describe } from './errors.js'

/**
 * Refuses PyTorch's subscripts in brackets. JavaScript converts a subscript to a property name: reading it would give
 * undefined, and writing it would change no value, so both throw an error that says what to write instead.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 */

/** Subscripts that are also valid identifiers. */
const WORDS = ['null', 'undefined', 'true', 'false', 'NaN', 'Infinity']
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/**
 * Whether a key is an ordinary property name. Some libraries read keys that begin with two at-signs on every value.
 * @param {string} key
 */
const isName = key => (IDENTIFIER.test(key) && !WORDS.includes(key)) || key.startsWith('@@')

/** A tensor as subscript is converted to its string. @param {string} key */
const isTensor = key => /tensor\b/.test(key)

/** What to write instead to read values. @param {string} key */
function readingHint(key) {
  if (/^-?\d+$/.test(key)) {
    return `x.select(0, ${key}) for x[${key}], x.narrow(0, from, length) for x[from:to], and x.at(...) for one number`
  }
  if (isTensor(key)) return 'x.maskedSelect(mask) for x[mask], x.indexSelect(0, ids) for x[ids]'
  if (key === 'null') return 'x.unsqueeze(0) for x[None]'
  if (/^-?\d+(,-?\d+)+$/.test(key)) return `x.indexSelect(0, [${key}]) for x[[${key}]], x.at(${key}) for one number`
  return 'x.slice(dim, start, end) for x[start:end], x.select(dim, i) for x[i], x.indexSelect(dim, list) for x[list]'
}

/** What to write instead to change values. @param {string} key */
const writingHint = key => (isTensor(key)
  ? 'x = x.maskedFill(mask, value) for x[mask] = value, x.scatter(dim, index, src) for x[ids] = src'
  : 'gf.where, x.scatter or x.maskedFill for a tensor with other values, or change single ones in x.data')

/**
 * The end of the prototype chain, which refuses subscripts. Names that are found before it cost nothing.
 * @type {object}
 */
export const refusesSubscripts = new Proxy(Object.create(Object.prototype), {
  get(target, key, /** @type {Tensor} */ tensor) {
    if (typeof key === 'symbol' || key in target || isName(key)) return Reflect.get(target, key, tensor)
    throw new GlassformerError('type', `${describe(tensor)} cannot be indexed with [ ]; write ${readingHint(key)}`)
  },
  set(target, key, value, /** @type {Tensor} */ tensor) {
    if (typeof key === 'symbol' || key in target || isName(key)) return Reflect.set(target, key, value, tensor)
    throw new GlassformerError('type', `${describe(tensor)} cannot be assigned with [ ]; write ${writingHint(key)}`)
  }
})
