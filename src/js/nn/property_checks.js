import { GlassformerError, describe, expect, isPlain } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Callable } from './callable.js'
import { Parameter } from './parameter.js'

/**
 * Checks the properties of modules. Mistakes that would leave something untrained and unsaved are errors: a parameter
 * replaced by a tensor, a module inside an array or object, a method hidden by a value.
 *
 * @typedef {import('./module.js').Module} Module
 */

/** Names under which a module's parameters were found. @type {WeakMap<Module, Set<string>>} */
const knownNames = new WeakMap()
/** Parameters that a module has created and that have not been found yet. @type {WeakMap<Module, Set<Parameter>>} */
const newParameters = new WeakMap()

/** Methods whose names users' modules cannot use for properties. @type {Set<string>} */
const reservedNames = new Set()
/** Methods that may be overwritten: each module has its own forward, and a hidden `tag` does no harm. */
const UNGUARDED = ['constructor', 'forward', 'tag']

/** @param {object} module @param {string} name */
const hiddenMethodError = ({ constructor }, name) => new GlassformerError('type',
  `${constructor.name}: ${name} is a method of all modules, which a property of that name would hide; choose another name`)

/** Makes assigning to a method an error. @param {object} prototype of modules */
export function guardMethods(prototype) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || UNGUARDED.includes(name)) continue
    reservedNames.add(name)
    Object.defineProperty(prototype, name, {
      configurable: true, get: () => value,
      /** @this {object} */
      set() { throw hiddenMethodError(this, name) }
    })
  }
}

/** Checks properties of every module, which users may have overwritten. @param {Module} module */
function checkOwnFields(module) {
  const { engine, training, constructor: { name } } = module
  expect(Boolean(engine?.memory), 'type',
    () => `${name}: the property engine is reserved for the engine, got ${describe(engine)}; choose another name`)
  expect(typeof training === 'boolean', 'type',
    () => `${name}: the property training is reserved for train() and eval(), got ${describe(training)}; choose another name`)
}

/** @param {Module} module @param {string} name @param {unknown} value */
const isStray = (module, name, value) =>
  value instanceof Tensor && !(value instanceof Parameter) && !module.bufferNames.has(name)

/** @param {Module} module @param {string} name @param {unknown} value */
const expectParameter = (module, name, value) => expect(!isStray(module, name, value), 'type',
  () => `${module.constructor.name}: ${name} is a parameter, got ${describe(value)} in its place, which would be neither ` +
    `trained nor saved; write loadStateDict to change its values, or new gf.nn.Parameter(tensor) before the optimizer is created`)

/**
 * The modules of compiled functions, and how to compile another module.
 * @type {WeakMap<object, { module: Module, compile: (module: Module) => Function }>}
 */
export const compiledFunctions = new WeakMap()

/**
 * The members of an array, map, set, object or compiled function.
 * @param {unknown} value @returns {Iterable<unknown>}
 */
function membersOf(value) {
  if (typeof value === 'function') return [compiledFunctions.get(value)?.module].filter(Boolean)
  if (Array.isArray(value)) return value
  if (value instanceof Map || value instanceof Set) return value.values()
  return isPlain(value) ? Object.values(value) : []
}

/**
 * The values of a kind inside nested arrays, maps, sets and objects.
 * @param {unknown} value @param {(item: unknown) => boolean} matches
 * @param {unknown[]} [found] so far @param {Set<unknown>} [visited]
 */
export function findNested(value, matches, found = [], visited = new Set()) {
  if (visited.has(value)) return found
  visited.add(value)
  for (const item of membersOf(value)) {
    if (matches(item)) found.push(item)
    else if (Object(item) === item) findNested(item, matches, found, visited)
  }
  return found
}

/** @param {unknown} item */
const isModuleOrParameter = item => item instanceof Callable || item instanceof Parameter

/** All modules inside a module, and the values of their properties. @param {Module} module @returns {Set<unknown>} */
const findReachable = module => new Set(module.namedModules().flatMap(([, inner]) => [inner, ...Object.values(inner)]))

/** What to write so that a module or parameter is found. @param {unknown} value @param {unknown} lost in it */
function containerHint(value, lost) {
  if (lost instanceof Parameter) return 'this.name = parameter for each'
  if (typeof value === 'function') return 'this.name = module, and gf.compile(this.name)'
  const container = `new gf.nn.${Array.isArray(value) ? 'ModuleList' : 'ModuleDict'}(…)`
  const isDeeper = ![...membersOf(value)].includes(lost)
  return isDeeper ? `${container}, with a ModuleDict for each object and a ModuleList for each array in it` : container
}

/**
 * Throws if a property contains modules or parameters that are not also properties themselves.
 * @param {Module} module @param {string} name @param {unknown} value
 */
function expectReachable(module, name, value) {
  const nested = findNested(value, isModuleOrParameter), reachable = nested.length ? findReachable(module) : null
  const lost = nested.find(item => !reachable?.has(item))
  expect(!lost, 'state', () => `${module.constructor.name}: ${name} is ${describe(value)}, and what it holds would be ` +
    `neither trained nor saved; write ${containerHint(value, lost)}, or this.#${name}, a private field, if that is meant`)
}

/** Checks a module's properties and remembers the names of its parameters. @param {Module} module */
export function checkProperties(module) {
  const entries = Object.entries(module), known = knownNames.get(module) ?? new Set()
  const created = newParameters.get(module)
  checkOwnFields(module)
  for (const [name, value] of entries) {
    if (reservedNames.has(name)) throw hiddenMethodError(module, name)
    if (known.has(name)) expectParameter(module, name, value)
    expectReachable(module, name, value)
    if (!(value instanceof Parameter)) continue
    known.add(name)
    created?.delete(value)
  }
  const [name, stray] = (created?.size && entries.find(entry => isStray(module, ...entry))) || []
  if (name) expectParameter(module, name, stray)
  newParameters.delete(module)
  knownNames.set(module, known)
  return entries
}

/** Throws if a parameter that was found before has been replaced. @param {Module} module */
export function expectParametersInPlace(module) {
  const known = knownNames.get(module)
  if (!known) checkProperties(module)
  else for (const name of known) expectParameter(module, name, /** @type {any} */ (module)[name])
}

/** @template {Parameter} P @param {Module} module @param {P} parameter */
export function registerNewParameter(module, parameter) {
  newParameters.set(module, (newParameters.get(module) ?? new Set()).add(parameter))
  return parameter
}
