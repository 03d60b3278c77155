import { createReader } from './arguments.js'
import { createPublicClass } from './public_class.js'
import { DATA, MODULES } from './signatures.js'

/** Binds classes of the library to an engine, so that `new gf.nn.Linear(2, 3)` needs no engine argument. */

/** @import { WithConstructorOrder } from './argument_types.js' */
/** @import { Kernels } from '../engine/kernels.js' */

/**
 * A class as users see it: without its constructor's first argument, the engine.
 * @template C
 * @template [Name = unknown]
 * @typedef {C extends new (engine: any, ...args: infer A) => infer T
 *   ? (new (...args: A) => T) & WithConstructorOrder<A, T, Name> & Omit<C, 'prototype'> : never} Bound
 */

/**
 * How many arguments a class's constructor takes.
 * @param {Function} Class @returns {number}
 */
function countConstructorArguments(Class) {
  let Defined = Class
  // A class without a constructor has its superclass's.
  while (Defined.length === 0) Defined = Object.getPrototypeOf(Defined)
  return Defined.length
}

/**
 * Binds a class, whose constructor takes the engine first, to an engine, or to the one that a function returns.
 * @template {new (engine: any, ...args: any[]) => any} C
 * @template [Name = unknown]
 * @param {Kernels | ((name: string) => Kernels)} engine
 * @param {C} Class
 * @param {Name & string} name the public name
 * @param {string} [from] the object it is a property of
 * @returns {Bound<C, Name>}
 */
export function bindClass(engine, Class, name, from) {
  const signature = /** @type {Record<string, string>} */ ({ ...MODULES, ...DATA })[name]
  const { read } = createReader(name, signature, countConstructorArguments(Class) - 1)
  const WithEngine = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) {
      super(typeof engine === 'function' ? engine(new.target.name) : engine, ...read(args))
    }
  }
  return /** @type {any} */ (createPublicClass(Class, WithEngine, name, from))
}

/**
 * Lets the constructor of a class that needs no engine read its arguments by a signature.
 * @template {new (...args: any[]) => any} C
 * @param {C} Class @param {string} name the public name @param {string} signature
 * @param {string} from the object it is a property of
 * @returns {C}
 */
export function readConstructorArguments(Class, name, signature, from) {
  const { read } = createReader(name, signature, Class.length)
  const Reading = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) {
      super(...read(args))
    }
  }
  return /** @type {any} */ (createPublicClass(Class, Reading, name, from))
}
