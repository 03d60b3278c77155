import { describe, expect } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Module, childrenOf } from './module.js'
import { formatModuleList } from './print_module.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/**
 * A module, or an error that names the place of another value.
 * @param {string} where @param {unknown} module @param {string | number} name @returns {Module}
 */
function expectModule(where, module, name) {
  expect(module instanceof Module, 'type', () => `${where}: modules[${name}] must be a module, ` +
    `got ${describe(module)}${typeof module === 'function' ? '; write a module, such as new gf.nn.ReLU()' : ''}`)
  return module
}

/** @template {NumberedModules} M @param {M} list @param {number} i @param {Module} module @returns {M} */
const setModule = (list, i, module) => Object.assign(list, { [i]: expectModule(list.constructor.name, module, i) })

/**
 * The superclass of containers whose modules are named 0, 1, 2, …
 * @template {Module} [M=any]
 */
export class NumberedModules extends Module {
  /** @param {Engine} engine @param {Iterable<M>} modules */
  constructor(engine, modules) {
    super(engine)
    let i = 0
    for (const module of modules) setModule(this, i++, module)
  }

  /** The number of modules. */
  get length() {
    return childrenOf(this).length
  }

  /** Appends a module after the highest number. @param {M} module @returns {this} */
  push(module) {
    return setModule(this, 1 + Math.max(-1, ...Object.keys(this).map(Number).filter(Number.isInteger)), module)
  }

  /** The module at an index; negative ones count from the end. @param {number} i @returns {M | undefined} */
  at(i) {
    return /** @type {M | undefined} */ (childrenOf(this).at(i)?.[1])
  }

  /** @returns {IterableIterator<M>} */
  [Symbol.iterator]() {
    return /** @type {M[]} */ (childrenOf(this).map(([, module]) => module))[Symbol.iterator]()
  }
}

/**
 * A list of modules, named 0, 1, 2 ...: torch.nn.ModuleList. `length`, `at(i)`, `push(module)` and `for … of` are those
 * of arrays; `[...list]` makes one.
 * @example
 * const list = new gf.nn.ModuleList([new gf.nn.Linear(2, 3)])
 * list.push(new gf.nn.ReLU()).length              // 2
 * list.at(-1) === list[1]                         // true
 * @template {Module} [M=any]
 * @extends {NumberedModules<M>}
 */
export class ModuleList extends NumberedModules {
  /** As PyTorch prints it: equal neighbors once, with their number. */
  toString() {
    return formatModuleList(this.constructor.name, childrenOf(this))
  }

  /** @param {Engine} engine @param {readonly M[]} [modules] */
  constructor(engine, modules = []) {
    expect(typeof modules?.[Symbol.iterator] === 'function' && !(modules instanceof Tensor), 'type',
      () => `ModuleList: modules must be a list of modules, got ${describe(modules)}`)
    super(engine, modules)
  }
}

/**
 * Runs modules one after the other, each on the output of the previous one: torch.nn.Sequential.
 * @example
 * const net = new gf.nn.Sequential(new gf.nn.Linear(2, 4), new gf.nn.ReLU(), new gf.nn.Linear(4, 1))
 * net.forward(gf.ones([5, 2])).shape              // [5, 1]
 */
export class Sequential extends NumberedModules {
  static runsSubmodules = true

  /** @param {Engine} engine @param {...(Module | readonly Module[])} modules one by one, or as a list */
  constructor(engine, ...modules) {
    super(engine, /** @type {Module[]} */ (modules.flat()))
  }

  /** @param {any} x input of the first module @returns {any} output of the last module */
  forward(x) {
    let output = x
    for (const module of this) output = module.forward(output)
    return output
  }
}

/** Modules by name: torch.nn.ModuleDict. */
export class ModuleDict extends Module {
  /** @param {Engine} engine @param {Record<string, Module>} [modules] */
  constructor(engine, modules = {}) {
    super(engine)
    expect(modules !== null && typeof modules === 'object', 'type',
      () => `ModuleDict: modules must be an object of modules by name, got ${describe(modules)}`)
    for (const [name, module] of Object.entries(modules)) this.set(name, module)
  }

  /** The number of modules. */
  get length() {
    return childrenOf(this).length
  }

  /** Adds or replaces a module. @param {string} name @param {Module} module @returns {this} */
  set(name, module) {
    const isName = typeof name === 'string' && name !== '' && !name.includes('.')
    expect(isName, 'range', () => `ModuleDict: the name of a module must be a string without dots, got ${describe(name)}`)
    expect(!(name in this) || this.has(name), 'range',
      () => `ModuleDict: ${name} is a property of all modules; choose another name`)
    return Object.assign(this, { [name]: expectModule('ModuleDict', module, name) })
  }

  /** The module with a name; 'index' if there is none. @param {string} name @returns {any} */
  get(name) {
    expect(this.has(name), 'index',
      () => `ModuleDict: there is no module ${describe(name)}, only ${this.keys().join(', ')}`)
    return /** @type {any} */ (this)[name]
  }

  /** Whether there is a module with a name. @param {string} name */
  has(name) {
    return this.keys().includes(name)
  }

  /** The names. @returns {string[]} */
  keys() {
    return childrenOf(this).map(([name]) => name)
  }

  /** The modules. @returns {Module[]} */
  values() {
    return childrenOf(this).map(([, module]) => module)
  }

  /** Names and modules. @returns {[string, Module][]} */
  items() {
    return childrenOf(this)
  }
}

/** Returns its input; all constructor arguments are ignored: torch.nn.Identity. */
export class Identity extends Module {
  /** @param {Engine} engine @param {...any} _ignored */
  constructor(engine, ..._ignored) {
    super(engine)
  }

  /** @param {any} x @returns {any} */
  forward(x) {
    return x
  }
}
