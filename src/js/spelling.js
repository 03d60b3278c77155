import { GlassformerError } from './errors.js'

/** What PyTorch's tensors have and these do not, and what is written instead. */
const INSTEAD = /** @type {const} */ ({
  cuda: 'leave it out: everything is in the memory of WebAssembly', cpu: 'leave it out: everything is in one memory',
  device: 'there is one memory', numpy: 'write x.data', tolist: 'write x.toArray()', dim: 'write x.shape.length',
  long: "write x.to('int32')", int: "write x.to('int32')", float: "write x.to('float32')", bool: "write x.to('bool')",
  half: "write x.to('float16')", mT: 'write x.transpose(-2, -1)', unbind: 'write x.select(dim, i) for each',
  bmm: 'write x.matmul(y)', mm: 'write x.matmul(y)'
})

/** PyTorch's types of numbers, and what they are called here. */
const TYPES = {
  float: 'float32', double: 'float64', half: 'float16', long: 'int32', int: 'int32', int64: 'int32', float32: 'float32',
  float64: 'float64', float16: 'float16', bfloat16: 'bfloat16', int32: 'int32', int8: 'int8', bool: 'bool'
}

/** As PyTorch spells a name. @param {string} name */
const inPyTorch = name => name.replace(/(?<=[a-z\d])[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * Answers a name that is not there, where undefined would lead on to "is not a function".
 * @param {object} object @param {string} name @param {string} message
 * @param {(this: object, value: unknown) => void} [set] what setting it does, else it is answered too
 */
function answer(object, name, message, set) {
  if (name in object) return
  const get = () => { throw new GlassformerError('type', message) }
  Object.defineProperty(object, name, { configurable: true, get, set: set ?? get })
}

/** Who extends a class may need the name for something of their own. @param {string} name */
const own = name => /** @this {object} @param {unknown} value */ function set(value) {
  Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * Says how names are spelled here to those who write them as in PyTorch.
 * @template {object} T @param {T} object with names in camelCase, or the prototype of a class @returns {T}
 */
export function answerSpellings(object) {
  for (const name of Object.getOwnPropertyNames(object)) {
    const theirs = inPyTorch(name)
    if (theirs !== name) answer(object, theirs, `${theirs} is spelled ${name} here`, own(theirs))
  }
  return object
}

/** @param {object} prototype of tensors */
export function answerTensors(prototype) {
  for (const [name, instead] of Object.entries(INSTEAD)) answer(prototype, name, `a tensor has no ${name} here; ${instead}`)
  answer(prototype, 'requires_grad', 'requires_grad is spelled requiresGrad here')
}

/**
 * A type that is undefined would be taken for the usual one.
 * @template {object} T @param {T} library @returns {T}
 */
export function answerTypes(library) {
  for (const [name, type] of Object.entries(TYPES)) answer(library, name, `types are texts, not gf.${name}; write '${type}'`)
  return library
}
