import { expect } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Callable, createCallable } from './callable.js'
import { wrapForward } from './forward.js'
import { compiledFunctions, findNested } from './property_checks.js'
import { Parameter } from './parameter.js'

/** @typedef {import('./module.js').Module} Module */

/** @param {Module} module @param {string} name @param {unknown} value of a property */
function checkCloneable({ constructor }, name, value) {
  expect(name !== 'forward', 'state',
    () => `clone: forward of ${constructor.name} must be a method; a field would compute with the original module`)
  if (compiledFunctions.has(/** @type {object} */ (value))) return
  const isState = (/** @type {unknown} */ item) => item instanceof Callable || item instanceof Tensor
  expect(!findNested(value, isState).length, 'state', () => `clone: ${name} of ${constructor.name} holds modules or tensors in ` +
    `${Array.isArray(value) ? 'an array' : 'an object'}; use ModuleList, ModuleDict or properties`)
}

/** @param {Tensor} tensor */
function cloneTensor(tensor) {
  const { engine, shape, dtype } = tensor
  const copy = tensor instanceof Parameter
    ? new Parameter(engine, shape, undefined, dtype, tensor.isMatrix)
    : engine.keep(engine.empty(shape, dtype))
  copy.requiresGrad = tensor.requiresGrad
  copy.copyFrom(tensor)
  return copy
}

/**
 * Defines the property of a buffer: a tensor that is assigned to it, even inside `gf.tidy`, lives as parameters do.
 * @param {object} module @param {string} name @param {any} initial
 */
export function defineBuffer(module, name, initial) {
  /** @type {any} */ let buffer
  const set = (/** @type {any} */ value) => { buffer = value instanceof Tensor ? value.engine.keep(value) : value }
  set(initial)
  Object.defineProperty(module, name, { get: () => buffer, set, enumerable: true, configurable: true })
}

/**
 * The clone of a property's value: modules and tensors are copied once, compiled modules compile the copy, everything
 * else is the same value.
 * @param {any} value @param {Map<object, any>} copies by their originals @returns {any}
 */
function cloneValue(value, copies) {
  const compiled = compiledFunctions.get(value)
  if (compiled) return compiled.compile(cloneModule(compiled.module, copies))
  return value instanceof Callable ? cloneModule(/** @type {any} */ (value), copies) : copies.get(value) ?? value
}

/**
 * A copy of a module with its own parameters; what is shared inside it is shared inside the copy.
 * @param {Module} module @param {Map<object, any>} copies made so far, by their originals
 * @returns {Module}
 */
export function cloneModule(module, copies = new Map()) {
  if (copies.has(module)) return copies.get(module)
  const copy = createCallable(Object.getPrototypeOf(module))
  copies.set(module, copy)
  for (const [name, value] of Object.entries(module)) {
    checkCloneable(module, name, value)
    if (value instanceof Tensor && !copies.has(value)) copies.set(value, cloneTensor(value))
    const clone = cloneValue(value, copies)
    if (module.bufferNames.has(name)) defineBuffer(copy, name, clone)
    else Object.defineProperty(copy, name, { value: clone, writable: true, enumerable: true, configurable: true })
  }
  copy.bufferNames = new Set(module.bufferNames)
  copy.unsavedNames = new Set(module.unsavedNames)
  wrapForward(copy)
  return copy
}
