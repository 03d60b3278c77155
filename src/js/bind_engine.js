import { expectArgumentCount, getMaxConstructorArguments } from './arity.js'
import { GlassformerError } from './errors.js'

/** Binds classes of the library to an engine, so that `new gf.nn.Linear(2, 3)` needs no engine argument. */

/** @import { Kernels } from './kernels.js' */

/** Each class of the chain spreads the arguments; many more overflow the stack. */
const MAX_ARGUMENTS = 10000

/**
 * A class as users see it: without its constructor's first argument, the engine.
 * @template C
 * @typedef {C extends new (engine: any, ...args: infer A) => infer T
 *   ? (new (...args: A) => T) & Omit<C, 'prototype'> : never} Bound
 */

/**
 * The public form of `Inner`, a subclass of `Class`: it has the public name, instances of `Class` that the library
 * makes are `instanceof` it, and calling it without new is an error with that name.
 * @template {abstract new (...args: any[]) => any} B
 * @param {Function} Class @param {B} Inner
 * @param {string} name the public name, which a minified bundle does not keep
 * @param {string} [from] the object it is a property of
 * @returns {B}
 */
export function createPublicClass(Class, Inner, name, from = 'gf.nn') {
  /** @this {Function} @param {unknown} value */
  function hasInstance(value) {
    return Function.prototype[Symbol.hasInstance].call(this === Bound ? Class : this, value)
  }
  Object.defineProperties(Inner, { name: { value: name }, [Symbol.hasInstance]: { value: hasInstance } })
  /** @type {B} */ const Bound = new Proxy(Inner, {
    apply() { throw new GlassformerError('type', `${name} is a class; write new ${from}.${name}(…)`) },
    // With the proxy itself as new.target, each construction would take the slow path (2.9 instead of 0.7 µs).
    construct: (_, args, target) => {
      if (args.length > MAX_ARGUMENTS) throw new GlassformerError('range',
        `${name}: takes at most ${MAX_ARGUMENTS} arguments, got ${args.length}`)
      return Reflect.construct(Inner, args, target === Bound ? Inner : target)
    }
  })
  Inner.prototype.constructor = Bound
  return Bound
}

/**
 * Binds a class, whose constructor takes the engine first, to an engine.
 * @template {new (engine: any, ...args: any[]) => any} C
 * @param {Kernels} engine
 * @param {C} Class
 * @param {string} name the public name
 * @param {string} [from] the object it is a property of
 * @returns {Bound<C>}
 */
export function bindClass(engine, Class, name, from) {
  const max = getMaxConstructorArguments(Class, name)
  const WithEngine = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) {
      expectArgumentCount(name, max, args)
      super(engine, ...args)
    }
  }
  return /** @type {any} */ (createPublicClass(Class, WithEngine, name, from))
}
