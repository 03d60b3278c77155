import { describe, expect } from '../errors.js'
import { Module, NumberedModules, moduleAt } from './module.js'

/** @typedef {import('../engine.js').Engine} Engine */

/** Modules one after the other, each given what the one before makes: torch.nn.Sequential. */
export class Sequential extends NumberedModules {
  /** @param {Engine} engine @param {...(Module | readonly Module[])} modules one by one, or as a list */
  constructor(engine, ...modules) {
    super(engine, /** @type {Module[]} */ (modules.flat()))
  }

  /** @param {any} x what the first takes @returns {any} what the last makes */
  forward(x) {
    let made = x
    for (const module of this) made = module.forward(made)
    return made
  }
}

/** Modules by names of one's own: torch.nn.ModuleDict. */
export class ModuleDict extends Module {
  /** @param {Engine} engine @param {Record<string, Module>} [modules] */
  constructor(engine, modules = {}) {
    super(engine)
    expect(modules !== null && typeof modules === 'object', 'type',
      () => `ModuleDict: modules must be an object of modules by name, got ${describe(modules)}`)
    for (const [name, module] of Object.entries(modules)) this.set(name, module)
  }

  /** @param {string} name @param {Module} module */
  set(name, module) {
    const isFree = typeof name === 'string' && name !== '' && !name.includes('.') && !(name in this && !this.has(name))
    expect(isFree, 'range', () => `ModuleDict: ${describe(name)} cannot be the name of a module here`)
    return Object.assign(this, { [name]: moduleAt('ModuleDict', module, name) })
  }

  /** @param {string} name @returns {any} the module of that name */
  get(name) {
    expect(this.has(name), 'index',
      () => `ModuleDict: there is no module ${describe(name)}, only ${this.keys().join(', ')}`)
    return /** @type {any} */ (this)[name]
  }

  /** @param {string} name */
  has(name) {
    return this.keys().includes(name)
  }

  /** @returns {string[]} */
  keys() {
    return this.namedChildren().map(([name]) => name)
  }

  /** @returns {Module[]} */
  values() {
    return this.namedChildren().map(([, module]) => module)
  }

  /** @returns {[string, Module][]} */
  items() {
    return this.namedChildren()
  }
}

/** What it is given, whatever the arguments of its constructor: torch.nn.Identity. */
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
