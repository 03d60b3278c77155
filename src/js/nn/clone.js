import { expect } from '../errors.js'
import { Tensor } from '../tensor.js'
import { Callable, callable } from './callable.js'
import { wrapForward } from './forward.js'
import { compiledFunctions, findNested } from './property_checks.js'
import { Parameter } from './parameter.js'

/** @typedef {import('./module.js').Module} Module */

/** @param {Module} module @param {string} name @param {unknown} value of a property */
function checkCloneable({ constructor }, name, value) {
  expect(name !== 'forward', 'state',
    () => `clone: forward of ${constructor.name} must be a method; a field computes with the module it was made in`)
  if (compiledFunctions.has(/** @type {object} */ (value))) return
  const isHeld = (/** @type {unknown} */ one) => one instanceof Callable || one instanceof Tensor
  expect(!findNested(value, isHeld).length, 'state', () => `clone: ${name} of ${constructor.name} holds modules or tensors in ` +
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
 * A module as its copy, a compiled one as the same of the copy, the rest as it was met before or is.
 * @param {any} value of a property @param {Map<object, any>} copies @returns {any}
 */
function cloned(value, copies) {
  const compiled = compiledFunctions.get(value)
  if (compiled) return compiled.again(cloneModule(compiled.module, copies))
  return value instanceof Callable ? cloneModule(/** @type {any} */ (value), copies) : copies.get(value) ?? value
}

/**
 * A module with parameters of its own; what is shared inside is shared inside the copy.
 * @param {Module} module @param {Map<object, any>} copies of what was met before, by the originals
 * @returns {Module}
 */
export function cloneModule(module, copies = new Map()) {
  if (copies.has(module)) return copies.get(module)
  const copy = callable(Object.getPrototypeOf(module))
  copies.set(module, copy)
  for (const [name, value] of Object.entries(module)) {
    checkCloneable(module, name, value)
    if (value instanceof Tensor && !copies.has(value)) copies.set(value, cloneTensor(value))
    const own = cloned(value, copies)
    Object.defineProperty(copy, name, { value: own, writable: true, enumerable: true, configurable: true })
  }
  copy.bufferNames = new Set(module.bufferNames)
  copy.unsavedNames = new Set(module.unsavedNames)
  wrapForward(copy)
  return copy
}
