import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { Tensor } from '../tensor.js'
import { Callable } from './callable.js'
import { Parameter } from './parameter.js'

/**
 * What a module holds in its properties. Nothing there is left untrained and unsaved without a word: a parameter that a
 * tensor has replaced, a module where none is looked for, a method that a value hides.
 *
 * @typedef {import('./module.js').Module} Module
 */

/** Names under which a module's parameters were found. @type {WeakMap<Module, Set<string>>} */
const knownNames = new WeakMap()
/** Parameters that a module has made and that have not been looked for yet. @type {WeakMap<Module, Set<Parameter>>} */
const freshlyMade = new WeakMap()

/** Methods whose names modules of one's own cannot use. @type {Set<string>} */
const taken = new Set()
/** Each module has a forward of its own, and one hidden `tag` is missed by nobody. */
const FREE = ['constructor', 'forward', 'tag']

/** @param {object} module @param {string} name */
const hides = ({ constructor }, name) => new GlassformerError('type',
  `${constructor.name}: ${name} is a method of all modules, which a property of that name would hide; choose another name`)

/** Answers those who assign to a method. @param {object} prototype of modules */
export function guardMethods(prototype) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || FREE.includes(name)) continue
    taken.add(name)
    Object.defineProperty(prototype, name, {
      configurable: true, get: () => value,
      /** @this {object} */
      set() { throw hides(this, name) }
    })
  }
}

/** What every module has, and users may have overwritten. @param {Module} module */
function expectUsual(module) {
  const { engine, training, constructor: { name } } = module
  expect(Boolean(engine?.memory), 'type',
    () => `${name}: engine is what a module computes with, got ${describe(engine)}; choose another name`)
  expect(typeof training === 'boolean', 'type',
    () => `${name}: training is what train() and eval() set, got ${describe(training)}; choose another name`)
}

/** @param {Module} module @param {string} name @param {unknown} value */
const isStray = (module, name, value) =>
  value instanceof Tensor && !(value instanceof Parameter) && !module.bufferNames.has(name)

/** @param {Module} module @param {string} name @param {unknown} value */
const expectParameter = (module, name, value) => expect(!isStray(module, name, value), 'type',
  () => `${module.constructor.name}: ${name} is a parameter, got ${describe(value)} in its place, which would be neither ` +
    `trained nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before an optimiser is made`)

/**
 * Functions that compute with a module, and what makes one of another.
 * @type {WeakMap<object, { module: Module, again: (module: Module) => Function }>}
 */
export const compiledFunctions = new WeakMap()

/** What a list, a map, an object or a compiled function holds. @param {unknown} value @returns {Iterable<unknown>} */
function membersOf(value) {
  if (typeof value === 'function') return [compiledFunctions.get(value)?.module].filter(Boolean)
  if (Array.isArray(value)) return value
  if (value instanceof Map || value instanceof Set) return value.values()
  return isPlain(value) ? Object.values(value) : []
}

/**
 * What lists, maps and objects hold of a kind, and those that are in them.
 * @param {unknown} value @param {(one: unknown) => boolean} isOne
 * @param {unknown[]} [found] so far @param {Set<unknown>} [seen]
 */
export function findNested(value, isOne, found = [], seen = new Set()) {
  if (seen.has(value)) return found
  seen.add(value)
  for (const one of membersOf(value)) {
    if (isOne(one)) found.push(one)
    else if (Object(one) === one) findNested(one, isOne, found, seen)
  }
  return found
}

/** Whether it is trained where it is found. @param {unknown} one */
const isTrained = one => one instanceof Callable || one instanceof Parameter

/** All modules and parameters that are found, from a module on. @param {Module} module @returns {Set<unknown>} */
const foundIn = module => new Set(module.namedModules().flatMap(([, one]) => [one, ...Object.values(one)]))

/** How what is lost would be found. @param {unknown} value @param {unknown} lost in it */
function foundAs(value, lost) {
  if (lost instanceof Parameter) return 'this.name = parameter for each'
  if (typeof value === 'function') return 'this.name = module, and gf.compile(this.name)'
  const container = `new gf.nn.${Array.isArray(value) ? 'ModuleList' : 'ModuleDict'}(…)`
  const isDeeper = ![...membersOf(value)].includes(lost)
  return isDeeper ? `${container}, with a ModuleDict for each object and a ModuleList for each array in it` : container
}

/**
 * A list of what the module has in properties, too, loses nothing.
 * @param {Module} module @param {string} name @param {unknown} value
 */
function expectFound(module, name, value) {
  const held = findNested(value, isTrained), found = held.length ? foundIn(module) : null
  const lost = held.find(one => !found?.has(one))
  expect(!lost, 'state', () => `${module.constructor.name}: ${name} is ${describe(value)}, and what it holds would be ` +
    `neither trained nor saved; write ${foundAs(value, lost)}, or this.#${name}, a private field, if that is meant`)
}

/** Looks at a module's properties, and remembers what its parameters are called. @param {Module} module */
export function checkProperties(module) {
  const entries = Object.entries(module), known = knownNames.get(module) ?? new Set(), made = freshlyMade.get(module)
  expectUsual(module)
  for (const [name, value] of entries) {
    if (taken.has(name)) throw hides(module, name)
    if (known.has(name)) expectParameter(module, name, value)
    expectFound(module, name, value)
    if (!(value instanceof Parameter)) continue
    known.add(name)
    made?.delete(value)
  }
  const [name, stray] = (made?.size && entries.find(entry => isStray(module, ...entry))) || []
  if (name) expectParameter(module, name, stray)
  freshlyMade.delete(module)
  knownNames.set(module, known)
  return entries
}

/** Whether the parameters found before are still there. @param {Module} module */
export function expectParametersInPlace(module) {
  const known = knownNames.get(module)
  if (!known) checkProperties(module)
  else for (const name of known) expectParameter(module, name, /** @type {any} */ (module)[name])
}

/** @template {Parameter} P @param {Module} module @param {P} parameter */
export function registerNewParameter(module, parameter) {
  freshlyMade.set(module, (freshlyMade.get(module) ?? new Set()).add(parameter))
  return parameter
}
